"""Tells a copy of a log from a further run: two runs never take the same times."""

from collections.abc import Hashable, Sequence

from genset.tta.logs.entries import About, MalformedLog, Training


def without_copies(runs: Sequence[Training]) -> tuple[list[Training], list[MalformedLog]]:
    """The runs, each once, and what is to be said of the others: the first of them counts.

    The same epochs are no copy where authors, machines or prices differ: one training may be an
    entry at each of several prices.
    """
    kept: list[Training] = []
    copies: list[MalformedLog] = []
    alike: dict[Hashable, list[About]] = {}
    for run in runs:
        epochs = tuple((e.epoch, e.hours, *sorted(e.scores.items())) for e in run.epochs)
        known = alike.setdefault((run.about.task, epochs), [])
        first = next((about for about in known if not _differ(about, run.about)), None)
        if first:
            reason = f"it holds the same epochs as {first.path}, so it is no further run"
            copies.append(MalformedLog(run.about.path, reason))
        else:
            known.append(run.about)
            kept.append(run)
    return kept, copies


def _differ(one: About, other: About) -> bool:
    """Whether both say who trained what on which machine for how much, and not the same."""
    pairs = zip(_told(one), _told(other), strict=True)
    return any(a and b and a != b for a, b in pairs)


def _told(about: About) -> tuple[object, ...]:
    return about.author, about.model, about.hardware, about.cost_per_hour
