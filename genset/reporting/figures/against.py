"""Accuracy here over accuracy elsewhere: models, published weights, lines and their bands."""

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from genset.core.numbers import points as in_points
from genset.core.safe import clean
from genset.reporting.baseline import Against, Baseline
from genset.reporting.figures.plot import Plot, Point, el, families, legend, share_axis
from genset.reporting.line import Fit
from genset.statistics.trend import expit

_EVERYWHERE = expit(np.linspace(-7, 7, 100)).tolist()


def against_plot(title: str, baseline: Baseline, sures: Sequence[tuple[float, float]]) -> Markup:
    """A point for each model on logit axes, where the line is straight.

    Of many models those farthest from the line are named. The dashed line is "as good here as
    there".

    Args:
        title: of the figure.
        baseline: the accuracies on both sets, and the lines.
        sures: the ends of the interval of each model's accuracy here, in the order of
            `baseline.models`, 0 to 1.
    """
    known, models = baseline.known, baseline.models
    there = [m.there for m in models], [m.there for m in known]
    here = [end for ends in sures for end in ends], [m.here for m in known]
    plot = Plot(
        share_axis(baseline.there, *there, logits=True),
        share_axis(baseline.here, *here, logits=True),
    )
    family = families({model.label: model.tags for model in models})
    points = {
        model.label: Point(
            model.label,
            _says(model),
            model.there,
            model.here,
            ends,
            family.get(model.label, ("", "var(--ink)"))[1],
        )
        for model, ends in zip(models, sures, strict=True)
    }
    off = sorted(models, key=lambda model: -abs(model.gap if model.above is None else model.above))
    inside = plot.clipped(
        _cloud(plot, baseline),
        *([_bands(plot, fit), _line(plot, fit)] if (fit := baseline.fit) else []),
        plot.line(_EVERYWHERE, _EVERYWHERE, stroke_dasharray="5 4"),
    )
    named = [points[model.label] for model in off]
    frame = plot.frame
    return plot.svg(
        title,
        inside,
        plot.points(list(points.values()), named),
        legend(family, frame.right - 8, frame.bottom - 10),
    )


def _cloud(plot: Plot, baseline: Baseline) -> Markup:
    """The published weights, small."""
    known = baseline.known
    xs, ys = plot.x(model.there for model in known), plot.y(model.here for model in known)
    circles = [
        Markup(
            '<circle cx="{:.1f}" cy="{:.1f}" r="2" data-name="{}" data-says="{}"><title>{}: {}'
            "</title></circle>"
        ).format(x, y, name := clean(model.name, 60), text := _both(model), name, text)
        for model, x, y in zip(known, xs, ys, strict=True)
    ]
    return el("g", *circles, fill="var(--muted)", fill_opacity=0.45)


def _both(model: object) -> str:
    there, here = (100 * getattr(model, name) for name in ("there", "here"))
    return f"{there:.2f} % there, {here:.2f} % here"


def _says(model: Against) -> str:
    above = "" if model.above is None else f", {in_points(model.above)} points by the line"
    return _both(model) + above + " (guess)" * model.is_guess


def _bands(plot: Plot, fit: Fit) -> Markup:
    """Where further models lie, and inside it where the line is."""
    across = [point.there for point in fit.line]
    drawn = []
    for ends, opacity in (
        ([point.prediction for point in fit.line], 0.1),
        ([point.band for point in fit.line], 0.25),
    ):
        edge = (
            plot.path(across, (end.high for end in ends)),
            plot.path(across[::-1], (end.low for end in ends[::-1])),
        )
        drawn.append(
            el("polygon", points=" ".join(edge), fill="var(--accent)", fill_opacity=opacity)
        )
    return Markup("").join(drawn)


def _line(plot: Plot, fit: Fit) -> Markup:
    across, up = [point.there for point in fit.line], [point.here for point in fit.line]
    return plot.line(across, up, stroke="var(--accent)", stroke_width=1.6)
