"""The commands on classes: make a taxonomy file, and show what one says."""

import os
import re
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from genset.classes import Taxonomy, imagenet1k
from genset.classes.files import taxonomy_named, toml_of
from genset.classes.making.drafts import Draft, of_list, of_rows, of_synsets, of_words
from genset.classes.making.listed import Row, read_list
from genset.classes.making.remarks import remarks
from genset.classes.making.senses import parse_senses
from genset.cli.common import FILE, FOLDER, format_command, need, opened, show_tables
from genset.cli.group import Group
from genset.core.errors import BadInput
from genset.core.files import write_text
from genset.core.junk import is_junk, junk_in, junk_note
from genset.core.numbers import count
from genset.core.safe import visible
from genset.core.table import Column, Table
from genset.models.spec import ModelSpec, parse_spec

_SHOWN = 30  # classes that are listed on the screen
_PARTS = {"train", "training", "val", "valid", "validation", "test", "testing"}


@click.group(cls=Group)
def classes() -> None:
    """Make a file of classes of your own, and see what it says.

    \b
    genset classes from-words dog,cat,"red panda" -o pets.toml
    genset classes show pets.toml
    genset init my-pets --taxonomy pets.toml
    """


def _written(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options on what is written."""
    for option in (
        click.option("--force", is_flag=True, help="Write over a file that is there."),
        click.option("--name", help="The taxonomy's name (default: the file's, or classes)."),
        click.option("-o", "--output", type=FILE, metavar="FILE", help="Default: standard output."),
    ):
        command = option(command)
    return command


_sense_option = click.option(
    "--sense",
    "senses",
    multiple=True,
    metavar="WORD=SENSE",
    help="What a word means: a noun's wnid, or its number among the word's senses (0: none of "
    "them). May be repeated.",
)


@classes.command()
@click.argument("words", nargs=-1, required=True)
@_sense_option
@_written
def from_words(
    words: tuple[str, ...], senses: tuple[str, ...], output: Path | None, **how: Any
) -> None:
    """Make a class of each word, with what WordNet says of it.

    WORDS have commas between them. Of several senses of a word that one is taken which alone is
    among ImageNet's classes. Of other words --sense says which; said twice of a word, it makes a
    class of each sense. A plural is looked up as its singular. A word that WordNet lacks becomes a
    class without a synset.

    \b
    genset classes from-words dog,cat,"red panda" -o pets.toml
    genset classes from-words dogs,crane --sense dogs=1 --sense crane=n03126707 -o some.toml
    genset classes from-words crane --sense crane=4 --sense crane=5 -o cranes.toml
    """
    for word in words:
        if os.path.isfile(word):  # noqa: PTH113 (a Path raises where many words are a long name)
            raise BadInput(f"{word} is a file: use genset classes from-file {word}")
    stripped = (word.strip(" \t\n\"'") for item in words for word in item.split(","))
    listed = [" ".join(word.split()) for word in stripped if word]
    _write(of_words(listed, parse_senses(senses)), output, **how)


@classes.command()
@click.argument("wnids", nargs=-1, required=True, metavar="WNID...")
@click.option("--leaves", is_flag=True, help="All kinds below that have none below them.")
@click.option("--depth", type=click.IntRange(0, 20), help="The kinds so many steps below.")
@_written
def from_synsets(
    wnids: tuple[str, ...], leaves: bool, depth: int | None, output: Path | None, **how: Any
) -> None:
    """Make classes of nouns of WordNet 3.0, such as those of ImageNet-21k: each, or what is below.

    Instances (persons, rivers and others with a name of their own) are no kinds, and are left out
    of what is below.

    \b
    genset classes from-synsets n02084071 --leaves -o dogs.toml
    genset classes from-synsets n02084071 n02121620 --depth 1
    """
    if leaves and depth is not None:
        raise BadInput("--leaves and --depth exclude each other: give one")
    listed = [word for wnid in wnids for word in wnid.replace(",", " ").split()]
    _write(of_synsets(listed, None if leaves else depth or 0), output, **how)


@classes.command()
@click.argument("file", type=FILE)
@_sense_option
@_written
def from_file(file: Path, senses: tuple[str, ...], output: Path | None, **how: Any) -> None:
    """Make a class of each that FILE lists.

    A name a line; a table with the columns name, and id, words (what to search for), definition,
    taxon or synset; JSON with such keys, or of names; the labels of Label Studio's configuration;
    iNaturalist's taxa; a release's classes.csv.

    \b
    genset classes from-file birds.txt -o birds.toml
    genset classes from-file mine.csv --sense Mini=0 -o mine.toml
    """
    rows = read_list(file)
    listed = [row for row in rows if not is_junk(row.name)]
    _write(of_list(listed, parse_senses(senses), f"class in {file}"), output, **how)
    for note in junk_note([row.name for row in rows if is_junk(row.name)]):
        _say(note)


@classes.command()
@click.argument("folder", type=FOLDER)
@_sense_option
@_written
def from_folder(folder: Path, senses: tuple[str, ...], output: Path | None, **how: Any) -> None:
    """Make a class of each folder in FOLDER.

    A folder whose name is a wnid, or begins with one, gets WordNet's words. Of others the name is
    the class's id where it can be one. Empty folders are passed over, unless all are.

    \b
    genset classes from-folder photos/ -o mine.toml
    """
    junk = sorted(junk_in(folder), key=lambda name: is_junk(Path(name).name))
    names = sorted(
        path.name
        for path in folder.iterdir()
        if path.is_dir() and not (path.name.startswith(".") or is_junk(path.name))
    )
    if set(names) <= set(junk):
        junk = [name for name in junk if name not in names]
    names = [name for name in names if name not in junk]
    strange = [name for name in names if re.search("[\ud800-\udfff]", name)]
    if strange:
        raise BadInput(f"the name of the folder {strange[0]!r} is not in UTF-8: rename it")
    # A data set's parts have folders of classes in them; classes of such names have photos.
    inside = (path for name in names for path in (folder / name).iterdir())
    if {name.casefold() for name in names} <= _PARTS and any(path.is_dir() for path in inside):
        raise BadInput(f"{folder} has the parts {', '.join(names)}: give {folder / names[0]}")
    rows = [Row(name) for name in names]
    drafts = of_rows(rows, parse_senses(senses), f"folder in {folder}")
    _write(drafts, output, **how)
    for note in junk_note(junk):
        _say(note)


@classes.command()
@click.argument("spec", type=parse_spec)
@_sense_option
@_written
def from_model(spec: ModelSpec, senses: tuple[str, ...], output: Path | None, **how: Any) -> None:
    """Make a class of each output of a model, by the names that it has for them.

    They come from a folder in Hugging Face's form, from timm's and torchvision's notes on their
    weights, or from the list that the spec names by classes=FILE. No weights are loaded. A class
    whose id is not what the model calls it keeps that under outputs.

    \b
    genset classes from-model hf:my-model -o mine.toml
    genset classes from-model "file:mine.pth?arch=timm:resnet18&classes=names.txt"
    """
    need("evaluate", "reading a model's class names", "torch", "torchvision", "timm")
    from genset.models.class_names import class_names

    rows = [Row(name, output=output) for name, output in dict(class_names(spec)).items()]
    drafts = of_rows(rows, parse_senses(senses), f"output of {spec.text}")
    _write(drafts, output, **how)


def _write(drafts: list[Draft], output: Path | None, force: bool, name: str | None) -> None:
    """Write the classes, and say what each is and what to look at."""
    from genset.classes.making.together import together

    if output and output.exists() and not force:
        raise BadInput(f"{output} exists: --force overwrites it")
    if output and not output.absolute().parent.is_dir():
        raise BadInput(f"there is no folder {output.absolute().parent}")
    taxonomy = together(name or (output.stem if output else "classes"), drafts)
    seen = remarks(taxonomy)
    notes = {draft.id: [*draft.notes, *seen.get(draft.id, ())] for draft in drafts}
    head = "Classes for genset: genset init FOLDER --taxonomy FILE. Change what you like."
    text = toml_of(taxonomy, notes, head)
    if output:
        write_text(output, text)
    else:
        click.echo(text, nl=False)
    for cls in list(taxonomy)[:_SHOWN]:
        imagenet = f", {len(cls.imagenet)} of ImageNet's" if cls.imagenet else ""
        kind = f"{cls.gloss} ({cls.synset}{imagenet})" if cls.synset else "no synset"
        called = cls.name if cls.name != cls.wnid else ""
        _say("  ".join(filter(None, (cls.wnid, called, kind))))
        for note in notes[cls.wnid]:
            _say(f"    {note}")
    if (more := len(taxonomy) - _SHOWN) > 0:
        _say(f"and {more:,} more" + f": genset classes show {output}" * bool(output))
    tell_overlap(taxonomy)
    remarked = sum(map(bool, notes.values()))
    where = f"{output}: " if output else ""
    _say(f"{where}{count(len(taxonomy), 'class', 'classes')}, {remarked:,} with remarks")


def _say(line: str) -> None:
    """On standard error: standard output may be the file."""
    click.echo(visible(line).replace("\n", " "), err=True)


@classes.command("show")
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
    if source:
        taxonomy = taxonomy_named(source)
    else:
        with opened(folder) as (_, store):
            taxonomy = store.taxonomy
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


def _table(taxonomy: Taxonomy, remarks: dict[str, list[str]]) -> Table:
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


def tell_overlap(taxonomy: Taxonomy) -> None:
    """Say on standard error where WordNet puts a class of ImageNet below several of these."""
    from genset.models.mapping.outputs import above, outputs_of

    try:
        outputs_of([cls.wnid for cls in imagenet1k()], taxonomy, above)
    except BadInput as error:
        message = f"no model of ImageNet's classes can be scored on {taxonomy.name} yet: {error}"
        click.echo(visible(message), err=True)
