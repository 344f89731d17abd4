"""The pages' templates, compiled once for all pages that a process writes."""

from functools import cache
from typing import TYPE_CHECKING

from genset.core.safe import clean

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def templates(*packages: str) -> "Environment":
    """The templates of these packages, an earlier one's before a later one's of the same name.

    Raises:
        ModuleNotFoundError: Jinja is not installed.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    # Titles, owners and addresses are strangers' words: the pages escape all that they print.
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["clean"] = clean
    return environment
