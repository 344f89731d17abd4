"""The command on what is searched for each class: genset keywords."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genset.classes import PHOTOS, ImageClass
from genset.cli.common import ClassesType, json_option, named_classes, opened, show_json, show_table
from genset.core.errors import BadInput, NotAWorkspace
from genset.core.numbers import NONE, count, ends, percent
from genset.workspace import Workspace

if TYPE_CHECKING:
    from genset.scrape.queries import Queries
    from genset.scrape.yields import Yield

_TYPES = ("photos", "screenshots", "other")


@click.command()
@click.argument("classes", nargs=-1, type=ClassesType(), metavar="[CLASS]...")
@click.option("--update", is_flag=True, help="Search with the newest queries from now on.")
@click.option(
    "--yield", "show_yield", is_flag=True, help="Show what each query brings, and what to do."
)
@json_option
@click.pass_obj
def keywords(
    folder: Path | None,
    classes: tuple[tuple[str, ...], ...],
    update: bool,
    show_yield: bool,
    as_json: bool,
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
        _update(folder, as_json)
    elif show_yield:
        _show_yield(folder, classes, as_json)
    else:
        _show(folder, classes, as_json)


def _show(folder: Path | None, given: tuple[tuple[str, ...], ...], as_json: bool) -> None:
    queries, newer = _queries(folder)
    classes = queries.select(named_classes(queries.taxonomy, given))
    if as_json:
        # Of ImageNet's own both are the class itself.
        hidden = {"synset", "imagenet", "outputs"} if queries.taxonomy.is_imagenet else set[str]()
        rows = [asdict(cls) for cls in classes]
        show_json([{key: value for key, value in row.items() if key not in hidden} for row in rows])
    else:
        for cls in classes:
            meaning = f": {cls.gloss}" if cls.gloss else ""
            click.echo(f"{cls.wnid}  {', '.join(cls.lemmas)}{meaning}")
            origin = "own list" if queries.taxonomy.is_imagenet else "Wikidata"
            for text in cls.depicted:
                click.echo(f"           {text:<32}  {origin}, for Wikimedia Commons")
            for query in cls.queries:
                click.echo(f"           {query.text:<32}  {query.why}")
            if cls.content_types != (PHOTOS,):
                click.echo(f"           among {_types(cls)}")
    sys.stdout.flush()
    if newer:
        click.echo(
            f"newer queries exist for {count(newer, 'class', 'classes')}: "
            "run genset keywords --update",
            err=True,
        )


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


def _update(folder: Path | None, as_json: bool) -> None:
    from genset.scrape.queries import changed_classes, searched_with, update_queries

    with opened(folder) as (workspace, store):
        before, after = update_queries(workspace, store)
    changed = changed_classes(before, after)
    if as_json:
        rows = [
            {
                "wnid": new.wnid,
                "name": new.name,
                "before": searched_with(old),
                "after": searched_with(new),
            }
            for old, new in changed
        ]
        show_json({"before": before.version, "after": after.version, "changed": rows})
        return
    for old, new in changed:
        click.echo(f"{new.wnid}  {new.name}")
        for sign, cls, other in (("-", old, new), ("+", new, old)):
            for line in _lines(cls):
                if line not in _lines(other):
                    click.echo(f"           {sign} {line}")
    if changed:
        click.echo(
            f"{count(len(changed), 'class has', 'classes have')} new queries "
            f"({before.version} -> {after.version}): the next genset scrape runs them; "
            "candidates found before stay"
        )
    else:
        click.echo(f"queries are up to date ({after.version})")


def _show_yield(folder: Path | None, given: tuple[tuple[str, ...], ...], as_json: bool) -> None:
    from genset.scrape.queries import workspace_queries
    from genset.scrape.yields import query_yields

    with opened(folder) as (workspace, store):
        queries = workspace_queries(workspace, store)
        yields = query_yields(store, queries, named_classes(queries.taxonomy, given))
    if as_json:
        show_json([_as_json(row) for row in yields])
    elif yields:
        head = "class", "query", "candidates", "stored", "labeled", "correct %", "contested %"
        show_table([*head, "proposal"], map(_row, yields))
    else:
        click.echo("no query has labeled photos yet: name classes to see their queries")


def _row(row: "Yield") -> list[str]:
    proposal = ": ".join(filter(None, (row.proposal, row.reason)))
    return [
        row.wnid,
        row.query,
        *(f"{number:,}" for number in (row.candidates, row.stored, row.labeled)),
        _share(row.correct, row.labeled, row.share),
        _share(row.contested, row.stored, row.contested_share),
        proposal,
    ]


def _share(part: int, whole: int, interval: tuple[float, float] | None) -> str:
    if interval is None:
        return NONE
    return f"{percent(part / whole, whole)} ({ends(interval, whole)})"


def _as_json(row: "Yield") -> dict[str, Any]:
    shares = (
        ("share", row.correct, row.labeled, row.share),
        ("contested_share", row.contested, row.stored, row.contested_share),
    )
    return asdict(row) | {
        name: {"value": part / whole, "low": interval.low, "high": interval.high}
        if interval
        else None
        for name, part, whole, interval in shares
    }


def _lines(cls: ImageClass) -> list[str]:
    """A class's queries, and among what they are asked where that is not photos alone."""
    texts = [*cls.depicted, *(query.text for query in cls.queries)]
    return texts if cls.content_types == (PHOTOS,) else [*texts, f"among {_types(cls)}"]


def _types(cls: ImageClass) -> str:
    return " and ".join(_TYPES[number] for number in cls.content_types)
