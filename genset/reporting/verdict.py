"""Two models on the same photos: what can be claimed, for `genset compare` and the report alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from genset.comparison.marks import copies, mark, truth_of
from genset.comparison.pairs import FEWEST, Pair, compare
from genset.core.numbers import bare_p, count, digits, p_value, percent, points, span
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table, interval_column
from genset.score.results.count import remarks
from genset.score.results.results import ModelAnswers, Results
from genset.sets.truths.truth import By

_BY: dict[By, str] = {
    "original": "",
    "real": ", by all right classes (ReaL)",
    "multilabel": ", by all right classes and the unclear ones",
    "clear": ", by all right classes, without answers that are unclear ones",
}


@dataclass(frozen=True, slots=True)
class Among:
    """A pair among all pairs of the models on a set: what a report says of it.

    Attributes:
        models, pairs: how many there are.
        holm: the pair's p-value, adjusted for all pairs.
        apart: whether the two can be told apart by it.
    """

    models: int
    pairs: int
    holm: float
    apart: bool

    @property
    def sentence(self) -> str:
        """The same in words."""
        return (
            f"That is the answer for one pair, planned in advance. Among all {self.models} models "
            f"scored here ({count(self.pairs, 'pair')}, Holm’s method) {p_value(self.holm)}: they "
            f"{'can' if self.apart else 'cannot'} be told apart."
        )


# In sentences


def verdict(pair: Pair, *, named: bool = False) -> str:
    """Whether two models differ, and by how much, in a sentence or two.

    Args:
        pair: the two.
        named: say which two.
    """
    names = f"{clean(pair.first)} and {clean(pair.second)}"
    ends = span(pair.interval, digits(pair.photos))
    if pair.too_few:
        return (
            f"Too few photos: {names if named else 'the models'} disagree on "
            f"{pair.only_first + pair.only_second}; McNemar’s test needs at least {FEWEST}. "
            f"95 % interval of the difference: {ends} points."
        )
    alone = " of this pair alone" if pair.holm > pair.p_value else ""
    adjusted = ", adjusted for all pairs" if alone else ""
    return (
        f"Difference{f' of {names}' if named else ''}: {difference(pair)} points (95 % interval"
        f"{alone} {ends}), {p_value(pair.holm)} by McNemar’s exact test{adjusted}. They "
        f"{'can' if pair.apart else 'cannot'} be told apart."
    )


def detectable(least: float | None, discordant: float, classes: int, of: str = "") -> str:
    """The smallest difference that a set shows.

    Args:
        least: the difference, 0 to 1; None where the photos are too few for any.
        discordant: the share of photos that one model alone has right, which this supposes; no
            more than `least` where one model alone is right wherever the two differ.
        classes: of the photos.
        of: between which models, where that must be said.
    """
    if classes == 1:
        return "All photos are of one class: nothing is said about other classes."
    if least is None:
        return "No difference is detectable with so few photos (80 % power)."
    best = ", in the best case" if least >= discordant else ""
    return f"Smallest detectable difference (80 % power): {in_points(least)} points{of}{best}."


def in_points(share: float) -> str:
    """A detectable difference in points, to the two digits that it has."""
    return f"{float(f'{100 * share:.2g}'):g}"


def compared(
    pair: Pair,
    set_name: str,
    answered: Sequence[int],
    by: By = "original",
    among: Among | None = None,
) -> str:
    """Two models side by side, in lines for a terminal.

    Args:
        pair: the two.
        set_name: of the set.
        answered: how many of the photos each of them answered (`answered_of_both`).
        by: what made an answer right.
        among: the same pair among all models of the set.
    """
    names = [clean(pair.first), clean(pair.second)]
    width = max(map(len, names))
    lines = [f"{set_name}: {count(pair.photos, 'photo')} that count for both{_BY[by]}"]
    alone = (pair.only_first, pair.only_second)
    for name, other, only, all_of in zip(names, reversed(names), alone, answered, strict=True):
        correct = pair.both + only
        share = percent(correct / pair.photos, pair.photos)
        lines.append(
            f"{name:{width}}  {share} % ({correct:,} correct of {all_of:,} answered, "
            f"{only:,} that {other} gets wrong)"
        )
    least = detectable(pair.detectable, pair.discordant, pair.classes)
    texts = [verdict(pair), *worth(pair), least, *([among.sentence] if among else [])]
    return "\n".join([*lines, *texts])


def answered_of_both(results: Results, models: Sequence[ModelAnswers], by: By) -> list[int]:
    """How many of the photos that count for all of these models each of them answered."""
    counted = np.logical_and.reduce([mark(results, model, by).counted for model in models])
    return [int((counted & model.answers.any(axis=1)).sum()) for model in models]


def worth(pair: Pair) -> list[str]:
    """How many independent photos a pair's are worth, where that is fewer."""
    photos = round(pair.photos / pair.effect)
    if photos > 0.95 * pair.photos:
        return []
    return [
        f"Photos of a class are alike: these {pair.photos:,} are worth {photos:,} independent ones."
    ]


