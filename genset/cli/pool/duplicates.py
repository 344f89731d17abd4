"""Commands for photos that look alike: hash, duplicates."""

import getpass
from pathlib import Path
from typing import Any

import click

from genset.cli.common import FILE, FOLDER, json_option, opened, show, show_json, show_table
from genset.cli.group import Group
from genset.core.errors import GensetError
from genset.core.numbers import count


@click.command("hash")
@click.argument("folder", type=FOLDER)
@click.option("-o", "--output", type=FILE, required=True, help="The file of hashes to write.")
@json_option
def hash_folder(folder: Path, output: Path, as_json: bool) -> None:
    """Write the fingerprints of all photos below FOLDER, to be excluded from a pool.

    Anyone may have the file: no photo can be made from it.

    \b
    genset hash imagenet/train -o imagenet.hashes
    """
    from genset.scrape.upkeep.duplicates import hash_folder as write

    hashes, unreadable = write(folder, output)
    answer = {"file": str(output), "hashes": hashes, "unreadable": unreadable}
    show(answer, f"{output}: {count(hashes, 'photo')}", as_json)
    if unreadable:
        some = ", ".join(unreadable[:3])
        one, several = (
            "photo cannot be read and was left out",
            "photos cannot be read and were left out",
        )
        raise GensetError(f"{count(len(unreadable), one, several)}: {some}")


@click.group(cls=Group)
def duplicates() -> None:
    """Photos that look alike, for somebody to decide."""


@duplicates.command()
@click.option(
    "--against",
    "files",
    type=FILE,
    multiple=True,
    help="A file that genset hash wrote: photos that the pool must not share.",
)
@json_option
@click.pass_obj
def find(folder: Path | None, files: tuple[Path, ...], as_json: bool) -> None:
    """Look for pairs within the pool and against files of hashes.

    \b
    genset duplicates find --against imagenet.hashes
    """
    from genset.core.hashes import read_hashes
    from genset.db.duplicates import open_pairs
    from genset.scrape.upkeep.duplicates import propose

    excluded = [read_hashes(path) for path in files]
    with opened(folder, originals="read") as (workspace, store):
        new = propose(workspace, store, excluded)
        undecided = len(open_pairs(store))
    text = f"{count(new, 'new pair')}, {undecided:,} to decide: genset duplicates list"
    show({"new": new, "undecided": undecided}, text, as_json)


@duplicates.command("list")
@json_option
@click.pass_obj
def list_pairs(folder: Path | None, as_json: bool) -> None:
    """List the pairs that nobody has decided: look at both photos.

    Labelers do not see an example that looks like a candidate until somebody says that they differ.

    \b
    genset duplicates list
    """
    from genset.db.duplicates import examples_in, open_pairs

    with opened(folder) as (workspace, store):
        pairs = open_pairs(store)
        examples = examples_in(store, pairs)
        head = ("pair", "bits", "image", "photo", "looks like")
        rows = [
            (
                pair.id,
                pair.distance,
                str(workspace.images / pair.photo.file),
                f"{pair.photo.source}:{pair.photo.source_id}",
                pair.other,
            )
            for pair in pairs
        ]
    if as_json:
        show_json([_with_example(dict(zip(head, row, strict=True)), examples) for row in rows])
    else:
        marked: dict[Any, str] = {name: f"{name} (example)" for name in examples}
        show_table(head, [[marked.get(cell, cell) for cell in row] for row in rows])


def _with_example(pair: dict[str, Any], examples: set[str]) -> dict[str, Any]:
    """The same, with which of the two is an example of a class, where one is."""
    named = examples & {pair["photo"], pair["looks like"]}
    return pair | ({"example": named.pop()} if named else {})


@duplicates.command()
@click.argument("pairs", type=int, nargs=-1, required=True)
@click.option("--same/--different", required=True, help="Whether they show the same photo.")
@click.option(
    "--keep",
    metavar="first|second|PHOTO",
    help="Which of two same photos stays, as duplicates list has them (default: second).",
)
@click.option("--by", default=getpass.getuser, help="Who says so (default: the user's name).")
@json_option
@click.pass_obj
def decide(
    folder: Path | None,
    pairs: tuple[int, ...],
    same: bool,
    keep: str | None,
    by: str,
    as_json: bool,
) -> None:
    """Decide pairs, by their numbers; of two photos that are the same one is refused.

    \b
    genset duplicates decide 3 7 --same --keep first
    """
    from genset.db.duplicates import decide as settle

    with opened(folder) as (_, store):
        settle(store, pairs, same=same, by=by, keep=keep)
    word = "same" if same else "different"
    text = f"{count(len(pairs), 'pair')}: {word}"
    show({"pairs": pairs, "verdict": word, "by": by}, text, as_json)
