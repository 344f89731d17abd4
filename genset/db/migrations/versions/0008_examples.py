"""Photos that people gave as examples of classes."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "example",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("wnid", sa.String(64), nullable=False),
        sa.Column("photo_id", sa.Integer, sa.ForeignKey("photo.id"), nullable=False),
        sa.UniqueConstraint("wnid", "photo_id"),
    )
    op.create_index("ix_example_photo_id", "example", ["photo_id"])
