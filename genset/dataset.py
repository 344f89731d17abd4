"""What a maintainer says of their data set: the section ``[dataset]`` of genset.toml.

Nobody can tell from photos and labels who made a set, who paid, or who keeps it. What is not said
is listed as not said, in the data card and wherever else it is asked for.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from genset.core.errors import BadInput

_LONGEST = 2000
_MOST_AUTHORS = 500
_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:)?(10\.\d{4,9}/[!-~]+)", re.I)
_ORCID = re.compile(r"(?:https?://orcid\.org/)?((?:\d{4}-){3}\d{3}[\dX])")

_FAMILY_FIRST = "\u2e80"  # the first sign of Chinese, Japanese and Korean script

# What may be said in words, and how it is called where it is not.
TOPICS = {
    "authors": "authors",
    "affiliation": "the authors' affiliation",
    "funding": "who funded it",
    "ethics_review": "whether its ethics were reviewed",
    "labelers_pay": "what labelers were paid",
    "hosting": "where it is hosted",
    "doi": "its DOI",
    "contact": "whom to contact",
    "maintenance": "a plan for its maintenance",
    "license": "the licence of its labels and documents",
}
_WORDS = ("title", *TOPICS)

SETTINGS: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(_WORDS, str),
    "authors": list,
    "doi": (str, dict),
}


@dataclass(frozen=True, slots=True)
class Author:
    """One of those who made it.

    Attributes:
        family: the family's name; all of the name where it has one part, or is a group's.
        given: the other names; "" for none.
        affiliation: where they work, "" where it is not said.
        orcid: such as 0000-0002-1825-0097, "" where it is not said.
        is_group: whether it is a group's or an organization's name.
    """

    family: str
    given: str = ""
    affiliation: str = ""
    orcid: str = ""
    is_group: bool = False

    @classmethod
    def named(cls, name: str, affiliation: str = "", orcid: str = "") -> "Author":
        """Take a name apart: "Ko, Ann", "Ann Ko", or "{The Ko Group}".

        Where the family's name comes first, as in Chinese, Japanese and Korean script, only a comma
        tells what it is; without one the name stays whole.
        """
        name = " ".join(name.split())
        if group := re.fullmatch(r"\{(.+)\}", name):
            return cls(group[1].strip(), "", affiliation, orcid, is_group=True)
        family, comma, given = name.partition(",")
        if not comma:
            if any(sign >= _FAMILY_FIRST for sign in name):
                return cls(name, "", affiliation, orcid)
            given, _, family = name.rpartition(" ")
        return cls(family.strip(), given.strip(), affiliation, orcid)

    @property
    def name(self) -> str:
        """The name as people say it."""
        return f"{self.given} {self.family}".strip()

    @property
    def sorted_name(self) -> str:
        """The name as lists and BibTeX have it, which `named` takes apart again."""
        if self.is_group:
            return f"{{{self.family}}}"
        return f"{self.family}, {self.given}" if self.given else self.family

    def as_json(self) -> dict[str, str]:
        """As a manifest has it."""
        rest = {"affiliation": self.affiliation, "orcid": self.orcid}
        return {"name": self.sorted_name, **{name: text for name, text in rest.items() if text}}


@dataclass(frozen=True, slots=True)
class Dataset:
    """What is said of a workspace's data set; empty for what is not.

    Attributes:
        words: texts by their names in `TOPICS`, or "title".
        authors: in their order.
        dois: by release; under "" that of all releases.
    """

    words: Mapping[str, str] = field(default_factory=dict, hash=False)
    authors: tuple[Author, ...] = ()
    dois: Mapping[str, str] = field(default_factory=dict, hash=False)

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> "Dataset":
        """The section's settings, whose types were checked.

        Raises:
            BadInput: one of them is not what it should be.
        """
        words = {
            name: _text(name, value)
            for name, value in values.items()
            if name not in ("authors", "doi") and value.strip()
        }
        everywhere = words.get("affiliation", "")
        authors = tuple(_author(each, everywhere) for each in values.get("authors", ()))
        if len(authors) > _MOST_AUTHORS:
            raise BadInput(f"authors are at most {_MOST_AUTHORS}: name a group, as {{The Group}}")
        doi = values.get("doi", "")
        by_release = doi if isinstance(doi, dict) else {"": doi} if doi.strip() else {}
        return cls(words, authors, {name: _doi(text) for name, text in by_release.items()})

    def facts(self, release: str) -> dict[str, Any]:
        """What is said of a release, as its manifest has it: nothing for what is not said."""
        found: dict[str, Any] = dict(self.words)
        if self.authors:
            found["authors"] = [author.as_json() for author in self.authors]
        if doi := self.dois.get(release) or self.dois.get(""):
            found["doi"] = doi
        return dict(sorted(found.items()))


def _author(said: Any, affiliation: str) -> Author:
    if isinstance(said, str):
        said = {"name": said}
    known = ("name", "affiliation", "orcid")
    if not isinstance(said, dict) or not said.get("name") or set(said) - set(known):
        raise BadInput(
            'an author is a name, such as "Ko, Ann", or a table of name, affiliation and orcid, '
            f"not {said!r}"
        )
    texts = {name: _text(f"an author's {name}", said.get(name, "")) for name in known}
    orcid = orcid_in(texts["orcid"])
    if texts["orcid"] and not orcid:
        raise BadInput(f"{texts['orcid']!r} is no ORCID, such as 0000-0002-1825-0097")
    author = Author.named(texts["name"], texts["affiliation"] or affiliation, orcid)
    if not author.family:
        raise BadInput(f"{texts['name']!r} is no author's name: write it as Family, Given")
    return author


def _doi(text: Any) -> str:
    if not isinstance(text, str) or not (doi := doi_in(text)):
        raise BadInput(f"{text!r} is no DOI, such as 10.5281/zenodo.1234567")
    return doi


def doi_in(text: str) -> str:
    """The DOI that a text is, without an address around it; "" for a text that is none."""
    found = _DOI.fullmatch(text.strip())
    if found is None or len(text) > 200 or set(found[1]) & set('<>{}"\\'):
        return ""
    return found[1]


def orcid_in(text: str) -> str:
    """The same for an ORCID."""
    found = _ORCID.fullmatch(text.strip())
    return found[1] if found else ""


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise BadInput(f"{name} is a text, not {value!r}")
    words = " ".join(value.split())
    if len(words) > _LONGEST or not words.isprintable():
        raise BadInput(f"{name} has at most {_LONGEST} printable characters")
    return words
