"""Accuracies that models have on another set: said, measured here, published, or in a table.

A table is a CSV file with the columns model and top1 (per cent), and top5, img_size and source
where known; timm's ``results-imagenet.csv`` is one. genset ships one of its own (`published`).
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from genset.comparison.references.published import (
    PublishedWeights,
    one_a_weights,
    places,
    published,
)
from genset.comparison.references.sets import IMAGENET, recognize_names
from genset.core.errors import BadInput
from genset.models.spec import ModelSpec, parse_spec
from genset.score.results.runs import Accuracy, Run, all_runs, find_runs, load_predictions
from genset.sets.layouts.labels import LABELS

_LIBRARIES = ("timm", "torchvision")
_HUB = "hf-hub:timm/"  # timm's own organisation on the hub, whose names are timm's


@dataclass(frozen=True, slots=True)
class Weights:
    """What tells a run's weights from others.

    Attributes:
        names: what they may be called in a table, the likeliest first.
        full: the name with its library where the spec says it ("timm:resnet50.a1_in1k", or
            "timm:resnet50" for the default ones); "" where it does not.
        architecture: of a checkpoint ("timm:resnet50"); "" where a library does not know it.
        pixels: the side of the image; None where it is not known.
        changed: what the spec changes, beside that size.
        reported: the accuracy on ImageNet that the spec says, 0 to 1; None where nobody did.
    """

    names: tuple[str, ...]
    full: str
    architecture: str
    pixels: int | None
    changed: tuple[str, ...]
    reported: float | None


def weights_of(run: Run) -> Weights:
    """What a run says of its weights."""
    spec = spec_of(run)
    target = run.spec.partition("?")[0]
    full = f"{spec.kind}:{spec.target.removeprefix(_HUB)}" if spec else ""
    if not spec or spec.kind not in _LIBRARIES:
        # Of answers that were computed elsewhere, the name is all that says whose they are.
        full = run.model if run.model.partition(":")[0] in _LIBRARIES else ""
    is_checkpoint = spec is not None and spec.arch.partition(":")[0] in _LIBRARIES
    crop = run.preprocessing.get("crop")
    return Weights(
        names=tuple(dict.fromkeys([full or target, target, run.model, target.partition(":")[2]])),
        full=full,
        architecture=spec.arch if spec and is_checkpoint else "",
        pixels=crop if isinstance(crop, int) else None,
        changed=tuple(n for n in (*spec.preprocessing, *spec.model_kwargs) if n != "crop")
        if spec
        else (),
        reported=run.reference_top1,
    )


def spec_of(run: Run) -> ModelSpec | None:
    """The run's spec; None of a network or an array that was handed over in Python."""
    try:
        return parse_spec(run.spec)
    except BadInput:
        return None


NAME = "imagenet-val"
NONE = "none"
SAID = "said with the model"
_COLUMNS = {"model", "top1"}
_MEASURED = "measured here"


@dataclass(frozen=True, slots=True)
class Reference:
    """A model's accuracies elsewhere, 0 to 1, and who says so.

    `top5` may not be known. `folder` has the run that they were measured in; None where they are
    taken for exact.
    """

    top1: float
    top5: float | None
    source: str
    folder: Path | None = None


Named = tuple[str, str]
"""A run: its key, and the model's name. Two names may be given to the same weights."""


def named(run: Run) -> Named:
    """What a run is found by."""
    return run.key, run.model


References = dict[Named, Reference]
"""What is known of models elsewhere, by their runs."""


@dataclass(frozen=True, slots=True)
class Row:
    """A table's line. `pixels` is None where it does not say for what size of image."""

    name: str
    pixels: int | None
    reference: Reference


Table = dict[str, list[Row]]
"""A table's lines by what the model is called."""