def among_all(results: Results, pair: Pair, by: By) -> Among | None:
    """A pair among all models that count on a set; None where there are no others."""
    if len(results.models) < 3:
        return None
    pairs = compare(results, results.models, by)
    found = next((p for p in pairs if {p.first, p.second} == {pair.first, pair.second}), None)
    return Among(len(results.models), len(pairs), found.holm, found.apart) if found else None


def notes_on(first: ModelAnswers, second: ModelAnswers) -> list[str]:
    """What a reader of two models' comparison must know: of conventions, of runs, of flags."""
    models, notes = (first, second), list[str]()
    ways = {model.run.convention for model in models}
    if len(ways) == 2 and "" not in ways:
        notes.append(
            f"{first.label} was scored by ({first.run.convention}) and {second.label} by "
            f"({second.run.convention}), which may explain part of the difference: score both the "
            "same way, by --pool and --among."
        )
    notes += unlike_choices({model.label: model.run.classes for model in models})
    for model in models:
        notes += [clean(f"{model.label}: {text}", 400) for text in remarks(model.run)]
    for model in models:
        start = f"{clean(model.label)} is flagged, and left out of reports."
        notes += [f"{start} {flag}" for flag in model.flags]
    return [*notes, *copies(models)]


def unlike_choices(classes: Mapping[str, int]) -> list[str]:
    """A sentence where models chose among unlike numbers of classes, given by their labels."""
    most = max(classes.values())
    fewer = [f"{clean(label)} chose among {n:,}" for label, n in classes.items() if n < most]
    return [f"{', '.join(fewer)} classes, not among {most:,}, which is easier."] * bool(fewer)


def difference(pair: Pair) -> str:
    """A pair's difference in points."""
    return points(pair.difference, digits(pair.photos))


# As a table and as JSON


def pairs_table(
    pairs: Sequence[Pair],
    names: Mapping[str, str] | None = None,
    *,
    planned: bool = False,
    title: str = "",
    notes: Sequence[str] = (),
) -> Table:
    """A row a pair.

    Args:
        pairs: the pairs.
        names: what each model is called, by its label; left out, its label.
        planned: without p-values adjusted for all pairs of a report.
        title, notes: of the table.
    """
    columns = [
        Column("pair", "Pair"),
        Column("difference", "Difference", "points"),
        interval_column("interval", unit="points"),
        Column("only_first", "Only first right", format="{:,}".format),
        Column("only_second", "Only second", format="{:,}".format),
        Column("photos", "Photos", format="{:,}".format),
        Column("p_value", "McNemar", "exact p", format=bare_p),
        *[Column("holm", "Holm", format=bare_p)] * (not planned),
        Column("detectable", "Detectable", "points, 80 % power", format=in_points),
    ]
    rows = [
        [
            _name(names or {}, pair),
            Cell(pair.difference, difference(pair)),
            Cell(list(pair.interval), span(pair.interval, digits(pair.photos))),
            *(pair.only_first, pair.only_second, pair.photos, pair.p_value),
            *[pair.holm] * (not planned),
            pair.detectable,
        ]
        for pair in pairs
    ]
    return Table(columns, rows, title, notes)


def of_one_pair(table: Table) -> Table:
    """The table of one pair as wide as a paper's column: names in its title, a row a number."""
    name, *texts = table.texts(0)
    heads = [column.head for column in table.columns[1:]]
    columns = [Column("Measure"), Column("Value", align="right")]
    rows = list(zip(heads, texts, strict=True))
    return Table(columns, rows, f"{table.title}: {name}", table.notes)


def _name(names: Mapping[str, str], pair: Pair) -> Cell:
    doubt = ""
    if not pair.apart:
        doubt = "too few photos" if pair.too_few else "cannot be told apart"
    first, second = (names.get(label, clean(label)) for label in (pair.first, pair.second))
    return Cell(f"{pair.first} − {pair.second}", f"{first} − {second}", doubt)


def truth_to_json(results: Results, by: By) -> dict[str, Any]:
    """What made answers right, where that is not the original labels.

    Raises:
        BadInput: the set has no truth.
    """
    if by == "original":
        return {}
    truth = truth_of(results)
    return {"truth": by, "truth_source": truth.source, "truth_sha256": truth.sha256}
