"""The pool (searches, photos, candidates) and the labels."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "search",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("wnid", sa.String(16), nullable=False),
        sa.Column("source", sa.String(32), nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("posted_after", sa.DateTime(timezone=True), nullable=False),
        sa.Column("posted_before", sa.DateTime(timezone=True)),
        sa.Column("licenses", sa.Text, nullable=False),
        sa.Column("safe_search", sa.Integer, nullable=False),
        sa.Column("per_page", sa.Integer, nullable=False),
        sa.Column("page", sa.Integer, nullable=False),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("returned", sa.Integer, nullable=False),
        sa.Column("last", sa.Boolean, nullable=False),
        sa.Column("capped", sa.Boolean, nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_search_wnid", "search", ["wnid"])
    op.create_table(
        "photo",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("source", sa.String(32), nullable=False),
        sa.Column("source_id", sa.String(128), nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("owner_name", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("license", sa.Text, nullable=False),
        sa.Column("license_url", sa.Text, nullable=False),
        sa.Column("page_url", sa.Text, nullable=False),
        sa.Column("image_url", sa.Text, nullable=False),
        sa.Column("posted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("taken_at", sa.String(32)),
        sa.Column("sha256", sa.String(64)),
        sa.Column("byte_size", sa.Integer),
        sa.Column("format", sa.String(16)),
        sa.Column("width", sa.Integer),
        sa.Column("height", sa.Integer),
        sa.Column("fingerprint", sa.String(16)),
        sa.Column("stored_at", sa.DateTime(timezone=True)),
        sa.Column("refused", sa.Text),
        sa.Column("checked_at", sa.DateTime(timezone=True)),
        sa.UniqueConstraint("source", "source_id"),
    )
    op.create_index("photo_sha256", "photo", ["sha256"])
    op.create_table(
        "candidate",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("wnid", sa.String(16), nullable=False),
        sa.Column("photo_id", sa.Integer, sa.ForeignKey("photo.id"), nullable=False),
        sa.Column("keyword", sa.Text, nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.UniqueConstraint("wnid", "photo_id"),
    )
    op.create_index("candidate_photo", "candidate", ["photo_id"])
    op.create_table(
        "label",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.Uuid, nullable=False, unique=True),
        sa.Column("candidate_id", sa.Integer, sa.ForeignKey("candidate.id"), nullable=False),
        sa.Column("worker", sa.Text, nullable=False),
        sa.Column("verdict", sa.String(16), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("verdict IN ('correct', 'incorrect', 'unsure')", name="verdict"),
    )
    op.create_index("label_by_candidate", "label", ["candidate_id", "worker", "number"])
    _make_append_only("label")
    op.create_table(
        "removed_owner",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("source", sa.String(32), nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("removed_at", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("source", "owner"),
    )
    op.create_table(
        "photo_event",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("photo_id", sa.Integer, sa.ForeignKey("photo.id"), nullable=False),
        sa.Column("what", sa.String(16), nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_photo_event_photo_id", "photo_event", ["photo_id"])
    op.create_table(
        "duplicate_pair",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("photo_id", sa.Integer, sa.ForeignKey("photo.id"), nullable=False),
        sa.Column("other", sa.Text, nullable=False),
        sa.Column("distance", sa.Integer, nullable=False),
        sa.Column("verdict", sa.String(16)),
        sa.Column("decided_by", sa.Text),
        sa.Column("decided_at", sa.DateTime(timezone=True)),
        sa.UniqueConstraint("photo_id", "other"),
    )


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
