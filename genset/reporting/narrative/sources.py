"""What accuracies by source say in sentences: no more than their numbers support."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from genset.core.numbers import NONE, between, count, points, span
from genset.core.safe import clean
from genset.licenses import FLICKR_NOTICE
from genset.reporting.data.report import ReportData
from genset.reporting.data.sources import BySource, ModelAtSources, PhotoOrigin, SourcePair
from genset.statistics.matched import FEWEST, Matched, Mean

ALL_MODELS = 3  # of so many, each has its sentence
MOST_LISTED = 20_000  # photos whose origins a page lists: about 3 MB


def sentences(found: BySource, pair: SourcePair) -> list[str]:
    """Whether it is the source: for few models each, for many the best one; and on average."""
    first, second = (found.source(name).title for name in (pair.first, pair.second))
    if pair.classes <= FEWEST:
        few = f"only {_classes(pair.classes)}" if pair.classes else "no class"
        return [f"{first} and {second} have {few} in common: these photos cannot tell."]
    shown = pair.models if len(pair.models) <= ALL_MODELS else pair.models[:1]
    said = []
    for model in shown:
        is_same = model is not shown[0] and model.top1.classes == shown[0].top1.classes
        where = "the same classes" if is_same else f"the {_classes(model.top1.classes)} of both"
        said.append(f"On {where}, {_told(model, first, second)}")
    return [*said, *([_in_sum(pair, pair.mean, first, second)] if pair.mean else [])]


def shared(found: BySource, pair: SourcePair) -> str:
    """What accuracies at two sources are over."""
    first, second = (
        f"{count(photos, 'photo')} from {found.source(name).title}"
        for name, photos in zip((pair.first, pair.second), pair.photos, strict=True)
    )
    return f"{_classes(pair.classes)} that both have: {first}, {second}."


def tabled(pair: SourcePair) -> list[int]:
    """For which k there is a number to put in a table."""
    return sorted(
        {
            top.k
            for model in pair.rows
            for top in model.tops
            if top.matched.first or top.matched.second or top.matched.difference
        }
    )


def any_tabled(found: BySource) -> bool:
    """Whether any two sources have numbers."""
    return any(map(tabled, found.pairs))


def remark(pair: SourcePair, model: ModelAtSources) -> str:
    """What a model's accuracies are over, where it is not what the other models' are; else ""."""
    found = model.top1
    if (found.classes, found.photos) == (pair.classes, pair.photos):
        return ""
    first, second = found.photos
    return f"on {_classes(found.classes)}, {first:,} and {second:,} photos"


def accuracy(mean: Mean | None) -> tuple[str, str]:
    """An accuracy in per cent, and its interval."""
    return (f"{100 * mean.value:.1f}", between(mean.interval)) if mean else (NONE, "")


def difference(found: Matched) -> tuple[str, str]:
    """A difference in points, and its interval."""
    mean = found.difference
    return (points(mean.value, 1), span(mean.interval, 1)) if mean else (NONE, "")


def sign(difference: Mean) -> int:
    """1 or -1 where its interval, as it is printed, leaves out 0; else 0."""
    low, high = (round(100 * end, 1) for end in difference.interval)
    return (low > 0) - (high < 0)


def intervals(data: ReportData) -> str:
    """How the accuracies and their intervals are meant."""
    how = data.options.resampling
    many = sum(
        model.top1.difference is not None
        for pair in (data.by_source.pairs if data.by_source else ())
        for model in pair.models
    )
    chance = (
        f" They are not adjusted for their number: of {many} intervals of top-1 differences about "
        f"{max(1, round(many / 20))} would leave out 0 if no model did differently anywhere."
        if many >= 20
        else ""
    )
    return (
        "Each class that both sources have counts once: an accuracy is the mean of these classes’ "
        "accuracies, and so not the one above. The 95 % intervals resample these classes "
        f"({how.draws:,} draws, seed {how.seed}), the same for both sources.{chance} “{NONE}” "
        f"stands where fewer than {FEWEST} classes deviate from the value that most classes have: "
        "they cannot tell. Photos of two sources differ in more than their place: in their years, "
        "their cameras, their licences, and in what a search finds."
    )


def listed(found: BySource) -> Mapping[tuple[str, str], Sequence[PhotoOrigin]]:
    """The photos that a page lists, by source and licence, in the order of the sources."""
    order = [source.name for source in found.sources]
    groups = defaultdict(list)
    for photo in found.photos[:MOST_LISTED]:
        groups[photo.source, photo.license].append(photo)
    return dict(sorted(groups.items(), key=lambda group: (order.index(group[0][0]), group[0][1])))


def notices(data: ReportData) -> list[str]:
    """What sources want to be shown wherever their photos are."""
    release = data.set.release
    found = [FLICKR_NOTICE] if release and "flickr" in release.sources else []
    if data.by_source:
        found += [source.notice for source in data.by_source.sources if source.notice]
    return list(dict.fromkeys(found))


def _told(model: ModelAtSources, first: str, second: str) -> str:
    mean = model.top1.difference
    if mean is None:
        return (
            f"these photos cannot tell what the source has to do with {clean(model.label)}: fewer "
            f"than {FEWEST} classes deviate from the difference that most have."
        )
    if not sign(mean):
        return (
            f"these photos show no difference between {second} and {first} for "
            f"{clean(model.label)}: {_signed(mean)}."
        )
    gap = _apart(mean, first, second)
    return f"{clean(model.label)} is {gap}: its accuracy depends on the source."


def _in_sum(pair: SourcePair, mean: ModelAtSources, first: str, second: str) -> str:
    many, gap = f"the {len(pair.models)} models", mean.top1.difference
    if gap is None:
        return f"What {many} have in common cannot tell more."
    if not sign(gap):
        return f"On average {many} show no difference that these photos can show: {_signed(gap)}."
    signs = [sign(model.top1.difference) for model in pair.models if model.top1.difference]
    same = signs.count(sign(gap))
    return (
        f"On average {many} are {_apart(gap, first, second)}; for {same} of them alone the photos "
        "show it too."
    )


def _apart(mean: Mean, first: str, second: str) -> str:
    """A difference that is there: "3.1 points lower on B than on A (95 % interval 1.2 to 5.0)"."""
    low, high = mean.interval if mean.value > 0 else (-mean.interval.high, -mean.interval.low)
    return (
        f"{abs(100 * mean.value):.1f} points {'higher' if mean.value > 0 else 'lower'} on {second} "
        f"than on {first} (95 % interval {between((low, high))})"
    )


def _signed(mean: Mean) -> str:
    return f"{points(mean.value, 1)} points (95 % interval {span(mean.interval, 1)})"


def _classes(number: int) -> str:
    return count(number, "class", "classes")
