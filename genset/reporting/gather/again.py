"""By which commands a report's models were scored."""

from collections.abc import Sequence
from pathlib import Path

from genset.comparison.logits import has_logits
from genset.core.errors import BadInput
from genset.models.spec import ModelSpec, parse_spec
from genset.reporting.data.again import Again, Scoring
from genset.reporting.data.options import ReportOptions
from genset.reporting.data.report import ScoredModel
from genset.score.predictions.arrays import BEST, holds_scores
from genset.score.results.results import ModelAnswers, Results
from genset.score.results.runs import PREDICTIONS, Run


def scored_again(results: Results, models: Sequence[ScoredModel], options: ReportOptions) -> Again:
    """The commands that score models of a report, without what is as it is by default.

    Args:
        results: the models with their runs, side by side on one set.
        models: those of the report, in its order.
        options: what the report is asked for.
    """
    known = {model.label: model for model in (*results.models, *results.flagged)}
    specs = {model.label: spec for model in models if (spec := _spec(model.run))}
    tables = {Path(spec.target).parent.name for spec in specs.values() if _reads_a_run(spec)}
    commands: dict[tuple[bool, tuple[str, ...]], list[str]] = {}
    for model in models:
        if (spec := specs.get(model.label)) is None:
            continue
        own = known[model.label]
        keeps_logits = has_logits(own) and (_uses_logits(model) or _is_in(own, tables))
        words = (*_convention(model.run), *_how(model.run, spec), *["--logits"] * keeps_logits)
        is_last = model.run.mapping is not None and _reads_a_run(spec)
        commands.setdefault((is_last, words), []).append(model.run.spec)
    in_turn = sorted(commands.items(), key=lambda item: item[0][0])
    conventions = {_convention(model.run) for model in models}
    return Again(
        taxonomy=Path(options.taxonomy).name,
        convention=conventions.pop() if len(conventions) == 1 else (),
        scorings=tuple(Scoring(words, tuple(dict.fromkeys(its))) for (_, words), its in in_turn),
        by_hand=tuple(model.label for model in models if model.label not in specs),
    )


def _spec(run: Run) -> ModelSpec | None:
    """A run's spec; None of what was handed over in Python."""
    try:
        return parse_spec(run.spec)
    except BadInput:
        return None


def _reads_a_run(spec: ModelSpec) -> bool:
    """Whether it reads the table of another run."""
    return spec.kind == "predictions" and Path(spec.target).name == PREDICTIONS


def _is_in(model: ModelAnswers, folders: set[str]) -> bool:
    return model.folder is not None and model.folder.name in folders


def _uses_logits(model: ScoredModel) -> bool:
    return bool(model.multilabel and model.multilabel.average_precision)


def _convention(run: Run) -> tuple[str, ...]:
    """How it met the set's own classes, where that is not the default."""
    kept = run.mapping or {}
    asked = (("pool", "max"), ("among", "subset"))
    return tuple(f"--{name} {value}" for name, value in asked if kept.get(name) == value)


def _how(run: Run, spec: ModelSpec) -> list[str]:
    """How its answers were found."""
    said = [] if run.precision in ("float32", "unknown") else [f"--precision {run.precision}"]
    said += ["--decode fast"] if run.preprocessing.get("decoding") == "fast" else []
    said += ["--allow-code"] if spec.kind == "torchscript" else []
    has_more = len(run.hits) > BEST and (not spec.is_predictions or _holds_scores(spec))
    return said + [f"--k {len(run.hits)}"] * has_more


def _holds_scores(spec: ModelSpec) -> bool:
    """Whether so many answers are kept as are asked for, and not those that a file has."""
    try:
        return holds_scores(spec)
    except BadInput:  # it is not there any more
        return False
