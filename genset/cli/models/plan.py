"""The command that says how many photos a difference needs."""

from dataclasses import astuple, fields
from functools import partial
from typing import Any

import click

from genset.cli.common import format_option, show_tables
from genset.core.errors import BadInput
from genset.core.table import Column, Table
from genset.sets.photos import Sampling

_PERCENT = click.FloatRange(0, 100, min_open=True)
_planning = partial(click.option, show_default=True)


@click.command()
@click.option("--difference", type=_PERCENT, required=True, help="Points between two models.")
@click.option("--accuracy", type=_PERCENT, required=True, help="The better model's, in %.")
@click.option(
    "--disagreement",
    type=_PERCENT,
    help="Photos that one alone has right, in % (default: as ImageNet models of such accuracies).",
)
@_planning("--models", type=click.IntRange(2), default=10, help="How many, beside one pair.")
@_planning("--among", "classes", type=click.IntRange(2), default=1000, help="How many classes.")
@_planning(
    "--classes",
    "sampling",
    type=click.Choice(["sample", "fixed"]),
    default="sample",
    help="Whether these are a sample of classes, or all that there are.",
)
@_planning("--accepted", type=_PERCENT, default=50.0, help="Correct candidates, in %.")
@_planning("--votes", type=click.IntRange(1), default=3, help="Labelers of a candidate.")
@_planning("--seconds", type=click.FloatRange(0), default=2.0, help="That a vote takes.")
@format_option
def plan(models: int, sampling: Sampling, format: str, **assumed: Any) -> None:
    """Say how many photos show a difference of two models, and how long they take to label.

    It is computed for one pair, and for all pairs of ten models, by the test of genset report.

    \b
    genset plan --difference 2 --accuracy 75
    genset plan --difference 2 --accuracy 75 --disagreement 15 --votes 5 --json
    """
    from genset.statistics import planning

    for name in ("difference", "accuracy", "disagreement", "accepted"):
        assumed[name] = assumed[name] and assumed[name] / 100
    usual = planning.usual_disagreement(assumed["accuracy"], assumed["difference"])
    assumed["disagreement"] = assumed["disagreement"] or usual
    found = planning.Assumptions(**assumed, fixed=sampling == "fixed")
    plans, notes = [planning.plan(found, 2)], []
    try:
        plans += [planning.plan(found, models)] * (models > 2)
    except BadInput as none:
        notes = [f"{none}."]
    names = [field.name for field in fields(planning.Plan)]
    alike = "independent" if found.fixed else f"alike by {planning.ALIKE}"
    note = (
        f"Supposed: the better model has {100 * found.accuracy:g} % right; one alone is right on "
        f"{100 * found.disagreement:.3g} % of the photos; photos of a class are {alike}; "
        f"{found.classes:,} classes, {'all that there are' if found.fixed else 'a sample'}; power "
        f"about 80 %; {100 * found.accepted:g} % of candidates are correct, by "
        f"{found.votes} votes of {found.seconds:g} s each."
    )
    table = Table(
        [Column(name, name.replace("_", " "), format="{:,}".format) for name in names],
        [astuple(one) for one in plans],
        title=f"Photos that show {100 * found.difference:g} points",
        notes=[note, *notes],
    )
    show_tables(table, format, {"assumed": found, "plans": plans, "notes": notes})
