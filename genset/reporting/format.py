"""What several sections print: accuracies, differences, classes, a run's settings."""

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from genset.classes import Taxonomy, hash_of, imagenet1k
from genset.core.numbers import between, count, ends, percent, points, span
from genset.core.safe import clean
from genset.core.table import Cell
from genset.reporting.report import ReportData, ScoredModel
from genset.score.results.count import remarks as remarks_of
from genset.score.results.runs import Accuracy
from genset.statistics.matched import Matched, Mean

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
    """The names of models in a sentence; of many the first."""
    names = ", ".join(clean(label, 60) for label in labels[:_NAMED])
    more = len(labels) - _NAMED
    return f"{names} and {more:,} more" if more > 0 else names


def all_models(number: int) -> str:
    """What a table of so many models is folded under; "" where they are few."""
    return f"All {number} models" if number > MANY else ""


def matched_accuracy(mean: Mean | None) -> Cell | None:
    """An accuracy over matched classes in per cent, with its interval."""
    return Cell(mean.value, f"{100 * mean.value:.1f}", between(mean.interval)) if mean else None


def matched_difference(found: Matched) -> Cell | None:
    """A difference over matched classes in points; bold on the page where its interval has no 0."""
    if (mean := found.difference) is None:
        return None
    text = points(mean.value, 1)
    return Cell(
        mean.value, text, span(mean.interval, 1), _STRONG.format(text) if sign(mean) else ""
    )


def sign(difference: Mean) -> int:
    """1 or -1 where its interval, as it is printed, leaves out 0; else 0."""
    low, high = (round(100 * end, 1) for end in difference.interval)
    return (low > 0) - (high < 0)


def claim(who: str, found: Mean | None, where: str) -> str:
    """A difference over matched classes in a sentence, no surer than its interval allows.

    Args:
        who: whose it is.
        found: None where too few classes tell.
        where: on which photos against which others.
    """
    if found is None:
        return f"{who}: too few classes to compare {where}."
    value, ends_of = points(found.value, 1), span(found.interval, 1)
    doubt = "" if sign(found) else "; no difference shown"
    return f"{who}: {value} points {where} (95 % interval {ends_of}){doubt}."


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
