"""How documents say what a manifest holds: its facts by kind, on one line, as Markdown.

A manifest may come from a stranger: what is not of the kind that genset writes is left out.
"""

import html
import json
import re
from collections.abc import Mapping
from typing import Any, TypeVar
from urllib.parse import quote

from genset.aggregators import METHODS
from genset.core.links import web_link
from genset.core.safe import printable
from genset.settings import doi_in

_T = TypeVar("_T")


def fact(facts: Any, name: str, kind: type[_T]) -> _T | None:
    """A fact of a manifest, None where it is not there or is of another kind."""
    value = facts.get(name) if isinstance(facts, Mapping) else None
    return value if isinstance(value, kind) else None


def line(value: object) -> str:
    """Any value as words on one line."""
    return printable(value if isinstance(value, str) else json.dumps(value))


def markdown(value: object) -> str:
    """Any value as words on one line of Markdown, none of which is read as markup or an address."""
    words = html.escape(line(value), quote=False)
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
    """Any value as `markdown`, but where all of it is a web address, or a DOI, a link."""
    words = line(value)
    if doi := doi_in(words):
        return f"[{markdown(doi)}](https://doi.org/{quote(doi, safe='/')})"
    return address(words) or markdown(words)


def days(facts: Any, name: str) -> str:
    """The same as `span`, but one day alone where it is the first and the last."""
    first, _, last = span(facts, name).partition(" to ")
    return f"{first} to {last}" if last not in ("", first) else first


def span(facts: Any, name: str) -> str:
    """A span of time, as "2020-01-01 to 2021-06-30"; "not known" where there is none."""
    ends = fact(facts, name, list)
    if ends is None or len(ends) != 2 or not all(isinstance(day, str) for day in ends):
        return "not known"
    return " to ".join(line(day[:10]) for day in ends)


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
