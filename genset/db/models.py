"""The tables of the pool, and what all tables share.

What each stage stored is what the next one reads; nothing else passes between. The tables of
labeling are in `genset.db.labels` and `genset.db.labelers`.
"""

from datetime import UTC, datetime
from typing import Any, Self

from msgspec.structs import asdict
from sqlalchemy import (
    ColumnElement,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    String,
    Text,
    TypeDecorator,
    UniqueConstraint,
    text,
)
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

from genset.classes.checks import LONGEST_ID
from genset.core.files import image_file
from genset.core.photo import PhotoOrigin


class UtcDateTime(TypeDecorator[datetime]):
    """An aware datetime in UTC on both databases; SQLite itself would forget the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuse a naive time: nobody could say later what it meant."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a time without a zone cannot be stored: {value}")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """SQLite hands back naive times, which were stored in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def now() -> datetime:
    """The current time, in UTC."""
    return datetime.now(UTC)


CLASS_ID = String(LONGEST_ID)


class Base(DeclarativeBase):
    """The parent of all tables."""

    def as_json(self) -> dict[str, Any]:
        """A row by its columns."""
        return {column.key: getattr(self, column.key) for column in self.__table__.columns}


class Search(Base):
    """One page of one search: what was asked of a source for a class, and what it answered.

    Asked: `query` is the keyword; `posted_after` and `posted_before` (None: no end) the window of
    posting times; `licenses` the names of those wanted, sorted, joined by "|", "" for any;
    `content_types` Flickr's numbers of what was wanted (0 photos, 1 screenshots, 2 other), sorted,
    joined by ","; pages count from 1. `query_list` is the version of the list of queries that the
    keyword stands in (`QueryList`).

    Answered: `returned` photos came of `total` that the source says it has; `last` says that there
    is no further page, `capped` that the source has more than it hands over; `bookmark` is what the
    source wants to be told with the next page, such as the seed of a random draw. `rejected` counts
    entries that are no photo to use, by reason, as JSON; "" for none.
    """

    __tablename__ = "search"

    id: Mapped[int] = mapped_column(primary_key=True)
    wnid: Mapped[str] = mapped_column(CLASS_ID, index=True)
    source: Mapped[str] = mapped_column(String(32))
    query: Mapped[str] = mapped_column(Text)
    posted_after: Mapped[datetime] = mapped_column(UtcDateTime)
    posted_before: Mapped[datetime | None] = mapped_column(UtcDateTime)
    licenses: Mapped[str] = mapped_column(Text)
    content_types: Mapped[str] = mapped_column(String(16), default="0")
    query_list: Mapped[str] = mapped_column(String(64), default="")
    per_page: Mapped[int]
    page: Mapped[int]
    total: Mapped[int]
    returned: Mapped[int]
    last: Mapped[bool]
    capped: Mapped[bool]
    bookmark: Mapped[str] = mapped_column(Text, default="")
    rejected: Mapped[str] = mapped_column(Text, default="")
    searched_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)


class SourceWords(Base):
    """What people must know of a source, in words, as it was when it was last asked.

    The columns are those of `genset.sources.source.About`. Photos that somebody added from a
    folder have a source without a row.
    """

    __tablename__ = "source"

    name: Mapped[str] = mapped_column(String(32), primary_key=True)
    title: Mapped[str] = mapped_column(Text)
    home: Mapped[str] = mapped_column(Text)
    needs: Mapped[str] = mapped_column(Text)
    found: Mapped[str] = mapped_column(Text)
    limits: Mapped[str] = mapped_column(Text)
    terms: Mapped[str] = mapped_column(Text)
    posted: Mapped[str] = mapped_column(Text)
    taken: Mapped[str] = mapped_column(Text)
    notice: Mapped[str] = mapped_column(Text)
    warning: Mapped[str] = mapped_column(Text)
    page_tells: Mapped[bool] = mapped_column(default=False)


