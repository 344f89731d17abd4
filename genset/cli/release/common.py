"""What several of these commands share."""

from pathlib import Path
from typing import Any

import click

from genset.cli.group import Group
from genset.core.errors import NotAWorkspace
from genset.core.numbers import count
from genset.release.exports import manifest_of
from genset.release.reader import MANIFEST, Release, release_named
from genset.workspace import Workspace


@click.group(cls=Group)
def release() -> None:
    """Frozen test sets."""


restricted_option = click.option(
    "--include-restricted",
    is_flag=True,
    help="Also photos that no licence lets others hand on, as where all rights are reserved.",
)


def named(folder: Path | None, name: str) -> Release:
    """A release by its name in the workspace, or by the path of its folder or of an export's.

    The workspace's goes first, as everywhere: see `genset.release.reader.release_named`.
    """
    path = Path(name)
    if not (path / MANIFEST).is_file() and (exported := manifest_of(path)):
        path = exported.parent
    return Release(release_named(name, _releases(folder)) or path)


def _releases(folder: Path | None) -> Path | None:
    """The workspace's folder of releases; None without a workspace."""
    try:
        return Workspace.find(folder).releases
    except NotAWorkspace:
        return None


def dataset_now(folder: Path | None, release: Release, name: str = "") -> dict[str, Any]:
    """What ``[dataset]`` says today of a release of this workspace; nothing of others' releases.

    With a `name`, what it says of the part of the release that is called so.
    """
    if not is_of_workspace(folder, release):
        return {}
    return Workspace.find(folder).dataset.facts(name or release.name)


def is_of_workspace(folder: Path | None, release: Release) -> bool:
    """Whether a release lies in the workspace's ``releases/``."""
    releases = _releases(folder)
    return releases is not None and release.root.resolve().parent == releases.resolve()


def release_summary(found: Release) -> dict[str, Any]:
    """What --json says of a release."""
    return {
        "name": found.name,
        "title": found.title,
        "path": str(found.root),
        "content_hash": found.content_hash,
        "photos": len(found.photos),
        "classes": len(found.wnids),
        "excluded": found.excluded,
    }


def made_lines(made: Release) -> list[str]:
    """What is printed of a release that was just made."""
    from genset.release.documents.labels import doubts
    from genset.release.documents.words import coverage, missing_votes

    every = len(made.taxonomy)
    chosen = len(made.chosen_classes) or every
    missing = missing_votes(made.missing_votes)
    return [
        f"{made.root}: {count(len(made.photos), 'photo')}; "
        f"{coverage(len(made.wnids), chosen, every)}",
        f"  {made.content_hash}",
        *(f"  left out: {count} {reason}" for reason, count in made.excluded.items()),
        *([f"  labeling is not finished: {missing}"] if missing else []),
        *(f"  {doubt}" for doubt in doubts(made.manifest, made.photos)),
        *(f"  without effect: {option}" for option in made.without_effect),
    ]
