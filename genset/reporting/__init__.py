"""Say what was found, as one HTML file, Markdown or JSON: all from the same numbers."""

from pathlib import Path

from genset.evaluation.data.photos import PhotoSet
from genset.reporting.data.report import PLAIN, ReportData, ReportOptions
from genset.reporting.gather.collect import collect, collect_results
from genset.reporting.render.html import write_html

__all__ = [
    "ReportData",
    "ReportOptions",
    "collect",
    "collect_results",
    "write_html",
    "write_report",
]


def write_report(
    photos: PhotoSet, runs: Path, path: Path, options: ReportOptions = PLAIN
) -> ReportData:
    """Write the report on a set, and on the models scored on it, to `path`.

    A set that no model was scored on yet has a report too. Returns the numbers in it.

    Raises:
        BadInput: an option names what is not there.
        MissingExtra: Jinja or matplotlib is not installed.
        GensetError: a run's files are not what `genset evaluate` wrote.
    """
    data = collect(photos, runs, options)
    write_html(data, path)
    return data
