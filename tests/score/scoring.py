"""Scoring by specs as people write them; `genset` takes them apart at the command line."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from genset.models.spec import parse_spec
from genset.score.evaluate import evaluate as evaluate_specs
from genset.score.options import ScoringOptions
from genset.score.results.runs import Accuracy, Run, find_runs
from genset.sets.photos import PhotoSet

if TYPE_CHECKING:  # it loads PyTorch, which answers that are there already do not need
    from genset.models.load import LoadedModel


def evaluate(
    photos: PhotoSet, specs: Sequence[str], runs: Path, options: ScoringOptions | None = None
) -> list[Run]:
    """The runs of models on a set."""
    return evaluate_specs(photos, [parse_spec(spec) for spec in specs], runs, options)


def counts(found: Accuracy) -> tuple[int, int]:
    """How many answers are right, of how many photos."""
    return found.correct, found.photos


def kept_of(runs: Path) -> dict[str, tuple[object, ...]]:
    """What is kept of each model's run on "photos": the predictions' bytes, and the counts."""
    kept: dict[str, tuple[object, ...]] = {}
    for folder, run in find_runs(runs, "photos"):
        content = (folder / "predictions.csv").read_bytes()
        kept[run.model] = content, run.top1, run.top5, run.excluded, run.device, run.engine
        assert sorted(path.name for path in folder.iterdir()) == ["predictions.csv", "run.json"]
    return kept


def load_model(spec: str, allow_code: bool = False) -> "LoadedModel":
    """The model that a spec names."""
    from genset.models.load import Loading
    from genset.models.load import load_model as load_spec

    return load_spec(parse_spec(spec), Loading(allow_code))
