"""Commands that report on runs."""

from pathlib import Path
from typing import Any

import click

from genset.cli.common import FILE, json_option, show_json
from genset.cli.score import RUNS_OPTION
from genset.errors import BadInput, GensetError
from genset.evaluation.data.truths.truth import TRUTHS, By
from genset.evaluation.results.references.sets import CHOICES as SETS
from genset.text.safe import visible
from genset.workspace import Workspace

_SEED = click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of the draws for intervals.",
)


@click.command()
@click.argument("photos", metavar="[RELEASE-OR-FOLDER]", default="")
@click.option("-o", "--output", type=FILE, help="The HTML file (default: report-NAME.html).")
@click.option(
    "--reference",
    default="",
    metavar="NAME",
    help="Compare with imagenet-val (the default), a table or a set; none: with nothing.",
)
@click.option(
    "--set-is",
    type=click.Choice(SETS),
    help="Which well-known set the photos are (default: told by their names and classes).",
)
@click.option("--lower", default="", metavar="MODEL", help="Place the others above this model ...")
@click.option("--upper", default="", metavar="MODEL", help="... and below this one.")
@click.option(
    "--k",
    type=click.IntRange(min=0),
    default=0,
    help="Also report top-K accuracy, besides top-1 and top-5.",
)
@click.option(
    "--tta",
    "entries",
    multiple=True,
    metavar="ENTRY=MODEL",
    help="A training log (.json or .tsv) or a folder of one entry's logs, and the trained model.",
)
@click.option(
    "--labels",
    type=FILE,
    help="All classes that each photo shows, for this report alone (genset evaluate --multilabel "
    "keeps them).",
)
@_SEED
@click.option("--markdown", is_flag=True, help="Print the tables as Markdown.")
@RUNS_OPTION
@json_option
@click.pass_obj
def report(
    folder: Path | None,
    /,
    photos: str,
    output: Path | None,
    markdown: bool,
    runs: Path | None,
    as_json: bool,
    labels: Path | None,
    entries: tuple[str, ...],
    seed: int,
    **asked: Any,
) -> None:
    """Write one HTML file on a set (default: the newest release) and the models scored on it.

    It is made from the stored runs; no model is loaded. --reference compares each accuracy with
    the model's accuracy elsewhere: on ImageNet's validation set as published (imagenet-val), in a
    CSV file of model and top1 (per cent), or on another set that was scored here. ImageNet's own
    validation photos and ImageNetV2's are recognized by their names and classes (--set-is says
    otherwise); there each model gets its place among the weights that timm publishes. --lower and
    --upper name two models between which the others are placed.

    --tta joins a training log in DAWNBench's format with MODEL, by its name in the tables: how
    fast and how stable its training is, and how accurate it is here. Repeat it for each entry. The
    report includes results of genset finetune for its models.

    \b
    genset report v1 -o v1.html --reference imagenet-val
    genset report v1 --tta runs/fast=fast --lower resnet18 --upper resnet50
    """
    from genset.evaluation.locate import locate_runs, locate_set
    from genset.reporting.data.report import ReportOptions
    from genset.reporting.gather.tta import parse_entry
    from genset.reporting.render.markdown import as_markdown, to_json
    from genset.reporting.write import write_report
    from genset.statistics.bootstrap import Resampling

    kept = runs or locate_runs(folder)
    found = locate_set(photos or _newest_release(folder), folder, runs=kept)
    path = output or kept.parent / f"report-{found.name}.html"
    joined = tuple(map(parse_entry, entries))
    options = ReportOptions(
        real_labels=labels, tta=joined, resampling=Resampling(seed=seed), **asked
    )
    data = write_report(found, kept, path, options)
    if as_json:
        show_json({"file": str(path), **to_json(data)})
    else:
        click.echo(as_markdown(data) if markdown else path)


@click.command()
@click.argument("first", metavar="MODEL")
@click.argument("second", metavar="MODEL")
@click.option(
    "--on",
    "photos",
    default="",
    metavar="RELEASE-OR-FOLDER",
    help="What they were scored on (default: the newest release).",
)
@click.option(
    "--truth",
    "by",
    type=click.Choice(TRUTHS),
    default="original",
    show_default=True,
    help="What makes an answer right: the photo's own class, any right class (ReaL), or an "
    "unclear one too.",
)
@_SEED
@RUNS_OPTION
@json_option
@click.pass_obj
def compare(
    folder: Path | None,
    first: str,
    second: str,
    photos: str,
    by: By,
    seed: int,
    runs: Path | None,
    as_json: bool,
) -> None:
    """Say whether two models that were scored on one set differ, and by how much.

    MODEL is a name in the tables, or the start of a run's key.

    \b
    genset compare resnet50 fast --on v1
    genset compare resnet50 fast --on v2 --truth real
    """
    from genset.evaluation.locate import locate_runs, locate_set
    from genset.evaluation.results.compare import compare as compare_models
    from genset.evaluation.results.multilabel import own_proposals
    from genset.evaluation.results.remarks import remarks
    from genset.evaluation.results.results import load_results
    from genset.reporting.narrative.models import verdict
    from genset.reporting.narrative.multilabel import own_proposals as said_of_own
    from genset.reporting.render.pairs import pair_to_json, truth_to_json
    from genset.statistics.bootstrap import Resampling

    kept = runs or locate_runs(folder)
    found = locate_set(photos or _newest_release(folder), folder, runs=kept)
    results = load_results(found, kept)
    models = [results.find(first), results.find(second)]
    resampling = Resampling(seed=seed)
    pairs = compare_models(results, models, resampling, by)
    if not pairs:
        raise GensetError(f"no photo of {found.name} counts for both {first} and {second}")
    proposed = {} if by == "original" else own_proposals(results, models, resampling)
    if as_json:
        by_model = {model.label: remarks(model.run) for model in models}
        answer = {"set": found.name, "set_hash": found.content_hash, "remarks": by_model}
        truth = truth_to_json(results, by, proposed)
        show_json({**answer, **truth, **pair_to_json(pairs[0])})
        return
    click.echo(verdict(pairs[0], found.name, by))
    for model in models:
        for remark in remarks(model.run):
            click.echo(f"{model.label}: {remark}")
    for label, gain in proposed.items():
        click.echo(visible(said_of_own(label, gain)))


def _newest_release(folder: Path | None) -> str:
    from genset.release.reader import find_releases

    if not (found := find_releases(Workspace.find(folder).releases)):
        raise BadInput("there is no release to report on; make one with: genset release create")
    return found[-1].name
