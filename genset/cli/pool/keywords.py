"""The command on what is searched for each class: genset keywords."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from genset.classes import PHOTOS, ImageClass
from genset.cli.common import class_words, format_command, named_classes, opened, show_tables
from genset.core.errors import BadInput, NotAWorkspace
from genset.core.numbers import count, ends, percent
from genset.core.table import Cell, Column, Table, of_words
from genset.workspace import Workspace

if TYPE_CHECKING:
    from genset.scrape.estimate import Yield
    from genset.scrape.queries import Queries

_TYPES = ("photos", "screenshots", "other")


@click.command()
@click.argument("classes", nargs=-1, type=class_words, metavar="[CLASS]...")
@click.option("--update", is_flag=True, help="Search with the newest queries from now on.")
@click.option(
    "--yield", "show_yield", is_flag=True, help="Show what each query brings, and what to do."
)
@format_command
def keywords(
    folder: Path | None,
    classes: tuple[tuple[str, ...], ...],
    update: bool,
    show_yield: bool,
    format: str,
) -> None:
    """Show what is searched for each class, and why.

    A workspace keeps its first queries until --update, which takes genset's newest ones and those
    of the workspace's queries.toml. --yield shows for each query (of the given classes, or of all
    with labels) its candidates, the share that is correct, and the share that other classes claim.

    \b
    genset keywords tabby "great white shark" n02012849
    genset keywords --yield
    genset keywords --update
    """
    if update and (classes or show_yield):
        raise BadInput("--update takes no classes and no --yield")
    if update:
        _update(folder, format)
    elif show_yield:
        _show_yield(folder, classes, format)
    else:
        _show(folder, classes, format)


def _show(folder: Path | None, words: tuple[tuple[str, ...], ...], format: str) -> None:
    queries, newer = _queries(folder)
    classes = queries.select(named_classes(queries.taxonomy, words))
    origin = "own list" if queries.taxonomy.is_imagenet else "Wikidata"
    searched = {cls.wnid: _searched(cls, origin) for cls in classes}
    rows = [(cls.wnid, cls.name, *row) for cls in classes for row in searched[cls.wnid]]
    lines = []
    for cls in classes:
        meaning = f": {cls.gloss}" if cls.gloss else ""
        lines.append(f"{cls.wnid}  {', '.join(cls.lemmas)}{meaning}")
        lines += [f"           {text:<32}  {why}" for text, why in searched[cls.wnid]]
        if cls.content_types != (PHOTOS,):
            lines.append(f"           among {_types(cls)}")
    # Of ImageNet's own both are the class itself.
    hidden = {"synset", "imagenet", "outputs"} if queries.taxonomy.is_imagenet else set[str]()
    document = [
        {key: value for key, value in asdict(cls).items() if key not in hidden} for cls in classes
    ]
    table = of_words(("wnid", "class", "query", "why"), rows)
    show_tables(table, format, document, text="\n".join(lines))
    sys.stdout.flush()
    if newer:
        click.echo(
            f"newer queries exist for {count(newer, 'class', 'classes')}: "
            "run genset keywords --update",
            err=True,
        )


def _searched(cls: ImageClass, origin: str) -> list[tuple[str, str]]:
    """What a class is searched with, and why; `origin` is who says what photos depict."""
    depicted = [(text, f"{origin}, for Wikimedia Commons") for text in cls.depicted]
    return [*depicted, *((query.text, query.why) for query in cls.queries)]


def _queries(folder: Path | None) -> "tuple[Queries, int]":
    """What is searched here, and how many classes have newer queries; the package's elsewhere."""
    from genset.scrape.queries import changed_classes, newest_queries, workspace_queries

    try:
        Workspace.find(folder)
    except NotAWorkspace:
        if folder is not None:
            raise
        return newest_queries(), 0
    with opened(folder) as (workspace, store):
        queries = workspace_queries(workspace, store)
        return queries, len(
            changed_classes(queries, newest_queries(workspace.root, queries.taxonomy))
        )


def _update(folder: Path | None, format: str) -> None:
    from genset.scrape.queries import changed_classes, update_queries

    with opened(folder) as (workspace, store):
        before, after = update_queries(workspace, store)
    changed = changed_classes(before, after)
    rows = [
        (new.wnid, new.name, sign, line)
        for old, new in changed
        for sign, cls, other in (("-", old, new), ("+", new, old))
        for line in _lines(cls)
        if line not in _lines(other)
    ]
    summary = (
        f"{count(len(changed), 'class has', 'classes have')} new queries "
        f"({before.version} -> {after.version}): the next genset scrape runs them; "
        "candidates found before stay"
        if changed
        else f"queries are up to date ({after.version})"
    )
    table = of_words(("wnid", "class", "change", "query"), rows, notes=[summary])
    show_tables(table, format)


def _show_yield(folder: Path | None, words: tuple[tuple[str, ...], ...], format: str) -> None:
    from genset.scrape.estimate import query_yields
    from genset.scrape.queries import workspace_queries

    with opened(folder) as (workspace, store):
        queries = workspace_queries(workspace, store)
        yields = query_yields(store, queries, named_classes(queries.taxonomy, words))
    none = None if yields else "no query has labeled photos yet: name classes to see their queries"
    show_tables(Table(_YIELD_COLUMNS, [_row(row) for row in yields]), format, yields, text=none)


_YIELD_COLUMNS = [
    Column("wnid"),
    Column("query"),
    *(Column(name, format="{:,}".format) for name in ("candidates", "stored", "labeled")),
    *(Column(name, unit="%", align="right") for name in ("correct", "contested")),
    Column("proposal"),
]


def _row(row: "Yield") -> tuple[object, ...]:
    return (
        row.wnid,
        row.query,
        row.candidates,
        row.stored,
        row.labeled,
        _share(row.correct, row.labeled, row.share),
        _share(row.contested, row.stored, row.contested_share),
        ": ".join(filter(None, (row.proposal, row.reason))),
    )


def _share(part: int, whole: int, interval: tuple[float, float] | None) -> Cell | None:
    if interval is None:
        return None
    return Cell(part / whole, percent(part / whole, whole), ends(interval, whole))


def _lines(cls: ImageClass) -> list[str]:
    """A class's queries, and among what they are asked where that is not photos alone."""
    texts = [*cls.depicted, *(query.text for query in cls.queries)]
    return texts if cls.content_types == (PHOTOS,) else [*texts, f"among {_types(cls)}"]


def _types(cls: ImageClass) -> str:
    return " and ".join(_TYPES[number] for number in cls.content_types)
