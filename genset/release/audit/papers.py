"""Points on the release as a whole: its hashes, Croissant's validator, the datasheet."""

import json
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from importlib.metadata import version
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

from genset.core.errors import GensetError, ReleaseDamaged, first_line
from genset.core.numbers import count
from genset.release.audit.finding import Finding
from genset.release.documents import CARD, CROISSANT, DATASHEET
from genset.release.documents.said import told
from genset.release.reader import Release

_LARGEST = 64 * 2**20  # bytes of croissant.json

# What only the maintainer can say, by its name in the manifest's `dataset`.
_TOPICS = {
    "authors": "authors",
    "affiliation": "affiliation",
    "funding": "funding",
    "ethics_review": "ethics review",
    "labelers_pay": "labelers' pay",
    "hosting": "hosting",
    "doi": "DOI",
    "contact": "contact",
    "maintenance": "maintenance plan",
    "license": "licence of labels and documents",
}


def check_papers(release: Release, manifest: Mapping[str, Any]) -> Iterator[Finding]:
    """The content hash, Croissant and the datasheet."""
    yield _content(release)
    yield _croissant(release)
    yield _datasheet(release, manifest)


def _content(release: Release) -> Finding:
    try:
        release.verify()
    except ReleaseDamaged as damage:
        says = f"the folder is not what {release.content_hash} names"
        return Finding("content hash", "fail", says, tuple(damage.problems))
    return Finding("content hash", "pass", f"every byte is as {release.content_hash} says")


def _croissant(release: Release) -> Finding:
    """What MLCommons' own validator says of croissant.json."""
    name = "croissant"
    try:
        path = release.own_file(CROISSANT)
    except GensetError as error:
        return Finding(name, "fail", str(error))
    if not path.is_file():
        return Finding(name, "not said", f"it has no {CROISSANT}")
    if find_spec("mlcroissant") is None:
        return Finding(name, "not said", "the validator is not here: pip install mlcroissant")
    if wrong := _unsafe(path):
        return Finding(name, "fail", wrong)
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            import mlcroissant

            issues = mlcroissant.Dataset(jsonld=str(path)).metadata.ctx.issues
    except Exception as error:  # noqa: BLE001 - a validator's own errors are what it says
        says = f"mlcroissant {version('mlcroissant')} refuses it: {first_line(error)}"
        return Finding(name, "fail", says)
    warnings = tuple(sorted(map(str, issues.warnings)))  # what is wrong, it raises
    says = f"mlcroissant {version('mlcroissant')} finds no error, {count(len(warnings), 'warning')}"
    return Finding(name, "pass", says, warnings)


def _unsafe(path: Path) -> str:
    """Why a stranger's file is not given to the validator, "" if it is.

    The validator fetches each context that is an address, wherever that leads.
    """
    if path.stat().st_size > _LARGEST:
        return f"{CROISSANT} has more than {_LARGEST:,} bytes: it is not read"
    try:
        left = [json.loads(path.read_text("utf-8"))]
    except (ValueError, RecursionError) as error:
        return f"{CROISSANT} is no JSON: {first_line(error)}"
    while left:
        value = left.pop()
        if isinstance(value, dict):
            for word in ("@context", "@import"):
                named = value.get(word)
                if any(isinstance(each, str) for each in (named, *_items(named))):
                    return f"{CROISSANT} has its context elsewhere, which is not fetched"
            left += value.values()
        left += _items(value)
    return ""


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _datasheet(release: Release, manifest: Mapping[str, Any]) -> Finding:
    """Whether it is there, and whether the maintainer said what nobody else can."""
    if CARD not in release.documents:
        return Finding("datasheet", "fail", f"it has no {CARD}")
    if DATASHEET not in release.documents:
        says = f"{CARD} is there, {DATASHEET} is not: releases of earlier versions have none"
        return Finding("datasheet", "not said", says)
    said = told(manifest, "dataset", dict) or {}
    missing = [
        word
        for topic, word in _TOPICS.items()
        if not said.get(topic) and not (topic == "contact" and manifest.get("contact"))
    ]
    if missing:
        says = f"{DATASHEET} is there; of what only its maker can say, {len(missing)} of "
        says += f"{len(_TOPICS)} are not said"
        return Finding("datasheet", "not said", says, tuple(missing))
    return Finding(
        "datasheet", "pass", f"{DATASHEET} is there, and its maker said all that is asked"
    )
