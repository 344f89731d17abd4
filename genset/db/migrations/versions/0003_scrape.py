"""What failed and when it is tried again, hosts, rate limits, locks, queries, looks of photos."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def _time(name: str, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _attempts() -> list[sa.Column[object]]:
    return [
        sa.Column("attempts", sa.Integer, nullable=False),
        _time("first_at"),
        _time("last_at"),
        _time("next_at", nullable=True),
        sa.Column("error", sa.Text, nullable=False),
    ]


def upgrade() -> None:
    op.create_table(
        "photo_failure",
        sa.Column("photo_id", sa.Integer, sa.ForeignKey("photo.id"), primary_key=True),
        *_attempts(),
    )
    op.create_table(
        "search_failure",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("wnid", sa.String(16), nullable=False),
        sa.Column("source", sa.String(32), nullable=False),
        sa.Column("question", sa.String(64), nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("page", sa.Integer, nullable=False),
        *_attempts(),
        sa.UniqueConstraint("wnid", "source", "question"),
    )
    op.create_table(
        "host",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("held_at", sa.Double),
        sa.Column("held_until", sa.Double),
        sa.Column("down_since", sa.Double),
        sa.Column("probe_at", sa.Double),
        sa.Column("probes", sa.Integer, nullable=False),
        sa.Column("error", sa.Text, nullable=False),
    )
    op.create_table(
        "rate_limit",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("set_at", sa.Double, nullable=False),
        sa.Column("next_at", sa.Double, nullable=False),
    )
    op.create_table(
        "worker",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("machine", sa.Text, nullable=False),
        sa.Column("pid", sa.Integer, nullable=False),
        sa.Column("seen_at", sa.Double, nullable=False),
    )
    op.create_table(
        "held_lock",
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("worker_id", sa.String(32), nullable=False, index=True),
    )
    op.create_table(
        "fact",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_table(
        "query_list",
        sa.Column("version", sa.String(64), primary_key=True),
        sa.Column("content", sa.Text, nullable=False),
        _time("made_at"),
    )
    op.create_table(
        "photo_look",
        sa.Column("photo_id", sa.Integer, sa.ForeignKey("photo.id"), primary_key=True),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("hashes", sa.LargeBinary, nullable=False),
        sa.Column("compared", sa.Integer, unique=True),
    )
    op.drop_index("candidate_photo", "candidate")
    op.create_index("candidate_photo", "candidate", ["photo_id", "wnid"])
    op.create_index("candidate_rank", "candidate", ["wnid", "rank"])
    op.create_index(
        "photo_refused",
        "photo",
        ["refused"],
        sqlite_where=sa.text("refused IS NOT NULL"),
        postgresql_where=sa.text("refused IS NOT NULL"),
    )
    op.add_column(
        "search", sa.Column("content_types", sa.String(16), nullable=False, server_default="0")
    )
    op.add_column(
        "search", sa.Column("query_list", sa.String(64), nullable=False, server_default="1")
    )
