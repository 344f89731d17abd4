"""The command that scores models on a set: genset evaluate."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genset.cli.common import (
    FILE,
    PATH,
    format_command,
    need,
    runs_option,
    sampling_option,
    show_tables,
    taxonomy_option,
)
from genset.core.errors import BadInput, GensetError, SeveralMistakes
from genset.core.numbers import count
from genset.core.safe import visible
from genset.core.table import Cell, Column, Table, interval_column, of_words, render
from genset.core.validation import read_text
from genset.models.spec import ModelSpec, parse_spec
from genset.score.engines import ENGINES

if TYPE_CHECKING:
    from genset.comparison.unseen import Unseen
    from genset.score.latency import Latency
    from genset.score.latency_entries import ModelTimes
    from genset.score.results.runs import Run
    from genset.sets.photos import PhotoSet, Sampling


def _specs_in(path: str) -> list[ModelSpec]:
    """The specs of a file, one a line; what stands behind # says nothing."""
    found, wrong = [], []
    for number, line in enumerate(read_text(Path(path)).splitlines(), 1):
        if spec := "" if line.startswith("#") else line.partition(" #")[0].strip():
            try:
                found.append(parse_spec(spec))
            except BadInput as error:
                wrong.append(f"{path}, line {number}: {error}")
    if wrong or not found:
        raise SeveralMistakes(*(wrong or [f"{path} names no model"]))
    return found


_ENGINES = f"{', '.join(ENGINES)}; auto: the fastest that gives PyTorch's answers."
_CLUSTER = "Score on a cluster that is running: ray (ray start, or RAY_ADDRESS)."


