"""Licences: what they are called, which are open, how a photo under one is credited.

Sources have words of their own for the same licence ("CC BY 2.0", "Attribution License",
"cc-by-2.0"). What tells one from another is its SPDX id, which follows from the Creative Commons
address where there is one, and from its name where there is none.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from genset.core.errors import BadInput
from genset.core.photo import PhotoOrigin
from genset.core.safe import printable


class License(NamedTuple):
    """A licence's name and the address of its text."""

    name: str
    url: str


# What Flickr's terms ask for wherever its photos are shown. Documents of releases of the time when
# manifests did not say what their sources ask are made again with it.
FLICKR_NOTICE = "This product uses the Flickr API but is not endorsed or certified by SmugMug, Inc."

_CC = "https://creativecommons.org/"

# Flickr's by their ids, as flickr.photos.licenses.getInfo answered in 2025. The ids are a short way
# to name them too.
FLICKR: dict[int, License] = {
    0: License(
        "All Rights Reserved",
        "https://www.flickrhelp.com/hc/en-us/articles/"
        "10710266545556-Using-Flickr-images-shared-by-other-members",
    ),
    1: License("CC BY-NC-SA 2.0", f"{_CC}licenses/by-nc-sa/2.0/"),
    2: License("CC BY-NC 2.0", f"{_CC}licenses/by-nc/2.0/"),
    3: License("CC BY-NC-ND 2.0", f"{_CC}licenses/by-nc-nd/2.0/"),
    4: License("CC BY 2.0", f"{_CC}licenses/by/2.0/"),
    5: License("CC BY-SA 2.0", f"{_CC}licenses/by-sa/2.0/"),
    6: License("CC BY-ND 2.0", f"{_CC}licenses/by-nd/2.0/"),
    7: License("No known copyright restrictions", "https://www.flickr.com/commons/usage/"),
    8: License("United States Government Work", "https://www.usa.gov/government-copyright"),
    9: License("Public Domain Dedication (CC0)", f"{_CC}publicdomain/zero/1.0/"),
    10: License("Public Domain Mark", f"{_CC}publicdomain/mark/1.0/"),
    11: License("CC BY 4.0", f"{_CC}licenses/by/4.0/"),
    12: License("CC BY-SA 4.0", f"{_CC}licenses/by-sa/4.0/"),
    13: License("CC BY-ND 4.0", f"{_CC}licenses/by-nd/4.0/"),
    14: License("CC BY-NC 4.0", f"{_CC}licenses/by-nc/4.0/"),
    15: License("CC BY-NC-SA 4.0", f"{_CC}licenses/by-nc-sa/4.0/"),
    16: License("CC BY-NC-ND 4.0", f"{_CC}licenses/by-nc-nd/4.0/"),
}


def flickr_license(number: int) -> License:
    """The licence with this id; one that Flickr added since grants nothing that we know of."""
    unknown = License(f"Flickr licence {number}", "https://www.flickr.com/help/terms")
    return FLICKR.get(number, unknown)


def license_named(words: str) -> License:
    """One of Flickr's licences by its name, or another one that has this name.

    It is for photos from elsewhere: what only a page of Flickr's tells has no address.
    """
    words = " ".join(words.split())
    by_name = {candidate.name.lower(): candidate for candidate in FLICKR.values()}
    return off_flickr(by_name.get(words.lower(), License(words, "")))


def off_flickr(license: License) -> License:
    """A licence as it is of a photo that is not Flickr's: without an address that leads there."""
    if re.match(r"https?://(?:[a-z]+\.)?flickr(?:help)?\.com/", license.url, re.I):
        return License(license.name, "")
    return license


def merged(fetched: Mapping[int, License]) -> dict[int, License]:
    """All licences by id: what Flickr says today, and what we know where it says nothing."""
    known = dict(FLICKR)
    for number, license in fetched.items():
        fallback = flickr_license(number)
        known[number] = License(license.name or fallback.name, license.url or fallback.url)
    return known


def same_license(one: License, other: License) -> bool:
    """Whether two wordings mean one licence.

    Flickr renames its licences ("Attribution License" of 2013 is "CC BY 2.0" of 2025) and moves
    their pages, but has not done both to one of them.
    """
    return one.name == other.name or one.url == other.url != ""


# What is said of a photo that is not "licensed under" something.
_GRANTS = {
    0: "all rights reserved",
    7: "no known copyright restrictions",
    8: "a United States Government Work",
    9: "dedicated to the public domain (CC0)",
    10: "marked as free of known copyright (Public Domain Mark)",
}


