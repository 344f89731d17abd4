"""A report on one set: its numbers are gathered once, and printed in any of its forms."""

import json
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from genset.core.errors import BadInput
from genset.core.files import write_text
from genset.reporting.data.options import PLAIN, ReportOptions
from genset.sets.photos import PhotoSet

if TYPE_CHECKING:
    from genset.reporting.data.report import ReportData
    from genset.score.results.results import Results

_PAGES = (b"<!doctype html", b"<html")
_HEAD = 1000  # bytes at the start of a page, which say that it is one


class Report:
    """The report on a set, and on the models scored on it, in each of its forms.

    Nothing is read, and neither NumPy nor what draws is loaded, before a form is asked for.

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
        """Remember what to report on.

        Args:
            photos: the set. Without a model scored on it yet it has a report too.
            runs: the folder of runs.
            options: what is asked for beyond the runs.
            load: gives what was scored on the set; None: it is read from the runs.
        """
        self._photos, self._runs, self._options, self._load = photos, runs, options, load

    @cached_property
    def data(self) -> "ReportData":
        """The numbers in it."""
        from genset.reporting.gather.collect import collect_results
        from genset.score.results.results import load_results

        results = self._load() if self._load else load_results(self._photos, self._runs)
        return collect_results(results, self._runs, self._options)

    def write(self, path: Path) -> None:
        """Write it as one HTML file."""
        check_page(path)  # before the work is done
        from genset.reporting.render.html import html_of

        write_page(path, html_of(self.data))

    def markdown(self) -> str:
        """Its tables as Markdown."""
        from genset.reporting.render.markdown import as_markdown

        return as_markdown(self.data)

    def json(self) -> str:
        """Everything in it but the pictures, as a JSON document."""
        from genset.reporting.render.markdown import report_json

        return json.dumps(report_json(self.data), indent=2)


def write_report(
    photos: PhotoSet, runs: Path, path: Path, options: ReportOptions = PLAIN
) -> "ReportData":
    """Write the report on a set to `path`, and give the numbers in it: see `Report`."""
    report = Report(photos, runs, options)
    report.write(path)
    return report.data


def report_path(photos: PhotoSet, requested: str) -> Path:
    """Where a report on a set is written: its file, or ``report-NAME.html`` in a folder.

    Args:
        photos: the set.
        requested: a file; a folder, which is there or ends with a slash; "" for the current folder.
    """
    path = Path(requested)
    is_folder = requested.endswith("/") or path.is_dir()
    return path / f"report-{photos.name}.html" if is_folder or not requested else path


def check_page(path: Path) -> None:
    """Check that a page may be written: in the place of another page, and of no other file.

    Raises:
        BadInput: a file is there that is no page.
    """
    if not path.is_file() or not path.stat().st_size:
        return
    with path.open("rb") as file:
        if not file.read(_HEAD).lstrip().lower().startswith(_PAGES):
            raise BadInput(f"{path} is there, and is no HTML page: name another file")


def write_page(path: Path, page: str) -> None:
    """Write a page whole. A link stays one, and who may read the file stays as it was.

    Raises:
        BadInput: a file is there that is no page.
    """
    check_page(path)
    path = path.resolve()
    mode = path.stat().st_mode if path.is_file() else None
    # A file's name may hold bytes that are no text, and a page is text.
    write_text(path, f"{page.rstrip()}\n".encode(errors="replace").decode())
    if mode is not None:
        with suppress(PermissionError):
            path.chmod(mode)
