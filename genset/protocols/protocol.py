"""What a protocol says, and the folder in which it is kept.

A protocol is a folder in a workspace's ``protocols/``, which never changes::

    NAME/
      protocol.json        all that it says, with a hash over it
      imagenet.hashes ...  copies of the files that it names, whose hashes are in protocol.json

The name is not in the hash: a copy under another name is the same protocol.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from genset.errors import BadInput
from genset.files import sha256_of
from genset.release.reader import Release, find_releases
from genset.scrape.keywords.queries import read_classes, written_classes
from genset.taxonomy import ImageClass, imagenet1k
from genset.workspace import LabelRules, Workspace

FILE = "protocol.json"
FORMAT = "genset protocol 1"

_NUMBER = int | float | None
_WORD = str | None

# What a protocol's words may be: a later stage would fail on others with no word of why.
_COLLECTING = {
    "sources": list,
    "per_class": int,
    "licenses": str,
    "min_size": _NUMBER,
    "taken_in_window": bool,
    "taken_unknown": bool,
    "seed": int,
    "query_list": str,
}
_CHOOSING = {
    "strategy": str,
    "per_class": _NUMBER,
    "min_labels": _NUMBER,
    "threshold": _NUMBER,
    "relax": bool,
    "reference": _WORD,
    "fill_up": bool,
    "balance": bool,
    "max_per_owner": _NUMBER,
    "licenses": str,
    "exclude": list,
    "panel": _WORD,
    "labels": _WORD,
    "min_confidence": _NUMBER,
    "seed": int,
}

_LABELS = (None, "majority", "frequency", "dawid-skene")
_LARGEST = 16_000_000  # bytes; 1,000 classes with their queries are 200,000


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


def folder_of(workspace: Workspace) -> Path:
    """Where a workspace's protocols are."""
    return workspace.root / "protocols"


def find_protocols(workspace: Workspace) -> list[Protocol]:
    """A workspace's protocols, by name."""
    found = sorted(folder_of(workspace).glob(f"[!.]*/{FILE}"))
    return [read_protocol(path.parent) for path in found]


def releases_of(workspace: Workspace, protocol: Protocol) -> list[Release]:
    """The releases that were made by a protocol, by window; the newest version of each.

    Those that give the same photos several right answers are not among them.
    """
    windows: dict[tuple[str, str], Release] = {}
    for each in find_releases(workspace.releases):
        told = each.protocol or {}
        if told.get("sha256") == protocol.sha256 and each.multilabel is None:
            windows[str(told.get("posted_after")), str(told.get("posted_before"))] = each
    return [each for _, each in sorted(windows.items())]


def find_protocol(workspace: Workspace, name: str) -> Protocol:
    """The protocol of this name, or in the folder of this path.

    Raises:
        BadInput: there is none, or it was changed.
    """
    for folder in (folder_of(workspace) / name, Path(name)):
        if re.fullmatch(r"[^\0]+", name) and (folder / FILE).is_file():
            return read_protocol(folder)
    known = ", ".join(each.name for each in find_protocols(workspace))
    there = f"there are {known}" if known else "save one with: genset protocol save NAME"
    raise BadInput(f"no protocol {name!r}: {there}")


def read_protocol(folder: Path) -> Protocol:
    """Read a protocol's folder.

    Raises:
        BadInput: it is none, or it was changed since it was saved.
    """
    path = folder / FILE
    try:
        if path.stat().st_size > _LARGEST:
            raise ValueError(f"it has more than {_LARGEST:,} bytes")
        told = json.loads(path.read_text("utf-8"))
        sha256 = told.pop("sha256")
        if told["format"] != FORMAT:
            raise BadInput(f"{path} is in the form {told['format']!r}, not {FORMAT!r}")
        found = _protocol(folder.resolve().name, told)
        protocol = replace(found, sha256=_hash(told), folder=folder.resolve())
        changed = [FILE] * (protocol.sha256 != sha256)
        changed += [
            name for name, digest in protocol.files.items() if _differs(folder, name, digest)
        ]
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise BadInput(f"{path} is no protocol: {error!r}") from None
    if changed:
        raise BadInput(
            f"{folder / changed[0]} was changed since the protocol was saved, and a protocol never "
            "changes: restore it, or save another one"
        )
    return protocol


def written_protocol(protocol: Protocol) -> str:
    """The text of its ``protocol.json``."""
    said = protocol.as_json()
    return json.dumps({**said, "sha256": _hash(said)}, indent=1) + "\n"


def is_file_name(name: str) -> bool:
    """Whether a file beside ``protocol.json`` may have this name."""
    return re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name) is not None


def _hash(said: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _differs(folder: Path, name: str, sha256: str) -> bool:
    """Whether a file beside the protocol is not the one that it names."""
    if not is_file_name(name):
        raise ValueError(f"{name!r} is no file of a protocol")
    path = folder / name
    return path.is_symlink() or not path.is_file() or sha256_of(path) != sha256


def _check(told: Mapping[str, Any], kinds: Mapping[str, Any]) -> None:
    """Refuse words that are missing or of another kind, with KeyError or TypeError."""
    for word, kind in kinds.items():
        if not isinstance(told[word], kind) or (told[word] is True and kind in (int, _NUMBER)):
            raise TypeError(f"{word} cannot be {told[word]!r}")


def _protocol(name: str, told: Mapping[str, Any]) -> Protocol:
    """The protocol that JSON says, its types checked where a later stage would not."""
    collect, label = dict(told["collect"]), dict(told["label"])
    chosen = tuple(imagenet1k()[wnid] for wnid in told["classes"])
    classes = tuple(
        replace(cls, taxon=str(told["taxa"].get(cls.wnid, "")))
        for cls in read_classes(told["classes"], chosen)
    )
    _check(collect, _COLLECTING)
    _check(told["choose"], _CHOOSING)
    _check(told["rule"], {"name": str})
    beside = {*told["choose"]["exclude"], told["choose"]["reference"]} - {"duplicates", None}
    if beside != set(told["files"]) or told["choose"]["labels"] not in _LABELS:
        raise ValueError("it is chosen by what is not kept")
    if not classes or collect["per_class"] < 1:
        raise ValueError("it collects nothing")
    return Protocol(
        name=name,
        saved_at=str(told["saved_at"]),
        genset=str(told["genset"]),
        window=Window(**told["window"]),
        collect=Collecting(**{**collect, "sources": tuple(map(str, collect["sources"]))}),
        label=LabelRules(**{**label, "grow_to": tuple(label["grow_to"])}),
        choose=told["choose"],
        rule=told["rule"],
        files={str(file): str(digest) for file, digest in told["files"].items()},
        classes=classes,
    )