@click.command()
@click.argument("photos", metavar="RELEASE-OR-FOLDER")
@click.option("--model", "models", type=parse_spec, multiple=True, metavar="SPEC")
@click.option("--models", "listed", type=_specs_in, metavar="FILE", help="Specs, one a line.")
@click.option("--limit", metavar="N|N%", help="Score a sample by class: N photos, or a share.")
@click.option(
    "--k",
    type=click.IntRange(1, 1000),
    default=5,
    show_default=True,
    help="Best classes to keep for each photo; adds top-K accuracy.",
)
@click.option("--logits", is_flag=True, help="Also keep all logits of each photo (logits.npy).")
@click.option("--engine", default="auto", show_default=True, help=_ENGINES)
@click.option("--precision", default="float32", show_default=True, help="float32, bf16 or fp16.")
@click.option("--decode", "decoding", default="exact", show_default=True, help="exact or fast.")
@click.option("--workers", default=0, help="Processes that decode and score (default: the cores).")
@click.option("--engine-cluster", "cluster", default="", metavar="ray", help=_CLUSTER)
@click.option("--cache", type=PATH, help="Keep decoded pixels in this folder, for later runs.")
@click.option(
    "--allow-code",
    is_flag=True,
    help="Load TorchScript, which is code and runs with your permissions.",
)
@taxonomy_option
@sampling_option
@click.option(
    "--pool",
    default="sum",
    show_default=True,
    metavar="sum|max",
    help="On your own classes, what a class gets of a model's outputs that are below it.",
)
@click.option(
    "--among",
    default="all",
    show_default=True,
    metavar="all|subset",
    help="There, which outputs compete: all, or only those of the set's classes.",
)
@click.option("--audit-preprocessing", is_flag=True, help="Also try other transforms on a sample.")
@click.option(
    "--latency",
    type=PATH,
    metavar="FOLDER",
    help="Also time each model on one photo at a time; write a DAWNBench inference entry.",
)
@click.option(
    "--price-per-hour",
    "price",
    type=click.FloatRange(min=0),
    metavar="DOLLARS",
    help="The price of this machine: with --latency, print the cost of 10,000 photos.",
)
@click.option(
    "--latency-batch",
    "batch",
    type=click.IntRange(min=1, max=4096),
    metavar="PHOTOS",
    help="With --latency, also time batches of so many photos.",
)
@click.option("--channels-last", is_flag=True, help="With --latency, run PyTorch channels last.")
@click.option(
    "--multilabel",
    type=FILE,
    help="All classes that each photo shows: kept with the set, for every later command.",
)
@runs_option
@format_command
def evaluate(
    folder: Path | None,
    /,
    photos: str,
    models: tuple[ModelSpec, ...],
    listed: Sequence[ModelSpec] | None,
    limit: str | None,
    k: int,
    audit_preprocessing: bool,
    latency: Path | None,
    price: float | None,
    batch: int | None,
    channels_last: bool,
    multilabel: Path | None,
    runs: Path | None,
    format: str,
    taxonomy: str,
    sampling: "Sampling | None",
    **how: Any,
) -> None:
    """Score models on a set in one pass: a release, or photos in another layout.

    RELEASE-OR-FOLDER is a release's name, a folder of wnid folders, a CSV file with the columns
    image and wnid, a .tar of these, WebDataset shards ('shards-{000..010}.tar'), or a Hugging Face
    data set (its folder or Parquet files). docs/evaluating.md shows all layouts.

    SPEC is torchvision:NAME[@WEIGHTS], timm:NAME, timm:hf-hub:NAME, file:CHECKPOINT?arch=ARCH with
    torchvision:NAME, timm:NAME or MODULE:CALLABLE for ARCH, export:FILE.pt2, onnx:FILE,
    torchscript:FILE, hf:FOLDER-OR-NAME, or openclip:NAME?weights=FILE. Options follow as ?name=,
    &resize=, &crop=, &interpolation=, &mean=, &std=, &classes=LIST, &background=INDEX, &ema=1,
    &prefix=NAME, &trained_until=DATE, &reference_top1=PERCENT, &tags=WORDS; zero-shot, &prompts=,
    &names=, &tokenizer=FOLDER.

    --models reads specs from a file, all before anything is scored. A model that fails costs
    itself only: the others are scored, and the command ends with a table of what failed and why.

    A finished run is not repeated, and an interrupted one resumes. A Ray cluster distributes the
    photos over machines.

    On classes of your own (a release's, or --taxonomy FILE) a model's outputs are mapped to them:
    those with their ids, those that a class lists as imagenet, or all below its synset in WordNet.
    Their probabilities are summed. A class without any output is named, and its photos do not
    count.

    Answers that were computed elsewhere are predictions:FILE, with ?name=, &classes=LIST and
    &background=INDEX. FILE is N x k class indices (.npy, in the set's order), or a table (.csv,
    .parquet) of image, top1, top2, ... with wnids or names of classes, best first. For these, a CSV
    file with the columns image and wnid can replace the release.

    --multilabel gives the set a truth of several classes a photo, in place of the one that it had:
    a list as ReaL's real.json, an object of photos and their classes, or a CSV file with the
    columns image, wnid and verdict. This and every later command, on runs that are there too, then
    also says how accurate models are by it. Without --model nothing is scored, and the table of
    the runs that are there is printed.

    \b
    genset evaluate v1 --model torchvision:resnet50 \\
        --model 'file:fast.pth?arch=torchvision:resnet50'
    genset evaluate labels.csv --model 'predictions:preds.npy?name=mine'
    genset evaluate v1 --model torchvision:resnet50 --latency entries --price-per-hour 0.34
    genset evaluate val/labels.csv --multilabel real.json
    genset evaluate photos/ --taxonomy pets.toml --model torchvision:resnet50 --pool max
    """
    from genset.classes.files import taxonomy_named
    from genset.sets.open import locate_runs, locate_set

    models = tuple(dict.fromkeys([*models, *(listed or ())]))
    if limit and (multilabel or not models or any(spec.is_predictions for spec in models)):
        raise BadInput("--limit is for networks: predictions and --multilabel are of all photos")
    custom = taxonomy_named(taxonomy) if taxonomy else None
    store = runs or locate_runs(folder)
    if not models:
        found = locate_set(photos, folder, (), store, custom, sampling)
        _show_stored(found, multilabel, store, format)
        return
    networks = [spec for spec in models if not spec.is_predictions]
    if networks:
        need("evaluate", "evaluating models", "torch", "torchvision", "numpy")
    from genset.comparison.unseen import unseen
    from genset.models.classes import other_classes
    from genset.reporting.sections.multilabel import by_truth
    from genset.score.allocator import tune_allocator
    from genset.score.evaluate import SomeModelsFailed
    from genset.score.evaluate import evaluate as score
    from genset.score.latency_entries import ModelTimes, time_models
    from genset.score.options import ScoringOptions
    from genset.score.results.results import load_some
    from genset.sets.photos import sample_by_class
    from genset.sets.truths.store import give_truth, with_truth

    check_latency(latency, price, batch, channels_last or None)
    whole = found = locate_set(photos, folder, other_classes(models), store, custom, sampling)
    if limit:
        found = sample_by_class(found, limit)
    replaced = ""
    if multilabel is not None:
        found, replaced = give_truth(found, multilabel, store)
        if replaced:  # at once: it is so even if no model can be scored
            message = f"{multilabel.name} is the truth of {found.name} from now on, not {replaced}"
            click.echo(visible(message), err=True)
    judged = with_truth(found, store)
    options = ScoringOptions(keep=max(k, 5), **how)
    if networks:
        tune_allocator()  # before PyTorch is there
    failed: dict[ModelSpec, GensetError] = {}
    try:
        results = score(found, models, store, options)
    except SomeModelsFailed as error:
        results, failed = error.runs, dict(error.failed)
    scored = list(zip((spec for spec in models if spec not in failed), results, strict=True))
    if found.sampling:
        results = load_some(found, store, results).measured()
    seen = unseen(found, results, whole)
    document: dict[str, Any] = {"set": found.name, "set_hash": found.content_hash}
    document |= {"runs": results, "unseen": seen}
    tables = [_runs_table(results, seen, k)] if results else []
    if judged.truth:
        further, document["by_truth"] = by_truth(load_some(judged, store, results), replaced)
        tables += further if results else []
    if audit_preprocessing and networks:
        from genset.score.audit import audit
        from genset.score.job import load_for

        loaded = (load_for(found, spec, options, store) for spec in networks if spec not in failed)
        document["audits"] = [audit(model, found) for model in loaded]
        tables += [Table(notes=[str(audit) for audit in document["audits"]])]
    if latency is not None:
        untimed = [run.model for spec, run in scored if spec.is_predictions]
        timings = dict(
            time_models(found, store, options, scored, latency, price, batch, channels_last)
        )
        times = [timing for timing in timings.values() if isinstance(timing, ModelTimes)]
        failed |= {spec: why for spec, why in timings.items() if isinstance(why, GensetError)}
        document["latency"] = [timing.as_json() for timing in times]
        tables += latency_tables(times, untimed)
    problem = SomeModelsFailed(failed, results)
    if failed:
        document["failed"] = [{"model": name, "error": why} for name, why in problem.by_name]
    if tables or format == "json":
        show_tables(tables, format, document)
    if len(models) > 1 and failed:
        click.echo(render(of_words(("failed", "why"), problem.by_name), "text"), err=True)
    if failed:
        raise problem


