"""What `genset tta factors` prints."""

from collections.abc import Callable, Mapping, Sequence

from genset.core.numbers import NONE, bare_p, duration
from genset.core.safe import clean
from genset.core.tables import Grid
from genset.tta.analysis.factors.analyse import Factors
from genset.tta.analysis.factors.configurations import Configuration, Measured
from genset.tta.analysis.factors.curves import Curve
from genset.tta.analysis.factors.effects import Effect, Verdict
from genset.tta.analysis.factors.interactions import Interaction, Interactions
from genset.tta.analysis.factors.steps import Step
from genset.tta.analysis.units import amount, goal
from genset.tta.show.words import differing_grids, short_name

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
    title = f"{_title(found)} by {short_name(curve.setting)}{with_on(curve.on)}{_settings(curve.settings)}"
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
