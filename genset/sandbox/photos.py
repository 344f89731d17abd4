"""The photos that a sandbox has, and what a line of its records says of each."""

import io
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from PIL import Image, ImageOps

from genset.classes import Taxonomy
from genset.core.pixels import eight_bit
from genset.core.query import Phrase, Terms

Pixels = tuple[int, int]
"""Width and height."""

MIME = {"jpg": "image/jpeg", "png": "image/png", "gif": "image/gif"}
SUFFIXES = {".jpg": "jpg", ".jpeg": "jpg", ".png": "png", ".gif": "gif"}

_FORMATS = {"jpg": "JPEG", "png": "PNG", "gif": "GIF"}
_UNREADABLE = (OSError, SyntaxError, ValueError, struct.error, Image.DecompressionBombError)
_ORIENTATION = 0x0112
_TURNED = {5, 6, 7, 8}  # orientations that lie on their side


@dataclass(frozen=True)
class Picture:
    """An image file; `pixels` is None when Pillow cannot read it.

    Sources turn the sizes they make as the camera's EXIF mark says, but not the original, so
    a `turned` picture's width in pixels is the height of its other sizes.
    """

    path: Path
    extension: str
    pixels: Pixels | None
    turned: bool = False

    @classmethod
    def look(cls, path: Path) -> "Picture":
        """Read the header of a file; its extension is its real format's, whatever its name."""
        named = SUFFIXES[path.suffix.lower()]
        try:
            with Image.open(path) as image:
                extension = {"JPEG": "jpg", "PNG": "png", "GIF": "gif"}.get(image.format or "")
                turned = image.getexif().get(_ORIENTATION) in _TURNED
                return cls(path, extension or named, image.size, turned)
        except _UNREADABLE:
            return cls(path, named, None)

    @property
    def upright(self) -> Pixels | None:
        """Width and height as people see it."""
        if self.pixels is None or not self.turned:
            return self.pixels
        return self.pixels[1], self.pixels[0]


def fit(pixels: Pixels, side: int) -> Pixels:
    """Width and height of a picture of these pixels whose longer side has so many."""
    width, height = (max(1, int(long * side / max(pixels) + 0.5)) for long in pixels)
    return width, height


def shrink(path: Path, side: int, square: bool = False, extension: str = "jpg") -> bytes:
    """The picture upright, its longer side so many pixels; a damaged file's own bytes.

    A `square` one is cut to it. Its format is that of the `extension`.
    """
    try:
        with Image.open(path) as opened:
            image = eight_bit(ImageOps.exif_transpose(opened)).convert("RGB")
    except _UNREADABLE:
        return path.read_bytes()
    shrunk = ImageOps.fit(image, (side, side)) if square else image.resize(fit(image.size, side))
    out = io.BytesIO()
    shrunk.save(out, _FORMATS[extension], quality=85)
    return out.getvalue()


def placeholder() -> bytes:
    """The grey PNG that stands where a photo was removed."""
    out = io.BytesIO()
    Image.new("RGB", (500, 374), (243, 245, 246)).save(out, "PNG")
    return out.getvalue()


@dataclass(frozen=True)
class OnCommons:
    """What Wikimedia Commons alone knows of a photo.

    `license` is the code of it ("cc-by-sa-4.0"), None for one that follows from Flickr's number;
    `first_upload` when its first version came, in Unix seconds, None where there is but one;
    `depicts` the Wikidata items that it shows ("Q188845"); `page_fields` what its page says besides
    or instead, by the fields of `extmetadata`, where None takes a field away.
    """

    license: str | None = None
    first_upload: int | None = None
    depicts: tuple[str, ...] = ()
    page_fields: Mapping[str, str | None] = field(default_factory=dict)


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

    def found_by(self, text: str, terms: Terms) -> bool:
        """Whether a search for `text`, which wants `terms`, is to return the photo.

        What `terms` excludes is for the collection to say, which knows the photo's other lines.
        """
        return normal(text) in self.queries or self.says(terms)

    def says(self, terms: Terms) -> bool:
        """Whether the words that `terms` wants stand in the photo's texts."""
        return Terms(terms.wanted, ()).fit(self.texts)


def mysql(when: datetime) -> str:
    """A time as Flickr writes it: `2014-02-01 13:59:00`."""
    return when.strftime("%Y-%m-%d %H:%M:%S")


def normal(text: str) -> str:
    """A text without the differences of case and spacing."""
    return " ".join(text.casefold().split())


def number(text: str) -> int:
    """A large number that is always the same for the same text."""
    return int.from_bytes(sha256(text.encode()).digest()[:8])


Row = Mapping[str, Any]

ATTRIBUTION = 4
"""Flickr's number for CC BY 2.0."""

LICENSES = range(17)

CONTENT_TYPES = range(3)

URL_TYPES = ("sq", "q", "t", "s", "n", "m", "z", "c", "l", "h", "k", "o")
"""The sizes that Flickr may give of a photo, smallest first, as `url_type` names them."""

OBSERVATIONS = 100_000_000_000
"""What is added to a photo's id for the id of its observation, where no record says it."""

_GRADES = ("research", "needs_id", "casual")
_BINOMIAL = re.compile(r"[A-Z][a-z]+ [a-z]+(?:-[a-z]+)?")


