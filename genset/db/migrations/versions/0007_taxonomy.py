"""A workspace's own classes, whose ids are words of up to 64 characters."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_IDS = (
    ("search", "wnid"),
    ("candidate", "wnid"),
    ("search_failure", "wnid"),
    ("screen", "wnid"),
    ("control", "wnid"),
    ("question", "home"),
)


def upgrade() -> None:
    op.create_table(
        "taxonomy",
        sa.Column("hash", sa.String(80), primary_key=True),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
    )
    if op.get_context().dialect.name == "sqlite":
        return  # which holds no text to a length
    for table, column in _IDS:
        op.alter_column(table, column, type_=sa.String(64))
