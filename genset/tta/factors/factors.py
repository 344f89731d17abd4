"""Which optimization mattered: the whole answer of `genset tta factors`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from genset.core.errors import BadInput
from genset.core.numbers import NONE, bare_p, count, duration
from genset.core.safe import clean
from genset.core.tables import Grid
from genset.tta.factors.configurations import Configuration, Measured, configurations, read_logs
from genset.tta.factors.effects import (
    Cells,
    Curve,
    Effect,
    Interaction,
    Interactions,
    Step,
    Verdict,
    addition,
    curves,
    interactions,
    lesion,
    missing,
)
from genset.tta.factors.study import Study
from genset.tta.logs.common import ReadAs
from genset.tta.one_entry import counted, together
from genset.tta.runs import Training, one_task
from genset.tta.words import amount, differing_grids, goal, short_name


@dataclass(frozen=True, slots=True)
class Factors:
    """What runs with and without optimizations came to. Intervals are of 95 %.

    Attributes:
        order: the factors.
        score: the column that is held against the threshold; in per cent if `percent`.
        settings: the settings of the runs that `addition`, `lesion` and `interactions` compare:
            those under which most combinations were run.
        throughput_unit: "epochs/h" or "photos/s".
        configurations: all, in the file's order.
        addition: the factor analysis; empty without factors.
        lesion: the lesion study; empty with fewer than two factors.
        interactions: None with fewer than two factors.
        curves: of the settings that are numbers.
        missing: what is missing for each, in words.
        differences: in what runs differ that were let pass, one line each.
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
    addition: list[Step]
    lesion: list[Step]
    interactions: Interactions | None
    curves: list[Curve]
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
            runs are not of one model, hardware and framework, or repeats not of one entry, and
            `mixed` is not said.
    """
    read = read_logs(study, read_as)
    runs = [run for _, found in read for run in found]
    task = one_task(runs)
    least = task.threshold_or(study.threshold if threshold is None else threshold)
    counting = [(declared, kept) for declared, found in read if (kept := counted(found, least))]
    if not counting:
        raise BadInput(f"all {len(runs)} runs were stopped before they reached the threshold")
    found, differences = configurations(study, counting, least, mixed)
    order = study.order
    settings, cells = _most_run(found)
    added = addition(order, cells) if order else []
    left_out = lesion(order, cells) if len(order) > 1 else []
    crossed = interactions(order, cells) if len(order) > 1 else None
    drawn, undrawn = curves(found)
    return Factors(
        task=task.name,
        score=task.score,
        threshold=least,
        percent=task.percent,
        order=order,
        settings=settings,
        throughput_unit="epochs/h" if study.photos is None else "photos/s",
        configurations=found,
        addition=added,
        lesion=left_out,
        interactions=crossed,
        curves=drawn,
        missing=_missing(added, left_out, crossed, undrawn),
        differences=differences,
        remarks=[*together(runs, least), *_remarks(runs)],
    )


def _most_run(found: Sequence[Configuration]) -> tuple[Mapping[str, float], Cells]:
    """The settings under which most combinations of factors were run; of several, the first."""
    grouped: dict[object, dict[frozenset[str], Configuration]] = {}
    for each in found:
        grouped.setdefault(tuple(each.settings.items()), {})[frozenset(each.on)] = each
    cells = max(grouped.values(), key=len)
    return next(iter(cells.values())).settings, cells


def _missing(
    added: Sequence[Step],
    left_out: Sequence[Step],
    crossed: Interactions | None,
    undrawn: Sequence[str],
) -> list[str]:
    said = []
    for study, steps in (("the factor analysis", added), ("the lesion study", left_out)):
        if lacking := missing(steps):
            said.append(f"{study} misses runs with {_on(lacking)}")
    if crossed and crossed.runs < crossed.possible:
        none = crossed.possible - crossed.runs
        more = ", ..." if none > len(crossed.missing) else ""
        said.append(
            f"main effects take runs of all {crossed.possible:,} combinations, and "
            f"{count(none, 'has', 'have')} none: {_on(crossed.missing)}{more}"
        )
    said += [
        f"{name} has no curve: no two runs differ in {name} and in nothing else" for name in undrawn
    ]
    return said


def _on(sets: Sequence[tuple[str, ...]]) -> str:
    """Sets of factors as RUNS.toml writes them."""
    quoted = (", ".join(f'"{factor}"' for factor in on) for on in sets)
    return ", ".join(f"on = [{factors}]" for factors in quoted)


def _remarks(runs: Sequence[Training]) -> list[str]:
    notes = dict.fromkeys((run.about.name, remark) for run in runs for remark in run.about.remarks)
    return [f"{name}: {remark}" for name, remark in notes]


_TOGETHER = {Verdict.FASTER: "more together", Verdict.SLOWER: "less together"}
_LUCKY = (
    "where some runs never reach the threshold, time and epochs needed are of the others, which "
    "are the lucky ones"
)
_HOW = (
    "times and throughputs are geometric means, times of the runs that reach the threshold",
    "intervals are of 95 %, each by itself, after Welch; verdicts at 5 % for a table, after Holm",
)


def factors_grids(found: Factors) -> list[Grid]:
    """What `genset tta factors` prints."""
    grids = []
    same = _settings(found.settings)
    if found.addition:
        title = f"{_title(found)}: factor analysis, one added after another{same}"
        labels = ["none", *(f"+ {step.factor}" for step in found.addition[1:])]
        grids.append(_steps(title, labels, found.addition, found))
    if found.lesion:
        title = f"{_title(found)}: lesion study, all but one{same}"
        labels = ["all", *(f"all but {step.factor}" for step in found.lesion[1:])]
        grids.append(_steps(title, labels, found.lesion, found))
    if found.interactions and found.interactions.effects:
        grids.append(_interactions(found.interactions, f"{_title(found)}: how they work together"))
    grids += [_curve(curve, found) for curve in found.curves]
    if not found.addition and not found.curves:
        grids.append(Grid(_title(found), notes=["no run has anything on, and no setting differs"]))
    if found.missing:
        grids.append(Grid("Missing", notes=[clean(line, 400) for line in found.missing]))
    grids += differing_grids(found.differences)
    notes = [*_never(found), *_alone(found), *(clean(remark, 200) for remark in found.remarks)]
    return [*grids, Grid("Notes", notes=[*notes, *_HOW])]


def _steps(title: str, labels: Sequence[str], steps: Sequence[Step], found: Factors) -> Grid:
    unit = found.throughput_unit
    head = ["with", "reach", "time", "times as fast", "", "final", "adds", unit, "times as many"]
    rows = [
        [short_name(label), *_cells(step, found)] for label, step in zip(labels, steps, strict=True)
    ]
    return Grid(title, head, rows, _said([step.brings for step in steps if step.brings]))


def _cells(step: Step, found: Factors) -> list[str]:
    if step.found is None:
        return ["no run", *([NONE] * 7)]
    cell, brings = step.found, step.brings
    return [
        reach(cell),
        brief(cell.hours.mean) if cell.hours else NONE,
        _with(brings.speedup if brings else None, _times),
        str(brings.verdict) if brings else "",
        amount(cell.final.mean, found.percent),
        _with(brings.final if brings else None, _signed),
        NONE if cell.throughput is None else _rate(cell.throughput.mean),
        _with(brings.throughput if brings else None, _times),
    ]


def _said(effects: Sequence[Effect]) -> list[str]:
    """Which of them mattered, the largest first, and of which the runs cannot tell."""
    told = [effect for effect in effects if effect.speedup]
    told.sort(key=lambda each: -(each.speedup.mean if each.speedup else 0.0))
    said = []
    for verdict in (Verdict.FASTER, Verdict.SLOWER, Verdict.CANNOT_TELL):
        alike = [each for each in told if each.verdict is verdict]
        if verdict is Verdict.SLOWER:
            alike.reverse()
        if alike:
            names = (f"{_names(each)} {_with(each.speedup, _times)}" for each in alike)
            lead = "the runs cannot tell" if verdict is Verdict.CANNOT_TELL else f"{verdict} with"
            said.append(f"{lead}: {', '.join(names)}")
    return said


def _interactions(found: Interactions, title: str) -> Grid:
    whole = found.runs == found.possible
    head = ["factors", "times as fast", "p (Holm)", "", *([] if whole else ["over"])]
    rows = [_interaction(effect, whole) for effect in found.effects]
    notes = [
        "of one factor: the mean over all combinations of the others; of several: how many times "
        "as much they bring together as each by itself"
    ]
    if not whole:
        notes.append("each is over those combinations of the others that have all its runs")
    return Grid(title, head, rows, notes)


def _interaction(each: Interaction, whole: bool) -> list[str]:
    effect = each.effect
    verdict = str(effect.verdict)
    if len(effect.factors) > 1:
        verdict = _TOGETHER.get(effect.verdict, verdict)
    return [
        _names(effect),
        _with(effect.speedup, _times),
        NONE if effect.adjusted is None else bare_p(effect.adjusted),
        verdict,
        *([] if whole else [f"{each.combinations} of {each.possible}"]),
    ]


def _curve(curve: Curve, found: Factors) -> Grid:
    by = f"{short_name(curve.setting)}{with_on(curve.on)}{_settings(curve.settings)}"
    title = f"{_title(found)} by {by}"
    rows = [
        [
            f"{value:g}",
            reach(cell),
            _with(cell.hours, brief),
            _with(cell.epochs, lambda epochs: f"{epochs:.3g}"),
            _with(cell.throughput, _rate),
            _with(cell.final, lambda final: amount(final, found.percent)),
        ]
        for value, cell in curve.points
    ]
    head = [
        short_name(curve.setting),
        "reach",
        "time",
        "epochs needed",
        found.throughput_unit,
        "final",
    ]
    some = any(0 < cell.reached < len(cell.runs) for _, cell in curve.points)
    return Grid(title, head, rows, [_LUCKY] if some else [])


def _never(found: Factors) -> list[str]:
    return [
        f"never: {short_name(run.name)}{with_on(cell.on)} (best {amount(run.best, found.percent)})"
        for cell in found.configurations
        for run in cell.runs
        if run.hours is None
    ]


def _alone(found: Factors) -> list[str]:
    cells = found.configurations
    if not (alone := sum(len(cell.runs) == 1 for cell in cells)):
        return []
    which = "each configuration has" if alone == len(cells) else f"{alone} of {len(cells)} have"
    return [f"{which} one run: nothing says how much its time scatters, so it has no interval"]


def _title(found: Factors) -> str:
    return f"{short_name(found.task)}, {goal(found)}"


def _names(effect: Effect) -> str:
    return short_name(" × ".join(effect.factors))


def with_on(on: Sequence[str]) -> str:
    """What is on, as it follows a title or a name."""
    return f", with {clean(', '.join(on), 80)}" if on else ""


def _settings(settings: Mapping[str, float]) -> str:
    said = ", ".join(f"{key} = {value:g}" for key, value in settings.items())
    return f" ({clean(said, 80)})" if said else ""


def reach(cell: Configuration) -> str:
    """How many of the runs reach the threshold."""
    return f"{cell.reached} of {len(cell.runs)}"


def brief(hours: float) -> str:
    """A time: seconds where it is below a minute."""
    return f"{3600 * hours:.3g} s" if 3600 * hours < 59.95 else duration(hours)


def _rate(value: float) -> str:
    return f"{float(f'{value:.4g}'):,.10g}"


def _times(ratio: float) -> str:
    """A ratio: "2.40×", "0.97×", "12.3×"."""
    return f"{ratio:.2f}×" if 0.095 <= ratio < 9.995 else f"{ratio:.3g}×"


def _signed(points: float) -> str:
    text = f"{points:+.2f}"
    return "0.00" if float(text) == 0 else text.replace("-", "−")


def _with(measured: Measured | None, written: Callable[[float], str]) -> str:
    """A number and the ends of its interval: "1.35× (1.20× to 1.52×)"."""
    if measured is None:
        return NONE
    if measured.interval is None:
        return written(measured.mean)
    low, high = measured.interval
    return f"{written(measured.mean)} ({written(low)} to {written(high)})"
