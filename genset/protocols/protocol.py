"""What a protocol says: its window, and how photos are collected, labeled and chosen."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from genset.classes import ImageClass, Taxonomy, document_of, imagenet1k
from genset.core.errors import BadInput
from genset.scrape.keywords.queries import written_classes
from genset.workspace import LabelRules

FORMAT = "genset protocol 1"


@dataclass(frozen=True, slots=True)
class Window:
    """When photos were posted: days in UTC, as in "2027-01-01", the first in, the last out."""

    posted_after: str
    posted_before: str

    def __post_init__(self) -> None:
        """Refuse what holds no day, with BadInput."""
        if self.after >= self.before:
            raise BadInput(
                f"no photo is posted after {self.posted_after} and before {self.posted_before}"
            )

    @property
    def after(self) -> datetime:
        """Its beginning."""
        return datetime.fromisoformat(self.posted_after).replace(tzinfo=UTC)

    @property
    def before(self) -> datetime:
        """Its end."""
        return datetime.fromisoformat(self.posted_before).replace(tzinfo=UTC)

    @property
    def short_name(self) -> str:
        """For the name of a release: the year, where it is one."""
        first, last = (day.partition("-") for day in (self.posted_after, self.posted_before))
        if first[2] == last[2] == "01-01" and int(last[0]) == int(first[0]) + 1:
            return first[0]
        return f"{self.posted_after}-to-{self.posted_before}"


@dataclass(frozen=True, slots=True)
class Collecting:
    """How candidates are collected: what `genset.scrape.collect.plan.ScrapePlan` wants.

    Attributes:
        sources: names of the sources, each of which fills the classes.
        per_class: candidates wanted of each class and source, at least 1.
        licenses: the licences that will do, as `genset.licenses.choose_licenses` reads them.
        min_size: pixels that a photo's shorter side must have; None for the usual number.
        taken_in_window: whether photos must have been taken since the window's beginning, at
            sources too that do not want it by themselves.
        taken_unknown: whether photos will do of which nobody knows when they were taken.
        seed: of random draws of a source.
        query_list: the version of the list that the queries are from.
    """

    sources: tuple[str, ...]
    per_class: int
    licenses: str
    min_size: int | None
    taken_in_window: bool
    taken_unknown: bool
    seed: int
    query_list: str


@dataclass(frozen=True, slots=True)
class Protocol:
    """How a series of releases is made.

    Attributes:
        name: its folder's.
        saved_at: when it was saved, ISO 8601 in UTC.
        genset: the version that saved it.
        window: the one of its first release.
        collect: how candidates are collected.
        label: how they are labeled.
        choose: the words of ``genset release create`` by which photos are chosen; files are named
            relative to the protocol's folder.
        rule: what a manifest says of the choice by these words.
        files: the sha256 of each file beside ``protocol.json``, by its name.
        classes: the classes, with what they are searched with.
        sha256: over all that it says but its name, in hexadecimal digits; "" before it is written.
        folder: where it lies.
        taxonomy: all classes of the workspace that saved it; written where they are not ImageNet's.
    """

    name: str
    saved_at: str
    genset: str
    window: Window
    collect: Collecting
    label: LabelRules
    choose: Mapping[str, Any]
    rule: Mapping[str, Any]
    files: Mapping[str, str]
    classes: tuple[ImageClass, ...]
    sha256: str = ""
    folder: Path = field(default=Path(), compare=False)
    taxonomy: Taxonomy = field(default_factory=imagenet1k, compare=False)

    def as_json(self) -> dict[str, Any]:
        """All that it says, but for its name."""
        said = {
            "format": FORMAT,
            "saved_at": self.saved_at,
            "genset": self.genset,
            "window": asdict(self.window),
            "collect": asdict(self.collect),
            "label": asdict(self.label),
            "choose": dict(self.choose),
            "rule": dict(self.rule),
            "files": dict(self.files),
            "classes": written_classes(self.classes),
            "taxa": {cls.wnid: cls.taxon for cls in self.classes if cls.taxon},
        }
        if not self.taxonomy.is_imagenet:
            said["taxonomy"] = document_of(self.taxonomy)
        plain: dict[str, Any] = json.loads(json.dumps(said))
        return plain


def words_of(protocol: Protocol) -> dict[str, Any]:
    """Its words of ``genset release create``, with the paths of its files."""
    words = dict(protocol.choose)
    if words.get("reference") is not None:
        words["reference"] = protocol.folder / words["reference"]
    words["exclude"] = [
        word if word == "duplicates" else str(protocol.folder / word)
        for word in words.get("exclude", ())
    ]
    return {**words, "sources": ()}
