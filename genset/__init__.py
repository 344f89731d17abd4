"""Build an unseen, licensed, human-verified test set and say which classifier generalizes to it.

In Python, ``genset.Release(folder)`` opens a release as a data set (`genset.release.reader`).
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"
__all__ = ["Release", "__version__"]


def __getattr__(name: str) -> Any:
    """Load `Release` when it is first asked for: importing genset alone loads nothing else."""
    if name == "Release":
        return import_module("genset.release.reader").Release
    raise AttributeError(f"module 'genset' has no attribute {name!r}")
