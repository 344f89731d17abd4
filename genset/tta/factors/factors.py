"""Which optimization mattered: the whole answer of `genset tta factors`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from genset.core.errors import BadInput
from genset.core.numbers import bare_p, duration, points
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table
from genset.tta.factors import effects
from genset.tta.factors.study import Configuration, Estimate, Study, configurations, read_logs
from genset.tta.logs.common import ReadAs
from genset.tta.one_entry import counted, together
from genset.tta.runs import Training, one_task
from genset.tta.words import amount, difference_tables, goal, rate, ratio, short_name, short_of

_TOGETHER = {"faster": "more together", "slower": "less together"}
_rate = partial(rate, digits=4)
_LUCKY = "where some runs do not reach the threshold, time and epochs are of the lucky others"
_FITTED = (
    "each brings the same to all others, is assumed; a run that never reaches the threshold counts "
    "as longer than it lasted"
)
_HOW = (
    "times and throughputs are geometric means, times of the runs that reach the threshold",
    "95 % intervals, each by itself, after Welch; verdicts at 5 % for a whole table, after Holm",
)


@dataclass(frozen=True, slots=True)
class Factors:
    """Runs with and without optimizations, compared. Intervals are of 95 %.

    Attributes:
        order: the factors.
        score: the column that is compared with the threshold; in per cent if `percent`.
        settings: the settings of the runs that `addition`, `lesion` and `interactions` compare:
            those under which most combinations were run.
        throughput_unit: "epochs/h" or "photos/s".
        configurations: all, in the file's order.
        addition: the factor analysis; empty without factors.
        lesion: the lesion study; empty with fewer than two factors.
        interactions: None with fewer than two factors.
        fitted: what each factor brings if it brings the same to all others (`effects.fitted`).
        curves: of the settings that are numbers.
        missing: which runs are missing, in words.
        differences: how runs differ that `mixed` accepts, one line each.
        remarks: what a reader should know of the runs.
    """

    task: str
    score: str
    threshold: float
    percent: bool
    order: tuple[str, ...]
    settings: Mapping[str, float]
    throughput_unit: str
    configurations: list[Configuration]
    addition: list[effects.Step]
    lesion: list[effects.Step]
    interactions: effects.Interactions | None
    fitted: list[effects.Effect]
    curves: list[effects.Curve]
    missing: list[str]
    differences: list[str]
    remarks: list[str]


def factors(
    study: Study,
    threshold: float | None = None,
    read_as: ReadAs = ReadAs(),  # noqa: B008 - immutable
    mixed: bool = False,
) -> Factors:
    """Read the logs of a study and compare its configurations.

    Args:
        study: as `read_study` read it.
        threshold: in the score's unit; by default the study's, or else the task's own.
        read_as: how the logs are to be read.
        mixed: runs may be of different models, machines or frameworks, and repeats of different
            schedules too.

    Raises:
        BadInput: a log cannot be read, logs are for different tasks, there is no threshold, or
            runs differ as only `mixed` accepts.
    """
    logs = read_logs(study, read_as)
    runs = [run for _, found in logs for run in found]
    task = one_task(runs)
    threshold = task.threshold_for(runs, study.threshold if threshold is None else threshold)
    counting = [(spec, some) for spec, found in logs if (some := counted(found, threshold))]
    if not counting:
        raise BadInput(f"no run counts: {'; '.join(together(runs, threshold))}")
    found, differences = configurations(study, counting, threshold, mixed)
    order, (settings, cells) = study.order, _largest_group(found)
    drawn, undrawn = effects.curves(found)
    added = effects.addition(order, cells) if order else []
    lesions = effects.lesion(order, cells) if len(order) > 1 else []
    crossed = effects.interactions(order, cells) if len(order) > 1 else None
    return Factors(
        task=task.name,
        score=task.score,
        threshold=threshold,
        percent=task.percent,
        order=order,
        settings=settings,
        throughput_unit="epochs/h" if study.photos is None else "photos/s",
        configurations=found,
        addition=added,
        lesion=lesions,
        interactions=crossed,
        fitted=effects.fitted(order, cells),
        curves=drawn,
        missing=_missing(added, lesions, crossed, undrawn),
        differences=differences,
        remarks=[*together(runs, threshold), *_remarks(runs, threshold)],
    )


def factors_tables(found: Factors) -> list[Table]:
    """What `genset tta factors` prints."""
    tables = []
    head = f"{short_name(found.task)}, {goal(found)}"
    same = _settings_words(found.settings)
    if found.addition:
        labels = ["none", *(f"+ {step.factor}" for step in found.addition[1:])]
        title = f"{head}: factor analysis, one added after another{same}"
        tables.append(_step_table(title, labels, found.addition, found))
    if found.lesion:
        labels = ["all", *(f"all but {step.factor}" for step in found.lesion[1:])]
        title = f"{head}: lesion study, all but one{same}"
        tables.append(_step_table(title, labels, found.lesion, found))
    if found.interactions and found.interactions.effects:
        tables.append(_interaction_table(found.interactions, f"{head}: interactions"))
    if found.fitted:
        title = f"{head}: by a line through all runs{same}"
        tables.append(_effect_table(found.fitted, title, [_FITTED]))
    tables += [_curve_table(curve, head, found) for curve in found.curves]
    if not found.addition and not found.curves:
        tables.append(Table(title=head, notes=["no run has anything on, and no setting differs"]))
    if found.missing:
        tables.append(Table(title="Missing", notes=[clean(line, 400) for line in found.missing]))
    notes = [
        f"{short_name(run.name)}{_with(cell.on)} does not reach the threshold "
        f"(best {short_of(run.best, found.threshold, found.percent)})"
        for cell in found.configurations
        for run in cell.runs
        if run.hours is None
    ]
    cells = found.configurations
    if alone := sum(len(cell.runs) == 1 for cell in cells):
        which = "all" if alone == len(cells) else f"{alone} of {len(cells)}"
        notes.append(f"{which} configurations have one run, and so no intervals")
    notes += [clean(remark, 200) for remark in found.remarks]
    return [
        *tables,
        *difference_tables(found.differences),
        Table(title="Notes", notes=[*notes, *_HOW]),
    ]


def _largest_group(found: Sequence[Configuration]) -> tuple[Mapping[str, float], effects.Cells]:
    """The settings under which most combinations of factors were run; of several, the first."""
    groups: dict[object, dict[frozenset[str], Configuration]] = {}
    for configuration in found:
        group = groups.setdefault(tuple(configuration.settings.items()), {})
        group[frozenset(configuration.on)] = configuration
    cells = max(groups.values(), key=len)
    return next(iter(cells.values())).settings, cells


def _missing(
    added: Sequence[effects.Step],
    lesions: Sequence[effects.Step],
    crossed: effects.Interactions | None,
    undrawn: Sequence[str],
) -> list[str]:
    lines = []
    for study, steps in (("the factor analysis", added), ("the lesion study", lesions)):
        if missing := [step.on for step in steps if step.found is None]:
            lines.append(f"for {study}: runs with {_as_toml(missing)}")
    if crossed and crossed.runs < crossed.possible:
        missing_runs = crossed.possible - crossed.runs
        more = ", ..." if missing_runs > len(crossed.missing) else ""
        lines.append(
            f"for main effects: runs of {missing_runs:,} of {crossed.possible:,} combinations: "
            f"{_as_toml(crossed.missing)}{more}"
        )
    lines += [
        f"for a curve of {name}: two runs that differ in {name} and in nothing else"
        for name in undrawn
    ]
    return lines


def _as_toml(sets: Sequence[tuple[str, ...]]) -> str:
    """Sets of factors as RUNS.toml has them."""
    quoted = (", ".join(f'"{factor}"' for factor in on) for on in sets)
    return ", ".join(f"on = [{factors}]" for factors in quoted)


def _remarks(runs: Sequence[Training], threshold: float) -> list[str]:
    """The runs' own, each once."""
    by_run = [(run, [*run.about.remarks, run.bound(threshold)]) for run in runs]
    remarks = (f"{run.about.name}: {text}" for run, texts in by_run for text in texts if text)
    return list(dict.fromkeys(remarks))


