"""Versions of the packages that answers depend on, read without importing these."""

import importlib.metadata
from collections.abc import Iterable

from genset import __version__

_PACKAGES = ("torch", "torchvision", "timm", "transformers", "open-clip-torch", "pillow", "numpy")


def package_versions(more: Iterable[str] = ()) -> dict[str, str]:
    """The version of each package here, "none" where it is not installed; `more` beside ours."""
    found = {"genset": __version__}
    for package in (*_PACKAGES, *more):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "none"
    return found