def _show_stored(found: "PhotoSet", file: Path | None, store: Path, format: str) -> None:
    """Print the kept runs; by the set's truth, where it has one or a file gives it one."""
    from genset.comparison.unseen import unseen
    from genset.reporting.sections.multilabel import by_truth
    from genset.score.results.results import load_results, scored_part
    from genset.sets.truths.store import give_truth, with_truth

    found, replaced = give_truth(found, file, store) if file else (scored_part(found, store), "")
    found = with_truth(found, store)
    document: dict[str, Any] = {"set": found.name, "set_hash": found.content_hash}
    results = load_results(found, store)
    if found.truth is not None:
        tables, document["by_truth"] = by_truth(results, replaced)
        show_tables(tables, format, document)
    elif runs := results.measured():
        document |= {"runs": runs, "unseen": unseen(found, runs)}
        show_tables(_runs_table(runs, document["unseen"], 5), format, document)
    else:
        raise click.UsageError(f"no model was scored on {visible(found.name)}: give --model SPEC.")


def _runs_table(results: "Sequence[Run]", seen: "Sequence[Unseen]", k: int) -> Table:
    """The accuracies of the models, and what is to be said of their runs."""
    from genset.comparison.unseen import notes_on_training
    from genset.core.numbers import percent
    from genset.reporting.format import interval_cell
    from genset.score.results.count import remarks
    from genset.score.results.names import with_options

    ranks = sorted({1, 5, k})
    columns = [Column("model")]
    for rank in ranks:
        columns.append(Column(f"top{rank}", f"top-{rank} %", align="right"))
        columns += [interval_column(f"top{rank}_interval")] * (rank in (1, 5))
    columns += [Column("photos"), Column("left_out", "left out"), Column("engine")]
    is_dated = any(one.of for one in seen)
    columns += [Column("unseen")] * is_dated
    parts = {run.set_name for run in results if run.set_whole not in ("", run.set_hash)}
    notes = [f"scored on {name}" for name in sorted(parts)]
    rows = []
    for name, run, one in zip(with_options(results), results, seen, strict=True):
        cells: list[object] = [name]
        for rank in ranks:
            found = run.top(rank)
            share = found and Cell(found.share, percent(found.share, found.photos))
            interval = found and interval_cell((found.low, found.high), found.photos)
            cells += [share, *[interval] * (rank in (1, 5))]
        cells += [run.top1.photos, len(run.excluded) + run.masked, run.engine or None]
        rows.append([*cells, *[one.cell] * is_dated])
        notes += [f"{name}: {remark}" for remark in remarks(run)]
    return Table(columns, rows, notes=[*notes, *notes_on_training(seen)])


