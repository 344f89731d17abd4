"""What is kept of a model's run over a set.

A run is a folder ``runs/SET/MODEL-KEY/``::

    predictions.csv   image, wnid, top1 ... top5 (wnids, best first), p1 ... p5 (probabilities)
    run.json          what was run on what, with every version and hash, and the counts

`KEY` is a hash over the set, the weights and the preprocessing, so a run that is there need not be
made again. ``run.json`` is written last: a folder without it was not finished, and is written
over by the next run.
"""

import csv
import hashlib
import io
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from genset.errors import GensetError
from genset.evaluate.statistics import wilson
from genset.files import write_text

FORMAT = "genset run 1"
_RECORD = "run.json"
_PREDICTIONS = "predictions.csv"


@dataclass(frozen=True, slots=True)
class Accuracy:
    """`correct` of `photos`; the share and its 95 % Wilson interval, all from 0 to 1."""

    correct: int
    photos: int
    share: float
    low: float
    high: float

    @classmethod
    def of(cls, correct: int, photos: int) -> "Accuracy":
        """Count `correct` of `photos`."""
        share = correct / photos if photos else 0.0
        return cls(correct, photos, share, *wilson(correct, photos))


@dataclass(frozen=True, slots=True)
class Run:
    """One model's run over one set.

    Attributes:
        key: hash over what determines the predictions.
        model: the name shown in tables.
        spec: the model spec as it was given.
        set_name, set_hash: the set, and the hash of its contents.
        weights_hash, preprocessing, precision, versions: what it takes to get the run again.
        unreadable: why, for each photo left out of the counts, by its id.
        top1, top5: accuracies over the photos that could be read.
    """

    key: str
    model: str
    spec: str
    set_name: str
    set_hash: str
    weights_hash: str
    preprocessing: dict[str, Any]
    precision: str
    versions: dict[str, str]
    device: str
    created_at: str
    seconds: float
    unreadable: dict[str, str]
    top1: Accuracy
    top5: Accuracy


@dataclass(frozen=True, slots=True)
class Prediction:
    """A model's answer to one photo: five wnids, best first, with their probabilities."""

    image: str
    wnid: str
    top: tuple[str, ...]
    probabilities: tuple[float, ...]


def run_key(**parts: object) -> str:
    """A hash over everything that determines a run's predictions."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def run_folder(runs: Path, set_name: str, model: str, key: str) -> Path:
    """Where the run with this key lies."""
    return runs / _slug(set_name) / f"{_slug(model)}-{key[:12]}"


def save_run(folder: Path, run: Run, predictions: list[Prediction]) -> None:
    """Write a run's folder; it counts as there once this returns."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    places = range(1, 6)
    table.writerow(["image", "wnid", *(f"top{n}" for n in places), *(f"p{n}" for n in places)])
    for p in predictions:
        table.writerow([p.image, p.wnid, *p.top, *(f"{share:.6g}" for share in p.probabilities)])
    write_text(folder / _PREDICTIONS, text.getvalue())
    write_text(folder / _RECORD, json.dumps({"format": FORMAT, **asdict(run)}, indent=1) + "\n")


def load_run(folder: Path) -> Run | None:
    """The finished run in this folder, None where there is none.

    Raises:
        GensetError: its record is not one of ours.
    """
    path = folder / _RECORD
    if not path.is_file():
        return None
    try:
        record = json.loads(path.read_text("utf-8"))
        if record.pop("format") != FORMAT:
            raise ValueError("of another format")
        for name in ("top1", "top5"):
            record[name] = Accuracy(**record[name])
        return Run(**record)
    except (ValueError, KeyError, TypeError) as error:
        raise GensetError(f"{path} is not a run's record ({error}); delete its folder") from None


def load_predictions(folder: Path) -> list[Prediction]:
    """The per-photo predictions of a finished run."""
    with (folder / _PREDICTIONS).open(encoding="utf-8", newline="") as file:
        return [
            Prediction(
                row["image"],
                row["wnid"],
                tuple(row[f"top{n}"] for n in range(1, 6)),
                tuple(float(row[f"p{n}"]) for n in range(1, 6)),
            )
            for row in csv.DictReader(file)
        ]


def find_runs(runs: Path, set_name: str) -> list[tuple[Path, Run]]:
    """The finished runs on a set with their folders, best top-1 first."""
    folders = sorted((runs / _slug(set_name)).glob("*/"))
    found = [(folder, run) for folder in folders if (run := load_run(folder))]
    return sorted(found, key=lambda pair: (-pair[1].top1.share, pair[1].model))


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "model"
