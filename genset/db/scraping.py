"""The tables by which scrapers remember what failed, and share the work and the hosts.

Times that scrapers compare with each other are seconds since 1970 by the database's clock (by the
machine's own with SQLite), since the clocks of several machines differ.
"""

from datetime import datetime

from sqlalchemy import BigInteger, Double, ForeignKey, String, Text, UniqueConstraint, select, union
from sqlalchemy.orm import Mapped, Session, mapped_column

from genset.db.models import CLASS_ID, Base, Candidate, Fact, Search, UtcDateTime

CHOSEN_CLASSES = "chosen_classes"
"""The `Fact` that has the classes of all scrapes that were begun, with blanks between them."""


class Attempts:
    """How often something was tried in vain, from `first_at` on, with the last `error`.

    It is to be tried again at `next_at`, and never where that is None.
    """

    attempts: Mapped[int]
    first_at: Mapped[datetime] = mapped_column(UtcDateTime)
    next_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    error: Mapped[str] = mapped_column(Text)


class PhotoFailure(Attempts, Base):
    """A photo whose picture did not come yet. Its row goes when the picture does come."""

    __tablename__ = "photo_failure"

    photo_id: Mapped[int] = mapped_column(ForeignKey("photo.id"), primary_key=True)


class SearchFailure(Attempts, Base):
    """A page of a search that did not come yet. Its row goes when the page does come.

    `question` tells it from other pages: a hash of all that is asked; `query` and `page` are for
    people to read.
    """

    __tablename__ = "search_failure"
    __table_args__ = (UniqueConstraint("wnid", "source", "question"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    wnid: Mapped[str] = mapped_column(CLASS_ID)
    source: Mapped[str] = mapped_column(String(32))
    question: Mapped[str] = mapped_column(String(64))
    query: Mapped[str] = mapped_column(Text)
    page: Mapped[int]


class HostState(Base):
    """What is known of a host; `title` is its name for people.

    It asked for no calls until `paused_until`. It has not answered since `down_since`, for the
    reason in `error`, and is asked again at `probe_at`, for the `probes`-th time. `rate` and
    `refused` are those of `genset.net.pace.Pace`. A key of a source that has several has a row too.
    """

    __tablename__ = "host"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    title: Mapped[str] = mapped_column(Text)
    paused_until: Mapped[float | None] = mapped_column(Double)
    down_since: Mapped[float | None] = mapped_column(Double)
    probe_at: Mapped[float | None] = mapped_column(Double)
    probes: Mapped[int] = mapped_column(default=0)
    error: Mapped[str] = mapped_column(Text, default="")
    rate: Mapped[float | None] = mapped_column(Double)
    refused: Mapped[float | None] = mapped_column(Double)

    def paused_for(self, now: float) -> float:
        """Seconds for which it is to be left alone."""
        return max(0.0, (self.paused_until or 0.0) - now)

    def opens_in(self, now: float) -> float:
        """Seconds until it may be called."""
        return max(self.paused_for(now), (self.probe_at or 0.0) - now)


class RateLimitState(Base):
    """When the next call of a quota may be made."""

    __tablename__ = "rate_limit"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    next_at: Mapped[float] = mapped_column(Double)


class Worker(Base):
    """A scraper at work. It is taken for dead when it was not seen for a while."""

    __tablename__ = "worker"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    machine: Mapped[str] = mapped_column(Text)
    pid: Mapped[int]
    seen_at: Mapped[float] = mapped_column(Double)


class ScrapeLock(Base):
    """What a scraper works on alone: the "class" or "photo" of this number."""

    __tablename__ = "scrape_lock"

    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    number: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    worker_id: Mapped[str] = mapped_column(String(32), index=True)


def chosen_classes(session: Session) -> set[str]:
    """The classes of all scrapes, and those with other candidates; none before the first scrape."""
    begun = session.get(Fact, CHOSEN_CLASSES)
    scraped = set(session.scalars(union(select(Search.wnid), select(SearchFailure.wnid))))
    scraped.update(begun.value.split() if begun else ())
    return scraped and scraped | set(session.scalars(select(Candidate.wnid).distinct()))
