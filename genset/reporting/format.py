"""What several sections print: accuracies, differences, classes, a run's settings."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from genset.classes import Taxonomy, hash_of, imagenet1k
from genset.comparison.classes import TwoGroups
from genset.core.numbers import between, count, ends, percent, points, span
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table
from genset.reporting.blocks import Block, Grid, Heading, Paragraph, sentences
from genset.reporting.report import ReportData, ScoredModel
from genset.score.results.count import remarks as remarks_of
from genset.score.results.runs import Accuracy
from genset.statistics.bootstrap import Resampling
from genset.statistics.matched import FEWEST, Matched, Mean

_NAMED = 8  # models that a sentence lists
_STRONG, _PLAIN = Markup("<strong>{}</strong>"), Markup("{}")

MANY = 12
"""Models of which tables are folded on the page."""


def interval(accuracy: Accuracy) -> str:
    """Its 95 % interval in per cent."""
    return ends((accuracy.low, accuracy.high), accuracy.photos)


def interval_cell(found: tuple[float, float], photos: int) -> Cell:
    """A 95 % interval of a share of so many photos in a table, in per cent."""
    return Cell(tuple(found), ends(found, photos))


def share(found: Accuracy | None) -> Cell | None:
    """An accuracy in a table, in per cent with Wilson's interval."""
    if found is None or not found.photos:
        return None
    return Cell(found.share, percent(found.share, found.photos), interval(found))


def probability(value: float | None) -> str:
    """A model's probability in per cent, never rounded to certainty; "" where it is not known."""
    if value is None:
        return ""
    if value < 0.01:
        return "< 1 %"
    return "> 99 %" if value > 0.99 else f"{100 * value:.0f} %"


def class_name(wnid: str, taxonomy: Taxonomy | None = None) -> str:
    """The class's name for people to read; a word that is no class's id stays as it is.

    `taxonomy` is the set's, where it is not ImageNet's: its names come first.
    """
    for names in (taxonomy, imagenet1k()):
        if names is not None and (found := names.get(wnid)) is not None:
            return found.name
    return wnid or "no class"


def class_and_id(wnid: str, taxonomy: Taxonomy | None, *, strong: bool = False) -> Markup:
    """A class on the page: its name with its id behind it."""
    name = class_name(wnid, taxonomy)
    words = (_STRONG if strong else _PLAIN).format(clean(name))
    if name == wnid:
        return words
    return words + Markup(' <span class="wnid">{}</span>').format(clean(wnid))


def class_cell(wnid: str, taxonomy: Taxonomy | None) -> Cell:
    """A class in a table."""
    name = class_name(wnid, taxonomy)
    text = wnid if name == wnid else f"{name} ({wnid})"
    return Cell(wnid, text, html=class_and_id(wnid, taxonomy))


def settings(values: Mapping[str, Any]) -> str:
    """Named values in words: "resize 256, crop 224, mean 0.485 0.456 0.406"."""
    return ", ".join(
        f"{name} {' '.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in values.items()
    )


def classes_of(number: int) -> str:
    """A number of classes."""
    return count(number, "class", "classes")


def some_of(labels: Sequence[str]) -> str:
    """The names of models in a sentence, as in "a, b and c"; of many the first."""
    names = [clean(label, 60) for label in labels[:_NAMED]]
    if len(labels) > _NAMED:
        names.append(f"{len(labels) - _NAMED:,} more")
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def all_models(number: int) -> str:
    """What a table of so many models is folded under; "" where they are few."""
    return f"All {number} models" if number > MANY else ""


# Two groups of photos: sources, times, sets


def common(classes: int, photos: tuple[int, int], names: tuple[str, str]) -> str:
    """What accuracies on two groups are over."""
    here, there = count(photos[0], "photo"), f"{photos[1]:,}"
    return (
        f"{classes_of(classes)} that both have, each counted once: {here} ({names[0]}) and {there} "
        f"({names[1]})."
    )


def resampled(resampling: Resampling) -> str:
    """How the intervals of two groups are meant, and what is shown of them."""
    return (
        f"Intervals resample these classes ({resampling.draws:,} draws, seed {resampling.seed}), "
        "the same on both sides. Bold: the interval leaves out 0."
    )


