"""What every command uses: the workspace, ways to print, the message for a missing extra."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genset.errors import MissingExtra
from genset.text.tables import aligned
from genset.workspace import Workspace

if TYPE_CHECKING:
    from genset.evaluation.models.spec import ModelSpec
    from genset.store import Store

PATH = click.Path(path_type=Path)
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


class SpecType(click.ParamType["ModelSpec"]):
    """A model spec, taken apart here and nowhere else."""

    name = "spec"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> "ModelSpec":
        """Take it apart.

        Raises:
            BadInput: naming the part that is wrong.
        """
        from genset.evaluation.models.spec import ModelSpec, parse_spec

        return value if isinstance(value, ModelSpec) else parse_spec(value)


model_option = click.option(
    "--model", "models", type=SpecType(), multiple=True, required=True, metavar="SPEC"
)


@contextmanager
def opened(folder: Path | None) -> "Iterator[tuple[Workspace, Store]]":
    """The workspace and its database, closed at the end of the block."""
    from genset.store import Store
    from genset.store.failures import explained, refuse_emptied

    workspace = Workspace.find(folder)
    refuse_emptied(workspace.store_url, workspace.images)
    store = Store.open(workspace.store_url)
    with closing(store), explained(workspace.store_url):
        yield workspace, store


def show(answer: Any, text: str, as_json: bool) -> None:
    """Print an answer: as text for people, or as JSON for programs."""
    if as_json:
        show_json(answer)
    else:
        click.echo(text)


def show_json(answer: Any) -> None:
    """Print one JSON document; dataclasses become objects."""
    click.echo(json.dumps(answer, indent=2, default=asdict))


def show_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table in aligned columns."""
    for line in aligned(head, [list(map(str, row)) for row in rows]):
        click.echo(line)


def counted(counts: dict[str, int], what: str) -> str:
    """Counts by reason, in words: "3 refused (2 gone, 1 not an image)"."""
    reasons = ", ".join(f"{count} {reason}" for reason, count in counts.items())
    return f"{sum(counts.values()):,} {what}" + (f" ({reasons})" if reasons else "")


def need(extra: str, what: str, *modules: str) -> None:
    """Say which extra is missing, before an import fails."""
    if any(find_spec(module) is None for module in modules):
        raise MissingExtra(what, extra)
