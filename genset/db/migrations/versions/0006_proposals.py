"""Further classes that may be in a photo, screens that ask about them, requests for review."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def _time(name: str, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def upgrade() -> None:
    op.drop_index("candidate_photo", "candidate")
    op.create_index("candidate_photo", "candidate", ["photo_id", "wnid", "rank"])
    if op.get_context().dialect.name == "sqlite":
        op.execute("ALTER TABLE screen ADD COLUMN photo_id INTEGER REFERENCES photo (id)")
    else:
        op.add_column("screen", sa.Column("photo_id", sa.Integer, sa.ForeignKey("photo.id")))
    op.create_table(
        "proposal_round",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("release", sa.Text, nullable=False),
        sa.Column("content_hash", sa.Text, nullable=False),
        sa.Column("seed", sa.Integer, nullable=False),
        sa.Column("share", sa.Double, nullable=False),
        sa.Column("most", sa.Integer, nullable=False),
        _time("made_at"),
        _time("withdrawn_at", nullable=True),
    )
    op.create_table(
        "question",
        sa.Column("candidate_id", sa.Integer, sa.ForeignKey("candidate.id"), primary_key=True),
        sa.Column("round_id", sa.Integer, sa.ForeignKey("proposal_round.id"), nullable=False),
        sa.Column("home", sa.String(16), nullable=False),
        sa.Column("at_random", sa.Boolean, nullable=False),
    )
    op.create_index("ix_question_round_id", "question", ["round_id"])
    op.create_index("question_home", "question", ["home", "candidate_id"])
    op.create_table(
        "proposed_by",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column(
            "candidate_id", sa.Integer, sa.ForeignKey("question.candidate_id"), nullable=False
        ),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("place", sa.Integer),
        sa.Column("run", sa.Text),
        sa.UniqueConstraint("candidate_id", "kind", "name"),
    )
    _make_review_request()


def _make_review_request() -> None:
    op.create_table(
        "review_request",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.Uuid, nullable=False, unique=True),
        sa.Column("candidate_id", sa.Integer, sa.ForeignKey("candidate.id"), nullable=False),
        sa.Column("labelers", sa.Integer, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        _time("at"),
    )
    op.create_index("review_request_by_candidate", "review_request", ["candidate_id", "number"])
    _make_append_only("review_request")


def _make_append_only(table: str) -> None:
    refuse = f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
    if op.get_context().dialect.name == "sqlite":
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} {refuse}"
            )
        # INSERT OR REPLACE deletes a row, and fires no trigger for that unless the program asked.
        there = f"SELECT 1 FROM {table} WHERE number = NEW.number OR id = NEW.id"  # noqa: S608
        op.execute(
            f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} WHEN EXISTS ({there}) "
            f"{refuse}"
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
