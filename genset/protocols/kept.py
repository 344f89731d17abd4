"""The folder in which a protocol is kept: read, checked and found.

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
from dataclasses import replace
from pathlib import Path
from typing import Any

from genset.aggregators import METHODS
from genset.classes import Taxonomy, imagenet1k, mistakes_in, taxonomy_of
from genset.core.errors import BadInput
from genset.core.files import sha256_of
from genset.protocols.protocol import FORMAT, Collecting, Protocol, Window
from genset.release.reader import Release, find_releases
from genset.scrape.keywords.queries import read_classes
from genset.workspace import LabelRules, Workspace

FILE = "protocol.json"

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

_LABELS = (None, *METHODS)
_LARGEST = 64_000_000  # bytes; 1,000 classes with their queries are 200,000


def folder_of(workspace: Workspace) -> Path:
    """Where a workspace's protocols are."""
    return workspace.root / "protocols"


def protocol_folders(workspace: Workspace) -> list[Path]:
    """The folders of a workspace's protocols, by name; some may be damaged."""
    return sorted(path.parent for path in folder_of(workspace).glob(f"[!.]*/{FILE}"))


def releases_of(workspace: Workspace, protocol: Protocol) -> list[Release]:
    """The releases that were made by a protocol, by window; the newest version of each.

    Those that give the same photos several right answers are not among them.
    """
    windows: dict[tuple[str, str], Release] = {}
    for release in find_releases(workspace.releases):
        if (window := window_of(release, protocol)) is not None and release.multilabel is None:
            windows[window.posted_after, window.posted_before] = release
    return [each for _, each in sorted(windows.items())]


def window_of(release: Release, protocol: Protocol) -> Window | None:
    """The window of a protocol that a release is of; None where it is of none."""
    told = release.protocol or {}
    if told.get("sha256") != protocol.sha256:
        return None
    try:
        return Window(str(told["posted_after"]), str(told["posted_before"]))
    except (BadInput, KeyError, ValueError):  # a manifest that somebody wrote
        return None


def find_protocol(workspace: Workspace, name: str) -> Protocol:
    """The protocol of this name, or in the folder of this path.

    Raises:
        BadInput: there is none, or it was changed.
    """
    for folder in (folder_of(workspace) / name, Path(name)):
        if re.fullmatch(r"[^\0]+", name) and (folder / FILE).is_file():
            return read_protocol(folder)
    known = ", ".join(folder.name for folder in protocol_folders(workspace))
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
        if not isinstance(told[word], kind) or (isinstance(told[word], bool) and kind is not bool):
            raise TypeError(f"{word} cannot be {told[word]!r}")


def _protocol(name: str, told: Mapping[str, Any]) -> Protocol:
    """The protocol that JSON says, its types checked where a later stage would not."""
    collect, label = dict(told["collect"]), dict(told["label"])
    taxonomy = _taxonomy(told)
    chosen = tuple(taxonomy[wnid] for wnid in told["classes"])
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
        taxonomy=taxonomy,
    )


def _taxonomy(told: Mapping[str, Any]) -> Taxonomy:
    """The classes that the workspace had, ImageNet's where nothing is said of them."""
    if "taxonomy" not in told:
        return imagenet1k()
    for mistake in mistakes_in(told["taxonomy"]):
        raise ValueError(mistake.words)
    return taxonomy_of(told["taxonomy"])