def find_references(reference: str, runs: Path, targets: Sequence[Run]) -> References:
    """What is known of models on another set.

    It is looked for in this order. If a file is named: in that table alone, where a model is found
    by its weights' name, with or without its library, or by the name shown. Else: what the spec
    says (``reference_top1``, for ImageNet's validation set); a run of the same model on that set,
    which is found by its name, and by its convention where both sets have classes of a user's own;
    ImageNet's by its photos, whatever it is called; for "imagenet-val" what genset ships, by the
    weights' whole name and the size of the image.

    Args:
        reference: a CSV file, "imagenet-val", or a set's name.
        runs: the folder of runs.
        targets: the runs whose models are looked up.

    Raises:
        BadInput: there is no such table, set or name, or the table is no such table.
    """
    found: References = {}
    weights = {named(run): weights_of(run) for run in targets}
    # ImageNet's photos are told by what they are, not by a set's name.
    measured = measured_on(reference, runs)
    if not measured and Path(reference).suffix == ".csv":
        table = read_table(Path(reference))
        for run in targets:
            its = weights[named(run)]
            lines = next((table[name] for name in its.names if name in table), [])
            _look_up(found, run, its, lines)
        return found
    if reference == NAME:
        shipped = published_table()
        for run in targets:
            its = weights[named(run)]
            _look_up(found, run, its, shipped.get(its.full, []))
    elif not measured:
        raise BadInput(
            f"no reference {reference!r}: it is {NAME}, {NONE}, a CSV file of model and top1, or a "
            "set that models were scored on"
        )
    there: dict[str, dict[str, tuple[Path, Run]]] = {}
    for folder, run in reversed(measured):
        there.setdefault(run.model, {})[run.convention] = folder, run
    for run in targets:
        same = there.get(run.model, {})
        # One on ImageNet's classes has no convention. It is held against any, "all" before others.
        for convention in (run.convention, "") if run.convention else sorted(same):
            if convention in same:
                found[named(run)] = _measured(*same[convention], run.convention)
                break
    if reference == NAME:
        _add_measured_on_imagenet(found, runs, targets)
        for run in targets:
            if (top1 := weights[named(run)].reported) is not None:
                found[named(run)] = Reference(top1, None, SAID)
    return found


def measured_on(reference: str, runs: Path) -> list[tuple[Path, Run]]:
    """The runs on the set that a reference names; none where it names no set, or is a table."""
    path = Path(reference)
    if reference in ("", NAME, NONE) or (path.suffix == ".csv" and _read(path)[0] >= _COLUMNS):
        return []
    place = path.resolve()
    name = place.parent.name if place.name == LABELS else place.stem
    return find_runs(runs, name if path.is_file() else place.name if path.is_dir() else reference)


def _read(path: Path) -> tuple[set[str], list[dict[str, str]]]:
    """The columns and rows of a CSV file."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            table = csv.DictReader(file)
            return set(table.fieldnames or ()), list(table)
    except (OSError, ValueError, csv.Error) as error:
        raise BadInput(f"the reference {path} cannot be read: {error}") from None


def read_table(path: Path) -> Table:
    """A table's accuracies by model; a model may have a line for each of several image sizes.

    Raises:
        BadInput: it cannot be read, or an accuracy is not from 0 to 100.
    """
    columns, rows = _read(path)
    if not columns >= _COLUMNS:
        raise BadInput(f"{path} is no reference: it needs the columns model and top1 (per cent)")
    found: Table = {}
    for number, row in enumerate(rows, 2):
        top1 = _share(path, number, row["top1"])
        top5 = _share(path, number, row["top5"]) if row.get("top5") else None
        reference = Reference(top1, top5, row.get("source") or path.name)
        pixels = row.get("img_size") or ""
        size = int(pixels) if pixels.isascii() and pixels.isdigit() else None
        found.setdefault(row["model"], []).append(Row(row["model"], size, reference))
    return found


@cache
def published_table() -> Table:
    """The table that genset ships, with default weights under their architecture's name too."""
    found: Table = {}
    for row in published():
        source = row.weights.partition(":")[0]
        line = Row(row.weights, row.pixels, Reference(row.top1["imagenet"], row.top5, source))
        found.setdefault(row.weights, []).append(line)
        if row.is_default:
            found.setdefault(row.architecture, []).append(line)
    return found