# The same by SPDX ids, for what has other names elsewhere.
_GRANTS_BY_ID = {
    "CC0-1.0": _GRANTS[9],
    "CC-PDM-1.0": _GRANTS[10],
    "LicenseRef-Public-domain": "in the public domain",
}


def credit(photo: PhotoOrigin, via: str = "") -> str:
    """The line that credits a photo; `via` is its source's title."""
    return attribution(
        License(photo.license, photo.license_url),
        title=photo.title,
        owner=photo.credited,
        page_url=photo.page_url,
        via=via,
    )


def attribution(license: License, *, title: str, owner: str, page_url: str, via: str = "") -> str:
    """The line that credits a photo as its licence and its source's terms ask.

    It names work, author, grant, and the source by its title (`via`), where it has one.

    ::

        "Jon Snow" by @janko-m, licensed under CC BY 2.0
        (https://creativecommons.org/licenses/by/2.0/), via Flickr,
        https://www.flickr.com/photos/78733179@N04/10115956703

    in one line. All of it is strangers' words: only what prints is kept of them.
    """
    number = next((n for n, known in FLICKR.items() if same_license(known, license)), None)
    grant = _GRANTS.get(number) if number is not None else None
    if grant is None and via:
        grant = _GRANTS_BY_ID.get(spdx_id(license))
    grant = grant or f"licensed under {printable(license.name)}"
    work = f'"{words}"' if (words := printable(title)) else "A photo"
    address = f" ({printable(license.url)})" if license.url else ""
    credit = f"{work} by {printable(owner) or 'an unknown author'}, {grant}{address}"
    credit += f", via {printable(via)}" if via else ""
    return f"{credit}, {printable(page_url)}" if page_url else credit


# SPDX has ids for these of the ports to one country's law (its list 3.28); the others are
# LicenseRef-..., as SPDX asks for what it does not list.
_PORTS = """
    BY-2.5-AU BY-3.0-AT BY-3.0-AU BY-3.0-DE BY-3.0-IGO BY-3.0-NL BY-3.0-US BY-NC-3.0-DE
    BY-NC-3.0-IGO BY-NC-ND-3.0-DE BY-NC-ND-3.0-IGO BY-NC-SA-2.0-DE BY-NC-SA-2.0-FR BY-NC-SA-2.0-UK
    BY-NC-SA-3.0-DE BY-NC-SA-3.0-IGO BY-ND-3.0-DE BY-SA-2.0-UK BY-SA-2.1-JP BY-SA-3.0-AT
    BY-SA-3.0-DE BY-SA-3.0-IGO
"""
_KINDS = ("BY", "BY-SA", "BY-NC", "BY-ND", "BY-NC-SA", "BY-NC-ND")
_VERSIONS = ("1.0", "2.0", "2.1", "2.5", "3.0", "4.0")

_CC_ADDRESS = re.compile(
    r"https?://(?:www\.)?creativecommons\.org/(?:licenses/(?P<kind>[a-z-]{2,8})/(?P<version>\d\.\d)"
    r"(?:/(?P<port>[a-z]{2,3}|scotland))?|publicdomain/(?P<public>zero|mark)/1\.0)"
    r"(?:/(?:deed|legalcode)?(?:\.[a-zA-Z_-]{2,8})?)?/?",
    re.I,
)
_CC_NAME = re.compile(
    r"CC[ -](?P<kind>(?:BY(?:-(?:NC|ND|SA)){0,2})|SA)"
    r"(?:[ -](?P<version>\d\.\d)(?:[ -](?P<port>[A-Z]{2,3}|scotland))?)?",
    re.I,
)
_CC0_NAME = re.compile(r"CC[ -]?0(?:[ -]1\.0)?|CC[ -]Zero", re.I)
_PDM_NAME = re.compile(r"CC[ -]PDM(?:[ -]1\.0)?|Public Domain Mark(?: 1\.0)?", re.I)

# What Wikimedia Commons writes behind a version: how the photo came to it, or that earlier ones
# will do too.
_BESIDES = re.compile(
    r"(?<=\d\.\d)(?:(?:[,-] ?\d\.\d)+|\+|-migrated(?:-with-disclaimers)?|-stma)$", re.I
)

