"""A report on one set: gathered when it is asked for, and not made again where nothing changed."""

import json
import os
import re
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from genset.reporting.data.options import PLAIN, ReportOptions
from genset.reporting.inputs import (
    check_page,
    digest_of,
    is_page_of,
    keep_text,
    kept_text,
    write_page,
)
from genset.sets.photos import PhotoSet

if TYPE_CHECKING:
    from genset.reporting.data.report import ReportData
    from genset.score.results.results import Results


class Report:
    """The report on a set, and on the models scored on it, in each of its forms.

    A form that was made of the same things before is taken as it is: a page that is there already,
    the JSON and the Markdown of the last report on the set from what is kept among the runs. NumPy
    and what draws are loaded only where a form is made.

    Each form raises:
        BadInput: an option names what is not there.
        MissingExtra: Jinja or matplotlib is not installed.
        GensetError: a run's files are not what `genset evaluate` wrote.
    """

    def __init__(
        self,
        photos: PhotoSet,
        runs: Path,
        options: ReportOptions = PLAIN,
        load: "Callable[[], Results] | None" = None,
    ) -> None:
        """Nothing is read yet.

        Args:
            photos: the set, as it was opened just now. Without a model scored on it yet it has a
                report too.
            runs: the folder of runs.
            options: what is asked for beyond the runs.
            load: gives what was scored on the set; None: it is read from the runs.
        """
        self._photos, self._runs, self._options, self._load = photos, runs, options, load

    @cached_property
    def digest(self) -> str:
        """A hash over all that it is made of; "" where it cannot be told."""
        return digest_of(self._photos, self._runs, self._options)

    @cached_property
    def data(self) -> "ReportData":
        """The numbers in it."""
        from genset.reporting.gather.collect import collect_results
        from genset.score.results.results import load_results

        _ = self.digest  # of the files as they are before they are read
        results = self._load() if self._load else load_results(self._photos, self._runs)
        return collect_results(results, self._runs, self._options)

    def write(self, path: Path) -> bool:
        """Write it as one HTML file.

        Returns:
            False where the file is this report already, and was left as it is.
        """
        if is_page_of(path, self.digest):
            return False
        check_page(path)  # before work is done in vain
        from genset.reporting.render.html import html_of

        write_page(path, html_of(self.data), self.digest)
        return True

    def markdown(self) -> str:
        """Its tables as Markdown."""
        if (kept := kept_text(self._runs, self._name("md"), self.digest)) is not None:
            return kept
        from genset.reporting.render.markdown import as_markdown

        text = as_markdown(self.data)
        keep_text(self._runs, self._name("md"), self.digest, text)
        return text

    def json(self) -> str:
        """Everything in it but the pictures, as a JSON document."""
        if (kept := kept_text(self._runs, self._name("json"), self.digest)) is not None:
            return kept
        from genset.reporting.render.markdown import report_json

        text = json.dumps(report_json(self.data), indent=2)
        keep_text(self._runs, self._name("json"), self.digest, text)
        return text

    def _name(self, form: str) -> str:
        """Of the file that a form is kept in: one for each set, whatever is asked of it."""
        return f"{re.sub(r'[^A-Za-z0-9._-]+', '-', self._photos.name).strip('-.') or 'set'}.{form}"


def write_report(
    photos: PhotoSet, runs: Path, path: Path, options: ReportOptions = PLAIN
) -> "ReportData":
    """Write the report on a set to `path`, and give the numbers in it: see `Report`."""
    report = Report(photos, runs, options)
    report.write(path)
    return report.data


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
