"""Licences: what they are called, which are open, how a photo under one is credited.

Sources have words of their own for the same licence ("CC BY 2.0", "Attribution License",
"cc-by-2.0"). Its SPDX id tells one from another: it follows from Creative Commons' address, or
else from its name.
"""

import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import NamedTuple

from genset.core.errors import BadInput
from genset.core.photo import PhotoOrigin
from genset.core.safe import printable


class License(NamedTuple):
    """A licence's name and the address of its text."""

    name: str
    url: str


# What Flickr's terms ask for wherever its photos are shown.
FLICKR_NOTICE = "This product uses the Flickr API but is not endorsed or certified by SmugMug, Inc."

_CC = "https://creativecommons.org/"


def _cc(kind: str, version: str, port: str = "") -> License:
    """A Creative Commons licence: of ``BY-SA``, ``3.0`` and ``DE``, for instance."""
    terms = [term for term in (kind, version, port) if term]
    return License(" ".join(["CC", *terms]), f"{_CC}licenses/{'/'.join(terms).lower()}/")


_OLD = ("BY-NC-SA", "BY-NC", "BY-NC-ND", "BY", "BY-SA", "BY-ND")
_NEW = ("BY", "BY-SA", "BY-ND", "BY-NC", "BY-NC-SA", "BY-NC-ND")

# Flickr's by their ids, as flickr.photos.licenses.getInfo answered in 2025.
FLICKR: dict[int, License] = {
    0: License(
        "All Rights Reserved",
        "https://www.flickrhelp.com/hc/en-us/articles/"
        "10710266545556-Using-Flickr-images-shared-by-other-members",
    ),
    **{number: _cc(kind, "2.0") for number, kind in enumerate(_OLD, start=1)},
    7: License("No known copyright restrictions", "https://www.flickr.com/commons/usage/"),
    8: License("United States Government Work", "https://www.usa.gov/government-copyright"),
    9: License("Public Domain Dedication (CC0)", f"{_CC}publicdomain/zero/1.0/"),
    10: License("Public Domain Mark", f"{_CC}publicdomain/mark/1.0/"),
    **{number: _cc(kind, "4.0") for number, kind in enumerate(_NEW, start=11)},
}


def flickr_license(number: int) -> License:
    """The licence with this id; one that Flickr added since grants nothing that we know of."""
    unknown = License(f"Flickr licence {number}", "https://www.flickr.com/help/terms")
    return FLICKR.get(number, unknown)


def license_named(words: str, url: str = "") -> License:
    """The licence that a user means for photos of their own; another one has its own `url`.

    >>> license_named("Creative Commons Attribution 4")
    License(name='CC BY 4.0', url='https://creativecommons.org/licenses/by/4.0/')

    Raises:
        BadInput: it is nearly the name of a licence, leaves open of which version, or is unknown.
    """
    license = License(" ".join(words.split()), "")
    known = {candidate.name.lower(): candidate for candidate in FLICKR.values()}
    found = known.get(license.name.lower()) or creative_commons(License(words, words.strip()))
    if found is not None:
        return License(found.name, "") if ".flickr" in found.url else found
    if spdx_id(license).startswith("LicenseRef-"):
        terms = _cc_terms(license.name)
        kind = f"cc {terms.kind.lower()} 4.0" if terms else license.name.lower()
        if near := get_close_matches(kind, known, n=1, cutoff=0.6 if terms else 0.8):
            raise BadInput(f"no licence {license.name!r}: did you mean {known[near[0]].name!r}?")
        if not url:
            raise BadInput(
                f"no licence {license.name!r} is known here: write one such as 'CC BY 4.0', or say "
                "where its text is (--license-url)"
            )
    return license._replace(url=url)


def same_license(one: License, other: License) -> bool:
    """Whether two wordings mean one licence.

    Flickr renames its licences ("Attribution License" of 2013 is "CC BY 2.0" of 2025) and moves
    their pages, but has not done both to one of them.
    """
    return one.name == other.name or one.url == other.url != ""


