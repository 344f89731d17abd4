"""The index page of a series: one HTML file that needs nothing beside it but the full reports."""

from genset.errors import MissingExtra
from genset.reporting.render.page.script import policy, script
from genset.reporting.series import narrative
from genset.reporting.series.data import Series, SetPair
from genset.reporting.series.render.figure import pair_plot
from genset.text import numbers
from genset.text.safe import clean

_OPEN = 3  # pairs that are shown unfolded


def html_of(series: Series) -> str:
    """The index page. The same data give the same text.

    Raises:
        MissingExtra: Jinja is not installed.
    """
    try:
        from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
    except ModuleNotFoundError:
        raise MissingExtra("the report", "evaluate") from None
    environment = Environment(
        loader=ChoiceLoader(
            [
                PackageLoader("genset.reporting.series.render"),
                PackageLoader("genset.reporting.render"),
            ]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["clean"] = clean
    source = script()
    return environment.get_template("series.html.j2").render(
        series=series,
        subsets=[each for each in enumerate(series.sets) if each[1].is_subset],
        pairs=[(pair, _figure(series, pair)) for pair in series.pairs],
        narrative=narrative,
        numbers=numbers,
        most_open=_OPEN,
        script=source,
        policy=policy(source),
    )


def _figure(series: Series, pair: SetPair) -> str:
    if len(pair.models) < 2:
        return ""
    return pair_plot(f"Top-1 accuracy on {narrative.pair_name(series, pair)}", pair)
