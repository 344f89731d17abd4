"""The report as one HTML file that needs nothing beside it."""

from pathlib import Path

from genset.core.errors import MissingExtra
from genset.core.files import write_text
from genset.reporting.data.report import ReportData


def html_of(data: ReportData) -> str:
    """The report's page. The same data give the same page.

    Raises:
        MissingExtra: Jinja, or matplotlib for a figure of this report, is not installed.
    """
    try:
        from genset.reporting.render.page.page import page_of

        return page_of(data)
    except ModuleNotFoundError:
        raise MissingExtra("the report", "evaluate") from None


def write_html(data: ReportData, path: Path) -> None:
    """Write the report to `path`, whole.

    Raises:
        MissingExtra: Jinja, or matplotlib for a figure of this report, is not installed.
    """
    # A file's name may hold bytes that are no text, and a page is text.
    write_text(path, html_of(data).encode(errors="replace").decode())
