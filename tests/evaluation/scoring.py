"""Scoring by specs as people write them; `genset` takes them apart at the command line."""

from collections.abc import Sequence
from pathlib import Path

from genset.evaluation.data.photos import PhotoSet
from genset.evaluation.evaluate import evaluate as evaluate_specs
from genset.evaluation.models.load import LoadedModel
from genset.evaluation.models.load import load_model as load_spec
from genset.evaluation.models.spec import parse_spec
from genset.evaluation.results.runs import Run
from genset.evaluation.run.options import ScoringOptions


def evaluate(
    photos: PhotoSet, specs: Sequence[str], runs: Path, options: ScoringOptions | None = None
) -> list[Run]:
    """The runs of models on a set."""
    return evaluate_specs(photos, [parse_spec(spec) for spec in specs], runs, options)


def load_model(spec: str, allow_code: bool = False) -> LoadedModel:
    """The model that a spec names."""
    return load_spec(parse_spec(spec), allow_code)
