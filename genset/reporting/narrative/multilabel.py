"""What is said of a set's multi-label truth, and of models by it."""

from collections.abc import Sequence
from typing import NamedTuple

from genset.comparison.pairs import Rank
from genset.comparison.standing import RankReversal
from genset.comparison.truths import MeasuredAccuracy, MultiLabel, ProposalGain
from genset.core.numbers import count, digits, ends, percent, points, span
from genset.core.safe import clean
from genset.reporting.data.multilabel import TruthSummary
from genset.reporting.format import interval
from genset.sets.truths.truth import By

NAMES: dict[By, str] = {
    "original": "original label",
    "real": "ReaL",
    "multilabel": "multi-label, unclear counted right",
    "clear": "multi-label, unclear left out",
}
MOST_TURNED = 10


class Row(NamedTuple):
    """An accuracy of a model, as it is printed: numbers in per cent."""

    what: str
    share: str
    wilson: str
    clustered: str
    photos: str


HEAD = ("truth", "%", "95 % interval", "classes resampled", "photos")


def summary(name: str, truth: TruthSummary) -> str:
    """What a truth says, in a sentence or two."""
    own = "" if truth.is_own else f"their own class among them for {truth.with_own:,}, "
    said = (
        f"{clean(truth.source, 100)} (sha256 {truth.sha256[:12]}) says which classes are right "
        f"for {truth.with_correct:,} of {count(truth.photos, 'photo')} of {clean(name)}: {own}"
        f"several for {truth.with_several:,}"
    )
    if truth.with_unclear:
        said += f", and unclear ones for {truth.with_unclear:,}"
    if without := truth.photos - truth.with_correct:
        said += f". {count(without, 'photo')} without a right class {_are(without)} left out"
        if truth.not_named:
            said += f" (of {truth.not_named:,} it says nothing)"
    return " ".join(filter(None, [f"{said}.", doubt(truth)]))


def doubt(truth: TruthSummary) -> str:
    """A warning where a file is hardly one of these photos; else nothing."""
    if truth.is_own or 2 * truth.with_own >= truth.with_correct:
        return ""
    share = percent(truth.with_own / truth.with_correct, truth.with_correct)
    return (
        f"Warning: only {share} % of photos have their own class among the right ones: is the "
        "file in another order?"
    )


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def rows(found: MultiLabel, has_unclear: bool) -> list[Row]:
    """A model's accuracies; those that unclear classes do not change once."""
    measured: list[tuple[By, MeasuredAccuracy]] = [
        ("original", found.original),
        ("real", found.real),
    ]
    if has_unclear:
        measured += [("multilabel", found.multilabel), ("clear", found.clear)]
    listed = [_row(NAMES[by], each) for by, each in measured]
    if (ranked := found.average_precision) and ranked.photos:
        photos = ranked.photos
        listed.append(
            Row(
                "average precision",
                percent(ranked.value, photos),
                ends(ranked.wilson, photos),
                ends(ranked.clustered, photos),
                f"{photos:,}",
            )
        )
    return listed


def _row(what: str, found: MeasuredAccuracy) -> Row:
    accuracy = found.accuracy
    if not accuracy.photos:
        return Row(what, "-", "-", "-", "0")
    return Row(
        what,
        percent(accuracy.share, accuracy.photos),
        interval(accuracy),
        ends(found.clustered, accuracy.photos),
        f"{accuracy.photos:,}",
    )


def remarks(label: str, found: MultiLabel) -> list[str]:
    """What must be said beside a model's numbers."""
    said = []
    if found.order_unknown:
        said.append(
            f"{clean(label)}: no average precision, for it is not known which class each of its "
            "logits is of; delete its run and score it again with --logits."
        )
    if found.proposal_gain:
        said.append(proposal_gain(label, found.proposal_gain))
    return said


def proposal_gain(label: str, found: ProposalGain) -> str:
    """What a model gains by classes that it proposed itself."""
    photos = found.without.photos
    said = f"{clean(label)} also proposed classes to ask about"
    if not found.exclusive:
        return f"{said}; none of its answers is right only by a class that it alone proposed."
    places = digits(photos)
    return (
        f"{said}: {count(found.exclusive, 'answer')} of its own {_are(found.exclusive)} right only "
        f"by a class that it alone proposed. Without these its ReaL accuracy is "
        f"{percent(found.without.share, photos)} % ({interval(found.without)} %), so its gain is "
        f"{points(found.gain, places)} points (95 % interval {span(found.interval, places)})."
    )


def rank(found: Rank) -> str:
    """A rank, and where it can be: "2 (1–3)"."""
    bounds = f"{found.best}–{found.worst}" if found.best != found.worst else f"{found.best}"
    return f"{found.place} ({bounds})"


def turned(found: RankReversal, photos: int) -> str:
    """Two models whose order changes with the truth."""
    places = digits(photos)
    sure = "" if found.is_sure else ", not sure for other classes"
    return (
        f"{clean(found.first)} is {points(found.original, places)[1:]} points ahead of "
        f"{clean(found.second)} by the original labels, and {points(found.other, places)[1:]} "
        f"behind by {NAMES[found.by].partition(',')[0]}: a shift of "
        f"{points(found.shift, places)[1:]} points (95 % interval "
        f"{span(found.interval, places)}){sure}."
    )


RANKS = (
    "In brackets: the ranks that a model can have, below all models that are surely better and "
    "above all that are surely worse, by the pairs that can be told apart by that truth."
)


def order(found: Sequence[RankReversal], photos: int) -> list[str]:
    """Which pairs change their order, the largest shifts first."""
    if not found:
        return ["No two models change their order with the truth."]
    more = len(found) - MOST_TURNED
    rest = count(more, "more pair changes", "more pairs change")
    said = [turned(each, photos) for each in found[:MOST_TURNED]]
    return [*said, f"{rest} their order: see the JSON."] if more > 0 else said
