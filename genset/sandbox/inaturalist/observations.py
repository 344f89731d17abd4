"""The observations that a collection's photos belong to, and which of them a search finds."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from genset.sandbox.collection.chance import number
from genset.sandbox.collection.photos import Photo
from genset.sandbox.collection.rows import moment
from genset.sandbox.messages import Params

_CODES = {
    0: None,
    1: "cc-by-nc-sa",
    2: "cc-by-nc",
    3: "cc-by-nc-nd",
    4: "cc-by",
    5: "cc-by-sa",
    6: "cc-by-nd",
    7: "pd",
    8: "pd",
    9: "cc0",
    10: "pd",
    11: "cc-by",
    12: "cc-by-sa",
    13: "cc-by-nd",
    14: "cc-by-nc",
    15: "cc-by-nc-sa",
    16: "cc-by-nc-nd",
}
"""iNaturalist's licences by Flickr's numbers. They have no version; None reserves all rights."""


def license_code(photo: Photo) -> str | None:
    """A photo's own licence."""
    return _CODES[photo.license]


@dataclass(frozen=True, eq=False)
class Observation:
    """What one person saw once, in one or more photos; the first of them describes it."""

    id: int
    photos: tuple[Photo, ...]

    @property
    def first(self) -> Photo:
        """The photo whose record says what the observation is."""
        return self.photos[0]

    @property
    def license_code(self) -> str | None:
        """The observation's licence, which often is not its photos'."""
        said = self.first.inaturalist.observation_license
        if said is not None:
            return said or None
        return (None, "cc-by-nc", license_code(self.first))[number(f"of {self.id}") % 3]

    def shows(self, taxon: str) -> bool:
        """Whether it shows this taxon or one below it, whose name goes on where this one ends."""
        asked = taxon.strip().casefold()
        own = self.first.inaturalist.taxon.casefold()
        others = (name.casefold() for name in self.first.inaturalist.names)
        return bool(asked) and (own == asked or own.startswith(f"{asked} ") or asked in others)


def observations_of(photos: Iterable[Photo]) -> dict[int, Observation]:
    """By their ids; photos that show no organism belong to none."""
    grouped: dict[int, list[Photo]] = {}
    for photo in photos:
        if photo.inaturalist.taxon:
            grouped.setdefault(photo.inaturalist.observation, []).append(photo)
    return {each: Observation(each, tuple(shown)) for each, shown in grouped.items()}


def search(observations: Iterable[Observation], params: Params) -> list[Observation]:
    """The observations that a search's parameters ask for, in its order.

    Parameters that are unknown, and values that cannot be read, narrow nothing.
    """
    tests = list(_tests(params))
    found = [
        observation for observation in observations if all(test(observation) for test in tests)
    ]
    if params.get("order_by") == "id":
        found.sort(key=lambda each: each.id)
    elif params.get("order_by") == "observed_on":
        found.sort(key=lambda each: (each.first.taken or "", each.id))
    else:
        found.sort(key=lambda each: (each.first.posted, each.id))
    return found if params.get("order") == "asc" else found[::-1]


Test = Callable[[Observation], bool]


def _tests(params: Params) -> Iterator[Test]:
    """What an observation must be to be found."""
    asked = {name: _several(value) for name, value in params.items() if _several(value)}
    if taxa := asked.get("taxon_name"):
        yield lambda each: any(each.shows(taxon) for taxon in taxa)
    if grades := asked.get("quality_grade"):
        yield lambda each: each.first.inaturalist.quality_grade in grades
    if codes := asked.get("photo_license"):
        yield lambda each: any(_is_one(license_code(photo), codes) for photo in each.photos)
    if own := asked.get("license"):
        yield lambda each: _is_one(each.license_code, own)
    if ids := asked.get("id"):
        yield lambda each: str(each.id) in ids
    if (captive := params.get("captive")) in ("true", "false"):
        yield lambda each: each.first.inaturalist.captive == (captive == "true")
    if (above := params.get("id_above", "")).isdecimal():
        yield lambda each: each.id > int(above)
    if (below := params.get("id_below", "")).isdecimal():
        yield lambda each: each.id < int(below)
    yield from _dates(params)


def _dates(params: Params) -> Iterator[Test]:
    """A day that ends a window belongs to it."""
    if since := moment(params.get("created_d1", "")):
        first = since.timestamp()
        yield lambda each: each.first.posted >= first
    if until := _end(params.get("created_d2", "")):
        last = until.timestamp()
        yield lambda each: each.first.posted < last
    if seen_since := moment(params.get("d1", "")):
        earliest = _day(seen_since)
        yield lambda each: (each.first.taken or "")[:10] >= earliest
    if seen_until := moment(params.get("d2", "")):
        latest = _day(seen_until)
        yield lambda each: each.first.taken is not None and each.first.taken[:10] <= latest


def _several(value: str) -> list[str]:
    return [word.strip() for word in value.split(",") if word.strip()]


def _is_one(code: str | None, codes: list[str]) -> bool:
    """Whether a licence is one of those asked for, by their codes in any case."""
    asked = {code.lower() for code in codes}
    return code in asked if code else "none" in asked


def _end(text: str) -> datetime | None:
    """The moment before which something happened until `text`, a day or a time."""
    until = moment(text)
    if until is None:
        return None
    return until + (timedelta(days=1) if re.fullmatch(r"[0-9-]{8,10}", text) else timedelta(0, 1))


def _day(when: datetime) -> str:
    return when.astimezone(UTC).date().isoformat()
