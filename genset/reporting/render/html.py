"""The report as one HTML file that needs nothing beside it."""

from pathlib import Path

from genset.errors import MissingExtra
from genset.files import write_text
from genset.reporting.data.report import ReportData


def write_html(data: ReportData, path: Path) -> None:
    """Write the report to `path`, whole. The same data give the same bytes.

    Raises:
        MissingExtra: Jinja, or matplotlib for a figure of this report, is not installed.
    """
    try:
        from genset.reporting.render.page.page import page_of

        page = page_of(data)
    except ModuleNotFoundError:
        raise MissingExtra("the report", "evaluate") from None
    # A file's name may hold bytes that are no text, and a page is text.
    write_text(path, page.encode(errors="replace").decode())
