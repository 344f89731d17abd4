"""The whole page, from templates.

The tables are HTML and the figures SVG, so that the page is complete without scripts and in print.
One small script of our own sorts, filters and shows names: a charting library would be a megabyte
that draws the same figures a second time.
"""

from functools import partial
from typing import Any

from markupsafe import Markup

from genset.classes import imagenet1k
from genset.classes.kinds import MOST_KINDS
from genset.core import numbers
from genset.core.links import web_link
from genset.reporting.data.report import ReportData
from genset.reporting.format import class_name, interval, probability, settings
from genset.reporting.gather.finetuning import confused, extremes
from genset.reporting.gather.sources import MOST_COMPARED
from genset.reporting.names import short_names
from genset.reporting.narrative import baseline as baseline_narrative
from genset.reporting.narrative import finetuning as finetuning_narrative
from genset.reporting.narrative import margins
from genset.reporting.narrative import missed as missed_narrative
from genset.reporting.narrative import models as narrative
from genset.reporting.narrative import multilabel as truth_narrative
from genset.reporting.narrative import sources as sources_narrative
from genset.reporting.narrative import training as training_narrative
from genset.reporting.narrative import tta as tta_narrative
from genset.reporting.narrative.again import commands
from genset.reporting.render.page.figures import figures
from genset.reporting.render.page.leaderboard import NAME, leaderboard
from genset.reporting.render.page.profiles import NEAR, profiles
from genset.reporting.render.page.script import policy, script
from genset.reporting.render.page.sections import contents
from genset.reporting.render.templates import templates
from genset.reporting.render.thumbnails import is_restricted, thumbnail

_MATRIX = 10  # models whose every pair fits on a page
_HEAD = 24  # letters of a model's name over a column
_ROWS = 12
_OF_KIND = 50  # classes of a kind that are listed
_ANSWERS = 6  # models whose answers stand below each photo
_OPEN = 12  # models whose rows are not folded
_PICTURES, _FEW_PICTURES = 8, 4  # photos of a gallery that are not folded, of few models and many


def page_of(data: ReportData) -> str:
    """The report's page.

    Raises:
        ModuleNotFoundError: Jinja, or matplotlib for a figure of this report, is not installed.
    """
    environment = templates("genset.reporting.render")
    # The head lists the sections that there are, so these come first.
    sections = environment.get_template("sections.html.j2").render(_words(data))
    source = script()
    return environment.get_template("report.html.j2").render(
        data=data,
        narrative=narrative,
        sources_narrative=sources_narrative,
        sections=Markup(sections),  # noqa: S704 - the template above has escaped it
        contents=contents(sections),
        script=source,
        policy=policy(source),
    )


def _words(data: ReportData) -> dict[str, Any]:
    """What the sections' templates know by name."""
    samples = [sample for gallery in data.galleries for sample in gallery.samples]
    anchors = {sample.id: f"photo-{number}" for number, sample in enumerate(samples, 1)}
    tuned = [model.label for task in data.finetuning for model in task.models]
    best = [model.label for model in data.models[:_MATRIX]]
    return {
        "data": data,
        "board": leaderboard(data),
        "commands": commands,
        "profiles": profiles(data, anchors),
        "anchors": anchors,
        "figures": figures(data),
        "matrix": _matrix(data),
        "names": short_names([model.label for model in data.models], NAME),
        "short": short_names([*best, *tuned], _HEAD),
        "numbers": numbers,
        "interval": interval,
        "probability": probability,
        "settings": settings,
        "web_link": web_link,
        "narrative": narrative,
        "baseline_narrative": baseline_narrative,
        "truth_narrative": truth_narrative,
        "sources_narrative": sources_narrative,
        "training_narrative": training_narrative,
        "tta_narrative": tta_narrative,
        "margins": margins,
        "finetuning_narrative": finetuning_narrative,
        "missed_narrative": missed_narrative,
        "extremes": extremes,
        "confused": confused,
        "is_restricted": is_restricted,
        "thumbnail": thumbnail,
        "class_name": partial(class_name, own=data.taxonomy),
        "all_classes": len(imagenet1k()),
        "most_rows": _ROWS,
        "most_kinds": MOST_KINDS,
        "most_of_kind": _OF_KIND,
        "by_id": _means(data) if data.kinds else {},
        "most_sources": MOST_COMPARED,
        "most_answers": _ANSWERS,
        "most_open": _OPEN,
        "most_near": NEAR,
        "most_pictures": _PICTURES if len(data.models) <= _OPEN else _FEW_PICTURES,
    }


def _means(data: ReportData) -> dict[str, str]:
    """Each class's mean accuracy over the models, by its id."""
    return {
        group.name: f"{100 * group.mean:.0f} %" if group.counted else "–" for group in data.classes
    }


def _matrix(data: ReportData) -> list[tuple[str, list[Any]]]:
    """For each of the best models, its pair with each of them; None on the diagonal."""
    labels = [model.label for model in data.models[:_MATRIX]]
    pairs = {(pair.first, pair.second): pair for pair in data.pairs}
    return [
        (row, [pairs.get((row, column)) or pairs.get((column, row)) for column in labels])
        for row in labels
    ]