def check_latency(
    folder: Path | None, price: float | None, batch: int | None, channels_last: bool | None
) -> None:
    """Check the options before hours of scoring.

    Raises:
        BadInput: the folder cannot be made, or another option of its but no folder.
    """
    if folder is None:
        named = {"price-per-hour": price, "latency-batch": batch, "channels-last": channels_last}
        if others := [option for option, value in named.items() if value is not None]:
            raise BadInput(f"--{others[0]} is for --latency FOLDER, which is not asked for")
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"--latency {folder}: {error.strerror}") from None


def latency_tables(found: "Sequence[ModelTimes]", untimed: "Sequence[str]") -> list[Table]:
    """Times and costs with the accuracies, and which models (`untimed`) have no times."""
    from genset.core.numbers import dollars, percent
    from genset.score.latency_entries import FROM_FILE, NETWORK

    priced = any(timing.price is not None for timing in found)
    columns = [
        Column("model", "one photo at a time"),
        *(Column(f"top{rank}", f"top-{rank} %", align="right") for rank in (1, 5)),
    ]
    for name in ("network", "from file"):
        key = name.replace(" ", "_")
        for part, title in (("", f"{name} ms"), ("_p90", "p90 ms"), ("_p99", "p99 ms")):
            columns.append(Column(f"{key}{part}_ms", title, format="{:.4g}".format))
        if priced:
            columns.append(Column(f"{key}_cost_10k", "10,000 photos", format=dollars))
    if many := any(timing.latency.many for timing in found):
        columns.append(Column("photos_a_second", "in batches, photos/s", format="{:.4g}".format))
        columns += [Column("cost_10k_many", "10,000 photos", format=dollars)] * priced
    rows = []
    for timing in found:
        row: list[object] = [timing.run.model]
        for top in (timing.run.top1, timing.run.top5):
            row.append(top and Cell(top.share, percent(top.share, top.photos)))
        for times in (timing.latency.network, timing.latency.from_file):
            costs = [timing.cost_10k(times)] * priced
            row += [times.median, times.p90, times.p99, *costs]
        if many:
            row += [timing.latency.photos_a_second, *[timing.cost_10k_many] * priced]
        rows.append(row)
    notes = [f"network: {NETWORK}.", f"from file: {FROM_FILE}."] if rows else []
    notes += [f"{t.run.model}: {_described(t.latency)} Written to {t.entry}." for t in found]
    notes += [f"{model}: not timed, its answers come from elsewhere" for model in untimed]
    return [Table(columns, rows, notes=notes)]


def _described(found: "Latency") -> str:
    from genset.score.engines import ENGINES
    from genset.score.latency import WARM_UP

    threads = f"{count(found.threads, 'thread')} of the CPU"
    where = threads if found.device == "cpu" else f"{found.device}, {threads}"
    network, whole = found.network, found.from_file
    text = (
        f"Medians of {network.timings} and {whole.timings} timings of "
        f"{count(found.photos, 'photo')} after {WARM_UP} of warm-up, "
        f"{ENGINES[found.engine].title} {found.engine_version}, "
        f"{', '.join(filter(None, [found.precision, found.form]))}, {where}."
    )
    if found.batch > 1:
        text += f" The network takes {found.batch} photos at once, and that is its time."
    if many := found.many:
        times = f"median {many.median:.4g} ms, p90 {many.p90:.4g}, p99 {many.p99:.4g}"
        text += f" Batches of {found.many_photos}: {times}."
    if not (network.steady and whole.steady):
        text += " Not steady: is the machine at rest?"
    if found.same < found.compared:
        photos = count(found.compared, "photo")
        text += f" {found.same} of {photos} got the five classes of the run."
    return text
