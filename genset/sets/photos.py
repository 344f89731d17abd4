"""What models are scored on: the set that a name or a path means, in whichever layout it lies."""

from collections.abc import Collection
from pathlib import Path

from genset.classes import Taxonomy, imagenet1k
from genset.core.errors import BadInput
from genset.release.reader import MANIFEST, release_named
from genset.sets import folder, labels, release
from genset.sets.beside import taxonomy_beside
from genset.sets.endings import SUFFIXES
from genset.sets.layout import Classes, Layout
from genset.sets.photo import PhotoSet, ScoredPhoto
from genset.sets.tables import hugging_face
from genset.sets.tars import tar

__all__ = ["SUFFIXES", "PhotoSet", "ScoredPhoto", "open_set"]

# The first that takes a path reads it.
_LAYOUTS: tuple[Layout, ...] = (release, labels, tar, hugging_face, folder)


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
        taxonomy: whose classes the photos are of; None: ImageNet's, or what a release or an export
            of one says.

    Raises:
        BadInput: there is none, or it holds no photo, or is not what its layout says; or a
            taxonomy is given to a release.
        ReleaseDamaged: it is a release, and not what its manifest says.
    """
    named = str(release_named(named, releases) or named)
    if taxonomy is None and not release.takes(named):
        taxonomy = taxonomy_beside(named)
    own = taxonomy is not None and not taxonomy.is_imagenet
    classes = Classes(taxonomy or imagenet1k(), () if own else others)
    for layout in _LAYOUTS:
        if layout.takes(named, classes):
            return layout.read(named, classes, hashes)
    found = releases.glob(f"[!.]*/{MANIFEST}") if releases else ()
    known = ", ".join(sorted(manifest.parent.name for manifest in found))
    hint = f"; releases here: {known}" if known else ""
    what = "is a file of no kind that holds a set" if Path(named).exists() else "is not there"
    raise BadInput(f"{named} {what}: name a release, a folder or a file of photos{hint}")
