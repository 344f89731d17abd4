"""Commands that score models and report on them."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from genset.cli.common import FILE, PATH, json_option, need, show_json, show_table
from genset.errors import BadInput, NotAWorkspace
from genset.workspace import Workspace

if TYPE_CHECKING:
    from genset.evaluate.photos import PhotoSet


@click.command()
@click.argument("photos", metavar="RELEASE-OR-FOLDER")
@click.option("--model", "models", multiple=True, required=True, metavar="SPEC")
@click.option("--runs", type=PATH, help="Where runs are kept (default: the workspace's runs/).")
@json_option
@click.pass_obj
def evaluate(
    folder: Path | None, photos: str, models: tuple[str, ...], runs: Path | None, as_json: bool
) -> None:
    """Score models on a release, or on a folder of wnid folders.

    SPEC is torchvision:NAME[@WEIGHTS], or file:CHECKPOINT?arch=torchvision:NAME, or
    file:CHECKPOINT?arch=MODULE:CALLABLE. Options follow as &name=, &resize=, &crop=,
    &interpolation=, &mean=, &std=.

    \b
    genset evaluate v1 --model torchvision:resnet50 \\
        --model 'file:fast.pth?arch=torchvision:resnet50'
    """
    need("evaluate", "evaluating models", "torch", "torchvision", "numpy")
    from genset.evaluate.evaluate import evaluate as score
    from genset.report.words import interval, percent

    found, kept = _set_and_runs(folder, photos, runs)
    results = score(found, models, kept)
    if as_json:
        show_json({"set": found.name, "set_hash": found.content_hash, "runs": results})
        return
    head = ("model", "top-1 %", "95 % interval", "top-5 %", "95 % interval", "photos", "unreadable")
    rows = []
    for run in results:
        cells: list[object] = [run.model]
        for accuracy in (run.top1, run.top5):
            cells += [percent(accuracy.share, accuracy.photos), interval(accuracy)]
        rows.append([*cells, run.top1.photos, len(run.unreadable)])
    show_table(head, rows)


@click.command()
@click.argument("photos", metavar="[RELEASE-OR-FOLDER]", default="")
@click.option("--runs", type=PATH, help="Where runs are kept (default: the workspace's runs/).")
@click.option("-o", "--output", type=FILE, help="The HTML file (default: report-NAME.html).")
@click.option("--markdown", is_flag=True, help="Print the table as Markdown.")
@json_option
@click.pass_obj
def report(
    folder: Path | None,
    photos: str,
    runs: Path | None,
    output: Path | None,
    markdown: bool,
    as_json: bool,
) -> None:
    """Write one HTML file on a set (default: the newest release) and the models scored on it.

    \b
    genset report v1 -o v1.html
    """
    from genset.report import write_report
    from genset.report.text import as_markdown, to_json

    found, kept = _set_and_runs(folder, photos or _newest_release(folder), runs)
    path = output or kept.parent / f"report-{found.name}.html"
    data = write_report(found, kept, path)
    if as_json:
        show_json({"file": str(path), **to_json(data)})
    else:
        click.echo(as_markdown(data) if markdown else path)


def _set_and_runs(folder: Path | None, named: str, runs: Path | None) -> "tuple[PhotoSet, Path]":
    """The set to score, and where runs are kept. A folder of photos needs no workspace."""
    from genset.evaluate.photos import open_set

    try:
        workspace = Workspace.find(folder)
    except NotAWorkspace:
        if folder is not None:
            raise
        return open_set(named), runs or Path("runs")
    return open_set(named, workspace.releases), runs or workspace.runs


def _newest_release(folder: Path | None) -> str:
    from genset.release.reader import find_releases

    if not (found := find_releases(Workspace.find(folder).releases)):
        raise BadInput("there is no release to report on; make one with: genset release create")
    return found[-1].name
