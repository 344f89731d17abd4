"""What Wikimedia Commons says of a file: its author, its licence, when it was taken.

Everything is strangers' words. What stands on the file's page comes as `extmetadata`, a field each
``{"value": "<a href=...>Ann</a>", "source": "commons-desc-page", "hidden": ""}``, whose value is
mostly HTML, now and then a number, a list or an object by language, and an empty list in place of
all fields where there are none.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from genset.core.dates import certain_date
from genset.core.html import plain_text
from genset.core.links import web_link
from genset.core.safe import clean
from genset.licenses import FLICKR, License, creative_commons, spdx_id
from genset.sources.source import FoundPhoto

LICENSE_FIELDS = ("LicenseShortName", "License", "LicenseUrl")
FIELDS = (*LICENSE_FIELDS, "Artist", "Attribution", "DateTimeOriginal")
"""The fields of `extmetadata` that are read."""

WIDTH = 960  # pixels: four times what classifiers look at, and a width that there are thumbnails of

_LONGEST_NAME = 300
_LONGEST_VALUE = 1000

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_PAGE = re.compile(r"https://commons\.wikimedia\.org/wiki/[!-~]+")
_COUNTED = re.compile(r"\?utm_[!-~]*")  # tells who asked the API for the address
_NO_RESTRICTIONS = ("no restrictions", "no known copyright restrictions")

PUBLIC_DOMAIN = "Public domain"


def versions(page: Mapping[str, Any]) -> list[datetime]:
    """When the versions of a file were uploaded, as far as this answer says; in no order."""
    found = (_moment(info.get("timestamp")) for info in _infos(page))
    return [moment for moment in found if moment is not None]


def latest(page: Mapping[str, Any]) -> datetime | None:
    """When the latest version was uploaded, of a page with nothing but that."""
    return max(versions(page), default=None)


def photo_of(page: Mapping[str, Any], posted_at: datetime) -> FoundPhoto | None:
    """The photo on a page that has a page id, uploaded first at `posted_at`.

    None for a page without a file, a file that names neither uploader nor author, and a file
    without a licence: there is nothing that lets anybody use it.
    """
    info = next(iter(_infos(page)), None)
    if info is None:
        return None
    fields = _fields(info)
    license = license_in(fields)
    user = clean(_string(info.get("user")), _LONGEST_NAME)
    # Who asks to be credited in words of their own is.
    name = _words(fields, "Attribution") or _words(fields, "Artist") or user
    if license is None or not name:
        return None
    number = page["pageid"]
    address = _address(info.get("descriptionurl"))
    named = _PAGE.fullmatch(address) is not None
    return FoundPhoto(
        source_id=str(number),
        owner=user or name,
        owner_name=name,
        title=_title(page.get("title")),
        license=license.name,
        license_url=license.url,
        page_url=address if named else f"https://commons.wikimedia.org/?curid={number}",
        image_url=_picture(info),
        posted_at=posted_at,
        taken_at=certain_date(_words(fields, "DateTimeOriginal")),
    )


def license_of_file(page: Mapping[str, Any]) -> License | None:
    """The licence of the file on a page; None where there is no file, or no licence."""
    info = next(iter(_infos(page)), None)
    return None if info is None else license_in(_fields(info))


def has_file(page: Mapping[str, Any]) -> bool:
    """Whether a file lies on the page."""
    return next(iter(_infos(page)), None) is not None


def license_in(fields: Mapping[str, Any]) -> License | None:
    """The licence that these fields of `extmetadata` name; None where they name none.

    ``LicenseShortName`` is what people read ("CC BY-SA 4.0"), ``License`` what programs read
    ("cc-by-sa-4.0"); either may be missing, and so may the address.
    """
    short, code, address = (_words(fields, name) for name in LICENSE_FIELDS)
    url = web_link(f"https:{address}" if address.startswith("//") else address) or ""
    for given in (License(short, url), License(code, "")):
        if found := creative_commons(given):
            return found
    name = short or code.upper()
    if name.lower() in _NO_RESTRICTIONS or url == FLICKR[7].url:
        return FLICKR[7]
    if not name:
        return None
    is_free = spdx_id(License(name, "")) == spdx_id(License(PUBLIC_DOMAIN, ""))
    return License(PUBLIC_DOMAIN if is_free else name, url)


def _infos(page: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What is said of the versions of a file, the latest first."""
    given = page.get("imageinfo")
    return [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []


def _fields(info: Mapping[str, Any]) -> Mapping[str, Any]:
    fields = info.get("extmetadata")
    return fields if isinstance(fields, dict) else {}


def _words(fields: Mapping[str, Any], name: str) -> str:
    """A field as text, "" where there is none."""
    field = fields.get(name)
    return _plain(field.get("value") if isinstance(field, dict) else field)


def _plain(value: object, deep: int = 3) -> str:
    """A value as text: that of an object in English, or in the first language that it has."""
    if isinstance(value, str):
        return plain_text(value, _LONGEST_NAME)
    if type(value) in (int, float):
        return clean(repr(value)[:_LONGEST_VALUE], _LONGEST_NAME)
    if not deep:
        return ""
    if isinstance(value, dict):
        languages = [value.get("en"), *(v for k, v in value.items() if not k.startswith("_"))]
        return next(
            (text for language in languages[:9] if (text := _plain(language, deep - 1))), ""
        )
    if isinstance(value, list):
        parts = (_plain(each, deep - 1) for each in value[:9])
        return clean(", ".join(filter(None, parts)), _LONGEST_NAME)
    return ""


def _picture(info: Mapping[str, Any]) -> str:
    """Where the picture is to be had, "" where nothing is said of it."""
    width, thumbnail = info.get("width"), _address(info.get("thumburl"))
    is_wide = type(width) is int and width > WIDTH
    return thumbnail if is_wide and thumbnail else _address(info.get("url"))


def _address(value: object) -> str:
    """An address as it is stored, without what counts who came; "" for none."""
    return _COUNTED.sub("", web_link(_string(value)) or "")


def _title(value: object) -> str:
    """``File:Lone tree.jpg`` without what stands around the title."""
    name = clean(_string(value), _LONGEST_NAME)
    return re.sub(r"\.\w{1,5}$", "", name.removeprefix("File:")).strip()


def _string(value: object) -> str:
    """A text of which a database takes every character; "" for what is none."""
    text = value[: 2 * _LONGEST_VALUE] if isinstance(value, str) else ""
    return text.replace("\0", "").encode(errors="replace").decode()


def _moment(value: object) -> datetime | None:
    """A time such as ``2019-09-01T00:38:47Z``; None for what is none."""
    if not isinstance(value, str) or not _MOMENT.fullmatch(value):
        return None
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        return None
