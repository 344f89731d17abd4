"""A report on one set: its numbers are gathered once, and printed in any of its forms."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from genset.core.errors import BadInput
from genset.core.files import write_text
from genset.reporting.options import PLAIN, ReportOptions
from genset.sets.photos import PhotoSet

if TYPE_CHECKING:
    from genset.reporting.report import ReportData

_PAGES = (b"<!doctype html", b"<html")
_HEAD = 1000  # bytes at the start of a page, which say that it is one


class Report:
    """The report on a set, and on the models scored on it, in each of its forms.

    Nothing is read, and neither NumPy nor what draws is loaded, before a form is asked for.

    Each form raises:
        BadInput: an option names what is not there.
        MissingExtra: Jinja is not installed.
        GensetError: a run's files are not what `genset evaluate` wrote.
    """

    def __init__(
        self,
        photos: PhotoSet,
        runs: Path,
        options: ReportOptions = PLAIN,
        others: Sequence[tuple[str, PhotoSet]] = (),
    ) -> None:
        """Remember what to report on.

        Args:
            photos: the set. Without a model scored on it yet it has a report too.
            runs: the folder of runs.
            options: what is asked for beyond the runs.
            others: further sets to compare with, each with what the user called it.

        Raises:
            BadInput: two of the sets are the same photos.
        """
        self._photos, self._runs, self._options = photos, runs, options
        self._others = _named_apart(photos, options.named or photos.name, others)

    @cached_property
    def data(self) -> "ReportData":
        """The numbers in it."""
        from genset.reporting.collect import collect

        return collect(self._photos, self._runs, self._options, self._others)

    def write(self, path: Path) -> None:
        """Write it as one HTML file."""
        check_page(path)  # before the work is done
        from genset.reporting.page import page_of

        write_page(path, page_of(self.data))

    def write_figures(self, folder: Path) -> None:
        """Write each of its figures as SVG and as PDF."""
        from genset.reporting.figures.export import write_figures

        write_figures(self.data, folder)

    def printed(self, format: str) -> str:
        """The report as "markdown", or its models and other sets as "text", "csv" or "latex"."""
        if format == "markdown":
            from genset.reporting.forms import as_markdown

            return as_markdown(self.data)
        from genset.core.table import render
        from genset.reporting.sections.board import models_table, paper_table
        from genset.reporting.sections.sets import tables

        in_paper = format == "latex"
        models = paper_table(self.data) if in_paper else models_table(self.data)
        others = list(tables(self.data, in_paper=in_paper))
        if others and not in_paper:
            models = replace(models, title=f"Models on {self._photos.name}")
        return render([models, *others], format)

    def json(self) -> str:
        """Everything in it but the pictures, as a JSON document."""
        from genset.reporting.forms import report_json

        return json.dumps(report_json(self.data), indent=2)


def _named_apart(
    photos: PhotoSet, name: str, others: Sequence[tuple[str, PhotoSet]]
) -> list[tuple[str, PhotoSet]]:
    """The other sets by names that differ: where two share one, with the folder it lies in."""
    names = {photos.content_hash: name}
    for called, other in others:
        if (same := names.get(other.content_hash)) is not None:
            raise BadInput(f"{same} and {called} are the same photos: name each set once")
        names[other.content_hash] = called
    times = Counter([photos.name, *(other.name for _, other in others)])
    return [
        (f"{other.name} ({_folder(called, other)})" if times[other.name] > 1 else other.name, other)
        for called, other in others
    ]


def _folder(called: str, photos: PhotoSet) -> str:
    """The folder that a set is called by, or lies in: no more of where this machine keeps it."""
    path = Path(called)
    return path.parent.name if path.stem == photos.name else path.name


def report_path(sets: Sequence[PhotoSet], requested: str) -> Path:
    """Where a report is written: its file, or ``report-NAME.html`` in a folder.

    Args:
        sets: the report's set, and those that it is compared with.
        requested: a file; a folder, which is there or ends with a slash; "" for the current folder.
    """
    path = Path(requested)
    is_folder = requested.endswith("/") or path.is_dir()
    names = (re.sub(r"[\s()]+", "-", photos.name).strip("-") for photos in sets)
    name = "-".join(["report", *names])
    return path / f"{name}.html" if is_folder or not requested else path


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
