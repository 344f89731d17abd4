"""The index page of a series: one HTML file that needs nothing beside it but the full reports."""

from genset.core import numbers
from genset.core.errors import MissingExtra
from genset.reporting.names import short_names
from genset.reporting.render.page.anchors import LEFT_OUT, run_anchor
from genset.reporting.render.page.leaderboard import NAME
from genset.reporting.render.page.script import policy, script
from genset.reporting.render.templates import templates
from genset.reporting.series import narrative
from genset.reporting.series.data import OnSet, Series, SetInSeries, SetPair
from genset.reporting.series.render.figure import pair_plot

_OPEN = 3  # pairs that are shown unfolded
_MANY = 25  # models; of more, a pair's table is folded


def html_of(series: Series) -> str:
    """The index page. The same data give the same text.

    Raises:
        MissingExtra: Jinja is not installed.
    """
    try:
        environment = templates("genset.reporting.series.render", "genset.reporting.render")
    except ModuleNotFoundError:
        raise MissingExtra("the report", "evaluate") from None
    source = script()
    return environment.get_template("series.html.j2").render(
        series=series,
        shown=[model for model in series.models if any(on and not on.flags for on in model.on)],
        left_out=[model for model in series.models if any(on and on.flags for on in model.on)],
        changed=_changed(series),
        short=short_names([model.label for model in series.models], NAME),
        links=_links(series),
        link=_link,
        subsets=[each for each in enumerate(series.sets) if each[1].is_subset],
        pairs=[(pair, _figure(series, pair)) for pair in series.pairs],
        narrative=narrative,
        numbers=numbers,
        most_open=_OPEN,
        many=_MANY,
        script=source,
        policy=policy(source),
    )


def _figure(series: Series, pair: SetPair) -> str:
    if len(pair.models) < 2:
        return ""
    return pair_plot(f"Top-1 accuracy on {narrative.pair_name(series, pair)}", pair)


def _changed(series: Series) -> list[bool]:
    """On which sets any model has a change from the first one."""
    return [
        any(on and on.change for on in column)
        for column in zip(*(model.on for model in series.models), strict=True)
    ] or [False] * len(series.sets)


def _links(series: Series) -> dict[str, str]:
    """Where the first full report that has a model tells of it, by the model's label."""
    return {
        model.label: next(
            _link(each, on)
            for is_flagged in (False, True)
            for each, on in zip(series.sets, model.on, strict=True)
            if on and bool(on.flags) is is_flagged
        )
        for model in series.models
    }


def _link(each: SetInSeries, on: OnSet) -> str:
    """Where a set's full report tells of a run."""
    return f"{each.page}#{LEFT_OUT if on.flags else run_anchor(on.key)}"
