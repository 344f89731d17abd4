"""Gather what a report says, and write it."""

import os
from pathlib import Path

from genset.evaluation.data.photos import PhotoSet
from genset.reporting.data.report import PLAIN, ReportData, ReportOptions
from genset.reporting.gather.collect import collect
from genset.reporting.render.html import write_html


def write_report(
    photos: PhotoSet, runs: Path, path: Path, options: ReportOptions = PLAIN
) -> ReportData:
    """Write the report on a set, and on the models scored on it, to `path`.

    A set that no model was scored on yet has a report too.

    Args:
        photos: the set.
        runs: the folder of runs.
        path: the HTML file.
        options: what is asked for beyond the runs.

    Returns:
        The numbers in it.

    Raises:
        BadInput: an option names what is not there.
        MissingExtra: Jinja or matplotlib is not installed.
        GensetError: a run's files are not what `genset evaluate` wrote.
    """
    data = collect(photos, runs, options)
    write_html(data, path)
    return data


def report_path(photos: PhotoSet, wanted: str) -> Path:
    """Where a report on a set is written: its file, or ``report-NAME.html`` in a folder.

    Args:
        photos: the set.
        wanted: a file; a folder, which is there or ends with a slash; "" for the current folder.
    """
    path = Path(wanted)
    return path / f"report-{photos.name}.html" if not wanted or _is_folder(wanted) else path


def _is_folder(named: str) -> bool:
    return named.endswith(("/", os.sep)) or Path(named).is_dir()