# SPDX's ids of licences that are not Creative Commons', by how Wikimedia Commons calls them; its
# "GFDL" alone is version 1.2 or any later one.
_OTHERS = {
    "CC-PDDC": r"https?://creativecommons\.org/licenses/publicdomain/?",
    "GFDL-1.2-or-later": r"GFDL|GNU Free Documentation License",
    "GFDL-1.2-only": r"GFDL[ -]1\.2",
    "GFDL-1.3-only": r"GFDL[ -]1\.3",
    "LAL-1.2": r"FAL[ -]1\.2",
    "LAL-1.3": r"FAL(?:[ -]1\.3)?|Free Art License(?: 1\.3)?|Licence Art Libre",
    **{
        f"OGL-UK-{number}.0": rf"OGL[ -]?v?{number}(?:\.0)?|https?://(?:www\.)?nationalarchives\.gov"
        rf"\.uk/doc/open-government-licence/version/{number}/?"
        for number in (1, 2, 3)
    },
    "OGL-Canada-2.0": r"OGL-C[ -]2\.0",
    "Apache-2.0": r"Apache License 2\.0",
    "MIT": r"Expat",
    "LicenseRef-Public-domain": r"Public domain|PD(?:-[\w-]+)?",
}


@cache
def spdx_id(license: License) -> str:
    """The licence's id in SPDX's list, or a ``LicenseRef-...`` of its name where that has none.

    >>> spdx_id(License("Attribution License", "https://creativecommons.org/licenses/by/2.0/"))
    'CC-BY-2.0'
    >>> spdx_id(License("All Rights Reserved", ""))
    'LicenseRef-All-Rights-Reserved'
    """
    if id := _cc_id_of(license):
        return id
    name = _plain_name(license)
    for id, called in _OTHERS.items():
        if any(re.fullmatch(rf"{re.escape(id)}|{called}", words, re.I) for words in license):
            return id
    words = re.findall(r"[A-Za-z0-9.]+", name)[:12]
    return f"LicenseRef-{'-'.join(words) or 'unknown'}"


def creative_commons(license: License) -> License | None:
    """A Creative Commons licence under the name and at the address that it has among ours.

    None for a licence that is not theirs, or of which nobody knows the version.

    >>> creative_commons(License("cc-by-sa-3.0-de", ""))
    License(name='CC BY-SA 3.0 DE', url='https://creativecommons.org/licenses/by-sa/3.0/de/')
    """
    id = _cc_id_of(license)
    if id is None:
        return None
    if known := next(
        (candidate for candidate in FLICKR.values() if _cc_id_of(candidate) == id), None
    ):
        return known
    kind, version, port = re.findall(
        r"CC-([A-Z-]+)-(\d\.\d)(?:-([A-Z]+))?", id.removeprefix("LicenseRef-")
    )[0]
    name = f"CC {kind} {version} {port}".strip()
    address = "/".join(filter(None, (kind, version, port))).lower()
    return License(name, f"{_CC}licenses/{address}/")


def _cc_id_of(license: License) -> str | None:
    """The id of a licence of Creative Commons, by its address or else by its name."""
    if found := _CC_ADDRESS.fullmatch(license.url):
        if found["public"]:
            return "CC0-1.0" if found["public"].lower() == "zero" else "CC-PDM-1.0"
        if id := _cc_id(found["kind"], found["version"], found["port"]):
            return id
    name = _plain_name(license)
    found = _CC_NAME.fullmatch(_BESIDES.sub("", name))
    if found and found["version"]:
        id = _cc_id(found["kind"], found["version"], found["port"])
        if id is not None:
            return id
    if _CC0_NAME.fullmatch(name) or name == FLICKR[9].name:
        return "CC0-1.0"
    return "CC-PDM-1.0" if _PDM_NAME.fullmatch(name) else None


def _plain_name(license: License) -> str:
    return " ".join(license.name.split())


def _cc_id(kind: str, version: str, port: str | None) -> str | None:
    """The id of a Creative Commons licence; None where there is no such licence."""
    kind = kind.upper()
    kind = {"BY-ND-NC": "BY-NC-ND", "BY-SA-NC": "BY-NC-SA"}.get(kind, kind)
    if (kind, version, port) == ("SA", "1.0", None):
        return "CC-SA-1.0"
    if kind not in _KINDS or version not in _VERSIONS:
        return None
    rest = f"{kind}-{version}" + (f"-{port.upper()}" if port else "")
    is_listed = rest in _PORTS.split() if port else version != "2.1"
    return f"CC-{rest}" if is_listed else f"LicenseRef-CC-{rest}"


# Those that let anyone use and change a photo, also for money: attribution at most, or share-alike.
_OPEN_ID = re.compile(
    r"(?:LicenseRef-)?CC-(?:BY|BY-SA|SA)-\d\.\d(?:-[A-Z]+)?|CC0-1\.0|CC-PDM-1\.0|CC-PDDC|"
    r"(?:GFDL|LAL|OGL)-.+|LicenseRef-Public-domain"
)
_OPEN_NAMES = frozenset(
    {FLICKR[7].name.lower(), FLICKR[8].name.lower(), "attribution", "copyrighted free use"}
)


