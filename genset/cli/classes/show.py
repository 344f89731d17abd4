"""The command that shows classes: genset classes show."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from genset.cli.classes.overlap import tell_overlap
from genset.cli.common import format_command, opened, show_tables
from genset.core.numbers import count
from genset.core.safe import visible
from genset.core.table import Column, Table

if TYPE_CHECKING:
    from genset.classes import Taxonomy


@click.command("show")
@click.argument("source", metavar="[FILE|NAME]", required=False)
@format_command
def show_command(folder: Path | None, /, source: str | None, format: str) -> None:
    """Show what each class is, what is searched for and why, and what to look at.

    Of a file, of a taxonomy that comes with genset (imagenet1k, imagenet100-cmc, cifar10), or of
    the workspace. A file with mistakes is refused, each mistake with its line.

    \b
    genset classes show pets.toml
    genset classes show cifar10
    """
    from genset.classes.making.remarks import remarks

    taxonomy = _taxonomy(folder, source)
    seen = remarks(taxonomy)
    tell_overlap(taxonomy)
    if format != "text":
        whole = [{**asdict(cls), "remarks": seen.get(cls.wnid, [])} for cls in taxonomy]
        show_tables(_table(taxonomy, seen), format, whole)
        return
    for cls in taxonomy:
        lines = [f"{cls.wnid}  {', '.join(cls.lemmas)}" + f": {cls.gloss}" * bool(cls.gloss)]
        lines += [f"    {query.text:<32}  {query.why}" for query in cls.queries]
        if cls.wnid not in cls.imagenet and cls.imagenet:
            lines.append(f"    holds {len(cls.imagenet)} of ImageNet's classes")
        if others := taxonomy.confusable(cls.wnid):
            lines.append(f"    may be confused with {', '.join(other.wnid for other in others)}")
        lines += [f"    remark: {remark}" for remark in seen.get(cls.wnid, ())]
        click.echo(visible("\n".join(lines)))
    classes = count(len(taxonomy), "class", "classes")
    click.echo(visible(f"{classes} of {taxonomy.name}, {len(seen):,} with remarks"))


def _table(taxonomy: "Taxonomy", remarks: dict[str, list[str]]) -> Table:
    names = ("id", "name", "definition", "synset", "queries", "confusable", "remarks")
    rows = [
        (
            *(cls.wnid, cls.name, cls.gloss, cls.synset),
            "; ".join(query.text for query in cls.queries),
            " ".join(other.wnid for other in taxonomy.confusable(cls.wnid)),
            "; ".join(remarks.get(cls.wnid, ())),
        )
        for cls in taxonomy
    ]
    return Table([Column(name) for name in names], rows, f"Classes of {taxonomy.name}")


def _taxonomy(folder: Path | None, source: str | None) -> "Taxonomy":
    from genset.classes.files import taxonomy_named

    if source:
        return taxonomy_named(source)
    with opened(folder) as (_, store):
        return store.taxonomy
