"""The report as one HTML file that needs nothing beside it: no network, no font, no script."""

from pathlib import Path

from genset.errors import MissingExtra
from genset.files import write_text
from genset.report import words
from genset.report.data import ReportData
from genset.report.pictures import thumbnail
from genset.taxonomy import imagenet1k


def write_html(data: ReportData, path: Path) -> None:
    """Write the report to `path`, whole. The same data give the same bytes.

    Raises:
        MissingExtra: Jinja or matplotlib is not installed.
    """
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined

        from genset.report.figures import interval_plot
    except ModuleNotFoundError:
        raise MissingExtra("the report", "evaluate") from None
    # Titles, owners and addresses are strangers' words: the page escapes all that it prints.
    environment = Environment(
        loader=PackageLoader("genset.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["clean"] = words.clean
    page = environment.get_template("report.html.j2").render(
        data=data,
        words=words,
        thumbnail=thumbnail,
        all_classes=len(imagenet1k()),
        figures=[
            interval_plot(
                "Top-1 accuracy with 95 % intervals",
                [(model.label, model.run.top1) for model in data.models],
            ),
            interval_plot(
                "Top-5 accuracy with 95 % intervals",
                [(model.label, model.run.top5) for model in data.models],
            ),
        ]
        if data.models
        else [],
    )
    # A file's name may hold bytes that are no text, and a page is text.
    write_text(path, page.encode(errors="replace").decode())
