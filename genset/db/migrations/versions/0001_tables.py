"""All tables, as `genset.db` declares them.

Nothing was released with other tables, so this is where every database begins. Once a version is
released, these tables are to be written out here as they are in it, and each later change is a
migration of its own.
"""

from alembic import op

from genset.db import Base

revision = "0001"
down_revision = None

APPEND_ONLY = ("label", "gold_answer", "ruling", "review_request", "labeler_event")


def upgrade() -> None:
    Base.metadata.create_all(op.get_bind())
    for table in APPEND_ONLY:
        for statement in _append_only(table):
            op.execute(statement)


def _append_only(table: str) -> list[str]:
    """What has the database itself refuse to change or delete a row."""
    refuse = f"'{table} is append-only'"
    if op.get_context().dialect.name == "postgresql":
        return [
            f"CREATE FUNCTION {table}_append_only() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION {refuse}; END $$",
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_append_only()",
        ]
    # INSERT OR REPLACE deletes a row, and fires no trigger for that unless the program asked.
    same = f"EXISTS (SELECT 1 FROM {table} WHERE number = NEW.number OR id = NEW.id)"  # noqa: S608
    events = {"update": "UPDATE", "delete": "DELETE", "replace": "INSERT"}
    return [
        f"CREATE TRIGGER {table}_no_{name} BEFORE {event} ON {table} "
        + (f"WHEN {same} " if name == "replace" else "")
        + f"BEGIN SELECT RAISE(ABORT, {refuse}); END"
        for name, event in events.items()
    ]
