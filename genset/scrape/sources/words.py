"""Keep what people must know of a source, for those who label its photos and release them."""

from dataclasses import asdict

from sqlalchemy.orm import Session

from genset.scrape.sources.source import About
from genset.store import SourceWords


def keep_words(session: Session, about: About) -> None:
    """Store what a source says of itself now, in a transaction that no other runs beside."""
    session.merge(SourceWords(**asdict(about)))
