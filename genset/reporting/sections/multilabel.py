"""By all right classes: how models do, and rank, where it is known what all photos show."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from genset.comparison.marks import truth_of
from genset.comparison.pairs import Pair, Rank
from genset.comparison.truths import MultiLabel, measure, truth_ranks
from genset.core.numbers import agree, count, percent
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table, interval_column
from genset.reporting.blocks import Block, Grid, Heading, Paragraph, Part
from genset.reporting.format import all_models, interval_cell
from genset.reporting.report import Inputs, ReportData, Section
from genset.score.results.results import Results
from genset.score.results.runs import Accuracy
from genset.sets.photos import PhotoSet
from genset.sets.truths.truth import By, Truth

NAMES: dict[By, str] = {
    "original": "original label",
    "real": "ReaL",
    "multilabel": "multi-label, unclear counted right",
    "clear": "multi-label, unclear left out",
}


@dataclass(frozen=True, slots=True)
class TruthSummary:
    """The multi-label truth of a set, in numbers of photos.

    Attributes:
        source: the file's or the release's name.
        sha256: of the file; of a release, of its content.
        photos: of the set.
        with_correct: that have a right class; the others are left out.
        with_own: whose own class is among the right ones.
        with_several: that have more than one.
        with_unclear: that have a class of which people could not say.
        not_named: of which the file says nothing.
        proposers: the models that proposed classes to ask about, with the keys of their runs.
        is_own: whether the set is a release that was frozen with it.
        others: photos that the file names and the set has not.
    """

    source: str
    sha256: str
    photos: int
    with_correct: int
    with_own: int
    with_several: int
    with_unclear: int
    not_named: int
    proposers: dict[str, tuple[str, ...]]
    is_own: bool
    others: int


@dataclass(frozen=True, slots=True)
class ByTruth:
    """A set's truth, and how models rank by it; each model's numbers are with the model.

    `ranks` and `pairs` are those of `genset.comparison.truths.truth_ranks`.
    """

    truth: TruthSummary
    ranks: dict[str, dict[By, Rank]]
    pairs: dict[By, tuple[Pair, ...]]


Row = tuple[str, Cell | None, Cell | None, Cell]
"""An accuracy of a model for a table, in per cent: what it is, its share, interval and photos."""


# The numbers


def gather(inputs: Inputs, data: ReportData) -> ByTruth | None:
    """How models rank by the set's truth; None where it has none."""
    results = inputs.results
    if (truth := results.photos.truth) is None:
        return None
    return ByTruth(summarize_truth(results.photos, truth), *truth_ranks(results, data.pairs))


def summarize_truth(photos: PhotoSet, truth: Truth) -> TruthSummary:
    """Count the photos of which a set's truth speaks."""
    correct = [truth.correct_of(image) for image in photos.ids]
    return TruthSummary(
        source=truth.source,
        sha256=truth.sha256,
        photos=len(photos),
        with_correct=sum(map(bool, correct)),
        with_own=sum(photo.wnid in truth.correct_of(photo.id) for photo in photos.photos),
        with_several=sum(len(wnids) > 1 for wnids in correct),
        with_unclear=sum(bool(truth.unclear_of(image)) for image in photos.ids),
        not_named=sum(image not in truth.correct for image in photos.ids),
        proposers=dict(truth.proposers),
        is_own=truth.is_frozen,
        others=truth.others,
    )


# What is shown


def show(found: ByTruth | None, data: ReportData) -> Iterator[Part]:
    """What the truth is, each model's accuracies by it, and the ranks that it gives."""
    if found is None:
        return
    blocks: list[Block] = [Paragraph(summary(data.set.name, found.truth))]
    if data.models:
        blocks += _accuracies(found, data)
    if len(data.models) > 1:
        blocks += _ranks(found, data)
    yield Part("all-right-classes", "By all right classes", blocks)


def _accuracies(found: ByTruth, data: ReportData) -> Iterator[Block]:
    measured = {model.label: model.multilabel for model in data.models if model.multilabel}
    table = _table(measured, found.truth)
    yield Grid(table, all_models(len(measured)))
    texts = [
        "ReaL: a first answer is right if it is one of the photo’s right classes; photos without "
        "any are left out."
    ]
    if found.truth.with_unclear:
        texts.append(
            "Unclear are classes on which people could not decide; left out, a photo whose first "
            "answer is such a class does not count for that model."
        )
    if any(model.multilabel and model.multilabel.average_precision for model in data.models):
        texts.append("Average precision ranks all classes by logit, where logits are kept.")
    yield Paragraph(" ".join(texts), "note")


