"""What every command uses: the workspace, ways to print, the message for a missing extra."""

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from datetime import datetime
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from genset.classes import Taxonomy, find_classes
from genset.core.errors import BadInput, MissingExtra, Stopped
from genset.core.numbers import count
from genset.core.safe import visible
from genset.core.table import FORMATS, Table, render
from genset.core.to_json import to_json
from genset.models.spec import parse_spec
from genset.workspace import Workspace

if TYPE_CHECKING:
    from genset.db import Store

PATH = click.Path(path_type=Path)
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


def _day(text: str) -> datetime:
    """A day such as 2015-01-31.

    Raises:
        click.BadParameter: it is no day; the message says what to write.
    """
    if re.fullmatch("[12][0-9]{3}", text):
        raise click.BadParameter(f"{text} is a year: write a day, such as {text}-01-01")
    try:
        return datetime.strptime(text, "%Y-%m-%d")
    except ValueError:
        raise click.BadParameter(f"{text!r} is no day: write it like 2015-01-31") from None


DAY = click.types.FuncParamType(_day)
DAY.name = "YYYY-MM-DD"

min_size_option = click.option(
    "--min-size",
    type=click.IntRange(min=1),
    help="Pixels that the shorter side must have (default: 64, and what is stored already stays).",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
runs_option = click.option(
    "--runs", type=PATH, help="Where runs are kept (default: the workspace's runs/)."
)
taxonomy_option = click.option(
    "--taxonomy",
    default="",
    metavar="FILE|NAME",
    help="The classes of a folder, if not ImageNet's: a file of your own, or a name, as cifar10.",
)

sampling_option = click.option(
    "--classes",
    "sampling",
    type=click.Choice(["sample", "fixed"]),
    help="Whether the set's classes are a sample of classes (the default for ImageNet's), or all "
    "that there are (the default for your own); or as genset.toml says.",
)


def class_words(text: str) -> tuple[str, ...]:
    """Classes by id or name, with commas between them; `named_classes` finds them.

    Raises:
        click.BadParameter: there are none.
    """
    words = (" ".join(word.strip(" \"'").split()) for word in text.split(","))
    found = tuple(filter(None, words))
    if not found:
        raise click.BadParameter("it names no class: leave it out for all classes")
    return found


def seconds(text: str) -> float:
    """A length of time such as 90m or 2h, in seconds.

    Raises:
        click.BadParameter: it is not of that form.
    """
    found = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{1,3})?)([smhd])", text)
    if found is None:
        message = f"{text!r} is no length of time: write it like 90m, 2h or 1d"
        raise click.BadParameter(message)
    return float(found[1]) * {"s": 1, "m": 60, "h": 3600, "d": 86_400}[found[2]]


classes_option = click.option(
    "--classes",
    type=class_words,
    multiple=True,
    metavar="CLASS,...",
    help='Classes by id or name, with commas between them, as in n02123045,"red panda" '
    "(default: all).",
)
address_option = click.option(
    "--address",
    metavar="URL",
    help="Where they reach the labeling page (default: address under [label] in genset.toml).",
)
give_up_option = click.option(
    "--give-up-after",
    type=seconds,
    metavar="TIME",
    help="End when a host has not answered for so long, such as 2h (default: wait for it).",
)
model_option = click.option(
    "--model", "models", type=parse_spec, multiple=True, required=True, metavar="SPEC"
)


def page_address(address: str | None, workspace: "Workspace", *, local: bool = False) -> str:
    """Where others reach the page: `address`, the workspace's, or that of a server that runs.

    If `local`, this machine where there is none.

    Raises:
        BadInput: there is none, or it is more than a scheme and a host, with its port.
    """
    from genset.label.server import served_at
    from genset.net.api import is_loopback

    found = address or workspace.label.address
    serving = "" if found else served_at(workspace)
    if not found and not serving and not local:
        raise BadInput(
            "where do labelers reach the page? Say --address https://labels.example.org, or set "
            "address under [label] in genset.toml"
        )
    if not found:
        found = serving or "http://127.0.0.1:8501"
        if is_loopback(found):
            click.echo("this link opens on this machine only: --address says another", err=True)
    if not re.fullmatch(r"https?://[^/?#@\s]+/?", found):
        raise BadInput(
            f"the page needs a host name of its own, as in https://labels.example.org, not {found}"
        )
    return found.rstrip("/")


