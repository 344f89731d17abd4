"""Which optimization mattered: the whole answer of `genset tta factors`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.tta.analysis.factors.configurations import Configuration, configurations, read_logs
from genset.tta.analysis.factors.curves import Curve, curves
from genset.tta.analysis.factors.interactions import Interactions, interactions
from genset.tta.analysis.factors.steps import Cells, Step, addition, lesion, missing
from genset.tta.analysis.factors.study import Study
from genset.tta.analysis.together import counted, together
from genset.tta.logs.entries import Training, one_task
from genset.tta.logs.read_as import ReadAs


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
