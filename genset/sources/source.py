"""What a source of photos is, which ones there are, and what its users must know of it.

Genset's own sources stand in a table: a module and a line here each. Others are entry points of the
group ``genset.sources`` of installed packages; docs/sources.md shows how to write one.
"""

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import ClassVar, Self, TypeVar
from urllib.parse import urlsplit

import requests
from sqlalchemy.orm import Session

from genset.classes import ImageClass
from genset.core.errors import BadInput, PhotoRejected, SourceError, SourceRefused, first_line
from genset.core.photo import PhotoOrigin
from genset.db import SourceWords
from genset.licenses import License, LicenseChoice
from genset.net.api import as_source_error
from genset.net.hosts import Host, Hosts
from genset.settings import ScrapeSettings

E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class About:
    """A source in words, as README, the data card and the labeling page print them.

    All but `name`, `title` and `home` are sentences, and "" where there is nothing to say.

    Attributes:
        name: what its photos' `source` is: lower case, digits, ``.``, ``_`` and ``-``, at most 32.
        title: its name for people.
        home: its web address.
        needs: what a scrape needs: a key, a contact, or nothing.
        found: how its photos are found: by which words, and in which order they are taken.
        limits: how fast genset asks.
        terms: what its terms ask of who shows its photos or hands them on.
        posted: what the time is at which its photos are "posted".
        taken: what the time is at which they were "taken".
        notice: what must be shown wherever its photos are.
        warning: what labelers should know before they see its photos.
        page_tells: whether a photo's page says what others take the photo for: who labels it is
            given no link to it then.
    """

    name: str
    title: str
    home: str
    needs: str = ""
    found: str = ""
    limits: str = ""
    terms: str = ""
    posted: str = ""
    taken: str = ""
    notice: str = ""
    warning: str = ""
    page_tells: bool = False


Settings = ScrapeSettings
"""What a workspace says of how sources are asked; `None` and "" for what it does not say."""


@dataclass(frozen=True, slots=True)
class Rates:
    """How fast a source is called: calls an hour with all quotas, and images a second.

    0 means that there is no limit.
    """

    calls_an_hour: float
    images_per_second: float


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a source: one page of photos found by `text`, by relevance.

    Attributes:
        text: what is searched, one of `Source.queries`: words, "phrases", -words to leave out.
        posted_after, posted_before: when the photos were posted, the first day in, the last out;
            None for no end.
        licenses: names of the licences wanted, sorted; none for any (`Source.licenses`).
        per_page, page: `page` counts from 1.
        content_types: what is wanted, sorted: 0 for photos, 1 for screenshots, 2 for other things.
        bookmark: what the page before this one said that this one needs; "" for the first page. It
            is no part of what is asked: two questions that differ in it alone are one.
    """

    text: str
    posted_after: datetime
    posted_before: datetime | None
    licenses: tuple[str, ...]
    per_page: int
    page: int
    content_types: tuple[int, ...] = (0,)
    bookmark: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class SearchPage:
    """One page of results, most relevant first.

    `last` says that there is no further page; `capped`, that the source has more than it hands
    over, which only a narrower window of posting times brings out. `bookmark` is what the next page
    needs (`Question.bookmark`), at most 2,000 characters. `rejected` counts the page's entries that
    are no photo to use, by reason.
    """

    photos: tuple[PhotoOrigin, ...]
    total: int
    last: bool
    capped: bool
    bookmark: str = ""
    rejected: Mapping[str, int] = field(default_factory=dict)


def photos_of(
    entries: Iterable[E], parse: Callable[[E], PhotoOrigin]
) -> tuple[tuple[PhotoOrigin, ...], dict[str, int]]:
    """The photos of a page's entries, and how many entries are none, by reason.

    `parse` raises PhotoRejected for these: an entry costs itself only.
    """
    photos, rejected = [], Counter[str]()
    for entry in entries:
        try:
            photos.append(parse(entry))
        except PhotoRejected as error:
            rejected[error.reason] += 1
    return tuple(photos), dict(rejected)


Licenses = Mapping[str, License | SourceError | None]
"""Licences by the photos' ids; None for a photo that is gone, an error for one that failed."""


