"""Which set is meant, and where runs on it are kept: in a workspace, or without one."""

from collections.abc import Collection
from pathlib import Path

from genset.classes import IMAGENET, Taxonomy
from genset.classes.built_in import taxonomy_named
from genset.core.errors import NotAWorkspace
from genset.sets.photos import PhotoSet, open_set
from genset.workspace import Workspace

HASHES = ".hashes"
"""The folder among the runs that hashes of photos are kept in."""


def locate_set(
    named: str,
    workspace: Path | None = None,
    others: Collection[str] = (),
    runs: Path | None = None,
    taxonomy: Taxonomy | None = None,
) -> PhotoSet:
    """The set that is meant: a release of the workspace, or a path in any layout.

    Args:
        named: the release's name, or a path.
        workspace: the workspace's folder; None: the one that the current folder lies in, if any.
        others: classes beside ImageNet's that a folder of photos may be named by.
        runs: where runs are kept, and with them the hashes of photos; None: where `locate_runs`
            says, if that folder is there.
        taxonomy: whose classes the photos are of; None: ImageNet's, or what a release says.

    Raises:
        BadInput: there is none, or it is no such set.
        ReleaseDamaged: it is a release, and not what its manifest says.
    """
    found = _find(workspace)
    kept = runs or locate_runs(workspace)
    hashes = kept / HASHES if runs or kept.is_dir() else None
    return open_set(named, found.releases if found else None, others, hashes, taxonomy)


def locate_taxonomy(named: str) -> Taxonomy | None:
    """The taxonomy that a name or a file means; None for ImageNet's own, by its name.

    Raises:
        BadInput: there is no such file, or it has mistakes.
    """
    return None if named == IMAGENET else taxonomy_named(named)


def locate_runs(workspace: Path | None = None) -> Path:
    """Where runs are kept: the workspace's folder for them, or ``runs`` in the current folder."""
    found = _find(workspace)
    return found.runs if found else Path("runs")


def _find(folder: Path | None) -> Workspace | None:
    try:
        return Workspace.find(folder)
    except NotAWorkspace:
        if folder is not None:
            raise
        return None