# What is said of a photo that is not "licensed under" something, by Flickr's ids and by SPDX's.
_GRANTS = {
    0: "all rights reserved",
    7: "no known copyright restrictions",
    8: "a United States Government Work",
    9: "dedicated to the public domain (CC0)",
    10: "marked as free of known copyright (Public Domain Mark)",
}
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
    """The line that credits a photo: work, author, grant, and the title of its source (`via`).

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
_CC_ADDRESS = re.compile(
    r"https?://(?:www\.)?creativecommons\.org/(?:licenses/(?P<kind>[a-z-]{2,8})/(?P<version>\d\.\d)"
    r"(?:/(?P<port>[a-z]{2,3}|scotland))?|publicdomain/(?P<public>zero|mark)/1\.0)"
    r"(?:/(?:deed|legalcode)?(?:\.[a-zA-Z_-]{2,8})?)?/?",
    re.I,
)
_SHORT = {
    r"creative[ -]?commons": "cc",
    r"\bcc(?=by)": "cc ",
    r"public domain dedication \(cc0\)|\bcc[ -]?0\b": "cc zero",
    r"public domain mark|\bcc[ -]pdm\b": "cc mark",
    r"attribution": "by",
    r"share[ -]?alike": "sa",
    r"non[ -]?commercial": "nc",
    r"no[ -]?deriv(?:ative)?s?(?: works)?": "nd",
}
_PUBLIC = {"ZERO": "CC0-1.0", "MARK": "CC-PDM-1.0"}
# What stands around a licence's name, and on Wikimedia Commons how a photo came to it.
_IDLE = (
    *("cc", "international", "unported", "generic", "license", "licence", "v", "version"),
    *("migrated", "with", "disclaimers", "stma"),
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
    if terms := _cc_terms_of(license):
        return terms.id
    for id, called in _OTHERS.items():
        if any(re.fullmatch(rf"{re.escape(id)}|{called}", words, re.I) for words in license):
            return id
    words = re.findall(r"[A-Za-z0-9.]+", license.name)[:12]
    return f"LicenseRef-{'-'.join(words) or 'unknown'}"


def creative_commons(license: License) -> License | None:
    """A Creative Commons licence under the name and at the address that it has among ours.

    None for a licence that is not theirs, or of which nobody knows the version.

    >>> creative_commons(License("cc-by-sa-3.0-de", ""))
    License(name='CC BY-SA 3.0 DE', url='https://creativecommons.org/licenses/by-sa/3.0/de/')
    """
    terms = _cc_terms_of(license)
    if terms is None or terms.kind not in _PUBLIC:
        return terms and _cc(*terms)
    return FLICKR[9] if terms.kind == "ZERO" else FLICKR[10]


class _Terms(NamedTuple):
    """Of a Creative Commons licence: ``BY-SA``, ``4.0`` and ``DE``; the last two may be ""."""

    kind: str
    version: str
    port: str

    @property
    def exist(self) -> bool:
        """Whether there is such a licence."""
        if self.kind in _PUBLIC or self.kind == "SA":
            return self.version == "1.0" and not self.port
        return self.version in ("1.0", "2.0", "2.1", "2.5", "3.0", "4.0")

    @property
    def id(self) -> str:
        """Its id in SPDX's list, or that of a licence which that list lacks."""
        name = "-".join(term for term in self if term)
        is_listed = name in _PORTS.split() if self.port else self.version != "2.1"
        return _PUBLIC.get(self.kind, f"CC-{name}" if is_listed else f"LicenseRef-CC-{name}")


def _cc_terms(name: str) -> _Terms | None:
    """What a name says of a Creative Commons licence; None of another one's.

    >>> _cc_terms("Creative Commons Attribution-ShareAlike 3")
    _Terms(kind='BY-SA', version='3.0', port='')
    """
    text = name.lower()
    for long, short in _SHORT.items():
        text = re.sub(long, short, text)
    words = re.findall(r"[a-z]+|[0-9.]+|[^\s,+()-]", text)
    versions = [f"{word}.0" if len(word) == 1 else word for word in words if word[0].isdigit()]
    if "cc" not in words and ("by" not in words or not versions):
        return None
    kind = "-".join(part for part in ("by", "nc", "nd", "sa", "zero", "mark") if part in words)
    known = {*kind.split("-"), *_IDLE}
    port = [word for word in words if word not in known and not word[0].isdigit()]
    is_port = not port or re.fullmatch("[a-z]{2,3}|scotland", port[0])
    if kind.upper() not in (*_OLD, "SA", *_PUBLIC) or len(port) > 1 or not is_port:
        return None
    # Commons lists versions, the newest first: any of them will do.
    version = versions[0] if versions else "1.0" if kind.upper() in _PUBLIC else ""
    return _Terms(kind.upper(), version, "".join(port).upper())


