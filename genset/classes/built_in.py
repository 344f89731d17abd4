"""Taxonomies that come with genset, as files like a user's."""

from importlib.resources import as_file, files
from pathlib import Path

from genset.classes.imagenet import imagenet1k
from genset.classes.own import read_taxonomy
from genset.classes.taxonomy import IMAGENET, Taxonomy
from genset.core.errors import BadInput

BUILT_IN = (IMAGENET, "imagenet100-cmc", "cifar10")
"""Their names. The first is the default, and no file."""


def file_of(said: str) -> Path:
    """The file that a name in `BUILT_IN` (but the first), or a path, stands for."""
    if said not in BUILT_IN[1:]:
        return Path(said)
    with as_file(files("wordnet_maps").joinpath("taxonomies", f"{said}.toml")) as path:
        return path


def taxonomy_named(said: str) -> Taxonomy:
    """The taxonomy of a name in `BUILT_IN`, or in a file.

    Raises:
        BadInput: there is no such file, it cannot be read, or it has mistakes.
    """
    if said not in BUILT_IN and not Path(said).is_file():
        known = ", ".join(BUILT_IN)
        raise BadInput(f"there is no taxonomy {said}: give a file of classes, or one of {known}")
    return imagenet1k() if said == IMAGENET else read_taxonomy(file_of(said))
