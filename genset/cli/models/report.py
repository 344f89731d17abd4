"""Commands that report on runs."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from genset.cli.common import (
    FILE,
    PATH,
    format_command,
    json_command,
    runs_option,
    sampling_option,
    show_path,
    show_tables,
    taxonomy_option,
)
from genset.comparison.references.sets import CHOICES as SETS
from genset.core.errors import BadInput, GensetError, NotAWorkspace
from genset.core.safe import visible
from genset.core.table import FORMATS
from genset.sets.photos import Sampling
from genset.sets.truths.truth import TRUTHS, By
from genset.workspace import Workspace

FORMS = ("html", *FORMATS)

_SEED = click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of the draws for intervals.",
)


@click.command()
@click.argument("sets", metavar="[RELEASE-OR-FOLDER]...", nargs=-1)
@click.option(
    "-o",
    "--out",
    "--output",
    "output",
    default="",
    metavar="PATH",
    help="The HTML file, or a folder for it (default: report-NAME.html, here).",
)
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
    "--tta-threshold",
    type=float,
    metavar="SCORE",
    help="Of all --tta, in per cent or the score's unit. Default: each task's own.",
)
@click.option(
    "--counterpart",
    "counterparts",
    multiple=True,
    metavar="[MODEL=]MODEL",
    help="The pretrained model that an entry's model is held against (with --margin).",
)
@click.option(
    "--margin",
    type=click.FloatRange(min=0, max=100, min_open=True),
    metavar="POINTS",
    help="How many points worse than its counterpart still counts as not worse.",
)
@click.option(
    "--compare",
    type=FILE,
    metavar="OLD.json",
    help="Say what changed since an older report (genset report --format json > OLD.json).",
)
@click.option(
    "--include-flagged",
    is_flag=True,
    help="Bring models into fits and orders whose answers are odd (reversed, shifted, constant).",
)
@click.option(
    "--include-restricted",
    is_flag=True,
    help="Show photos, too, that no licence lets others hand on, as where all rights are reserved.",
)
@taxonomy_option
@sampling_option
@_SEED
@click.option(
    "--figures",
    type=PATH,
    metavar="FOLDER",
    help="Also write each figure there, as SVG and as PDF.",
)
@click.option(
    "--format",
    type=click.Choice(FORMS),
    default="html",
    show_default=True,
    help="html writes the page. markdown and json print the report; text, csv and latex its tables "
    "of models and sets. With -o the page is written too.",
)
@runs_option
@json_command
def report(
    folder: Path | None,
    /,
    sets: tuple[str, ...],
    output: str,
    format: str,
    figures: Path | None,
    runs: Path | None,
    as_json: bool,
    entries: tuple[str, ...],
    counterparts: tuple[str, ...],
    taxonomy: str,
    seed: int,
    sampling: Sampling | None,
    **options: Any,
) -> None:
    """Write one HTML file on a set (default: the newest release) and the models scored on it.

    It is made from the stored runs; no model is loaded. --reference compares each accuracy with
    the model's accuracy elsewhere: on ImageNet's validation set as published (imagenet-val), in a
    CSV file of model and top1 (per cent), or on another set that was scored here. ImageNet's own
    validation photos, ImageNetV2, -A and -R are recognized by names and classes (--set-is says
    otherwise); there each model gets its place among the weights that timm publishes. --lower and
    --upper name two models between which the others are placed.

    With several sets the report is on the first one, and has the others side by side with it: each
    model's accuracy there, and the difference over the classes that both sets have.

    The file is written to the current folder, or where -o says. --format prints the report or its
    tables of models and sets instead, and with -o does both. --json is the same as --format json.

    --tta joins a training log with MODEL, by its name in the tables: how fast and how stable its
    training is, and how accurate it is here. Repeat it for each entry. The report includes results
    of genset finetune for its models. --counterpart and --margin say of these models whether they
    are not worse than a pretrained one by more than so many points, in top-1 and in top-5.

    \b
    genset report v1 -o v1.html --reference imagenet-val
    genset report v1 v2 imagenet-val/
    genset report v1 --format latex --figures figures/ > table.tex
    genset report v1 --tta runs/fast=fast --lower resnet18 --upper resnet50
    genset report v1 --tta runs/fast=fast --counterpart resnet50 --margin 1
    """
    from genset.classes.files import taxonomy_named
    from genset.reporting.options import ReportOptions, parse_counterpart, parse_entry
    from genset.reporting.write import Report, report_path
    from genset.score.results.results import scored_part
    from genset.score.results.runs import find_runs
    from genset.sets.open import locate_runs, locate_set
    from genset.statistics.bootstrap import Resampling

    if as_json and format not in ("html", "json"):
        raise click.UsageError(f"--json and --format {format} exclude each other: give one.")
    format = "json" if as_json else format
    stored = runs or locate_runs(folder)
    names = sets or (_newest_release(folder, "genset report photos/"),)
    # Not with `stored`: where there are no runs yet, a report makes no folder for them.
    classes = taxonomy_named(taxonomy) if taxonomy else None
    whole = [
        locate_set(name, folder, runs=runs, taxonomy=classes, sampling=sampling) for name in names
    ]
    found = [(name, scored_part(photos, stored)) for name, photos in zip(names, whole, strict=True)]
    for _, photos in found:
        if not find_runs(stored, photos.name):
            none = f"no model was scored on {photos.name} by the runs in {stored} (--runs FOLDER)"
            click.echo(visible(none), err=True)
    (first, photos), *others = found
    made = Report(
        photos,
        stored,
        ReportOptions(
            tta=tuple(map(parse_entry, entries)),
            counterparts=tuple(map(parse_counterpart, counterparts)),
            resampling=Resampling(seed=seed),
            classes=photos.sampling,
            taxonomy=taxonomy,
            named=first,
            others=tuple(name for name, _ in others),
            **options,
        ),
        others,
    )
    path = None
    if output or format == "html":
        path = report_path([photos for _, photos in found], output)
        made.write(path)
    if figures:
        made.write_figures(figures)
    if format == "json":
        first = f'\n  "file": {json.dumps(str(path))},' if path else ""
        click.echo(f"{{{first}{made.json()[1:]}")  # says first where the page was written
    elif format != "html":
        click.echo(made.printed(format))
    elif path and (path.is_file() or not path.exists()):
        show_path(path)  # and nothing after a page on standard output


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
@taxonomy_option
@sampling_option
@runs_option
@format_command
def compare(
    folder: Path | None,
    first: str,
    second: str,
    photos: str,
    by: By,
    taxonomy: str,
    sampling: Sampling | None,
    runs: Path | None,
    format: str,
) -> None:
    """Say whether two models that were scored on one set differ, and by how much.

    MODEL is a name in the tables, or the start of a run's key.

    \b
    genset compare resnet50 fast --on v1
    genset compare resnet50 fast --on v2 --truth real
    genset compare resnet50 fast --on v1 --format latex > pair.tex
    """
    from genset.classes.files import taxonomy_named
    from genset.comparison.pairs import compare as compare_models
    from genset.comparison.unseen import notes_on_training, unseen
    from genset.reporting.verdict import (
        among_all,
        answered_of_both,
        compared,
        notes_on,
        of_one_pair,
        pairs_table,
        truth_to_json,
    )
    from genset.score.results.count import remarks
    from genset.score.results.results import load_results, scored_part
    from genset.sets.open import locate_runs, locate_set

    stored = runs or locate_runs(folder)
    found = locate_set(
        photos or _newest_release(folder, "genset compare A B --on photos/"),
        folder,
        runs=stored,
        taxonomy=taxonomy_named(taxonomy) if taxonomy else None,
        sampling=sampling,
    )
    found = scored_part(found, stored)
    results = load_results(found, stored)
    models = [results.find(first), results.find(second)]
    if models[0] is models[1]:
        raise BadInput(f"{first} and {second} are the same run: name two models to compare")
    pairs = compare_models(results, models, by)
    if not pairs:
        raise GensetError(f"no photo of {found.name} counts for both {first} and {second}")
    (pair,) = pairs
    among = among_all(results.without_flagged(), pair, by)
    answered = answered_of_both(results, models, by)
    remarks_of = {model.label: remarks(model.run) for model in models}
    seen = unseen(found, [model.run for model in models])
    notes = [*notes_on(*models), *notes_on_training(seen)]
    flags = {model.label: list(model.flags) for model in models if model.flags}
    document = {
        "set": found.name,
        "set_hash": found.content_hash,
        "answered": dict(zip(remarks_of, answered, strict=True)),
        "remarks": remarks_of,
        "unseen": seen,
        **({"flags": flags} if flags else {}),
        **truth_to_json(results, by),
        **pair.as_json(),
        **({"among": asdict(among)} if among else {}),
    }
    table = pairs_table([pair], title=f"Two models on {found.name}", notes=notes, planned=True)
    table = of_one_pair(table) if format == "latex" else table
    text = "\n".join([compared(pair, found.name, answered, by, among), *map(visible, notes)])
    show_tables(table, format, document, text)


def _newest_release(folder: Path | None, example: str) -> str:
    """The default set; `example` is how the command is told another one, without a workspace."""
    from genset.release.reader import find_releases

    try:
        workspace = Workspace.find(folder)
    except NotAWorkspace:
        if folder:
            raise
        raise BadInput(f"name the photos that models were scored on, as in: {example}") from None
    if not (found := find_releases(workspace.releases)):
        none = "there is no release: make one (genset release create NAME) or name photos, as in:"
        raise BadInput(f"{none} {example}")
    return found[-1].name
