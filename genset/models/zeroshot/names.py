"""What each class is called in a sentence: these names alone move accuracy by points."""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from genset.classes import Taxonomy, imagenet1k
from genset.core.errors import BadInput, MissingExtra
from genset.core.numbers import count

_MOST_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class Listed:
    """Names or sentences, with the word that says where they are from: "lemmas", "a.txt"."""

    source: str
    texts: tuple[str, ...]


def class_names(asked: str, order: Sequence[str], own: Taxonomy | None = None) -> Listed:
    """A name for each class.

    Args:
        asked: "lemmas" (or ""): as `lemma_names` has them; "definitions": these with the classes'
            definitions behind them; "openai": open_clip's IMAGENET_CLASSNAMES; or a file, with a
            name a line in the order of the classes, or a CSV file with the columns wnid and name,
            in any order.
        order: the classes, by wnid, or by any name where they are not ImageNet's.
        own: the set's, where they are not ImageNet's: their names come before ImageNet's.

    Raises:
        BadInput: a class has no name, or the file cannot be read.
        MissingExtra: "openai", and open_clip is not installed.
    """
    if asked in ("", "lemmas", "definitions"):
        known = lemma_names() | (distinct_names(own) if own is not None else {})
        called = [known.get(each, each.replace("_", " ")) for each in order]
        if asked == "definitions":
            called = [
                f"{name}, {gloss}" if (gloss := _definition(each, own)) else name
                for each, name in zip(order, called, strict=True)
            ]
        return Listed(asked or "lemmas", tuple(called))
    if asked == "openai":
        return Listed("openai", _named(order, _openai(), "names=openai"))
    lines = read_lines(asked, "names")
    if lines[0].replace(" ", "") == "wnid,name":
        rows = list(csv.DictReader(io.StringIO("\n".join(lines)), skipinitialspace=True))
        names = {row["wnid"]: (row["name"] or "").strip() for row in rows}
        if len(names) < len(rows):
            raise BadInput(f"the names {asked} have a class twice")
        return Listed(Path(asked).name, _named(order, names, asked))
    if len(lines) != len(order):
        raise BadInput(
            f"the names {asked} are {len(lines):,}, and there are {len(order):,} classes: write "
            "one a line, in their order, or a CSV file with the columns wnid and name"
        )
    return Listed(Path(asked).name, tuple(lines))


@cache
def lemma_names() -> dict[str, str]:
    """The `distinct_names` of ImageNet's classes: WordNet's first lemmas, nearly all."""
    return distinct_names(imagenet1k())


def distinct_names(taxonomy: Taxonomy) -> dict[str, str]:
    """A name for each class, by id: its first, where no other class has that.

    Where two classes share it, a lemma that one has alone; or the name, and what it is a kind of:
    "crane (wading bird)"; or, where that is not known, its id: "crane (crane_2)".
    """
    first = Counter(each.name for each in taxonomy)
    all_lemmas = Counter(lemma for each in taxonomy for lemma in each.lemmas)
    names = {}
    for each in taxonomy:
        own = next((lemma for lemma in each.lemmas if all_lemmas[lemma] == 1), None)
        kind = next(iter(each.hypernyms), each.wnid)
        names[each.wnid] = (own or f"{each.name} ({kind})") if first[each.name] > 1 else each.name
    return names


def _definition(wnid: str, own: Taxonomy | None) -> str:
    """A class's definition up to the first semicolon, without a full stop; "" where it has none."""
    found = (own.get(wnid) if own is not None else None) or imagenet1k().get(wnid)
    return found.gloss.partition(";")[0].strip(" .") if found else ""


def read_lines(file: str, what: str) -> list[str]:
    """The lines of a file that people write, without those that are empty at its end.

    Raises:
        BadInput: it cannot be read, is empty, or has an empty line.
    """
    path = Path(file)
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ValueError("the file is too long")
        lines = [line.strip() for line in path.read_text("utf-8-sig").split("\n")]
    except (OSError, ValueError) as error:
        raise BadInput(f"the {what} {file} cannot be read: {error}") from None
    while lines and not lines[-1]:
        lines.pop()
    if not lines or not all(lines):
        empty = f"line {lines.index('') + 1} is empty" if lines else "they are empty"
        raise BadInput(f"the {what} {file} cannot be used: {empty}")
    return lines


def _openai() -> dict[str, str]:
    try:
        from open_clip import IMAGENET_CLASSNAMES
    except ModuleNotFoundError:
        raise MissingExtra("names=openai", "zeroshot") from None
    wnids = [each.wnid for each in imagenet1k()]
    return dict(zip(wnids, IMAGENET_CLASSNAMES, strict=True))


def _named(order: Sequence[str], names: dict[str, str], where: str) -> tuple[str, ...]:
    missing = [each for each in order if not names.get(each)]
    if missing:
        classes = count(len(missing), "class", "classes")
        more = ", ..." if len(missing) > 1 else ""
        raise BadInput(f"{where} has no name for {classes} ({missing[0]}{more})")
    return tuple(names[each] for each in order)