def _look_up(found: References, run: Run, weights: Weights, rows: Sequence[Row]) -> None:
    """Take the line of the run's image size, where one can be told."""
    sizes = (None, weights.pixels)  # a table of answers does not say its own
    fits = [row for row in rows if weights.pixels is None or row.pixels in sizes]
    if len(fits) == 1 and not weights.changed:
        found[named(run)] = fits[0].reference


def _add_measured_on_imagenet(found: References, runs: Path, targets: Sequence[Run]) -> None:
    """Take what these models had on ImageNet's own photos, whatever that set was called here."""
    known: dict[str, bool] = {}
    for folder, run in all_runs(runs):
        if run.top1.photos != 50_000:
            continue
        same = [target for target in targets if _is_same_model(target, run)]
        if not same:
            continue
        if run.set_hash not in known:
            names = ((answer.image, answer.wnid) for answer in load_predictions(folder))
            known[run.set_hash] = recognize_names(names) == IMAGENET
        if known[run.set_hash]:
            found |= {named(target): _measured(folder, run) for target in same}


def _is_same_model(one: Run, other: Run) -> bool:
    """Whether two runs are of the same weights, with the same preprocessing.

    Answers from elsewhere are another file for each set, so there the name has to tell.
    """
    if not one.preprocessing and not other.preprocessing:
        return one.model == other.model
    return one.weights_hash == other.weights_hash and one.preprocessing == other.preprocessing


def _measured(folder: Path, run: Run, convention: str = "") -> Reference:
    """What a run had; the convention is said where it is not that of the one held against it."""
    source = _MEASURED if run.convention in ("", convention) else f"{_MEASURED} ({run.convention})"
    return Reference(run.top1.share, run.top5.share if run.top5 else None, source, folder)


def _share(path: Path, line: int, text: str | None) -> float:
    try:
        share = float(text or "")
    except ValueError:
        share = -1.0
    if not 0 <= share <= 100:
        raise BadInput(f"{path}, line {line}: {text!r} is no accuracy in per cent")
    return share / 100


# Places among published weights


@dataclass(frozen=True, slots=True)
class PlaceAmong:
    """A model's place by accuracy here among published weights: 1 is the best.

    `best` and `worst` are its places at the ends of the 95 % interval of its accuracy.
    `of` is how many are ranked, with the model itself. `published` is its own weights' accuracy
    here as published, 0 to 1; None where they are not.
    """

    label: str
    accuracy: float
    place: int
    best: int
    worst: int
    of: int
    published: float | None


def place_among(run: Run, label: str, column: str, accuracy: Accuracy) -> PlaceAmong:
    """A model's place among the published weights, itself left out where it is one of them."""
    same = _published_as(run)
    others = [
        weight.top1[column]
        for weight in one_a_weights(column)
        if same is None or weight.weights != same.weights
    ]
    return PlaceAmong(
        label=label,
        accuracy=accuracy.share,
        place=places(others, accuracy.share),
        best=places(others, accuracy.high),
        # A published accuracy that equals the lower end counts as better.
        worst=places(others, float(np.nextafter(accuracy.low, -1))),
        of=len(others) + 1,
        published=same.top1.get(column) if same else None,
    )


def _published_as(run: Run) -> PublishedWeights | None:
    """The published row of a run's own weights at its image size, if there is one."""
    name = weights_of(run)
    if not name.full or name.changed:
        return None
    rows = [
        row
        for row in published()
        if row.weights == name.full or (row.is_default and row.architecture == name.full)
    ]
    fits = [row for row in rows if name.pixels in (None, row.pixels)]
    return fits[0] if len(fits) == 1 else None