class Photo(Base):
    """A photo that a source named, whoever found it and for whatever class.

    The first columns are the fields of `genset.core.photo.PhotoOrigin`: what its source says.
    It is *stored* when `sha256` is set (its original bytes lie in ``images/``), *rejected* when
    `rejected` gives the reason, and merely known otherwise. `fingerprint` is the perceptual hash of
    `genset.core.pixels`, 16 hexadecimal digits. `checked_at` is when its source
    last answered a refresh.
    """

    __tablename__ = "photo"
    __table_args__ = (
        UniqueConstraint("source", "source_id"),
        Index("photo_sha256", "sha256"),
        Index("photo_stored_at", "stored_at"),
        Index("photo_source_stored_at", "source", "stored_at"),
        # To count the rejected ones by reason without reading all photos.
        Index(
            "photo_refused",
            "rejected",
            sqlite_where=text("rejected IS NOT NULL"),
            postgresql_where=text("rejected IS NOT NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    source: Mapped[str] = mapped_column(String(32))
    source_id: Mapped[str] = mapped_column(String(128))
    owner: Mapped[str] = mapped_column(Text)
    owner_name: Mapped[str] = mapped_column(Text)
    title: Mapped[str] = mapped_column(Text)
    license: Mapped[str] = mapped_column(Text)
    license_url: Mapped[str] = mapped_column(Text)
    page_url: Mapped[str] = mapped_column(Text)
    image_url: Mapped[str] = mapped_column(Text)
    posted_at: Mapped[datetime] = mapped_column(UtcDateTime)
    taken_at: Mapped[str | None] = mapped_column(String(32))  # the camera's clock, in no known zone

    sha256: Mapped[str | None] = mapped_column(String(64))
    byte_size: Mapped[int | None]
    format: Mapped[str | None] = mapped_column(String(16))
    width: Mapped[int | None]
    height: Mapped[int | None]
    fingerprint: Mapped[str | None] = mapped_column(String(16))
    stored_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    rejected: Mapped[str | None] = mapped_column(Text)
    checked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    @classmethod
    def of(cls, origin: PhotoOrigin) -> Self:
        """A photo of which nothing but this is known."""
        return cls(**asdict(origin))

    @property
    def origin(self) -> PhotoOrigin:
        """What its source says of it."""
        return PhotoOrigin(**{name: getattr(self, name) for name in PhotoOrigin.__struct_fields__})

    @property
    def name(self) -> str:
        """What it is called: ``flickr:6061409035``."""
        return f"{self.source}:{self.source_id}"

    @hybrid_property
    def in_use(self) -> bool:
        """Whether it is stored and not rejected since."""
        return self.sha256 is not None and self.rejected is None

    @in_use.inplace.expression
    @classmethod
    def _in_use(cls) -> ColumnElement[bool]:
        return cls.sha256.is_not(None) & cls.rejected.is_(None)

    @property
    def file(self) -> str:
        """Where a stored photo's original lies under ``images/``."""
        if self.sha256 is None or self.format is None:
            raise ValueError(f"photo {self.name} is not stored")
        return image_file(self.sha256, self.format)


class Claim(Base):
    """That a photo may show a class: what labels are about.

    Each is a `Candidate` or a `Proposal`, which `rank` tells: 0 for a proposal. A query for one of
    them leaves out the other by itself; one for claims has both.
    """

    __tablename__ = "candidate"
    __table_args__ = (
        UniqueConstraint("wnid", "photo_id"),
        Index("candidate_photo", "photo_id", "wnid", "rank"),
        Index("candidate_rank", "wnid", "rank", "photo_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    wnid: Mapped[str] = mapped_column(CLASS_ID)
    photo_id: Mapped[int] = mapped_column(ForeignKey("photo.id"))
    keyword: Mapped[str] = mapped_column(Text)
    rank: Mapped[int] = mapped_column()

    photo: Mapped[Photo] = relationship(lazy="joined", innerjoin=True)

    __mapper_args__ = {  # noqa: RUF012 - SQLAlchemy's
        "polymorphic_on": rank > 0,
        "polymorphic_abstract": True,
    }

    @property
    def task(self) -> str:
        """The claim's name outside the database: ``n02123045/flickr:6061409035``."""
        return f"{self.wnid}/{self.photo.name}"


SEARCH_RANKS = 1_000_000
"""The ranks of a further search (`genset.scrape.further`) begin after so many of the one before."""


class Candidate(Claim):
    """A photo that a search returned for a class.

    `keyword` is the query that found it and `rank` its place by relevance in that query's results,
    from 1; where several keywords found it, the ones of its best rank. See `SEARCH_RANKS`.
    """

    __mapper_args__ = {"polymorphic_identity": True}  # noqa: RUF012 - SQLAlchemy's


class Proposal(Claim):
    """A further class that may be in a photo of another class, and that no search returned it for.

    Its `rank` is 0 and its `keyword` empty. A search that returns the photo for the class later
    makes it a candidate, with the labels that it has.
    """

    __mapper_args__ = {"polymorphic_identity": False}  # noqa: RUF012 - SQLAlchemy's


class ExamplePhoto(Base):
    """A photo that somebody gave as an example of a class, known to be right.

    Labelers see it beside the class. It is no candidate of any class: nobody is asked about it, and
    no release has it.
    """

    __tablename__ = "example"
    __table_args__ = (UniqueConstraint("wnid", "photo_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    wnid: Mapped[str] = mapped_column(CLASS_ID)
    photo_id: Mapped[int] = mapped_column(ForeignKey("photo.id"), index=True)


class RemovedOwner(Base):
    """A tombstone: this owner's photos are never to be taken again."""

    __tablename__ = "removed_owner"
    __table_args__ = (UniqueConstraint("source", "owner"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    source: Mapped[str] = mapped_column(String(32))
    owner: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text)
    removed_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)


class PhotoEvent(Base):
    """Something that happened to a photo after it was found.

    `what` is "gone" or "back" (at its source), "license" (`detail`: the one it had and the one it
    has), "rerendered" or "changed" (its source has other bytes, of the same or another picture),
    "failed" (`detail`: what its source answered) or "removed" (`detail`: where its original lay
    under ``images/``, "" for nowhere).
    """

    __tablename__ = "photo_event"

    id: Mapped[int] = mapped_column(primary_key=True)
    photo_id: Mapped[int] = mapped_column(ForeignKey("photo.id"), index=True)
    what: Mapped[str] = mapped_column(String(16))
    detail: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)


class DuplicatePair(Base):
    """Two photos that look alike, proposed to a human.

    `photo_id` is a photo of the pool; `other` names what it looks like: another photo
    (``flickr:6061409035``) or an entry of an exclusion file (``imagenet.hashes:n02123045/1.jpg``).
    `distance` counts differing bits, 0 to 8. `verdict` is None until somebody decides.
    """

    __tablename__ = "duplicate_pair"
    __table_args__ = (UniqueConstraint("photo_id", "other"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    photo_id: Mapped[int] = mapped_column(ForeignKey("photo.id"))
    other: Mapped[str] = mapped_column(Text)
    distance: Mapped[int]
    verdict: Mapped[str | None] = mapped_column(String(16))
    decided_by: Mapped[str | None] = mapped_column(Text)
    decided_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    photo: Mapped[Photo] = relationship(lazy="joined", innerjoin=True)


class Fact(Base):
    """Something that holds for the whole workspace, by its name.

    "images": the id in the marker file of the folder of originals, and "images_new" the one that
    it gets when it is made. "query_list": the version of the queries that the workspace searches
    with. "taxonomy": the hash of its own taxonomy in force. "looks", and "hashes:" with a hash: the
    last `PhotoLook.id` that was compared with the pool, and with that file of hashes.
    "unfinished_scrape": the command of a scrape that was stopped, "" for none. "chosen_classes":
    those of all scrapes that were begun. "refresh:" and a source: when a refresh began that is not
    finished. "browsers": what labelers' browsers know the workspace by.
    """

    __tablename__ = "fact"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    value: Mapped[str] = mapped_column(Text)


class QueryList(Base):
    """All classes' queries in one version, as JSON: a workspace keeps those that it began with."""

    __tablename__ = "query_list"

    version: Mapped[str] = mapped_column(String(64), primary_key=True)
    content: Mapped[str] = mapped_column(Text)
    made_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)


class TaxonomyVersion(Base):
    """A workspace's own taxonomy in one version, as JSON (`genset.classes.document_of`).

    A workspace without one is on ImageNet's classes.
    """

    __tablename__ = "taxonomy"

    hash: Mapped[str] = mapped_column(String(80), primary_key=True)
    content: Mapped[str] = mapped_column(Text)
    made_at: Mapped[datetime] = mapped_column(UtcDateTime, default=now)


class PhotoLook(Base):
    """The hashes by which near duplicates of a photo are found, once computed.

    `hashes` holds those of `genset.core.pixels.variants` for the original `sha256`,
    each as 8 bytes, the lowest first. What is stored later has a higher `id`, which is given once.
    """

    __tablename__ = "photo_look"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(primary_key=True)
    photo_id: Mapped[int] = mapped_column(ForeignKey("photo.id"), unique=True)
    sha256: Mapped[str] = mapped_column(String(64))
    hashes: Mapped[bytes]