def photo_of(row: Row, picture: Picture, taxonomy: Taxonomy) -> Photo:
    """The photo that a record describes; ValueError says what is wrong with it, and the mend."""
    photo_id = id_of(row)
    mark = number(photo_id)
    owner = text_of(row, "owner", f"{10_000_000 + mark % 90_000_000}@N0{mark % 8}")
    url_type = text_of(row, "url_type", "url_o")
    if url_type not in {f"url_{key}" for key in URL_TYPES}:
        sizes = ", ".join(f"url_{key}" for key in URL_TYPES)
        raise ValueError(f'url_type "{url_type}" is no size: write one of {sizes}')
    license_id = ATTRIBUTION if row.get("license") is None else row["license"]
    if type(license_id) is not int or license_id not in LICENSES:
        raise ValueError(f"license {license_id!r} is none of Flickr's: write a number, 0 to 16")
    content_type = 0 if row.get("content_type") is None else row["content_type"]
    if type(content_type) is not int or content_type not in CONTENT_TYPES:
        raise ValueError(f"content_type {content_type!r} is none of Flickr's: write 0, 1 or 2")
    return Photo(
        id=photo_id,
        picture=picture,
        largest=url_type.removeprefix("url_"),
        owner=owner,
        owner_name=text_of(row, "owner_name", f"user{owner.partition('@')[0]}"),
        title=text_of(row, "title", f"IMG_{mark % 10_000:04}"),
        tags=text_of(row, "tags", normal(text_of(row, "search_key")).replace(" ", "")),
        license=license_id,
        posted=int(_date(row, "date_upload_search_engine").timestamp()),
        taken=mysql(_date(row, "date_taken")) if row.get("date_taken") else None,
        content_type=content_type,
        commons=_on_commons(row),
        inaturalist=_on_inaturalist(row, photo_id, taxonomy),
    )


def _on_commons(row: Row) -> OnCommons:
    first = _date(row, "first_upload") if row.get("first_upload") else None
    if first and first >= _date(row, "date_upload_search_engine"):
        raise ValueError("first_upload is not before date_upload_search_engine, the latest one")
    depicts = row.get("depicts") or []
    depicts = [depicts] if isinstance(depicts, str) else depicts
    if not isinstance(depicts, list) or not all(
        isinstance(item, str) and re.fullmatch("Q[0-9]+", item) for item in depicts
    ):
        raise ValueError(f'depicts {depicts!r} is no list of Wikidata items: write ["Q188845"]')
    texts = row.get("extmetadata") or {}
    if not isinstance(texts, dict) or not all(
        isinstance(value, str | None) for value in texts.values()
    ):
        raise ValueError("extmetadata is no object of texts: write {field: text or null}")
    return OnCommons(
        license=text_of(row, "commons_license", "").lower() or None,
        first_upload=int(first.timestamp()) if first else None,
        depicts=tuple(depicts),
        page_fields=texts,
    )


def _on_inaturalist(row: Row, photo_id: str, taxonomy: Taxonomy) -> OnINaturalist:
    wnid = text_of(row, "wnid")
    names = _names(wnid, taxonomy)
    taxon = text_of(row, "taxon", names[0] if names else "")
    observation = text_of(row, "observation", str(OBSERVATIONS + int(photo_id)))
    if not re.fullmatch("[0-9]{1,15}", observation):
        raise ValueError(f'observation "{observation}" is no id: write it in digits')
    grade = text_of(row, "quality_grade", "research")
    if grade not in _GRADES:
        raise ValueError(f'quality_grade "{grade}" is none: write one of {", ".join(_GRADES)}')
    captive = False if row.get("captive") is None else row["captive"]
    if not isinstance(captive, bool):
        raise ValueError(f"captive {captive!r} is neither: write true or false")
    return OnINaturalist(
        taxon=taxon,
        names=() if row.get("taxon") else names,
        observation=int(observation),
        observation_license=_observation_license(row),
        quality_grade=grade,
        captive=captive,
        url=text_of(row, "photo_url") if row.get("photo_url") else None,
    )


def _observation_license(row: Row) -> str | None:
    """The code, "" for all rights reserved, None where the record does not say."""
    if "observation_license" not in row:
        return None
    return text_of(row, "observation_license", "").lower()


@cache
def _names(wnid: str, taxonomy: Taxonomy) -> tuple[str, ...]:
    """What iNaturalist calls a class: its taxon first, its English name last.

    Nothing where it is no organism, as far as the taxonomy and the lemmas tell.
    """
    if (cls := taxonomy.get(wnid)) is None:
        return ()
    binomials = (lemma for lemma in cls.lemmas if _BINOMIAL.fullmatch(lemma))
    taxa = [*filter(None, [cls.taxon]), *binomials]
    return tuple(dict.fromkeys([*taxa, cls.name])) if taxa else ()


def text_of(row: Row, key: str, default: str | None = None) -> str:
    """A record's text; ValueError where it is none, or missing without a `default`."""
    value = row.get(key)
    if value is None and default is not None:
        return default
    if not isinstance(value, str) or (default is None and not value.strip()):
        raise ValueError(f'"{key}" is missing or no text: write it as a string')
    return value


def id_of(row: Row) -> str:
    """A record's photo id; ValueError where it is not in digits."""
    photo_id = text_of(row, "id_search_engine")
    if not re.fullmatch(r"[0-9]+", photo_id):
        raise ValueError(f'id_search_engine "{photo_id}" is no photo id: write it in digits')
    return photo_id


def _date(row: Row, key: str) -> datetime:
    found = moment(text_of(row, key))
    if found is None:
        raise ValueError(f'{key} "{row[key]}" is no date: write it as 2014-02-01 13:59:00')
    return found


def moment(text: str) -> datetime | None:
    """What `2014-02-01 13:59:00` or `2014-02-01` means in UTC; None when it is no date."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
