"""Models by a set's multi-label truth, for the table of `genset evaluate`."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from genset.comparison.marks import truth_of
from genset.comparison.truths import MultiLabel, measure
from genset.core.safe import clean
from genset.core.table import Column, Table, interval_column
from genset.core.to_json import to_json
from genset.models.mapping.pooling import explain
from genset.reporting.sections import multilabel
from genset.reporting.sections.multilabel import TruthSummary, summarize_truth
from genset.score.results.results import Results, load_results, load_some
from genset.score.results.runs import Run
from genset.sets.photos import PhotoSet

_COLUMNS = (
    *(Column("model"), Column("truth"), Column("share", "%", align="right")),
    interval_column("interval"),
    Column("photos"),
)


@dataclass(frozen=True, slots=True)
class MeasuredRuns:
    """Models by a truth: what it is, and their numbers by their names in tables.

    `mapped` says how models met the set's own classes, where no other table beside this one does.
    """

    set_name: str
    truth: TruthSummary
    models: dict[str, MultiLabel]
    mapped: dict[str, list[str]] = field(default_factory=dict)

    def tables(self, replaced: str = "") -> list[Table]:
        """What the truth is, a row for each model and truth, and what must be said beside them.

        `replaced` names the file in whose place it was given.
        """
        has_unclear = bool(self.truth.with_unclear)
        rows = [
            (label, *row)
            for label, found in self.models.items()
            for row in multilabel.rows_of(found, has_unclear)
        ]
        summary = multilabel.summary(self.set_name, self.truth)
        if replaced:
            summary += f" It replaces {clean(replaced, 100)}."
        return [Table(notes=[summary]), Table(_COLUMNS, rows, notes=self._remarks())]

    def _remarks(self) -> list[str]:
        """What must be said beside the numbers."""
        mapped = [
            f"{clean(label)}: {text}" for label, texts in self.mapped.items() for text in texts
        ]
        return mapped + [
            remark
            for label, found in self.models.items()
            for remark in multilabel.remarks(label, found)
        ]

    def as_json(self, replaced: str = "") -> dict[str, Any]:
        """The same as JSON's own types."""
        return {
            "truth": to_json(asdict(self.truth)),
            **({"replaced": replaced} if replaced else {}),
            "models": {label: to_json(asdict(found)) for label, found in self.models.items()},
            **({"mapped": self.mapped} if self.mapped else {}),
        }


def measure_runs(photos: PhotoSet, runs: Path, selected: Sequence[Run]) -> MeasuredRuns:
    """These runs on a set that has a truth.

    Args:
        photos: the set, with its truth.
        runs: the folder of runs.
        wanted: the runs.

    Raises:
        BadInput: the set has no truth.
        GensetError: a run's files are not what `genset evaluate` wrote.
    """
    return _measured(load_some(photos, runs, selected))


def measure_all(photos: PhotoSet, runs: Path) -> MeasuredRuns:
    """The same of every finished run on the set, the best top-1 first."""
    results = load_results(photos, runs)
    mapped = {
        model.label: [clean(text, 300) for text in explain(model.run.mapping)]
        for model in results.models
        if model.run.mapping
    }
    return replace(_measured(results), mapped=mapped)


def _measured(results: Results) -> MeasuredRuns:
    truth = summarize_truth(results.photos, truth_of(results))
    return MeasuredRuns(results.photos.name, truth, measure(results))
