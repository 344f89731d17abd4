"""One page on training runs: times and costs, curves, stability, what the hardware did."""

import base64
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from markupsafe import Markup

from genset.core.errors import BadInput
from genset.core.numbers import agree, count, spoken
from genset.core.safe import clean
from genset.reporting.blocks import Block, Figures, Grid, Heading, Paragraph, Part
from genset.reporting.page import page_of_parts
from genset.tta.profile.profile import Comparison, draw_profile, profile_tables
from genset.tta.rows import by_entry, entry_name
from genset.tta.runs import Entries, Training
from genset.tta.stability import draw_curves, stability, stability_tables
from genset.tta.table import EntryTables, TaskTable, entry_tables
from genset.tta.words import goal, short_name

_MOST = 20  # curves in a figure, as many as can be told apart


def training_page(
    title: str, entries: Entries, found: EntryTables, hardware: Comparison | None = None
) -> str:
    """The page, as HTML that needs nothing beside it.

    Args:
        title: of the page.
        entries: the logs as they were read.
        found: their times and costs.
        hardware: what traces of the same trainings show.

    Raises:
        ModuleNotFoundError: Jinja or matplotlib is not installed.
    """
    parts = []
    for place, task in enumerate(found.tasks):
        runs = [run for run in entries.trainings if run.about.task.name == task.task]
        times = entry_tables(EntryTables([task], [], [], []))
        blocks: list[Block] = [*_curves(task, runs), *map(Grid, times), *_stability(task, runs)]
        parts.append(Part(f"task-{place}", clean(task.task), blocks))
    if uncounted := entry_tables(replace(found, tasks=[])):
        parts.append(Part("left-out", "Not counted", [*map(Grid, uncounted)]))
    if hardware:
        summary, *tables = profile_tables(hardware)
        blocks = [Paragraph(line) for line in summary.notes]
        blocks.append(_figure("What was achieved", lambda path: draw_profile(hardware, path)))
        blocks += [Grid(table, fold=table.title or "More") for table in tables]
        parts.append(Part("hardware", "What the hardware did", blocks))
    headline = " ".join(map(_headline, found.tasks)) or "No entry is counted."
    return page_of_parts(title, "Training runs", headline, [], parts, ["Made with genset."])


def _headline(task: TaskTable) -> str:
    all_of_them = len(task.trainings) + len(task.never)
    some = f"{len(task.trainings)} of {count(all_of_them, 'entry', 'entries')}"
    doubt = f" (cannot tell: {len(task.doubtful)})" if task.doubtful else ""
    reach = agree(all_of_them, "reaches", "reach")
    words = f"{clean(task.task)}: {some} {reach} {goal(task)}{doubt}"
    if not task.trainings:
        return f"{words}."
    fastest = min(task.trainings, key=lambda row: row.hours or 0)
    return f"{words}; the fastest, {short_name(fastest.name)}, in {spoken(fastest.hours or 0)}."


def _curves(task: TaskTable, runs: Sequence[Training]) -> Iterator[Block]:
    """The score of each run against time; of too many, of those of the fastest entries."""
    order = {row.name: place for place, row in enumerate([*task.trainings, *task.never])}
    best = sorted(runs, key=lambda run: order.get(entry_name([run]), len(order)))[:_MOST]
    if best:
        which = f"; the {_MOST} best of {len(runs)} runs" * (len(runs) > _MOST)
        caption = f"Score against time, to {goal(task)}{which}"
        yield _figure(caption, lambda path: draw_curves(task, best, path))


def _stability(task: TaskTable, runs: Sequence[Training]) -> Iterator[Block]:
    """How stable each entry of several runs is, or why that cannot be said."""
    for several in by_entry(runs):
        if len(several) > 1:
            yield Heading(f"How stable: {short_name(entry_name(several))}")
            try:
                yield from map(Grid, stability_tables(stability(several, task.threshold)))
            except BadInput as error:
                yield Paragraph(clean(str(error), 400), "odd")


def _figure(caption: str, draw: Callable[[Path], None]) -> Figures:
    """A figure of matplotlib's, as a picture: so no two share the names of their parts."""

    def drawn() -> list[tuple[str, Markup]]:
        with TemporaryDirectory(prefix="genset-") as folder:
            path = Path(folder) / "figure.svg"
            draw(path)
            content = base64.b64encode(path.read_bytes()).decode()
        picture = Markup('<img alt="{}" src="data:image/svg+xml;base64,{}">')
        return [(caption, picture.format(caption, content))]

    return Figures(drawn, "big")