def is_open(license: License) -> bool:
    """Whether it lets anyone use and change a photo, also for money."""
    if _OPEN_ID.fullmatch(spdx_id(license)):
        return True
    return " ".join(license.name.lower().split()) in _OPEN_NAMES


# Those that let anyone hand on unchanged copies, if only where no money is made of it.
_PASSED_ON_ID = re.compile(
    r"(?:LicenseRef-)?CC-(?:BY|BY-NC|NC|NC-SA|BY-ND|ND|BY-NC-SA|BY-NC-ND|NC-ND)-\d\.\d(?:-[A-Z]+)?|"
    r"Apache-2\.0|MIT"
)


def may_be_passed_on(license: License) -> bool:
    """Whether it lets anyone hand on unchanged copies, be it only where no money is made of it.

    A licence that we do not know grants nothing that we know of. Nor does one that calls itself
    all rights reserved, whatever its address.
    """
    if " ".join(license.name.lower().split()) == FLICKR[0].name.lower():
        return False
    return is_open(license) or _PASSED_ON_ID.fullmatch(spdx_id(license)) is not None


@dataclass(frozen=True, slots=True)
class LicenseChoice:
    """The licences that a user means, as `choose_licenses` reads them.

    Attributes:
        words: sorted: "open", the names of licences, ids as `spdx_id` gives them, and SPDX ids
            without their version ("CC-BY-SA", which means all versions).
    """

    words: tuple[str, ...]

    def wants(self, license: License) -> bool:
        """Whether a licence is among them."""
        name = " ".join(license.name.split()).lower()
        id = spdx_id(license)
        return any(
            (word == "open" and is_open(license))
            or word.lower() in (name, id.lower())
            or id == spdx_id(License(word, ""))
            or re.fullmatch(rf"(?:LicenseRef-)?{re.escape(word)}-\d\.\d(?:-[A-Z]+)?", id)
            is not None
            for word in self.words
        )

    def flickr_names(self) -> tuple[str, ...]:
        """The names of Flickr's licences among them, sorted."""
        return tuple(
            sorted(candidate.name for candidate in FLICKR.values() if self.wants(candidate))
        )


def license_ids(names: tuple[str, ...]) -> tuple[int, ...]:
    """Flickr's ids of the licences with these names, sorted."""
    return tuple(sorted(number for number, candidate in FLICKR.items() if candidate.name in names))


def choose_licenses(text: str) -> LicenseChoice | None:
    """The licences that a user means; None for any.

    `text` is "any", "open" (`is_open`), or names ("CC BY 4.0", "CC BY-SA" for all its versions),
    SPDX ids, ids of what SPDX has none for (``LicenseRef-...``), and Flickr's ids, separated by
    commas.

    Raises:
        BadInput: a word is none of these.
    """
    if text.strip().lower() == "any":
        return None
    words = {_license_word(word.strip()) for word in text.split(",")}
    return LicenseChoice(tuple(sorted(words)))


def _license_word(word: str) -> str:
    by_name = {candidate.name.lower(): candidate.name for candidate in FLICKR.values()}
    by_id = {spdx_id(candidate): candidate.name for candidate in FLICKR.values()}
    if word.lower() == "open":
        return "open"
    if word.lower() in by_name:
        return by_name[word.lower()]
    if word.isdecimal() and int(word) in FLICKR:
        return FLICKR[int(word)].name
    if found := _CC_NAME.fullmatch(word):
        kind = found["kind"].upper()
        id = f"CC-{kind}" if not found["version"] else _cc_id(kind, found["version"], found["port"])
        if kind in _KINDS and id:
            return by_id.get(id, id)
    if word.lower() == "public domain":
        return "Public domain"
    named = spdx_id(License(word, ""))
    if named in ("CC0-1.0", "CC-PDM-1.0"):
        return by_id[named]
    if not named.startswith("LicenseRef-"):
        return named
    # As a release writes it of a licence that SPDX has no id for.
    if re.fullmatch(r"LicenseRef-[A-Za-z0-9.-]+", word, re.I):
        return next((name for id, name in by_id.items() if id.lower() == word.lower()), word)
    known = ", ".join(f"{number} {candidate.name}" for number, candidate in FLICKR.items())
    raise BadInput(
        f"no licence {word!r}: write any, open, SPDX ids such as CC-BY-SA-3.0, or names or ids of "
        f"{known}"
    )
