"""What must stand beside a source's photos, and what a labeler is told before they see them.

Both go by all photos of the pool, never by those on a screen: what a labeler sees says nothing of
where a photo is from, nor whether its answer is known.
"""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.core.safe import clean
from genset.db import Photo, SourceWarned, SourceWords, Store, ask, now
from genset.db.failures import answering
from genset.label.labelers import WARNINGS, Labeler
from genset.licenses import FLICKR_NOTICE

_LONGEST = 500
_FLICKR = "flickr"


@dataclass(frozen=True, slots=True)
class SourceWarning:
    """What labelers should know before they see photos of a source, named by its title."""

    source: str
    title: str
    text: str


def notices(store: Store, sources: Collection[str] | None = None) -> tuple[str, ...]:
    """What must be shown wherever photos of these sources are; None: of all that the pool has.

    Raises:
        GensetError: the store does not answer. So do the others.
    """
    with answering(), store.session() as session:
        words = session.scalars(select(SourceWords).order_by(SourceWords.name))
        found = {word.name: clean(word.notice, _LONGEST) for word in words}
        found.setdefault(_FLICKR, FLICKR_NOTICE)  # of photos that no scrape of this pool brought
        return tuple(
            notice
            for name, notice in found.items()
            if notice and (_has_photos(session, name) if sources is None else name in sources)
        )


def warnings(store: Store, labeler: Labeler) -> tuple[SourceWarning, ...]:
    """What this labeler was not told yet of the sources of the pool's photos."""
    with answering(), store.session() as session:
        return tuple(
            SourceWarning(name, clean(title), clean(warning, _LONGEST))
            for name, title, warning in ask(session, WARNINGS, {"labeler": labeler.id})
        )


def heed(store: Store, labeler: Labeler, sources: Collection[str]) -> None:
    """Note that this labeler was told of these sources: they are not told again."""
    with answering(), store.begin() as session:
        for source in sources:
            session.merge(SourceWarned(labeler_id=labeler.id, source=source, warned_at=now()))


def _has_photos(session: Session, source: str) -> bool:
    stored = select(Photo.id).where(Photo.source == source, Photo.in_use)
    return session.scalar(stored.limit(1)) is not None
