"""Build an unseen, licensed, human-verified test set and say which classifier generalizes to it.

In Python: `open_set`, `evaluate`, `compare`, `report` and `Release`, all of `genset.api`.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from genset.api import Release, compare, evaluate, open_set, report

if sys.version_info < (3, 11):  # noqa: UP036 - in a clone, any Python may be tried
    raise SystemExit("genset needs Python 3.11 or newer: this is " + sys.version.split()[0])

__version__ = "0.2.0"
__all__ = ["Release", "__version__", "compare", "evaluate", "open_set", "report"]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for: importing genset alone loads nothing else."""
    if name == "Release":  # without what models need
        return import_module("genset.release.reader").Release
    if name in __all__:
        return getattr(import_module("genset.api"), name)
    raise AttributeError(f"module 'genset' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
