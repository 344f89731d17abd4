"""How documents say what a manifest holds: its facts by kind, on one line, as Markdown.

`About` is what its maintainer says of a release, and what nobody says.

A manifest may come from a stranger: what is not of the kind that genset writes is left out.
"""

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar
from urllib.parse import quote

from genset.aggregators import METHODS
from genset.core.authors import Author, doi_in, orcid_in
from genset.core.numbers import agree, count
from genset.core.safe import printable, web_link
from genset.settings import TOPICS

_T = TypeVar("_T")


def fact(facts: Any, name: str, kind: type[_T]) -> _T | None:
    """A fact of a manifest, None where it is not there or is of another kind."""
    value = facts.get(name) if isinstance(facts, Mapping) else None
    return value if isinstance(value, kind) else None


def line(value: object) -> str:
    """Any value as words on one line."""
    return printable(value if isinstance(value, str) else json.dumps(value))


def missing_votes(missing: object) -> str:
    """What a manifest's ``missing_votes`` say, in words; "" where no candidate lacks a vote."""
    candidates, votes = (fact(missing, name, int) or 0 for name in ("candidates", "votes"))
    lack = agree(candidates, "lacks", "lack")
    return f"{count(candidates, 'candidate')} {lack} {count(votes, 'vote')}" if candidates else ""


def coverage(have: int, chosen: int, every: int) -> str:
    """How many of the chosen classes have photos; of all `every` where all were chosen."""
    others = f"; the other {every - chosen:,} were not chosen" if chosen < every else ""
    classes = ("chosen class", "chosen classes") if others else ("class", "classes")
    return f"{have:,} of {count(chosen, *classes)} {agree(have, 'has', 'have')} photos{others}"


def markdown(value: object) -> str:
    """Any value as words on one line of Markdown, none of which is read as markup or an address."""
    return _escaped(line(value))


def _escaped(text: str) -> str:
    words = html.escape(text, quote=False)
    words = re.sub(r"([\\`*\[\]{}|#~$])|(?<![^\W_])_|_(?![^\W_])|(?<=:)//", r"\\\g<0>", words)
    return re.sub(r"(?i)\bwww\.|^[-+=]|^\d+(?=[.)])", _broken, words)


def _broken(found: re.Match[str]) -> str:
    """A beginning that means something, with a backslash before its sign."""
    text = found[0]
    return f"{text}\\" if text.isdecimal() else f"{text[:-1]}\\{text[-1]}"


def address(url: str) -> str:
    """A web address as a link of Markdown; "" for what is none."""
    return f"<{quote(url, safe=':/?#@!$&*+,;=%~')}>" if web_link(url) else ""


def linked(value: object) -> str:
    """Any value as `markdown`, but web addresses in it, or a DOI that it is, are links."""
    words = line(value)
    if doi := doi_in(words):
        return f"[{markdown(doi)}](https://doi.org/{quote(doi, safe='/')})"
    parts = _ADDRESS.split(words)
    return "".join(address(part) or _escaped(part) for part in parts)


_ADDRESS = re.compile(r"(https?://[^\s<>]*[^\s<>.,;:!?)\]}'\"])")


def bullets(words: Iterable[str], lead: str = "") -> str:
    """A list, of Markdown, after a line that leads to it; "" for an empty one."""
    items = "\n".join(f"- {item}" for item in words)
    return f"{lead}\n\n{items}" if lead and items else items


def paragraphs(sentences: Iterable[str]) -> str:
    """Sentences as `markdown`, a paragraph each."""
    return "\n\n".join(map(markdown, filter(None, sentences)))


def filled(template: str, data: Mapping[str, str]) -> str:
    """A template's blocks with their data; those go that have none, and headings without text."""
    found: list[str] = []
    for block in template.split("\n\n"):
        names = re.findall(r"\{(\w+)\}", block)
        if any(data[name] for name in names) or not names:
            if block.startswith("## ") and found[-1].startswith("## "):
                found.pop()
            found.append(block.format_map(data).strip())
    return "\n\n".join(found[: -1 if found[-1].startswith("## ") else None]) + "\n"


def days(facts: Any, name: str) -> str:
    """A span of time, as "2020-01-01 to 2021-06-30", or one day; "not known" without one."""
    ends = fact(facts, name, list)
    if ends is None or len(ends) != 2 or not all(isinstance(day, str) for day in ends):
        return "not known"
    first, last = (line(day[:10]) for day in ends)
    return first if first == last else f"{first} to {last}"


