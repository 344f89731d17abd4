"""What a report says of models among known ones, and of the line that they follow."""

from collections.abc import Sequence
from dataclasses import replace

from genset.comparison.references.find import SAID
from genset.core.numbers import count, points
from genset.core.safe import clean
from genset.reporting.data.again import Again, Scoring
from genset.reporting.data.baseline import Baseline, Fit, PlaceAmong, PublishedRange
from genset.reporting.data.report import SetSummary
from genset.reporting.narrative.again import evaluate
from genset.statistics.intervals import Interval
from genset.statistics.trend import FEWEST_MODELS

_NAMED = 8  # models that a sentence lists
_FAR = 20  # standard deviations from the line of published weights, where none of them is


def title(baseline: Baseline) -> str:
    """Of the section."""
    return "Among known models" if baseline.set else f"Against {clean(baseline.name)}"


def recognized(baseline: Baseline) -> list[str]:
    """Which set the photos are, how that is known, and how to say otherwise."""
    if (known := baseline.set) is None:
        return []
    labels = " Its labels by ReaL are known too." if known.labels else ""
    return [
        f"These photos are {known.title}: told {known.how}. If they are not, say so with --set-is "
        f"other.{labels}"
    ]


def place(found: PlaceAmong) -> str:
    """A place as a range where the photos leave it open: "3 to 7 of 67"."""
    where = f"{found.best:,}" if found.best == found.worst else f"{found.best:,} to {found.worst:,}"
    return f"{where} of {found.of:,}"


def places(baseline: Baseline) -> list[str]:
    """How the places are meant."""
    if not baseline.places:
        return []
    return [
        "The place is among the weights of which timm publishes the accuracy on this set, each "
        "once, at its smallest image size. It is a range because another draw of photos would "
        "change it: from the upper to the lower end of Wilson’s 95 % interval. The known models "
        "were scored on the same photos, which that interval does not use, so the range is "
        "rather too wide than too narrow.",
        *_differing(baseline),
    ]


def _differing(baseline: Baseline) -> list[str]:
    """Models whose accuracy here is not the published one, on the same photos."""
    said = []
    for found in baseline.places:
        if found.published is None or abs(found.accuracy - found.published) < 0.002:
            continue
        said.append(
            f"{clean(found.label)} is published with {100 * found.published:.2f} % on these "
            f"photos, and has {100 * found.accuracy:.2f} % here: compare the preprocessing "
            "(genset evaluate --audit-preprocessing)."
        )
    return said


def lines(baseline: Baseline) -> list[str]:
    """What the fitted lines are, and which models have no part in them."""
    said = []
    if baseline.fits:
        said += [_fitted(baseline), *map(_quality, baseline.fits), _meant(baseline)]
    elif baseline.models:
        said.append(_no_line(baseline))
    if baseline.unknown:
        names = _names(baseline.unknown)
        said.append(f"No accuracy there is known of: {names}.{_mend(baseline)}")
    if baseline.partial:
        said.append(
            f"Not held against accuracies elsewhere, since they did not answer all photos: "
            f"{_names(baseline.partial)}."
        )
    return [*said, *_doubtful(baseline), *_published_ranges(baseline.ranges)]


def _no_line(baseline: Baseline) -> str:
    """Why no line is fitted: the first reason that holds."""
    number, takes = len(baseline.models), "it takes four, of three architectures."
    there = {row.elsewhere for row in baseline.models}
    if number > 1 and len(there) == 1:
        return (
            f"All {number:,} models have {100 * there.pop():.2f} % there, which shows no line: it "
            "takes four of different accuracy, of three architectures."
        )
    if number < FEWEST_MODELS:
        return (
            f"{count(number, 'model')} of different accuracy {'is' if number == 1 else 'are'} too "
            f"few to fit a line: {takes}"
        )
    return f"{number:,} models of one or two architectures are too few to fit a line: {takes}"


