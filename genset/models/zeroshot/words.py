"""What each class is called, and in which sentences: these alone move accuracy by points."""

import csv
import hashlib
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from genset.classes import Taxonomy, imagenet1k
from genset.core.errors import BadInput, needs_extra
from genset.core.numbers import count
from genset.core.validation import read_text
from genset.models.spec import ModelSpec

_MOST_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class TextList:
    """Names or sentences, with the word that says where they are from: "lemmas", "a.txt"."""

    source: str
    texts: tuple[str, ...]


def class_names(source: str, order: Sequence[str], custom: Taxonomy | None = None) -> TextList:
    """A name for each class.

    Args:
        source: "lemmas" (or ""): as `lemma_names` has them; "definitions": these with the classes'
            definitions behind them; "openai": open_clip's IMAGENET_CLASSNAMES; or a file, with a
            name a line in the order of the classes, or a CSV file with the columns wnid and name,
            in any order.
        order: the classes, by wnid, or by any name where they are not ImageNet's.
        custom: the set's, where they are not ImageNet's: their names come before ImageNet's.

    Raises:
        BadInput: a class has no name, or the file cannot be read.
        MissingExtra: "openai", and open_clip is not installed.
    """
    if source in ("", "lemmas", "definitions"):
        known = lemma_names() | (distinct_names(custom) if custom is not None else {})
        called = [known.get(wnid, wnid.replace("_", " ")) for wnid in order]
        if source == "definitions":
            called = [
                f"{name}, {gloss}" if (gloss := _definition(wnid, custom)) else name
                for wnid, name in zip(order, called, strict=True)
            ]
        return TextList(source or "lemmas", tuple(called))
    if source == "openai":
        wnids = (cls.wnid for cls in imagenet1k())
        names = dict(zip(wnids, open_clip_for("names=openai").IMAGENET_CLASSNAMES, strict=True))
        return TextList("openai", _named(order, names, "names=openai"))
    lines = read_lines(source, "names")
    if lines[0].replace(" ", "") == "wnid,name":
        rows = list(csv.DictReader(io.StringIO("\n".join(lines)), skipinitialspace=True))
        names = {row["wnid"]: (row["name"] or "").strip() for row in rows}
        if len(names) < len(rows):
            raise BadInput(f"the names {source} have a class twice")
        return TextList(Path(source).name, _named(order, names, source))
    if len(lines) != len(order):
        raise BadInput(
            f"the names {source} are {len(lines):,}, and there are {len(order):,} classes: write "
            "one a line, in their order, or a CSV file with the columns wnid and name"
        )
    return TextList(Path(source).name, tuple(lines))


@cache
def lemma_names() -> dict[str, str]:
    """The `distinct_names` of ImageNet's classes: WordNet's first lemmas, nearly all."""
    return distinct_names(imagenet1k())


def distinct_names(taxonomy: Taxonomy) -> dict[str, str]:
    """A name for each class, by id: its first, where no other class has that.

    Where two classes share it, a lemma that one has alone; or the name, and what it is a kind of:
    "crane (wading bird)"; or, where that is not known, its id: "crane (crane_2)".
    """
    first = Counter(cls.name for cls in taxonomy)
    all_lemmas = Counter(lemma for cls in taxonomy for lemma in cls.lemmas)
    names = {}
    for cls in taxonomy:
        distinct = next((lemma for lemma in cls.lemmas if all_lemmas[lemma] == 1), None)
        kind = next(iter(cls.hypernyms), cls.wnid)
        names[cls.wnid] = (distinct or f"{cls.name} ({kind})") if first[cls.name] > 1 else cls.name
    return names


def _definition(wnid: str, custom: Taxonomy | None) -> str:
    """A class's definition up to the first semicolon, without a full stop; "" where it has none."""
    found = (custom.get(wnid) if custom is not None else None) or imagenet1k().get(wnid)
    return found.gloss.partition(";")[0].strip(" .") if found else ""


