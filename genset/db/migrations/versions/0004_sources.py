"""What people must know of each source, who was told, and what a search's next page needs."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_WORDS = (
    *("title", "home", "needs", "found", "limits", "terms", "posted", "taken", "notice"),
    "warning",
)

# What was known of the one source that there was. The next scrape writes it anew.
_FLICKR = {
    "name": "flickr",
    "title": "Flickr",
    "home": "https://www.flickr.com/",
    "found": "by WordNet's words for each class, in Flickr's own order of relevance, which nobody "
    "outside can explain or repeat exactly",
    "terms": "Show at most 30 photos on a page, each with its credit and a link to its page, and "
    "take a photo out within 24 hours of its owner's request.",
    "posted": "when it was uploaded to Flickr",
    "taken": "what the camera or its owner says",
    "notice": "This product uses the Flickr API but is not endorsed or certified by SmugMug, Inc.",
}


def upgrade() -> None:
    source = op.create_table(
        "source",
        sa.Column("name", sa.String(32), primary_key=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in _WORDS),
        sa.Column("page_tells", sa.Boolean, nullable=False),
    )
    op.create_table(
        "source_warned",
        sa.Column("labeler_id", sa.Integer, sa.ForeignKey("labeler.id"), primary_key=True),
        sa.Column("source", sa.String(32), primary_key=True),
        sa.Column("told_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.add_column("search", sa.Column("bookmark", sa.Text, nullable=False, server_default=""))
    there = sa.text("SELECT id FROM photo WHERE source = 'flickr' LIMIT 1")
    if op.get_bind().execute(there).first() is not None:
        op.bulk_insert(source, [dict.fromkeys(_WORDS, "") | _FLICKR | {"page_tells": False}])
