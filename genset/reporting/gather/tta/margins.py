"""Trained models held against their pretrained counterparts, in top-1 and in top-5."""

from collections.abc import Sequence

from genset.comparison.margin import MarginTest, hold_to_margin
from genset.core.errors import BadInput
from genset.reporting.data.options import ReportOptions
from genset.score.results.results import Results

_KS = (1, 5)


def hold_to_margins(
    results: Results, labels: Sequence[str], options: ReportOptions
) -> dict[str, tuple[MarginTest, ...]]:
    """By model, how it stands beside its counterpart: in top-1, and in top-5 where that is known.

    A counterpart that is named for one model goes before the one that is named for all.

    Args:
        results: the set, and what was scored on it.
        labels: of the models that trainings gave.
        options: with the counterparts and the margin.

    Raises:
        BadInput: a counterpart was not scored on this set or is the model itself, one is named for
            a model of no training, or one of counterpart and margin is missing.
    """
    if bool(options.counterparts) != (options.margin is not None):
        raise BadInput("--counterpart MODEL and --margin POINTS go together: say both")
    if options.margin is None:
        return {}
    if not labels:
        raise BadInput("--counterpart is for the models of trainings: name one with --tta")
    found: dict[str, str] = {}
    for asked in sorted(options.counterparts, key=lambda counterpart: bool(counterpart.model)):
        models = [results.find(asked.model).label] if asked.model else labels
        found |= dict.fromkeys(models, asked.counterpart)
    if others := [model for model in found if model not in labels]:
        raise BadInput(f"--counterpart {others[0]}=...: no --tta names the model {others[0]}")
    return {model: _held(results, model, other, options) for model, other in found.items()}


def _held(
    results: Results, label: str, counterpart: str, options: ReportOptions
) -> tuple[MarginTest, ...]:
    model, other = results.find(label), results.find(counterpart)
    if model is other:
        raise BadInput(f"--counterpart {counterpart}: it is the model itself")
    assert options.margin is not None
    kept = min(model.answers.shape[1], other.answers.shape[1])
    return tuple(
        hold_to_margin(results, model, other, options.margin / 100, k, options.resampling)
        for k in _KS
        if k <= kept
    )
