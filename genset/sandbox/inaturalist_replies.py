"""How iNaturalist describes an observation, with the types of its recorded replies.

    {"id": 107605486142, "uuid": "...", "uri": "https://www.inaturalist.org/observations/...",
     "created_at": "2012-07-19T15:25:02+02:00", "observed_on": "2012-07-18",
     "license_code": "cc-by-nc", "quality_grade": "research", "captive": false,
     "user": {"id": ..., "login": "ann", ...}, "taxon": {"id": ..., "name": "Tinca tinca", ...},
     "photos": [{"id": 7605486142, "license_code": "cc-by",
                 "url": "http://127.0.0.1:8750/photos/7605486142/square.jpg",
                 "attribution": "(c) ann, some rights reserved (CC BY)",
                 "original_dimensions": {"width": 1024, "height": 768}, ...}], ...}

An observation's licence is not that of its photos. Times are in its place's own zone.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

from genset.sandbox.messages import Params
from genset.sandbox.photos import Photo, moment, number

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
    def photo_codes(self) -> list[str | None]:
        """The licences of its photos."""
        return [license_code(photo) for photo in self.photos]

    @property
    def license_code(self) -> str | None:
        """The observation's licence, which often is not its photos'."""
        code = self.first.inaturalist.observation_license
        if code is not None:
            return code or None
        return (None, "cc-by-nc", license_code(self.first))[number(f"of {self.id}") % 3]

    def shows(self, taxon: str) -> bool:
        """Whether it shows this taxon or one below it, whose name goes on where this one ends."""
        requested = taxon.strip().casefold()
        taxon_shown = self.first.inaturalist.taxon.casefold()
        others = (name.casefold() for name in self.first.inaturalist.names)
        return bool(requested) and (
            taxon_shown == requested
            or taxon_shown.startswith(f"{requested} ")
            or requested in others
        )


def observations_of(photos: Iterable[Photo]) -> dict[int, Observation]:
    """By their ids; photos that show no organism belong to none."""
    grouped: dict[int, list[Photo]] = {}
    for photo in photos:
        if photo.inaturalist.taxon:
            grouped.setdefault(photo.inaturalist.observation, []).append(photo)
    return {number: Observation(number, tuple(shown)) for number, shown in grouped.items()}


def search(observations: Iterable[Observation], params: Params) -> list[Observation]:
    """The observations that a search's parameters ask for, in its order.

    Parameters that are unknown, and values that cannot be read, narrow nothing.
    """
    tests = list(_tests(params))
    found = [
        observation for observation in observations if all(test(observation) for test in tests)
    ]
    if params.get("order_by") == "id":
        found.sort(key=lambda observation: observation.id)
    elif params.get("order_by") == "observed_on":
        found.sort(key=lambda observation: (observation.first.taken or "", observation.id))
    else:
        found.sort(key=lambda observation: (observation.first.posted, observation.id))
    return found if params.get("order") == "asc" else found[::-1]


Test = Callable[[Observation], bool]


def _tests(params: Params) -> Iterator[Test]:
    """What an observation must be to be found."""
    requested = {name: _several(value) for name, value in params.items() if _several(value)}
    if taxa := requested.get("taxon_name"):
        yield lambda observation: any(observation.shows(taxon) for taxon in taxa)
    if grades := requested.get("quality_grade"):
        yield lambda observation: observation.first.inaturalist.quality_grade in grades
    if codes := requested.get("photo_license"):
        yield lambda observation: any(_is_one(code, codes) for code in observation.photo_codes)
    if licenses := requested.get("license"):
        yield lambda observation: _is_one(observation.license_code, licenses)
    if ids := requested.get("id"):
        yield lambda observation: str(observation.id) in ids
    if (captive := params.get("captive")) in ("true", "false"):
        yield lambda observation: observation.first.inaturalist.captive == (captive == "true")
    if (above := params.get("id_above", "")).isdecimal():
        yield lambda observation: observation.id > int(above)
    if (below := params.get("id_below", "")).isdecimal():
        yield lambda observation: observation.id < int(below)
    yield from _dates(params)


def _dates(params: Params) -> Iterator[Test]:
    """A day that ends a window belongs to it."""
    if since := moment(params.get("created_d1", "")):
        first = since.timestamp()
        yield lambda observation: observation.first.posted >= first
    if until := _end(params.get("created_d2", "")):
        last = until.timestamp()
        yield lambda observation: observation.first.posted < last
    if seen_since := moment(params.get("d1", "")):
        earliest = _day(seen_since)
        yield lambda observation: (observation.first.taken or "")[:10] >= earliest
    if seen_until := moment(params.get("d2", "")):
        latest = _day(seen_until)
        yield lambda observation: (observation.first.taken or "9999")[:10] <= latest


def _several(value: str) -> list[str]:
    return [word.strip() for word in value.split(",") if word.strip()]


def _is_one(code: str | None, codes: list[str]) -> bool:
    """Whether a licence is one of those asked for, by their codes in any case."""
    lower = {code.lower() for code in codes}
    return code in lower if code else "none" in lower


def _end(text: str) -> datetime | None:
    """The moment before which something happened until `text`, a day or a time."""
    until = moment(text)
    if until is None:
        return None
    return until + (timedelta(days=1) if re.fullmatch(r"[0-9-]{8,10}", text) else timedelta(0, 1))


def _day(when: datetime) -> str:
    return when.astimezone(UTC).date().isoformat()


Answer = dict[str, Any]

SITE = "https://www.inaturalist.org"

SIDES = {"square": 75, "thumb": 100, "small": 240, "medium": 500, "large": 1_024}
"""The longer sides of the sizes there are, besides the original."""

_RANKS = {1: ("genus", 20), 2: ("species", 10), 3: ("subspecies", 5)}  # by words of the name
_HOURS = (0, 2, -6)  # ahead of UTC
_MOST_IDENTIFICATIONS = 5


def described(observation: Observation, photos: list[Photo], base: str) -> Answer:
    """An observation with these of its photos."""
    first = observation.first
    zone = timezone(timedelta(hours=_HOURS[number(f"zone {first.owner}") % len(_HOURS)]))
    created = datetime.fromtimestamp(first.posted, UTC).astimezone(zone)
    seen = datetime.fromisoformat(first.taken).replace(tzinfo=zone) if first.taken else None
    agree = 1 + number(f"agree {observation.id}") % _MOST_IDENTIFICATIONS
    shown = [photo_of(photo, base) for photo in photos]
    return {
        "id": observation.id,
        "uuid": str(UUID(int=number(f"uuid {observation.id}"), version=4)),
        "uri": f"{SITE}/observations/{observation.id}",
        "quality_grade": first.inaturalist.quality_grade,
        "license_code": observation.license_code,
        "captive": first.inaturalist.captive,
        "created_at": created.isoformat(),
        "created_at_details": _details(created),
        "created_time_zone": "Etc/UTC",
        "updated_at": created.isoformat(),
        "observed_on": seen.date().isoformat() if seen else None,
        "observed_on_details": _details(seen) if seen else None,
        "observed_on_string": first.taken,
        "observed_time_zone": "Etc/UTC",
        "time_observed_at": seen.isoformat() if seen else None,
        "species_guess": first.inaturalist.taxon,
        "description": None,
        "place_guess": None,
        "location": None,
        "geojson": None,
        "obscured": False,
        "mappable": False,
        "spam": False,
        "site_id": 1,
        "tags": first.tags.split(),
        "comments_count": 0,
        "faves_count": 0,
        "identifications_count": agree,
        "num_identification_agreements": agree,
        "num_identification_disagreements": 0,
        "identifications_most_agree": True,
        "sounds": [],
        "flags": [],
        "user": _user(first),
        "taxon": _taxon(first),
        "photos": shown,
        "observation_photos": [
            {
                "id": photo_json["id"] + 1,
                "position": place,
                "uuid": str(UUID(int=number(f"uuid of photo {photo_json['id']}"), version=4)),
                "photo": photo_json,
            }
            for place, photo_json in enumerate(shown)
        ],
    }


def photo_of(photo: Photo, base: str) -> Answer:
    """A photo of an observation, at the address of its square picture."""
    width, height = photo.picture.upright or (0, 0)
    return {
        "id": int(photo.id),
        "license_code": license_code(photo),
        "url": photo.inaturalist.url or base + square_path(photo),
        "attribution": _attribution(photo),
        "original_dimensions": {"width": width, "height": height},
        "flags": [],
    }


def square_path(photo: Photo) -> str:
    """Where the square picture is; the addresses of unlicensed photos say when they changed."""
    changed = "" if license_code(photo) else f"?{photo.posted}"
    return f"/photos/{photo.id}/square.{photo.picture.extension}{changed}"


def _attribution(photo: Photo) -> str:
    code = license_code(photo)
    if code == "cc0":
        return f"no rights reserved, uploaded by {photo.owner_name}"
    if code == "pd":
        return f"{photo.owner_name}, no known copyright restrictions (public domain)"
    if code is None:
        return f"(c) {photo.owner_name}, all rights reserved"
    words = "CC " + code.removeprefix("cc-").upper()
    return f"(c) {photo.owner_name}, some rights reserved ({words})"


def _details(when: datetime) -> Answer:
    return {
        "date": when.date().isoformat(),
        "year": when.year,
        "month": when.month,
        "week": when.isocalendar().week,
        "day": when.day,
        "hour": when.hour,
    }


def _user(photo: Photo) -> Answer:
    """Whose observation it is. Who gives no name of their own has a login alone."""
    mark = number(f"user {photo.owner}")
    return {
        "id": mark % 9_000_000 + 1,
        "login": photo.owner_name,
        "name": photo.owner_name.title() if mark % 2 else None,
        "spam": False,
        "suspended": False,
        "login_autocomplete": photo.owner_name,
        "login_exact": photo.owner_name,
        "orcid": None,
        "icon": None,
        "icon_url": None,
        "roles": [],
        "site_id": 1,
    }


def _taxon(photo: Photo) -> Answer:
    name = photo.inaturalist.taxon
    rank, level = _RANKS.get(len(name.split()), ("species", 10))
    return {
        "id": number(f"taxon {name}") % 2_000_000 + 1,
        "name": name,
        "rank": rank,
        "rank_level": level,
        "is_active": True,
        "extinct": False,
    } | ({"preferred_common_name": names[-1]} if (names := photo.inaturalist.names) else {})
