"""Numbers and strangers' words, as people read them."""

import shlex
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from genset.evaluate.runs import Accuracy, Run
from genset.report.data import ReportData, ScoredModel, SetSummary
from genset.report.samples import Answer

INTERVALS = (
    "Intervals are Wilson's at 95 %. They count each photo as an independent draw; how the models "
    "would do on other classes than these is less certain than they say."
)

# Joiners inside emoji and Persian words; every other character of format is dropped.
_KEPT_FORMATS = {"\u200c", "\u200d"}


def clean(text: str, longest: int = 120) -> str:
    """A stranger's words on one line, safe to print.

    Control characters, lone surrogates and characters that turn the direction of writing go: they
    break files, or make the words beside them read as something else.
    """
    words = " ".join(text.split())
    kept = "".join(
        c for c in words if unicodedata.category(c)[0] != "C" or c in _KEPT_FORMATS
    ).strip()
    return kept if len(kept) <= longest else kept[: longest - 1].rstrip() + "…"


def web_link(url: str) -> str | None:
    """The address if it leads to the web, else None: ``javascript:`` is an address too."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    web = parts.scheme in ("http", "https") and parts.netloc and len(url) <= 2000
    return url if web and url.isprintable() and " " not in url else None


def count(number: int, one: str, many: str = "") -> str:
    """A number and its noun: "1 photo", "4,812 photos"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def percent(share: float, photos: int) -> str:
    """A share of `photos` in per cent, with the digits that so many photos can tell apart."""
    return f"{100 * share:.{_digits(photos)}f}"


def interval(accuracy: Accuracy) -> str:
    """Its 95 % interval in per cent."""
    low, high = (percent(end, accuracy.photos) for end in (accuracy.low, accuracy.high))
    return f"{low}–{high}"


def probability(answer: Answer) -> str:
    """A model's probability in per cent, never rounded to certainty."""
    if answer.probability < 0.01:
        return "< 1 %"
    return "> 99 %" if answer.probability > 0.99 else f"{100 * answer.probability:.0f} %"


def ordinal(place: int) -> str:
    """A place from 1 to 5."""
    return ("1st", "2nd", "3rd", "4th", "5th")[place - 1]


def headline(data: ReportData) -> str:
    """Which model is best here and by how much: no more than the numbers support."""
    models = data.models
    if not models:
        return "No model was scored on this set yet."
    best = models[0].run.top1
    tied = [clean(model.label) for model in models if model.run.top1.share == best.share]
    ours = f"{percent(best.share, best.photos)} % ({best.correct:,} of {best.photos:,})"
    if len(models) == 1:
        return (
            f"{tied[0]} gets {ours} of the photos right at its first answer; "
            f"95 % interval {interval(best)} %."
        )
    if len(tied) > 1:
        share = percent(best.share, best.photos)
        return f"{_all_of(tied)} have the same, highest top-1 accuracy here: {share} %."
    next_best = models[1].run.top1
    gap = percent(best.share - next_best.share, min(best.photos, next_best.photos))
    theirs = (
        f"{percent(next_best.share, next_best.photos)} % "
        f"({next_best.correct:,} of {next_best.photos:,})"
    )
    return (
        f"{tied[0]} has the highest top-1 accuracy here, {ours}: {gap} points above "
        f"{clean(models[1].label)} with {theirs}."
    )


def certainty(data: ReportData) -> list[str]:
    """What the numbers say, and what they do not, on whether the first model is the best one."""
    said = []
    if len(data.models) > 1:
        said.append(_overlaps(data.models))
    if pair := data.leaders:
        first, second = clean(pair.first), clean(pair.second)
        said.append(
            f"Of the {count(pair.photos, 'photo')} that both could read, {first} alone is right on "
            f"{pair.only_first:,} and {second} alone on {pair.only_second:,}."
        )
    return said


def _overlaps(models: Sequence[ScoredModel]) -> str:
    best = models[0].run.top1
    others = models[1:]
    near = [
        clean(model.label)
        for model in others
        if model.run.top1.high >= best.low and model.run.top1.low <= best.high
    ]
    if not near:
        return f"{clean(models[0].label)}'s 95 % interval overlaps no other model's."
    if len(near) <= 3:
        whose = f"that of {near[0]}" if len(near) == 1 else f"those of {_all_of(near)}"
    else:
        whose = f"those of {len(near)} of the other {len(others)} models"
    return (
        f"{clean(models[0].label)}'s 95 % interval overlaps {whose}, which by itself neither shows "
        "a difference nor rules one out."
    )


def unreadable(run: Run) -> str:
    """What must stand beside a run's numbers where photos were left out; else nothing."""
    return f"{count(len(run.unreadable), 'photo')} could not be read" if run.unreadable else ""


def per_class(the_set: SetSummary) -> str:
    """How many photos a class has."""
    fewest = min(the_set.photos_per_class, default=0)
    most = max(the_set.photos_per_class, default=0)
    if fewest == most:
        return f"{fewest:,} a class"
    return f"{fewest:,} to {most:,} a class, {the_set.photos / the_set.classes:.1f} on average"


def settings(values: Mapping[str, Any]) -> str:
    """Named values in words: "resize 256, crop 224, mean 0.485 0.456 0.406"."""
    return ", ".join(
        f"{name} {' '.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in values.items()
    )


def strategy(values: Mapping[str, Any]) -> str:
    """A strategy's name, and its parameters where it has any."""
    parameters = {name: value for name, value in values.items() if name != "name"}
    name = str(values.get("name", "unnamed"))
    return f"{name} ({settings(parameters)})" if parameters else name


def commands(data: ReportData) -> str:
    """What to type to get the table again; with no model yet, to get one."""
    name = _argument(data.set.name)
    specs = [model.run.spec for model in data.models] or ["torchvision:resnet50"]
    models = "".join(f" \\\n    --model {_argument(spec)}" for spec in specs)
    verify = f"genset release verify {name}\n" if data.set.release and data.models else ""
    return f"{verify}genset evaluate {name}{models}\ngenset report {name}"


def _argument(text: str) -> str:
    return shlex.quote(clean(text, longest=2000))


def _digits(photos: int) -> int:
    return 1 if photos <= 1000 else 2


def _all_of(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
