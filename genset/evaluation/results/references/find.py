"""Accuracies that models have on another set: measured here, published, or given in a table.

A table is a CSV file with the columns model and top1 (per cent), and top5 and source where known;
timm's ``results-imagenet.csv`` is one. genset ships one for ImageNet's validation set,
``imagenet-val.csv``, with torchvision's published numbers; ``build.py`` beside it makes it.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from genset.errors import BadInput
from genset.evaluation.results.runs import Run, find_runs

NAME = "imagenet-val"
TABLE = Path(__file__).with_name(f"{NAME}.csv")


@dataclass(frozen=True, slots=True)
class Reference:
    """A model's accuracies elsewhere, 0 to 1, and who says so. `top5` may not be known."""

    top1: float
    top5: float | None
    source: str


def find_references(named: str, runs: Path, wanted: Sequence[Run]) -> dict[str, Reference]:
    """What is known of models on another set, by their runs' `Run.key`.

    It is looked for in this order: a table, if a file is named; a run of a model of the same name
    on a set of that name; for "imagenet-val", what genset ships. A table's model is found by a
    run's spec without its options, by what follows the spec's kind, or by the name shown. What
    genset ships is found by the whole spec or name ("torchvision:resnet50@IMAGENET1K_V1"), since
    several weights share a bare name.

    Args:
        named: a CSV file, "imagenet-val", or a set's name.
        runs: the folder of runs.
        wanted: the runs whose models are looked up.

    Raises:
        BadInput: there is no such table, set or name, or the table is no such table.
    """
    if Path(named).suffix == ".csv":
        table = read_table(Path(named))
        return _look_up(table, wanted, bare=True)
    measured = {
        run.model: Reference(run.top1.share, run.top5.share if run.top5 else None, "measured here")
        for _, run in reversed(find_runs(runs, named))
    }
    shipped = read_table(TABLE) if named == NAME else {}
    if not measured and not shipped:
        raise BadInput(
            f"no reference {named!r}: it is {NAME}, a CSV file of model and top1, or a set that "
            "models were scored on"
        )
    found = _look_up(shipped, wanted, bare=False)
    return found | {run.key: measured[run.model] for run in wanted if run.model in measured}


def read_table(path: Path) -> dict[str, Reference]:
    """A table's accuracies by model.

    Raises:
        BadInput: it cannot be read, or an accuracy is not from 0 to 100.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            table = csv.DictReader(file)
            rows = list(table)
    except (OSError, ValueError, csv.Error) as error:
        raise BadInput(f"the reference {path} cannot be read: {error}") from None
    if not {"model", "top1"} <= set(table.fieldnames or ()):
        raise BadInput(f"{path} is no reference: it needs the columns model and top1 (per cent)")
    found = {}
    for number, row in enumerate(rows, 2):
        top1, top5 = _share(path, number, row["top1"]), row.get("top5")
        found[row["model"]] = Reference(
            top1,
            _share(path, number, top5) if top5 else None,
            row.get("source") or path.name,
        )
    return found


def _look_up(
    table: dict[str, Reference], wanted: Sequence[Run], *, bare: bool
) -> dict[str, Reference]:
    found = {}
    for run in wanted:
        spec = run.spec.partition("?")[0]
        names = [spec, run.model, *([spec.partition(":")[2]] if bare else [])]
        if known := next((table[name] for name in names if name in table), None):
            found[run.key] = known
    return found


def _share(path: Path, line: int, text: str | None) -> float:
    try:
        share = float(text or "")
    except ValueError:
        share = -1.0
    if not 0 <= share <= 100:
        raise BadInput(f"{path}, line {line}: {text!r} is no accuracy in per cent")
    return share / 100