class Source(ABC):
    """Somewhere that can be searched for photos. What is made of the class is connected to it.

    Each photo has an id that never changes, an owner, a page, a picture on hosts of the source, a
    licence that can be asked for again, and the time at which it was posted (`PhotoOrigin`).

    Attributes:
        about: what it is, in words.
        wants_taken: whether its photos must have been *taken* since the day from which they count
            as unseen, since what is posted there may have been elsewhere for years.
        narrows_dates: whether its search narrows to a window of posting times. Where it does not,
            photos outside of the window come too, and are passed over.
        narrows_licenses: the licences to which its search narrows.
        query_key: the key of a file of classes that says what is searched for.
        ids: of an "owner" and a "photo", what their ids match and how to write one; any where it
            says nothing.
        ids_per_call: of how many photos one call asks for the licences.
        api: the host that answers searches.
        images: the host that its pictures come from.
        picture_addresses: what their addresses match.
    """

    about: ClassVar[About]
    wants_taken: ClassVar[bool] = False
    narrows_dates: ClassVar[bool] = True
    narrows_licenses: ClassVar[Collection[License]] = ()
    query_key: ClassVar[str] = "queries"
    ids: ClassVar[Mapping[str, tuple[str, str]]] = {}
    ids_per_call: ClassVar[int] = 1

    api: Host
    images: Host
    picture_addresses: re.Pattern[str]

    @property
    def name(self) -> str:
        """What its photos' `source` is."""
        return self.about.name

    @classmethod
    @abstractmethod
    def connect(cls, hosts: Hosts, settings: Settings) -> Self:
        """The source, ready to be searched. Nothing is asked yet.

        Raises:
            BadInput: what it needs (a key, a contact) is not there, or no sound one.
        """

    @classmethod
    def for_pictures(cls, hosts: Hosts, settings: Settings) -> Self:
        """The source, ready to download from, for which no key is needed. Raises as `connect`."""
        return cls.connect(hosts, settings)

    @classmethod
    def queries(cls, image_class: ImageClass) -> tuple[str, ...]:
        """What is searched for a class, the most useful first; nothing where it has no such."""
        return tuple(query.text for query in image_class.queries)

    @classmethod
    def licenses(cls, choice: LicenseChoice) -> tuple[str, ...]:
        """Names of the licences to narrow a search to; none where it cannot be narrowed.

        Photos under other licences are not taken in any case.

        Raises:
            BadInput: the source has none of them.
        """
        names = tuple(sorted(found.name for found in cls.narrows_licenses if choice.wants(found)))
        if cls.narrows_licenses and not names:
            raise BadInput(f"{cls.about.title} has no licence {', '.join(choice.words)}")
        return names

    @classmethod
    def per_page(cls, per_class: int) -> int:
        """Results to ask for at a time, for so many photos a class: some will be refused."""
        return 50 if per_class <= 10 else 500

    @classmethod
    @abstractmethod
    def rates(cls, settings: Settings) -> Rates:
        """How fast it would be called, as far as one knows without asking it."""

    @abstractmethod
    def search(self, question: Question, quota: int) -> SearchPage:
        """Ask for one page, once, with one of the quotas of `api`; to be called through `api`.

        The same question has the same photos in the same order, as far as the source lets it. An
        entry that is no photo costs itself only (`photos_of`).

        Raises:
            SourceRefused: asking again is of no use.
            SourceUnavailable, requests.RequestException: the page did not come.
        """

    @abstractmethod
    def ask_licenses(self, source_ids: Sequence[str], quota: int) -> Licenses:
        """Ask for the licences of at most `ids_per_call` photos, once; through `api`, as `search`.

        Raises:
            SourceRefused: asking again is of no use.
            SourceUnavailable, requests.RequestException: the answer did not come.
        """

    def licenses_of(self, source_ids: Sequence[str]) -> Licenses:
        """The licences that photos have today, of at most `ids_per_call`, in one call.

        The call waits for its turn and while the host is down, and is tried again where that may
        help. A photo in error costs itself only: where the call fails nevertheless, either half of
        the photos is asked for, and one that its answer leaves open is asked for alone.

        Raises:
            SourceRefused: no photo can be asked for, for instance for a bad key.
            HostGaveUp: the host is not to be waited for.
        """
        try:
            found = self.api.call_patiently(
                lambda quota: self.ask_licenses(source_ids, quota),
                f"licences of {', '.join(source_ids)}",
            )
        except requests.RequestException as error:
            failure = as_source_error(error, self.api.title)
        except SourceError as error:
            failure = error
        else:
            if len(source_ids) == 1:
                return found
            errors = [id for id, license in found.items() if isinstance(license, SourceError)]
            return {**found, **{id: self.licenses_of([id])[id] for id in errors}}
        if isinstance(failure, SourceRefused) and failure.scope in ("key", "host", "run"):
            raise failure
        if len(source_ids) == 1:
            return {source_ids[0]: failure}
        middle = len(source_ids) // 2
        return {**self.licenses_of(source_ids[:middle]), **self.licenses_of(source_ids[middle:])}

    def may_fetch(self, url: str) -> bool:
        """Whether a picture may be fetched from this address, which a stranger wrote.

        The source's own hosts only.
        """
        return self.picture_addresses.fullmatch(url) is not None


