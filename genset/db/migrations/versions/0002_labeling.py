"""Labelers, screens, controls, rulings; labels say where they come from."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_VERDICTS = "verdict IN ('correct', 'incorrect', 'unsure', 'broken')"
_EXPECTED = _VERDICTS.replace("verdict", "expected")
_OPEN = sa.text("submitted_at IS NULL AND lost_at IS NULL")


def _time(name: str, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def upgrade() -> None:
    op.create_index("photo_stored_at", "photo", ["stored_at"])
    op.create_table(
        "study",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("platform", sa.String(16), nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("screens", sa.Integer, nullable=False),
        sa.Column("code", sa.Text, nullable=False),
        _time("created_at"),
        sa.UniqueConstraint("platform", "key"),
    )
    op.create_table(
        "labeler",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("study_id", sa.Integer, sa.ForeignKey("study.id")),
        _time("created_at"),
        _time("blocked_at", nullable=True),
        sa.UniqueConstraint("kind", "subject"),
    )
    op.create_table(
        "screen",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("worker", sa.Text, nullable=False),
        sa.Column("wnid", sa.String(16), nullable=False),
        sa.Column("panel", sa.Text, nullable=False),
        sa.Column("guideline", sa.Text, nullable=False),
        sa.Column("study_id", sa.Integer, sa.ForeignKey("study.id")),
        _time("created_at"),
        _time("expires_at"),
        _time("submitted_at", nullable=True),
        _time("lost_at", nullable=True),
    )
    op.create_index("screen_submitted", "screen", ["worker", "submitted_at"])
    op.create_index("screen_open", "screen", ["worker"], sqlite_where=_OPEN, postgresql_where=_OPEN)
    op.create_table(
        "control",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("wnid", sa.String(16), nullable=False),
        sa.Column("photo_id", sa.Integer, sa.ForeignKey("photo.id"), nullable=False),
        sa.Column("expected", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        _time("created_at"),
        _time("retired_at", nullable=True),
        sa.UniqueConstraint("wnid", "photo_id"),
        sa.CheckConstraint(_EXPECTED, name="verdict"),
    )
    op.create_index("control_photo", "control", ["photo_id"])
    op.create_table(
        "screen_photo",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("screen_id", sa.String(32), sa.ForeignKey("screen.id"), nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("candidate_id", sa.Integer, sa.ForeignKey("candidate.id")),
        sa.Column("control_id", sa.Integer, sa.ForeignKey("control.id")),
        sa.UniqueConstraint("screen_id", "place"),
        sa.CheckConstraint("(candidate_id IS NULL) <> (control_id IS NULL)", name="one_photo"),
    )
    op.create_index("screen_photo_candidate", "screen_photo", ["candidate_id"])
    op.create_index("screen_photo_control", "screen_photo", ["control_id"])
    _widen_label()
    op.create_table(
        "control_answer",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.Uuid, nullable=False, unique=True),
        sa.Column("control_id", sa.Integer, sa.ForeignKey("control.id"), nullable=False),
        sa.Column("worker", sa.Text, nullable=False),
        sa.Column("screen_id", sa.String(32), sa.ForeignKey("screen.id")),
        sa.Column("verdict", sa.String(16), nullable=False),
        _time("shown_at", nullable=True),
        _time("decided_at"),
        sa.Column("decided_order", sa.Integer),
        sa.CheckConstraint(_VERDICTS, name="verdict"),
    )
    op.create_index("control_answer_by_worker", "control_answer", ["worker", "control_id"])
    _make_append_only("control_answer")
    op.create_table(
        "ruling",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.Uuid, nullable=False, unique=True),
        sa.Column("candidate_id", sa.Integer, sa.ForeignKey("candidate.id"), nullable=False),
        sa.Column("verdict", sa.String(16), nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        _time("at"),
        sa.CheckConstraint(_VERDICTS, name="verdict"),
    )
    op.create_index("ruling_by_candidate", "ruling", ["candidate_id", "number"])
    _make_append_only("ruling")


def _widen_label() -> None:
    """Give `label` its new columns and the fourth verdict; what is there came from the page."""
    new = (
        sa.Column("screen_id", sa.String(32), sa.ForeignKey("screen.id")),
        sa.Column("panel", sa.Text, nullable=False, server_default="main"),
        _time("shown_at", nullable=True),
        sa.Column("decided_order", sa.Integer),
        sa.Column("guideline", sa.Text),
        sa.Column("supersedes", sa.Uuid),
        sa.Column("via", sa.String(16), nullable=False, server_default="page"),
    )
    if op.get_context().dialect.name == "sqlite":
        # SQLite cannot change a constraint: the rows move to a new table. Dropping the old one
        # drops its triggers, and fires none of them.
        op.rename_table("label", "label_before")
        op.drop_index("label_by_candidate", "label_before")
        op.create_table(
            "label",
            sa.Column("number", sa.Integer, primary_key=True),
            sa.Column("id", sa.Uuid, nullable=False, unique=True),
            sa.Column("candidate_id", sa.Integer, sa.ForeignKey("candidate.id"), nullable=False),
            sa.Column("worker", sa.Text, nullable=False),
            sa.Column("verdict", sa.String(16), nullable=False),
            _time("decided_at"),
            *new,
            sa.CheckConstraint(_VERDICTS, name="verdict"),
        )
        old = "number, id, candidate_id, worker, verdict, decided_at"
        op.execute(f"INSERT INTO label ({old}) SELECT {old} FROM label_before")  # noqa: S608
        op.drop_table("label_before")
        op.create_index("label_by_candidate", "label", ["candidate_id", "worker", "number"])
        _make_append_only("label")
    else:
        for column in new:
            op.add_column("label", column)
        op.drop_constraint("verdict", "label", type_="check")
        op.create_check_constraint("verdict", "label", _VERDICTS)
    op.create_index("label_by_worker", "label", ["worker", "candidate_id"])


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