# Tables


def _step_table(
    title: str, labels: Sequence[str], steps: Sequence[effects.Step], found: Factors
) -> Table:
    columns = [
        Column("with", format=short_name),
        Column("reached", "reach", missing="no run"),
        Column("hours", "time", format=brief),
        Column("speedup", "times as fast"),
        Column("verdict", "", missing=""),
        Column("final", format=lambda score: amount(score, found.percent)),
        Column("adds"),
        Column("throughput", found.throughput_unit, format=_rate),
        Column("throughput_ratio", "times as many"),
    ]
    rows = [[label, *_step_cells(step)] for label, step in zip(labels, steps, strict=True)]
    return Table(columns, rows, title)


def _step_cells(step: effects.Step) -> list[Any]:
    if step.found is None:
        return [None] * 8
    cell, brings = step.found, step.brings
    return [
        _reach(cell),
        cell.hours and cell.hours.mean,
        brings and _cell(brings.speedup, ratio),
        brings and str(brings.verdict),
        cell.final.mean,
        brings and _cell(brings.final, lambda change: points(change / 100)),
        cell.throughput and cell.throughput.mean,
        brings and _cell(brings.throughput, ratio),
    ]


def _interaction_table(found: effects.Interactions, title: str) -> Table:
    notes = [
        "of one factor: the mean over all combinations of the others; of several: how many times "
        "as much they bring together as each by itself"
    ]
    over: list[Cell] = []
    if found.runs < found.possible:
        notes.append("each is over those combinations of the others that have all its runs")
        counts = [(one.combinations, one.possible) for one in found.effects]
        over = [Cell(some, f"{some} of {possible}") for some, possible in counts]
    return _effect_table([one.effect for one in found.effects], title, notes, over)


