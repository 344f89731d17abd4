"""The report as one HTML file that needs nothing beside it.

The tables are HTML and the figures SVG, so that the page is complete without scripts and in print.
One small script of our own sorts, filters and shows names: a charting library would be a megabyte
that draws the same figures a second time.
"""

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from markupsafe import Markup

from genset.core.errors import needs_extra
from genset.core.safe import clean
from genset.licenses import FLICKR_NOTICE
from genset.reporting.blocks import Part
from genset.reporting.headline import certainty, headline
from genset.reporting.html import html_of
from genset.reporting.report import ReportData
from genset.reporting.sections import sources
from genset.reporting.sections.order import SECTIONS

if TYPE_CHECKING:
    from jinja2 import Template


def page_of(data: ReportData) -> str:
    """The report's page. The same data give the same page.

    Raises:
        MissingExtra: Jinja is not installed.
    """
    about = data.set
    kind = "List of photos" if about.listed else "Folder of photos"
    owners = ""
    if about.release:
        kind = "Release"
        owners = ". Photos belong to their owners, under the licences named with them"
    with needs_extra("the report", "report"):
        found = data.of(sources.SECTION)
        of_sources = found.sources if found else ()
        notices = [FLICKR_NOTICE for source in of_sources if source.name == "flickr"]
        notices += [source.notice for source in of_sources if source.notice]
        return page_of_parts(
            title=clean(about.name),
            kind=kind,
            headline=headline(data),
            sentences=certainty(data),
            parts=[part for section in SECTIONS for part in section.show(data.of(section), data)],
            notices=[f"Made with genset{owners}.", *dict.fromkeys(notices)],
        )


def page_of_parts(
    title: str,
    kind: str,
    headline: str,
    sentences: Sequence[str],
    parts: Sequence[Part],
    notices: Sequence[str],
) -> str:
    """A page in the report's form: its head, what it is in a sentence or several, and its parts.

    Raises:
        ModuleNotFoundError: Jinja is not installed.
    """
    source = (files("genset.reporting") / "templates" / "script.js").read_text("utf-8")
    # The hash is over the element's text, to the byte: nothing from outside, and this script alone.
    digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
    return template().render(
        title=title,
        kind=kind,
        headline=headline,
        sentences=sentences,
        parts=parts,
        html_of=html_of,
        notices=notices,
        script=Markup(source),  # noqa: S704 - our own file
        policy="default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
    )


@cache
def template() -> "Template":
    """The page's frame, compiled once for all pages that a process writes.

    Raises:
        ModuleNotFoundError: Jinja is not installed.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    # Titles, owners and addresses are strangers' words: the page escapes all that it prints.
    environment = Environment(
        loader=PackageLoader("genset.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.j2")
