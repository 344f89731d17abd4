"""The report as one HTML file that needs nothing beside it."""

from genset.core.errors import MissingExtra
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