def _table(models: Mapping[str, MultiLabel], truth: TruthSummary) -> Table:
    """A row for each model and truth."""
    columns = [
        Column("model", "Model"),
        Column("truth", "Truth"),
        Column("share", "Right", "%", align="right"),
        interval_column("interval", unit="%"),
        Column("photos", "Photos", align="right"),
    ]
    has_unclear = bool(truth.with_unclear)
    rows = [(name, *row) for name, one in models.items() for row in rows_of(one, has_unclear)]
    return Table(columns, rows)


def rows_of(found: MultiLabel, has_unclear: bool) -> list[Row]:
    """A model's accuracies; those that unclear classes do not change once."""
    measured: dict[By, Accuracy] = {"original": found.original, "real": found.real}
    if has_unclear:
        measured |= {"multilabel": found.multilabel, "clear": found.clear}
    rows = []
    for by, one in measured.items():
        rows.append(_row(NAMES[by], one.share, (one.low, one.high), one.photos))
    if (ranked := found.average_precision) and ranked.photos:
        rows.append(_row("average precision", ranked.value, ranked.interval, ranked.photos))
    return rows


def _row(what: str, share: float, ends: tuple[float, float], photos: int) -> Row:
    if not photos:
        return what, None, None, Cell(0, "0")
    of_all = Cell(photos, f"{photos:,}")
    return what, Cell(share, percent(share, photos)), interval_cell(ends, photos), of_all


def _ranks(found: ByTruth, data: ReportData) -> Iterator[Block]:
    truths: list[By] = ["original", *found.pairs]
    columns = [Column("model", "Model"), *(Column(by, NAMES[by]) for by in truths)]
    rows = [
        [label, *(Cell(rank.place, f"{rank.place} ({rank})") for rank in ranks.values())]
        for label, ranks in found.ranks.items()
    ]
    yield Heading("Ranks by each truth")
    yield Grid(Table(columns, rows), all_models(len(rows)))
    yield Paragraph(
        "In brackets: the range of ranks, by the pairs told apart by that truth.", "note"
    )


# Sentences that `genset evaluate` and `genset compare` print too


def summary(name: str, truth: TruthSummary) -> str:
    """What a truth says, in a sentence or two."""
    label = "" if truth.is_own else f"their own class among them for {truth.with_own:,}, "
    text = (
        f"{clean(truth.source, 100)} (sha256 {truth.sha256[:12]}) says which classes are right "
        f"for {truth.with_correct:,} of {count(truth.photos, 'photo')} of {clean(name)}: "
        f"{label}several for {truth.with_several:,}"
    )
    if truth.with_unclear:
        text += f", and unclear ones for {truth.with_unclear:,}"
    if without := truth.photos - truth.with_correct:
        photos = count(without, "photo")
        text += f". {photos} without a right class {agree(without, 'is', 'are')} left out"
        if truth.not_named:
            text += f" (of {truth.not_named:,} it says nothing)"
    if truth.others:
        text += f". It names {count(truth.others, 'photo')} that {clean(name)} has not"
    proposed = ""
    if truth.proposers:
        names = ", ".join(clean(name, 60) for name in sorted(truth.proposers))
        proposed = f"Classes were proposed by {names}, which may favour them."
    return " ".join(filter(None, [f"{text}.", proposed, doubt(truth)]))


def doubt(truth: TruthSummary) -> str:
    """A warning where a file is hardly one of these photos; else nothing."""
    if truth.is_own or 2 * truth.with_own >= truth.with_correct:
        return ""
    share = percent(truth.with_own / truth.with_correct, truth.with_correct)
    return (
        f"Warning: only {share} % of photos have their own class among the right ones: is the "
        "file in another order?"
    )


SECTION = Section("by_truth", gather, show)


# What `genset evaluate` prints


def by_truth(results: Results, replaced: str = "") -> tuple[list[Table], dict[str, Any]]:
    """Models by the truth of their set: tables with what the truth is, and the same for JSON.

    `replaced` names the file in whose place the truth was given.

    Raises:
        BadInput: the set has no truth.
    """
    truth, models = summarize_truth(results.photos, truth_of(results)), measure(results)
    about = summary(results.photos.name, truth)
    if replaced:
        about += f" It replaces {clean(replaced, 100)}."
    document = {"truth": truth, **({"replaced": replaced} if replaced else {}), "models": models}
    return [Table(notes=[about]), _table(models, truth)], document