def matched_difference(mean: Mean | None, digits: int = 1) -> Cell:
    """A difference over matched classes in points; bold on the page where its interval has no 0."""
    if mean is None:
        return Cell(None, "too few classes")
    text = points(mean.value, digits)
    html = _STRONG.format(text) if _leaves_out_0(mean, digits) else ""
    return Cell(mean.value, text, span(mean.interval, digits), html)


def _leaves_out_0(difference: Mean, digits: int) -> bool:
    """Whether its interval does, as it is printed."""
    low, high = (round(100 * end, digits) for end in difference.interval)
    return low > 0 or high < 0


def claim(who: str, found: Mean | None, where: str, digits: int = 1) -> str:
    """A difference over matched classes in a sentence, no surer than its interval allows.

    Args:
        who: whose it is.
        found: None where too few classes tell.
        where: on which photos against which others.
        digits: behind the point.
    """
    if found is None:
        return f"{who}: too few classes to compare {where}."
    value, ends_of = points(found.value, digits), span(found.interval, digits)
    doubt = "" if _leaves_out_0(found, digits) else "; no difference shown"
    return f"{who}: {value} points {where} (95 % interval {ends_of}){doubt}."


def group_claim(groups: TwoGroups, label: str, where: str) -> str:
    """A model's difference between two groups in a sentence: see `claim`."""
    found = groups.models[label]
    return claim(
        clean(label), found.difference, f"{where}, over {classes_of(found.classes)} of both"
    )


def groups_shown(
    groups: TwoGroups,
    title: str,
    names: tuple[str, str],
    claims: Sequence[str],
    further: Sequence[tuple[Column, Mapping[str, object]]] = (),
) -> Iterator[Block]:
    """Two groups under a title: what can be claimed, and each model's numbers.

    Args:
        groups: the two.
        title: of this part.
        names: what the first and the second group are called.
        claims: sentences; where too few classes are common, one says that in their place.
        further: columns behind the others, with their values by the models' labels.
    """
    first, second = names
    largest = groups.largest
    yield Heading(title)
    if largest.classes <= FEWEST:
        in_common = f"have {classes_of(largest.classes)} in common: too few to compare"
        yield Paragraph(f"{first} and {second} {in_common}.")
        return
    columns = [
        Column("model", "Model"),
        Column("difference", "Difference", "second less first, points"),
        Column("first", first, "top-1, %"),
        Column("second", second, "top-1, %"),
    ]
    rows = [
        [
            Cell(label, label, _other_photos(largest, found)),
            matched_difference(found.difference),
            *map(_matched_accuracy, (found.first, found.second)),
            *(values.get(label) for _, values in further),
        ]
        for label, found in groups.models.items()
    ]
    yield from sentences(claims)
    yield Paragraph(common(largest.classes, largest.photos, names), "note")
    table = Table([*columns, *(column for column, _ in further)], rows)
    yield Grid(table, all_models(len(rows)), "named")


def _matched_accuracy(mean: Mean | None) -> Cell | None:
    return Cell(mean.value, f"{100 * mean.value:.1f}", between(mean.interval)) if mean else None


def _other_photos(largest: Matched, found: Matched) -> str:
    """What a model's accuracies are over, where it is not what the other models' are; else ""."""
    if (found.classes, found.photos) == (largest.classes, largest.photos):
        return ""
    first, second = found.photos
    return f"on {classes_of(found.classes)}, {first:,} and {second:,} photos"


# What must stand beside a model's numbers, wherever a report shows them


def answered(model: ScoredModel, data: ReportData) -> list[str]:
    """That a model answered a part of the photos, where it did."""
    if model.rank or model.flags:
        return []
    photos = model.top1.accuracy.photos
    return [f"answered {photos:,} of {count(data.set.photos, 'photo')}: in no rank"]


def remarks(model: ScoredModel, data: ReportData) -> list[str]:
    """What else must be said beside a model's numbers."""
    taxonomy, mapping = data.taxonomy, model.run.mapping
    texts = []
    if taxonomy is not None and mapping is None:
        texts.append("was not scored by the set’s own classes: score it again with --taxonomy")
    elif taxonomy is not None and mapping and mapping["taxonomy_hash"] != hash_of(taxonomy):
        texts.append("was scored by another version of the classes: score it again")
    return [*texts, *remarks_of(model.run)]