def aggregation_method(manifest: Mapping[str, Any]) -> str | None:
    """The method that brought the votes on a photo together; None where they were counted."""
    return fact(fact(manifest.get("strategy"), "labels", dict), "method", str)


def aggregation(manifest: Mapping[str, Any]) -> str:
    """How the votes on a photo became its label, as a sentence; "" where they were counted."""
    name = aggregation_method(manifest)
    if name is None:
        return ""
    facts = fact(manifest.get("strategy"), "labels", dict)
    panel, without = fact(facts, "panel", str), fact(facts, "without", str)
    voters = f" of panel {line(panel)}" if panel else ""
    voters += f" of all panels but {line(without)}" if without else ""
    file = fact(facts, "file", str)
    read = f", read from {line(file)} (sha256 {line(facts and facts.get('sha256'))})" * bool(file)
    says = METHODS[name].says if name in METHODS else "a method that is not described"
    return f" A photo's votes{voters} were brought together by {line(name)}: {says}{read}."


def choice_rule(manifest: Mapping[str, Any]) -> str:
    """By which rule photos were chosen."""
    strategy = manifest.get("strategy")
    rule = fact(strategy, "name", str) or "an unnamed rule"
    rest = strategy.items() if isinstance(strategy, Mapping) else ()
    words = {"name", "labels"} if aggregation_method(manifest) else {"name"}
    parameters = ", ".join(f"{line(k)} {line(v)}" for k, v in rest if k not in words)
    return f"Chosen by {line(rule)}" + (f" ({parameters})." if parameters else ".")


class About:
    """The words of ``[dataset]`` in a manifest, each on one line; "" where there are none.

    Attributes:
        title: of the data set; "" for none.
        authors: in their order.
        contact: whom to write to.
        answers: to questions of the datasheet, by their keys.
        synthetic: whether it has synthetic photos; None where nobody says.
    """

    def __init__(self, manifest: Mapping[str, Any], later: Mapping[str, Any] | None = None) -> None:
        """Take what the manifest says, and what was said since it was written."""
        then = fact(manifest, "dataset", dict) or {}
        self._words = {**then, **(later or {})}
        self.title = self.word("title")
        self.authors = tuple(
            Author.named(
                line(fact(author, "name", str) or ""),
                line(fact(author, "affiliation", str) or ""),
                orcid_in(fact(author, "orcid", str) or ""),
            )
            for author in fact(self._words, "authors", list) or ()
            if fact(author, "name", str)
        )
        contact = fact(manifest, "contact", str) or ""
        self.contact = line(contact) or self.word("contact")
        self.answers = fact(self._words, "datasheet", dict) or {}
        self.synthetic = fact(self._words, "synthetic", bool)

    def word(self, name: str) -> str:
        """What is said of this topic."""
        return line(fact(self._words, name, str) or "")

    def uses(self) -> str:
        """What it is for, and what it is not for; "" where nobody says."""
        keys = ("purpose", "other_uses", "unfit_uses")
        return " ".join(line(self.answers[key]) for key in keys if self.answers.get(key))

    def makers(self) -> str:
        """The authors and where they work, as a sentence; "" where they are not stated."""
        names = (
            f"{author.name} ({author.affiliation})" if author.affiliation else author.name
            for author in self.authors
        )
        return "; ".join(names) or self.word("affiliation")

    def lines(self, *names: str) -> Iterator[str]:
        """What is said of these topics, in Markdown, each behind what it is."""
        words = {"authors": self.makers(), "affiliation": "", "contact": self.contact}
        words["synthetic"] = "" if self.synthetic is None else ("no", "yes")[self.synthetic]
        for name in names:
            if text := words.get(name, self.word(name)):
                yield f"{TOPICS[name][0].upper()}{TOPICS[name][1:]}: {linked(text)}"

    def not_stated(self) -> dict[str, str]:
        """What nobody says, by its key."""
        known = {name for name in TOPICS if self.word(name)}
        known |= {"synthetic"} if self.synthetic is not None else set()
        known |= {"authors"} if self.authors else set()
        known |= {"affiliation"} if any(author.affiliation for author in self.authors) else set()
        known |= {"contact"} if self.contact else set()
        return {name: words for name, words in TOPICS.items() if name not in known}
