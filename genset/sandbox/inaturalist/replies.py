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

from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

from genset.sandbox.collection.chance import number
from genset.sandbox.collection.photos import Photo
from genset.sandbox.inaturalist.observations import Observation, license_code

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
                "id": each["id"] + 1,
                "position": place,
                "uuid": str(UUID(int=number(f"uuid of photo {each['id']}"), version=4)),
                "photo": each,
            }
            for place, each in enumerate(shown)
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
