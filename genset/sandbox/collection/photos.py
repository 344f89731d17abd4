"""A photo on the sandbox: what is known of it, and what words find it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from genset.core.query import Phrase, Terms
from genset.sandbox.collection.pictures import Picture


@dataclass(frozen=True)
class OnCommons:
    """What Wikimedia Commons alone knows of a photo.

    `license` is the code of it ("cc-by-sa-4.0"), None for one that follows from Flickr's number;
    `first_upload` when its first version came, in Unix seconds, None where there is but one;
    `depicts` the Wikidata items that it shows ("Q188845"); `said` what its page says besides or
    instead, by the fields of `extmetadata`, where None takes a field away.
    """

    license: str | None = None
    first_upload: int | None = None
    depicts: tuple[str, ...] = ()
    said: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class OnINaturalist:
    """What iNaturalist alone knows of a photo.

    `taxon` is what it shows, "" where that is no organism, and `names` are what finds it too: the
    last one is in English.
    `observation` is the id of the observation that it belongs to, and `observation_license` that
    one's code, "" for all rights reserved. `url` is where its square picture is, if elsewhere.
    """

    taxon: str
    names: tuple[str, ...]
    observation: int
    observation_license: str | None
    quality_grade: str = "research"
    captive: bool = False
    url: str | None = None


@dataclass(frozen=True, eq=False)
class Photo:
    """One photo on the sandbox; `posted` is in Unix seconds, `taken` as Flickr writes it.

    `content_type` is 0 for a photo, 1 for a screenshot, 2 for something else; `license` is Flickr's
    number, and `largest` the key of the largest size that Flickr gives.
    """

    id: str
    picture: Picture
    largest: str
    owner: str
    owner_name: str
    title: str
    tags: str
    license: int
    posted: int
    taken: str | None
    content_type: int
    commons: OnCommons
    inaturalist: OnINaturalist

    @property
    def posted_text(self) -> str:
        """When it was posted, as Flickr writes the date taken."""
        return mysql(datetime.fromtimestamp(self.posted, UTC))

    @property
    def removed(self) -> bool:
        """Whoever deletes the file takes the photo down."""
        return not self.picture.path.is_file()


@dataclass(frozen=True)
class Listing:
    """One line of the records: a photo, the texts that find it and the queries that do."""

    photo: Photo
    texts: tuple[Phrase, ...]
    queries: frozenset[str]

    def found_by(self, text: str, asked: Terms) -> bool:
        """Whether a search for `text`, which wants `asked`, is to return the photo.

        What `asked` excludes is for the collection to say, which knows the photo's other lines.
        """
        return normal(text) in self.queries or self.says(asked)

    def says(self, asked: Terms) -> bool:
        """Whether the words that `asked` wants stand in the photo's texts."""
        return Terms(asked.wanted, ()).fit(self.texts)


def mysql(when: datetime) -> str:
    """A time as Flickr writes it: `2014-02-01 13:59:00`."""
    return when.strftime("%Y-%m-%d %H:%M:%S")


def normal(text: str) -> str:
    """A text without the differences of case and spacing."""
    return " ".join(text.casefold().split())
