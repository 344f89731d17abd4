"""What models are scored on: the set that a name or a path means, in whichever layout it lies."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from genset.classes import Taxonomy
from genset.core.errors import BadInput, NotAWorkspace, first_line
from genset.release.reader import MANIFEST, release_named
from genset.sets.formats import is_photo_name
from genset.sets.layouts.layout import Classes
from genset.sets.photos import PhotoSet, Sampling
from genset.workspace import Workspace

_LAYOUTS = {
    "release": "genset.sets.layouts.release:read",
    "labels": "genset.sets.layouts.labels:read",
    "tar": "genset.sets.layouts.tar:read",
    "hugging-face": "genset.sets.layouts.hugging_face:read",
    "objectnet": "genset.sets.layouts.objectnet:read",
    "folder": "genset.sets.layouts.folder:read",
}
"""The first that gives a set is its layout; those of other packages come before them."""

Layout = Callable[[str, Classes, Path | None], PhotoSet | None]
"""Reads a path with which words are classes, and where hashes are kept; None: it is none of its."""


def _layouts() -> Iterator[Layout]:
    """The layouts: of other packages, which register them in the group ``genset.set_layouts``.

    Raises:
        BadInput: one cannot be loaded.
    """
    group = "genset.set_layouts"
    builtin = [EntryPoint(name, value, group) for name, value in _LAYOUTS.items()]
    for entry in [*entry_points(group=group), *builtin]:
        try:
            yield entry.load()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - it is somebody else's code
            words = f"the layout {entry.name} ({entry.value}) cannot be loaded: "
            raise BadInput(f"{words}{type(error).__name__}: {first_line(error)}") from None


def open_set(
    named: str,
    releases: Path | None = None,
    others: Collection[str] = (),
    hashes: Path | None = None,
    taxonomy: Taxonomy | None = None,
) -> PhotoSet:
    """The set that a name or a path means.

    Args:
        named: a release's name in `releases`, else a path; ``docs/evaluating.md`` has all layouts.
        releases: the workspace's folder of releases, if there is a workspace.
        others: classes that a model knows beside ImageNet's, by which folders may be named.
        hashes: the folder where the hashes of files are kept, so that files that stay as they are
            are not read again; None: all are read.
        taxonomy: whose classes the photos are of; None: ImageNet's, or what a release says.

    Raises:
        BadInput: there is none, or it holds no photo, or is not what its layout says; or a
            taxonomy is given to a release.
        ReleaseDamaged: it is a release, and not what its manifest says.
    """
    named = str(release_named(named, releases) or named)
    classes = Classes.of(taxonomy, others)
    for read in _layouts():
        if (photos := read(named, classes, hashes)) is not None:
            return photos
    found = releases.glob(f"[!.]*/{MANIFEST}") if releases else ()
    known = ", ".join(sorted(manifest.parent.name for manifest in found))
    hint = f"; releases here: {known}" if known else ""
    if is_photo_name(Path(named).name) and Path(named).exists():
        raise BadInput(f"{named} is a single photo: give the folder, CSV or tar that holds it")
    what = "is no set of photos" if Path(named).exists() else "is not there"
    raise BadInput(f"{named} {what}: name a release, a folder or a file of photos{hint}")


HASHES = ".hashes"
"""The folder among the runs that hashes of photos are kept in."""


def locate_set(
    named: str,
    workspace: Path | None = None,
    others: Collection[str] = (),
    runs: Path | None = None,
    taxonomy: Taxonomy | None = None,
    sampling: Sampling | None = None,
) -> PhotoSet:
    """The set that is meant: a release of the workspace, or a path in any layout.

    Args:
        named: the release's name, or a path.
        workspace: the workspace's folder; None: the one that the current folder lies in, if any.
        others: classes beside ImageNet's that a folder of photos may be named by.
        runs: where runs are kept, and with them the hashes of photos; None: where `locate_runs`
            says, if that folder is there.
        taxonomy: whose classes the photos are of; None: ImageNet's, or what a release says.
        sampling: what its classes are; None: what the workspace's settings say, if they do.

    Raises:
        BadInput: there is none, or it is no such set.
        ReleaseDamaged: it is a release, and not what its manifest says.
    """
    found = _find(workspace)
    folder = runs or locate_runs(workspace)
    hashes = folder / HASHES if runs or folder.is_dir() else None
    opened = open_set(named, found.releases if found else None, others, hashes, taxonomy)
    return replace(opened, sampling=sampling or (found.evaluate.classes if found else None))


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