def read_lines(file: str, what: str) -> list[str]:
    """The lines of a file that people write, without those that are empty at its end.

    Raises:
        BadInput: it cannot be read, is empty, or has an empty line.
    """
    lines = [line.strip() for line in read_text(Path(file), _MOST_BYTES).split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    if not lines or not all(lines):
        empty = f"line {lines.index('') + 1} is empty" if lines else "it is empty"
        raise BadInput(f"the {what} {file} cannot be used: {empty}")
    return lines


def open_clip_for(what: str) -> Any:
    """The package open_clip.

    Raises:
        MissingExtra: it is not installed, and `what` needs it.
    """
    with needs_extra(what, "zeroshot"):
        import open_clip
    return open_clip


def _named(order: Sequence[str], names: dict[str, str], where: str) -> tuple[str, ...]:
    missing = [wnid for wnid in order if not names.get(wnid)]
    if missing:
        classes = count(len(missing), "class", "classes")
        more = ", ..." if len(missing) > 1 else ""
        raise BadInput(f"{where} has no name for {classes} ({missing[0]}{more})")
    return tuple(names[wnid] for wnid in order)


# Stands for the name.
PLACE = "{}"

# open_clip's lists, by the words that specs have for them.
_LISTS = {
    "openai80": "OPENAI_IMAGENET_TEMPLATES",
    "simple": "SIMPLE_IMAGENET_TEMPLATES",
}
USUAL = "openai80"


def prompt_templates(source: str) -> TextList:
    """Templates with {} in the place of the name.

    Args:
        source: "openai80" (or "") or "simple": those of open_clip; or a file with one a line.

    Raises:
        BadInput: the file cannot be read, or a line of it has not one {}.
        MissingExtra: they are open_clip's, which is not installed.
    """
    source = source or USUAL
    if source in _LISTS:
        templates = getattr(open_clip_for(f"prompts={source}"), _LISTS[source])
        return TextList(source, tuple(template(PLACE) for template in templates))
    lines = read_lines(source, "prompts")
    for number, line in enumerate(lines, 1):
        if line.count(PLACE) != 1:
            raise BadInput(
                f"{source}, line {number}: {line[:60]!r} has not one {{}} for the name, as in "
                "'a photo of a {}.'"
            )
    return TextList(Path(source).name, tuple(lines))


@dataclass(frozen=True, slots=True)
class Texts:
    """What classes are called, and in which sentences.

    Attributes:
        order: the classes.
        names: what each is called.
        prompts: the sentences.
        taxonomy: the name of the set's, where its classes are not ImageNet's.
    """

    order: tuple[str, ...]
    names: TextList
    prompts: TextList
    taxonomy: str = ""

    @classmethod
    def of(cls, spec: ModelSpec, order: tuple[str, ...], custom: Taxonomy | None = None) -> "Texts":
        """What a spec says of them.

        Args:
            spec: the model's.
            order: the classes that it says, or ImageNet's.
            custom: the classes of the set, where they are not ImageNet's: taken where the spec says
                none.

        Raises:
            BadInput: a file cannot be read, or a class has no name.
            MissingExtra: open_clip's lists are asked for, and it is not installed.
        """
        options = spec.texts
        if custom is not None and not spec.classes:
            order = tuple(cls.wnid for cls in custom)
        names = class_names(options.get("names", ""), order, custom)
        prompts = prompt_templates(options.get("prompts", ""))
        return cls(order, names, prompts, custom.name if custom is not None else "")

    @property
    def words(self) -> dict[str, str]:
        """By class, what it is called in the sentences; none for ImageNet's, which a hash tells."""
        return dict(zip(self.order, self.names.texts, strict=True)) if self.taxonomy else {}

    @property
    def identity(self) -> dict[str, object]:
        """The hashes that are a part of a run's key."""
        return {"names": _hash(self.names.texts), "prompts": _hash(self.prompts.texts)}

    @property
    def note(self) -> str:
        """What stands beside the results: how much there is of each, and the hashes."""
        of = f" of {self.taxonomy}" if self.taxonomy else ""
        return (
            f"Zero-shot: {len(self.names.texts):,} names{of} ({self.names.source}, sha256 "
            f"{_hash(self.names.texts)[:12]}) in {len(self.prompts.texts):,} prompts "
            f"({self.prompts.source}, sha256 {_hash(self.prompts.texts)[:12]}); others move "
            "accuracy by points."
        )


def _hash(texts: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()