def at(endpoint: str | None, addresses: re.Pattern[str]) -> re.Pattern[str]:
    """The addresses of a source's pictures: where an endpoint stands in for it, that one's only.

    The whole address must match, for a parser of one library may see another host in
    "https://evil.example\\.flickr.com/" than the library that then connects.
    """
    if not endpoint:
        return addresses
    parts = urlsplit(endpoint)
    return re.compile(re.escape(f"{parts.scheme}://{parts.netloc}/") + r"[^\s\\]*")


_OWN = {
    "flickr": "genset.sources.flickr:Flickr",
    "commons": "genset.sources.commons:Commons",
    "inaturalist": "genset.sources.inaturalist:INaturalist",
}


@cache
def source_names() -> tuple[str, ...]:
    """The names of all sources, genset's own first."""
    return tuple(dict.fromkeys([*_OWN, *sorted(entry_points(group="genset.sources").names)]))


def source_class(name: str) -> type[Source]:
    """The source of this name.

    Raises:
        BadInput: there is none, its module cannot be loaded, or it lacks something.
    """
    others = iter(entry_points(group="genset.sources", name=name))
    entry = EntryPoint(name, _OWN[name], "") if name in _OWN else next(others, None)
    if entry is None:
        near = get_close_matches(name, source_names(), 1)
        raise BadInput(
            f"unknown source {name!r}: {f'did you mean {near[0]}? ' if near else ''}choose from "
            f"{', '.join(source_names())} (--source, or `sources` in genset.toml), or install the "
            "package that has it"
        )
    what = f"the source {name} ({entry.value})"
    try:
        found = entry.load()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - it is somebody else's code
        why = f"{type(error).__name__}: {first_line(error)}"
        raise BadInput(f"{what} cannot be loaded: {why}") from None
    if isinstance(found, type) and issubclass(found, Source):
        if lacking := sorted({*found.__abstractmethods__, *({"about"} - set(dir(found)))}):
            raise BadInput(f"{what} lacks {', '.join(lacking)}: define it as docs/sources.md shows")
        if found.about.name == name:
            return found
    raise BadInput(f"{what} is not a Source of this name")


def connected(
    kind: type[Source], hosts: Hosts, settings: Settings, pictures: bool = False
) -> Source:
    """A source, ready to be searched, or with `pictures` to download from.

    Raises:
        BadInput: what it needs is not there (`Source.connect`), or its author left something out.
    """
    source = kind.for_pictures(hosts, settings) if pictures else kind.connect(hosts, settings)
    needed = ["api", "images", *["picture_addresses"] * (kind.may_fetch is Source.may_fetch)]
    if lacking := [name for name in needed if not hasattr(source, name)]:
        words = f"`connect` leaves {', '.join(lacking)} unset: set it there"
        words += ", or define `may_fetch`" * (lacking == needed[2:])
        raise BadInput(f"the source {kind.about.name}: {words}")
    return source


def check_contact(title: str, contact: str) -> None:
    """Check that there is a contact address, for a source that requires one.

    Raises:
        BadInput: there is none.
    """
    if not contact:
        raise BadInput(
            f"{title} requires a contact address: set `contact` under [scrape] in genset.toml, or "
            "GENSET_CONTACT, or for genset pull --contact"
        )


def keep_words(session: Session, about: About) -> None:
    """Store what a source says of itself now, in a transaction that no other runs beside."""
    session.merge(SourceWords(**asdict(about)))
