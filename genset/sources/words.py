"""Keep what people must know of a source, for those who label its photos and release them."""

from dataclasses import asdict

from sqlalchemy.orm import Session

from genset.db import SourceWords
from genset.sources.source import About


def keep_words(session: Session, about: About) -> None:
    """Store what a source says of itself now, in a transaction that no other runs beside."""
    session.merge(SourceWords(**asdict(about)))
