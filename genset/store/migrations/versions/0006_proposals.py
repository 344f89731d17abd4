"""Further classes that may be in a photo, and screens that ask about them."""

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
