"""A photo on the sandbox: what is known of it, where its images are, what words find it."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256

from genset.sandbox.pictures import SIZES, Picture, Pixels
from genset.text.query import Phrase, Terms

SERVER = "65535"
"""Where Flickr has kept new photos for years."""

IMAGE_PATH = re.compile(r"/\d+/(\d+)_[0-9a-f]+(?:_([a-z]))?\.(?:jpg|png|gif)")
"""What `Photo.path` looks like: the photo's id and the size's suffix are its groups."""


@dataclass(frozen=True)
class Photo:
    """One photo on the sandbox; `posted` is in Unix seconds, `taken` as Flickr writes it.

    `content_type` is 0 for a photo, 1 for a screenshot, 2 for something else.
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
    content_type: int = 0

    @property
    def posted_text(self) -> str:
        """When it was posted, as Flickr writes the date taken."""
        return mysql(datetime.fromtimestamp(self.posted, UTC))

    @property
    def removed(self) -> bool:
        """Whoever deletes the file takes the photo down."""
        return not self.picture.path.is_file()

    @cached_property
    def sizes(self) -> dict[str, Pixels | None]:
        """The sizes there are, smallest first; the last one is the file's own bytes.

            {"sq": (75, 75), "q": (150, 150), ..., "o": (2560, 1600)}

        None stands for the unknown pixels of an unreadable file.
        """
        own = self.picture.pixels
        if own is None:
            return {"o": None}
        upright = (own[1], own[0]) if self.picture.turned else own
        found: dict[str, Pixels | None] = {}
        for key, size in SIZES.items():
            if key == self.largest:
                break
            if size.side <= max(upright):
                found[key] = size.fit(upright)
        return found | {self.largest: own}

    @property
    def own_size(self) -> str:
        """Key of the size that is the file itself, unchanged."""
        return list(self.sizes)[-1]

    def secret(self, key: str = "m") -> str:
        """Part of an address: nobody can guess the largest sizes' from a smaller one's."""
        return sha256(f"{self.id} {key if key in 'hko' else ''}".encode()).hexdigest()[:10]

    def path(self, key: str) -> str:
        """Where the image host has a size: `/65535/7605486142_0d7b1b830e_b.jpg`."""
        suffix = f"_{SIZES[key].suffix}" if SIZES[key].suffix else ""
        extension = self.picture.extension if key == self.own_size else "jpg"
        return f"/{SERVER}/{self.id}_{self.secret(key)}{suffix}.{extension}"


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
        wants = Terms(asked.wanted, ())
        return normal(text) in self.queries or wants.fit(self.texts)


def mysql(when: datetime) -> str:
    """A time as Flickr writes it: `2014-02-01 13:59:00`."""
    return when.strftime("%Y-%m-%d %H:%M:%S")


def normal(text: str) -> str:
    """A text without the differences of case and spacing."""
    return " ".join(text.casefold().split())
