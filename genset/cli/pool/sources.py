"""Which sources a command is about."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from genset.workspace import Workspace

if TYPE_CHECKING:
    from genset.sources.source import Source


def source_option(help: str) -> Callable[..., Any]:
    """The option --source, as `sources`: the names that it gives."""
    said = f"{help} (docs/sources.md)."
    return click.option("--source", "sources", metavar="NAME,...", callback=_names, help=said)


def _names(context: click.Context, option: click.Parameter, value: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(str.strip, (value or "").split(",")))))


def chosen(workspace: Workspace, names: tuple[str, ...]) -> "list[type[Source]]":
    """The sources of these names; those of the workspace's settings for no names.

    Raises:
        BadInput: there is no such source.
    """
    from genset.sources.registry import source_class

    return [source_class(name) for name in names or workspace.sources]
