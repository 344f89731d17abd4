"""What stands in a model's own section, folded until somebody wants it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest

from markupsafe import Markup

from genset.comparison.classes import Group
from genset.core.numbers import ends, percent
from genset.core.safe import clean
from genset.reporting.data.gallery import Answer, Sample
from genset.reporting.data.report import ReportData, ScoredModel
from genset.reporting.figures.reliability import reliability_plot
from genset.reporting.format import interval
from genset.reporting.narrative import multilabel as truth_narrative
from genset.score.results.runs import Accuracy

HARDEST = 8  # classes in a model's section
MISTAKES = 12  # photos in it
NEAR = 12  # models in it that it cannot be told apart from


@dataclass(frozen=True, slots=True)
class Mistake:
    """A photo on this page that the model got wrong: where it stands, and the answer."""

    anchor: str
    sample: Sample
    answer: Answer


@dataclass(frozen=True, slots=True)
class Profile:
    """One model's section.

    Attributes:
        accuracies: rows of what was measured, share, Wilson's interval, that of classes
            resampled, and how many photos, as printed; numbers in per cent.
        near: the models that it cannot be told apart from, the best first.
        reliability: its figure; None where no probabilities are kept.
        hardest: the classes that it does worst on, with its accuracy on each.
        shown: of how many photos on this page its answer is given.
        right: how many of these it has right.
        mistakes: the first of those that it got wrong.
    """

    accuracies: tuple[tuple[str, ...], ...]
    near: tuple[str, ...]
    reliability: Markup | None
    hardest: tuple[tuple[Group, Accuracy], ...]
    shown: int
    right: int
    mistakes: tuple[Mistake, ...]


def profiles(data: ReportData, anchors: Mapping[str, str]) -> tuple[Profile, ...]:
    """A section for each model of a report, in their order.

    Args:
        data: the report's numbers.
        anchors: where each photo of the galleries stands on the page, by its path in the set.
    """
    near = _near(data)
    answers = _answers(data)
    return tuple(
        Profile(
            accuracies=_accuracies(data, model),
            near=tuple(near[model.label]),
            reliability=_reliability(model),
            hardest=_hardest(data.classes, number),
            shown=len(found := answers.get(model.label, [])),
            right=sum(answer.right for _, answer in found),
            mistakes=tuple(
                Mistake(anchors[sample.id], sample, answer)
                for sample, answer in found
                if not answer.right
            )[:MISTAKES],
        )
        for number, model in enumerate(data.models)
    )


def _near(data: ReportData) -> dict[str, list[str]]:
    """By model, those that it cannot be told apart from, in the report's order."""
    near: dict[str, list[str]] = {model.label: [] for model in data.models}
    for pair in data.pairs:
        if not pair.apart:
            near[pair.first].append(pair.second)
            near[pair.second].append(pair.first)
    place = {model.label: number for number, model in enumerate(data.models)}
    return {label: sorted(others, key=place.__getitem__) for label, others in near.items()}


def _answers(data: ReportData) -> dict[str, list[tuple[Sample, Answer]]]:
    """By model, its answers to the photos of the galleries."""
    found: dict[str, list[tuple[Sample, Answer]]] = {}
    for sample in (sample for gallery in data.galleries for sample in gallery.samples):
        for answer in sample.answers:
            found.setdefault(answer.model, []).append((sample, answer))
    return found


def _accuracies(data: ReportData, model: ScoredModel) -> tuple[tuple[str, ...], ...]:
    rows = [
        (
            f"Top-{top.k}",
            percent(top.accuracy.share, top.accuracy.photos),
            interval(top.accuracy),
            ends(top.clustered, top.accuracy.photos),
            f"{top.accuracy.correct:,} of {top.accuracy.photos:,}",
        )
        for top in model.tops
    ]
    if data.by_truth and model.multilabel:
        measured = truth_narrative.rows(model.multilabel, data.by_truth.truth.with_unclear > 0)
        # The first one is the original label's, and so top-1.
        rows += [
            (_capital(row.what), row.share, row.wilson, row.clustered, row.photos)
            for row in measured[1:]
        ]
    return tuple(rows)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _reliability(model: ScoredModel) -> Markup | None:
    if model.calibration is None:
        return None
    return reliability_plot(f"How sure {clean(model.label)} is, and how right", model.calibration)


def _hardest(classes: Sequence[Group], number: int) -> tuple[tuple[Group, Accuracy], ...]:
    """The classes on which a model is surely worst: by the upper end of Wilson's interval."""
    counted = (
        (group.top1[number].high, group.top1[number].share, group.name, group)
        for group in classes
        if group.top1[number].photos
    )
    # Names differ, so that no two groups are compared.
    found = nsmallest(HARDEST, counted)
    return tuple((each[-1], each[-1].top1[number]) for each in found)
