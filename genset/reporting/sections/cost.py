"""Accuracy and cost: parameters, FLOPs, image size, speed, and the Pareto front of each."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from markupsafe import Markup

from genset.core.numbers import percent
from genset.core.safe import clean
from genset.reporting.blocks import Block, Figures, Paragraph, Part
from genset.reporting.figures.plot import Plot, Point, families, legend, log_axis, share_axis
from genset.reporting.report import ReportData, ScoredModel, Section, no_numbers

_COSTS = {
    "parameters": ("parameters (million)", 1e6),
    "flops": ("FLOPs a photo (billion)", 1e9),
    "image_size": ("image size (pixels a side)", 1),
    "photos_per_second": ("photos a second", 1),
}
_SPEED = "photos_per_second"  # more is better, and devices differ
_MEANING = (
    "The line is the Pareto front: no model on one side of it is both cheaper and more accurate. "
    "Both axes begin near the models; costs are on a logarithmic one."
)


def show(_: None, data: ReportData) -> Iterator[Part]:
    """A figure for each cost that differs between models."""
    if any(len(_known(name, data.ranked)) > 1 for name in _COSTS):
        blocks: list[Block] = [Figures(lambda: _figures(data.ranked), css="half")]
        yield Part(
            "cost", "Accuracy and cost", [*blocks, Paragraph(_MEANING, "note")], page_only=True
        )


def _known(name: str, models: Sequence[ScoredModel]) -> dict[str, float]:
    """A cost of each model that has it; none where it is the same for all."""
    found = {m.label: m.run.cost[name] / _COSTS[name][1] for m in models if m.run.cost.get(name)}
    if name == _SPEED:
        device = _device(models)
        found = {
            m.label: found[m.label] for m in models if m.label in found and m.run.device == device
        }
    return found if len(set(found.values())) > 1 else {}


def _device(models: Sequence[ScoredModel]) -> str:
    """Where most models' speed was measured."""
    devices = Counter(model.run.device for model in models if model.run.cost.get(_SPEED))
    return max(devices, key=devices.__getitem__, default="")


def _figures(models: Sequence[ScoredModel]) -> list[tuple[str, Markup]]:
    figures = []
    colours = families({model.label: model.run.tags for model in models})
    for name in _COSTS:
        if not (known := _known(name, models)):
            continue
        title = f"{_COSTS[name][0]}{f' on {clean(_device(models), 40)}' * (name == _SPEED)}"
        points = [_point(m, known[m.label], title, colours) for m in models if m.label in known]
        ends = [end for point in points for end in point.ends or ()]
        plot = Plot(log_axis(title, list(known.values())), share_axis("Top-1", ends), (620, 400))
        front = pareto(points, -1 if name == _SPEED else 1)
        corners = [(after.x, before.y) for before, after in pairwise(front)]
        steps = [(p.x, p.y) for p in front]
        line = sorted([*steps, *corners], key=lambda at: (at[1], abs(at[0] - front[0].x)))
        svg = plot.svg(
            f"Top-1 accuracy over {title}",
            plot.line([x for x, _ in line], [y for _, y in line], stroke="var(--accent)"),
            plot.points(points, front[::-1]),
            legend(colours, plot.frame.right - 8, plot.frame.bottom - 10),
        )
        figures.append((f"Top-1 accuracy over {title}", svg))
    return figures


def _point(
    model: ScoredModel, cost: float, title: str, colours: dict[str, tuple[str, str]]
) -> Point:
    found = model.top1.accuracy
    says = f"{percent(found.share, found.photos)} %, {title}: {cost:,.4g}"
    colour = colours.get(model.label, ("", "var(--accent)"))[1]
    return Point(model.label, says, cost, found.share, (found.low, found.high), colour)


def pareto(points: Sequence[Point], sign: int = 1) -> list[Point]:
    """The points that none beats in both, the cheapest first; `sign` is -1 where more is better."""
    found: list[Point] = []
    for point in sorted(points, key=lambda point: (sign * point.x, -point.y)):
        if not found or point.y > found[-1].y:
            found.append(point)
    return found


SECTION = Section("cost", no_numbers, show)
