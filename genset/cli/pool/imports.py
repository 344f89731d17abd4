"""Commands that start from another project's files: import imagenetv2."""

from dataclasses import asdict
from pathlib import Path

import click

from genset.cli.common import FOLDER, json_option, opened, show
from genset.cli.group import Group
from genset.core.numbers import count


@click.group("import", cls=Group)
def imports() -> None:
    """Start from what another project collected."""


@imports.command()
@click.argument("checkout", type=FOLDER, metavar="DIR")
@click.option("--dataset", help="Only this selection's photos, ruled correct: imagenetv2-b-33.")
@json_option
@click.pass_obj
def imagenetv2(folder: Path | None, checkout: Path, dataset: str | None, as_json: bool) -> None:
    """Make the photos that ImageNetV2 found candidates; DIR is a checkout of its repository.

    All or none; a second time adds nothing. Its files hold no votes, no owners, no licences and no
    hashes: each photo is taken for All Rights Reserved until genset refresh asks Flickr.

    \b
    genset import imagenetv2 ImageNetV2 --dataset imagenetv2-b-33
    genset scrape --no-search --per-class 10 --posted-after 2004-01-01
    """
    from genset.scrape.imports.imagenetv2 import take_in

    with opened(folder) as (workspace, store):
        done = take_in(workspace, store, checkout, dataset)
    lines = [
        f"{count(done.candidates, 'candidate')} added, {count(done.already, 'was', 'were')} there; "
        f"{count(done.photos, 'photo is', 'photos are')} new"
    ]
    if done.left_out:
        lines.append(f"{done.left_out:,} left out, as ImageNetV2 took them out of its pool")
    if dataset is not None:
        lines.append(f"{done.selected:,} ruled correct, as chosen for {dataset}")
    if done.early:
        lines.append(
            f"{count(done.early, 'was', 'were')} posted before {workspace.posted_after.date()}: "
            "models may have seen them; genset scrape takes them with --posted-after only"
        )
    lines.append("to download them: genset scrape --no-search")
    show(asdict(done), "\n".join(lines), as_json)
