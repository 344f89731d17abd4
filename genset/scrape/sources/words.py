"""Keep what people must know of a source, for those who label its photos and release them."""

from dataclasses import asdict

from genset.scrape.sources.source import About
from genset.store import SourceWords, Store


def keep_words(store: Store, about: About) -> None:
    """Store what a source says of itself now."""
    with store.begin_alone() as session:
        session.merge(SourceWords(**asdict(about)))