def _doubtful(baseline: Baseline) -> list[str]:
    """Models so far from the line of published weights that what was said of them cannot be."""
    if not baseline.from_known:
        return []
    scatter = baseline.fits[0].scatter
    return [
        f"{clean(row.label)} is {points(row.above, 1)} points from the line with the "
        f"{100 * row.elsewhere:g} % {row.source}: is its reference_top1 right?"
        for row in baseline.models
        if row.source == SAID and row.above is not None and abs(row.above) > _FAR * scatter
    ]


def _fitted(baseline: Baseline) -> str:
    first = baseline.fits[0]
    start = f"{first.intercept:.3f}".replace("-", "−")
    whose = (
        f"The line of {first.models:,} published weights of {first.architectures:,} architectures"
        if baseline.from_known
        else f"The line through {first.models:,} models"
    )
    there, here = clean(baseline.name), "here"
    if baseline.set and baseline.set.labels:
        there, here = "original", "ReaL"
    return f"{whose}: logit({here}) = {start} + {first.slope:.3f} logit({there})."


def _quality(fit: Fit) -> str:
    """How well a line fits."""
    names = {"logit": "As logits", "linear": "As plain accuracies"}
    return (
        f"{names[fit.scale]} the slope is {fit.slope:.3f}{_interval(fit.slope_interval)}; models "
        f"scatter by {100 * fit.scatter:.2f} points (standard deviation) about the line, and "
        f"{100 * fit.inside:.0f} % of them lie within its 95 % band for a new model."
    )


def _interval(found: Interval | None) -> str:
    return f" (95 % interval {found.low:.3f} to {found.high:.3f})" if found else ""


def _meant(baseline: Baseline) -> str:
    start = "A model’s effective robustness is how far it is above the line of logits; intervals "
    if baseline.from_known:
        return (
            f"{start}resample classes, and the line with whole architectures together. The "
            "answers of the published weights are not at hand, so that they were "
            "given the same photos is not used: the intervals are rather too wide than too narrow. "
            "“More” is the share of published weights that are farther above the line."
        )
    return (
        f"{start}resample classes and the models’ scatter about the line (whole architectures "
        "together), and take the accuracies there for exact."
    )


def _names(labels: Sequence[str]) -> str:
    shown = ", ".join(clean(label, 40) for label in labels[:_NAMED])
    return f"{shown}, ..." if len(labels) > _NAMED else shown


def _mend(baseline: Baseline) -> str:
    if baseline.name != "imagenet-val":
        return ""
    return (
        " Say a model’s accuracy on ImageNet’s validation set with &reference_top1= (per cent) in "
        "its spec, or score it on that set too."
    )


def _published_ranges(ranges: Sequence[PublishedRange]) -> list[str]:
    """What is published of models' architectures, a sentence for those that share it."""
    alike: dict[PublishedRange, list[str]] = {}
    for each in ranges:
        alike.setdefault(replace(each, label=""), []).append(each.label)
    return [_published_range(found, labels) for found, labels in alike.items()]


def _published_range(found: PublishedRange, labels: Sequence[str]) -> str:
    low, high = f"{100 * found.low:.2f}", f"{100 * found.high:.2f}"
    between = f"{low} %" if low == high else f"{low} % to {high} %"
    return (
        f"{_names(labels)}: of {clean(found.of)} {between} {'is' if low == high else 'are'} "
        f"published ({count(found.weights, 'file')} of weights), but this is "
        f"{clean(found.why, 200)}; it is in no fit."
    )


def ladder(baseline: Baseline, about: SetSummary, again: Again) -> str:
    """The command that scores well-known models, so that there is a line; "" where there is one."""
    if not baseline.ladder:
        return ""
    return evaluate(about.named, again, Scoring(again.convention, baseline.ladder))


def why_ladder(baseline: Baseline, about: SetSummary) -> str:
    """What that command is for; "" where there is none."""
    if not baseline.ladder:
        return ""
    where = ", where the set’s photos are" if about.listed else ""
    return (
        "A line needs at least four models of known accuracy that were scored on this set. This "
        f"scores well-known ones from weak to strong{where}:"
    )