def _effect_table(
    found: Sequence[effects.Effect], title: str, notes: Sequence[str], over: Sequence[Cell] = ()
) -> Table:
    columns = [
        Column("factors"),
        Column("speedup", "times as fast"),
        Column("p", "p (Holm)", format=bare_p),
        Column("verdict", ""),
        *[Column("combinations", "over", align="left")] * bool(over),
    ]
    rows = [
        [
            short_name(" × ".join(effect.factors)),
            _cell(effect.speedup, ratio),
            effect.adjusted,
            _TOGETHER.get(effect.verdict if effect.factors[1:] else "", str(effect.verdict)),
            *over[at : at + 1],
        ]
        for at, effect in enumerate(found)
    ]
    return Table(columns, rows, title, notes)


def _curve_table(curve: effects.Curve, head: str, found: Factors) -> Table:
    setting = short_name(curve.setting)
    title = f"{head} by {setting}{_with(curve.on)}{_settings_words(curve.settings)}"
    columns = [
        Column("value", setting),
        Column("reached", "reach"),
        Column("hours", "time"),
        Column("epochs", "epochs needed"),
        Column("throughput", found.throughput_unit),
        Column("final"),
    ]
    rows = [
        [
            value,
            _reach(cell),
            _cell(cell.hours, brief),
            _cell(cell.epochs, lambda epochs: f"{epochs:.3g}"),
            _cell(cell.throughput, _rate),
            _cell(cell.final, lambda final: amount(final, found.percent)),
        ]
        for value, cell in curve.points
    ]
    some = any(0 < cell.reached < len(cell.runs) for _, cell in curve.points)
    return Table(columns, rows, title, [_LUCKY] if some else [])


# Words


def brief(hours: float) -> str:
    """A time: seconds if it is below a minute."""
    return f"{3600 * hours:.3g} s" if 3600 * hours < 59.95 else duration(hours)


def _with(on: Sequence[str]) -> str:
    return f", with {clean(', '.join(on), 80)}" if on else ""


def _settings_words(settings: Mapping[str, float]) -> str:
    words = ", ".join(f"{key} = {value:g}" for key, value in settings.items())
    return f" ({clean(words, 80)})" if words else ""


def _reach(cell: Configuration) -> Cell:
    return Cell(cell.reached, f"{cell.reached} of {len(cell.runs)}")


def _cell(estimate: Estimate | None, words: Callable[[float], str]) -> Cell | None:
    """A number, with the ends of its interval behind it."""
    if estimate is None:
        return None
    ends = " to ".join(map(words, estimate.interval or ()))
    return Cell(estimate.mean, words(estimate.mean), ends)
