"""Flickr's licences by id, as flickr.photos.licenses.getInfo answered in 2025."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from genset.errors import BadInput
from genset.text.safe import printable


class License(NamedTuple):
    """A licence's name and the address of its text."""

    name: str
    url: str


# What Flickr's terms ask for wherever its photos are shown.
FLICKR_NOTICE = "This product uses the Flickr API but is not endorsed or certified by SmugMug, Inc."

_CC = "https://creativecommons.org/"

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
    """One of Flickr's licences by its name, or another one that has this name."""
    words = " ".join(words.split())
    by_name = {each.name.lower(): each for each in FLICKR.values()}
    return by_name.get(words.lower(), License(words, ""))


def merged(fetched: Mapping[int, License]) -> dict[int, License]:
    """All licences by id: what Flickr says today, and what we know where it says nothing."""
    known = dict(FLICKR)
    for number, said in fetched.items():
        ours = flickr_license(number)
        known[number] = License(said.name or ours.name, said.url or ours.url)
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


def attribution(license: License, *, title: str, owner: str, page_url: str) -> str:
    """The line that credits a photo as its licence and Flickr's terms ask: work, author, grant.

    ::

        "Jon Snow" by @janko-m, licensed under CC BY 2.0
        (https://creativecommons.org/licenses/by/2.0/),
        https://www.flickr.com/photos/78733179@N04/10115956703

    in one line. All of it is strangers' words: only what prints is kept of them.
    """
    number = next((n for n, known in FLICKR.items() if same_license(known, license)), None)
    grant = _GRANTS.get(number) if number is not None else None
    grant = grant or f"licensed under {printable(license.name)}"
    work = f'"{words}"' if (words := printable(title)) else "A photo"
    address = f" ({printable(license.url)})" if license.url else ""
    credit = f"{work} by {printable(owner) or 'an unknown author'}, {grant}{address}"
    return f"{credit}, {printable(page_url)}" if page_url else credit


# Those that let anyone use and change a photo, also for money: attribution at most, or share-alike.
OPEN = (4, 5, 7, 8, 9, 10, 11, 12)


def license_ids(names: Iterable[str]) -> tuple[int, ...]:
    """Flickr's ids of the licences with these names, sorted."""
    wanted = set(names)
    return tuple(sorted(number for number, each in FLICKR.items() if each.name in wanted))


def choose_licenses(words: str) -> tuple[str, ...]:
    """The names, sorted, of the licences that a user means; none for any.

    `words` are "any", "open" (`OPEN`), or names and ids separated by commas.

    Raises:
        BadInput: a word is none of these.
    """
    if words.strip().lower() == "any":
        return ()
    by_name = {each.name.lower(): number for number, each in FLICKR.items()}
    chosen: set[int] = set()
    for word in (word.strip().lower() for word in words.split(",")):
        if word == "open":
            chosen.update(OPEN)
        elif word in by_name:
            chosen.add(by_name[word])
        elif word.isdecimal() and int(word) in FLICKR:
            chosen.add(int(word))
        else:
            known = ", ".join(f"{number} {each.name}" for number, each in FLICKR.items())
            raise BadInput(f"no licence {word!r}: say any, open, or names or ids of {known}")
    return tuple(sorted(FLICKR[number].name for number in chosen))