@contextmanager
def opened(
    folder: Path | None, *, originals: Literal["", "read", "store"] = ""
) -> "Iterator[tuple[Workspace, Store]]":
    """The workspace and its database, closed at the end of the block.

    Args:
        folder: where to look for the workspace; None for the current folder.
        originals: whether the block reads or stores originals, and so needs their folder.
    """
    from genset.db import Store
    from genset.db.failures import explained, refuse_emptied
    from genset.db.images_folder import check_images, claim_images

    workspace = Workspace.find(folder)
    refuse_emptied(workspace.store_url, workspace.images)
    store = Store.open(workspace.store_url)
    with closing(store), explained(workspace.store_url):
        if originals == "read":
            check_images(workspace, store)
        elif originals == "store":
            claim_images(workspace, store)
        yield workspace, store


def show(answer: Any, text: str, as_json: bool) -> None:
    """Print an answer: as text for people, or as JSON for programs.

    Either is harmless in a terminal, whatever strangers' words are in it.
    """
    if as_json:
        show_json(answer)
    else:
        click.echo(visible(text))


def show_json(answer: Any) -> None:
    """Print one JSON document; dataclasses become objects."""
    click.echo(json.dumps(answer, indent=2, default=asdict))


def format_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``--format`` and ``--json``, its short form; the command takes them as `format`.

    It prints by `show_tables`. There is one rule for JSON: a command whose answer is one table
    gives its rows as a list of objects, and one whose answer is more gives the whole of it, its
    document, which holds the tables' numbers and others.
    """

    @click.option(
        "--format",
        type=click.Choice(FORMATS),
        default="text",
        help="How to print the answer. [default: text]",
    )
    @click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
    @wraps(command)
    def formatted(format: str, as_json: bool, **rest: Any) -> None:
        if as_json and format not in ("text", "json"):
            raise click.UsageError(f"--json and --format {format} exclude each other: give one.")
        command(format="json" if as_json else format, **rest)

    return formatted


def json_command(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the folder of its workspace first, and ``--json`` as `as_json`."""
    return json_option(click.pass_obj(command))


def format_command(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the folder of its workspace first, and add `format_option`."""
    return format_option(click.pass_obj(command))


def show_tables(
    tables: Table | Sequence[Table], format: str, document: Any = None, text: str | None = None
) -> None:
    """Print an answer: its tables, or as JSON its document, where it has one.

    All of them are harmless in a terminal, whatever strangers' words are in it.

    Args:
        tables: the whole answer, for people.
        format: one of `genset.core.table.FORMATS`.
        document: what JSON holds instead of the tables; dataclasses, dates and paths are known.
        text: what a terminal shows instead of them, where it is no table there.
    """
    if format == "json" and document is not None:
        show_json(to_json(document))
    elif format == "text" and text is not None:
        click.echo(visible(text))
    else:
        click.echo(render(tables, format))


def show_path(path: Path) -> None:
    """Print where something was written: on a terminal that can, as a link that opens it."""
    text = visible(str(path))
    if sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        text = f"\x1b]8;;{path.absolute().as_uri()}\x1b\\{text}\x1b]8;;\x1b\\"
    click.echo(text)


def named_classes(taxonomy: Taxonomy, words: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """The ids of classes that were given by `class_words`; how names were read is said.

    Raises:
        BadInput: a word names no class, or several.
    """
    wnids, remarks = find_classes(taxonomy, (word for several in words for word in several))
    for remark in remarks:
        click.echo(f"genset: {visible(remark)}", err=True)
    return wnids


@contextmanager
def stoppable(stored: Callable[[], str]) -> Iterator[None]:
    """End in one line on Ctrl-C and SIGTERM: what is stored, and how to go on."""
    try:
        yield
    except KeyboardInterrupt as interrupt:
        message = f"stopped: {stored()}; run the same command again to go on"
        raise Stopped(message, interrupt) from None


def counted(counts: dict[str, int], one: str, many: str = "") -> str:
    """Counts by reason, in words: "3 refused (2 gone, 1 not an image)"."""
    reasons = ", ".join(f"{number} {reason}" for reason, number in counts.items())
    return count(sum(counts.values()), one, many or one) + (f" ({reasons})" if reasons else "")


def need(extra: str, what: str, *modules: str) -> None:
    """Say which extra is missing, before an import fails."""
    if any(find_spec(module) is None for module in modules):
        raise MissingExtra(what, extra)
