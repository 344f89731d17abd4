"""Votes that are taken out again, visits of crowd workers, managers by name."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_APPEND_ONLY = ("label", "control_answer", "ruling", "labeler_event")


def _time(name: str, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def upgrade() -> None:
    for column in (
        sa.Column("code_failed", sa.Text),
        sa.Column("code_declined", sa.Text),
        sa.Column("code_nothing", sa.Text),
        sa.Column("gold_needed", sa.Double),
        sa.Column("pay", sa.Text, nullable=False, server_default=""),
        sa.Column("consent", sa.Text, nullable=False, server_default=""),
        sa.Column("signed", sa.Boolean, nullable=False, server_default=sa.false()),
    ):
        op.add_column("study", column)
    op.create_table(
        "visit",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(32), nullable=False, unique=True),
        sa.Column("study_id", sa.Integer, sa.ForeignKey("study.id")),
        sa.Column("labeler_id", sa.Integer, sa.ForeignKey("labeler.id")),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("verified", sa.Boolean, nullable=False),
        sa.Column("listed", sa.Boolean),
        _time("began_at"),
        _time("consented_at", nullable=True),
        _time("ended_at", nullable=True),
        sa.Column("outcome", sa.String(16)),
        _time("handed_in_at", nullable=True),
        sa.UniqueConstraint("study_id", "key"),
    )
    op.create_index("visit_labeler", "visit", ["labeler_id"])
    op.create_table(
        "known_as",
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("subject", sa.Text, primary_key=True),
        sa.Column("labeler_id", sa.Integer, sa.ForeignKey("labeler.id"), nullable=False),
    )
    op.create_table(
        "manager",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("subject", sa.String(64), nullable=False, unique=True),
        _time("created_at"),
        _time("revoked_at", nullable=True),
    )
    op.create_table(
        "labeler_event",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.Uuid, nullable=False, unique=True),
        sa.Column("worker", sa.Text, nullable=False),
        sa.Column("visit_id", sa.Integer, sa.ForeignKey("visit.id")),
        sa.Column("what", sa.String(16), nullable=False),
        _time("since", nullable=True),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        _time("at"),
    )
    op.create_index("labeler_event_worker", "labeler_event", ["worker", "number"])
    op.add_column("screen", sa.Column("seconds", sa.Double))
    _add_reference("screen", "visit_id", "visit")
    op.create_index("ix_screen_visit_id", "screen", ["visit_id"])
    _add_reference("control", "settled_id", "candidate")
    _tell_what_settled()
    _make_append_only("labeler_event")
    if op.get_context().dialect.name == "sqlite":
        for table in _APPEND_ONLY:
            _refuse_replacing(table)


def _tell_what_settled() -> None:
    """Gold questions that were made of settled candidates say so in their reason, and of which."""
    op.execute(
        "UPDATE control SET settled_id = (SELECT candidate.id FROM candidate "
        "WHERE candidate.photo_id = control.photo_id AND control.reason = "
        "'labelers or a reviewer settled that it is right for ' || candidate.wnid)"
    )


def _add_reference(table: str, column: str, of: str) -> None:
    """A column that names a row of another table; SQLite adds one in words of its own."""
    if op.get_context().dialect.name == "sqlite":
        op.execute(f"ALTER TABLE {table} ADD COLUMN {column} INTEGER REFERENCES {of} (id)")
    else:
        op.add_column(table, sa.Column(column, sa.Integer, sa.ForeignKey(f"{of}.id")))


def _make_append_only(table: str) -> None:
    if op.get_context().dialect.name == "sqlite":
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
        return
    op.execute(
        f"CREATE FUNCTION {table}_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{table} is append-only'; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_append_only()"
    )


def _refuse_replacing(table: str) -> None:
    """INSERT OR REPLACE deletes a row, and fires no trigger for that unless the program asked."""
    there = f"SELECT 1 FROM {table} WHERE number = NEW.number OR id = NEW.id"  # noqa: S608
    op.execute(
        f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} WHEN EXISTS ({there}) "
        f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
    )