def _cc_terms_of(license: License) -> _Terms | None:
    """The terms of a licence of Creative Commons, by its address or else by its name."""
    named = [license.name]
    if found := _CC_ADDRESS.fullmatch(license.url):
        named.insert(0, " ".join(["cc", *filter(None, found.groups())]))
    terms = map(_cc_terms, named)
    return next((candidate for candidate in terms if candidate and candidate.exist), None)


# Those that let anyone use and change a photo, also for money: attribution at most, or share-alike.
_OPEN_ID = re.compile(
    r"(?:LicenseRef-)?CC-(?:BY|BY-SA|SA)-\d\.\d(?:-[A-Z]+)?|CC0-1\.0|CC-PDM-1\.0|CC-PDDC|"
    r"(?:GFDL|LAL|OGL)-.+|LicenseRef-Public-domain"
)
_OPEN_NAMES = {
    FLICKR[7].name.lower(),
    FLICKR[8].name.lower(),
    "attribution",
    "copyrighted free use",
}


def is_open(license: License) -> bool:
    """Whether it lets anyone use and change a photo, also for money."""
    return bool(_OPEN_ID.fullmatch(spdx_id(license))) or _plain_name(license) in _OPEN_NAMES


# Those that let anyone hand on unchanged copies, if only where no money is made of it.
_PASSED_ON_ID = re.compile(
    r"(?:LicenseRef-)?CC-BY-(?:NC|ND|NC-SA|NC-ND)-\d\.\d(?:-[A-Z]+)?|Apache-2\.0|MIT"
)


def may_be_passed_on(license: License) -> bool:
    """Whether it lets anyone hand on unchanged copies, be it only where no money is made of it.

    A licence that we do not know grants nothing that we know of. Nor does one that calls itself
    all rights reserved, whatever its address.
    """
    if _plain_name(license) == FLICKR[0].name.lower():
        return False
    return is_open(license) or bool(_PASSED_ON_ID.fullmatch(spdx_id(license)))


def _plain_name(license: License) -> str:
    return " ".join(license.name.lower().split())


@dataclass(frozen=True, slots=True)
class LicenseChoice:
    """The licences that a user means, as `choose_licenses` reads them.

    `words` are sorted: "open", the names of licences, ids as `spdx_id` gives them, and SPDX ids
    without their version ("CC-BY-SA", which means all versions).
    """

    words: tuple[str, ...]

    def wants(self, license: License) -> bool:
        """Whether a licence is among them."""
        name, id = _plain_name(license), spdx_id(license)
        return any(
            (word == "open" and is_open(license))
            or word.lower() in (name, id.lower())
            or id == spdx_id(License(word, ""))
            or re.fullmatch(rf"(?:LicenseRef-)?{re.escape(word)}-\d\.\d(?:-[A-Z]+)?", id)
            for word in self.words
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
    by_id = {spdx_id(candidate): candidate.name for candidate in FLICKR.values()}
    license, terms = License(word, ""), _cc_terms(word)
    for name in ("open", "Public domain", *by_id.values()):
        if word.lower() == name.lower():
            return name
    if word.isdecimal() and int(word) in FLICKR:
        return FLICKR[int(word)].name
    if terms and not terms.version and terms.kind in _OLD:
        return f"CC-{terms.kind}"
    named = spdx_id(license)
    if not named.startswith("LicenseRef-") or _cc_terms_of(license):
        return by_id.get(named, named)
    # As a release writes it of a licence that SPDX has no id for.
    if re.fullmatch(r"LicenseRef-[A-Za-z0-9.-]+", word, re.I):
        return next((name for id, name in by_id.items() if id.lower() == word.lower()), word)
    known = ", ".join(f"{number} {candidate.name}" for number, candidate in FLICKR.items())
    raise BadInput(
        f"no licence {word!r}: write any, open, SPDX ids such as CC-BY-SA-3.0, or names or ids of "
        f"{known}"
    )
