"""A report's figures as files: SVG for a page or a slide, PDF for a paper."""

import io
import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from genset.core.errors import BadInput, needs_extra
from genset.core.files import written_whole
from genset.reporting.blocks import Figure, Figures
from genset.reporting.figures.plot import el
from genset.reporting.report import ReportData
from genset.reporting.sections import each_model
from genset.reporting.sections.order import SECTIONS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Patch

_NAMESPACE = "http://www.w3.org/2000/svg"
_WIDTH = 880  # pixels, of a figure that has the width of its page
_ROOM = 20  # pixels more than a figure has
_LETTER, _LINE = 6.2, 16  # pixels, of a caption: a letter's width, a line's height
_POINTS = 0.75  # in a pixel
_STYLES = ("fill", "stroke", "stroke-width", "fill-opacity", "stroke-dasharray", "font-size")


def write_figures(data: ReportData, folder: Path) -> list[Path]:
    """Write each figure of a report as ``SECTION-NUMBER.svg`` and ``.pdf``.

    Raises:
        BadInput: the folder is a file.
        MissingExtra: matplotlib is not installed.
    """
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file: name a folder for the figures")
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for name, drawn in _figures(data):
        svg = _standalone(*drawn)
        for suffix, content in ((".svg", svg.encode()), (".pdf", pdf_of(svg))):
            with written_whole(folder / f"{name}{suffix}") as file:
                file.write(content)
            found.append(folder / f"{name}{suffix}")
    return found


def _figures(data: ReportData) -> Iterator[tuple[str, Figure]]:
    for section in SECTIONS:
        for part in section.show(data.of(section), data):
            blocks = (block for block in part.blocks if isinstance(block, Figures))
            drawn = [figure for block in blocks for figure in block.draw()]
            yield from ((f"{part.anchor}-{n}", figure) for n, figure in enumerate(drawn, 1))
    known = ((model, model.calibration) for model in data.models)
    plots = (each_model.calibration_plot(model, found) for model, found in known if found)
    yield from ((f"calibration-{n}", figure) for n, figure in enumerate(plots, 1))


def _standalone(caption: str, svg: str) -> str:
    """A figure that needs no page: with the light page's colours, a size in pixels, its caption."""
    css = (files("genset.reporting") / "templates" / "style.css").read_text("utf-8")
    colours = dict(reversed(re.findall(r"--(\w+): (#\w+);", css)))  # the first one counts
    svg = re.sub(r"var\(--(\w+)\)", lambda found: colours[found[1]], svg)
    width, height = _size(_parsed(svg))
    if "viewBox" in svg.partition(">")[0]:
        lines = wrap(caption, int(width / _LETTER))
        words = (
            el("text", t, x=0, y=height + _LINE * n, font_size=12) for n, t in enumerate(lines, 1)
        )
        svg = svg.removesuffix("</svg>") + "".join(words) + "</svg>"
        width += _ROOM  # words may stand out to the right
        height += _LINE * (len(lines) + bool(lines))
        svg = re.sub(r'viewBox="[^"]+', f'viewBox="0 0 {width:g} {height:g}', svg, count=1)
        svg = svg.replace("<svg", f'<svg height="{height:g}"', 1)
    head = f'<svg xmlns="{_NAMESPACE}" font-family="sans-serif" width="{width:g}"'
    return svg.replace("<svg", head, 1)


def _parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)  # noqa: S314 - of our own


def _size(root: ElementTree.Element) -> tuple[float, float]:
    if box := root.get("viewBox"):
        _, _, width, height = map(float, box.split())
        return width, height
    return _WIDTH, float(root.get("height", 0))


def pdf_of(svg: str) -> bytes:
    """A standalone figure as PDF, in which text stays text.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    with needs_extra("a figure as PDF", "report"):
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    root = _parsed(svg)
    width, height = _size(root)
    file = io.BytesIO()
    with rc_context({"pdf.fonttype": 42}):
        figure = Figure((width * _POINTS / 72, height * _POINTS / 72))
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
        axes.set_axis_off()
        _draw(axes, root, {"width": width}, (0.0, 0.0), None)
        figure.savefig(file, format="pdf", bbox_inches="tight", metadata={"CreationDate": None})
    return file.getvalue()


def _draw(
    axes: "Axes",
    element: ElementTree.Element,
    style: Mapping[str, Any],
    at: tuple[float, float],
    clip: "Patch | None",
) -> None:
    """An element and all in it; `at` is where its coordinates begin."""
    from matplotlib.patches import Rectangle

    style = {**style, **{name: value for name in _STYLES if (value := element.get(name))}}
    kind = element.tag.rpartition("}")[2]
    if kind == "text":
        _write(axes, element, style, at)
    elif shape := _shape(element, kind, style, at):
        axes.add_patch(shape)
        if clip:
            shape.set_clip_path(clip)
    if kind == "svg" and element.get("x"):
        if size := element.get("viewBox"):  # begins where the element stands
            x, y, width, height = map(float, size.split())
            clip = Rectangle((x, y), width, height, transform=axes.transData)
        else:
            at = _length(element, "x", style), _length(element, "y", style)
    for child in element:
        _draw(axes, child, style, at, clip)


def _length(element: ElementTree.Element, name: str, style: Mapping[str, Any]) -> float:
    text = element.get(name, "0")
    return float(text[:-1]) / 100 * style["width"] if text.endswith("%") else float(text)


def _shape(
    element: ElementTree.Element, kind: str, style: Mapping[str, Any], at: tuple[float, float]
) -> "Patch | None":
    from matplotlib.patches import Circle, Polygon, Rectangle

    def number(name: str) -> float:
        return _length(element, name, style)

    dashes = [float(n) * _POINTS for n in style.get("stroke-dasharray", "").split()]
    fill, stroke = style.get("fill", "black"), style.get("stroke", "none")
    how: dict[str, Any] = {
        "facecolor": fill if fill == "none" else (fill, float(style.get("fill-opacity", 1))),
        "edgecolor": stroke,
        "linewidth": float(style.get("stroke-width", 1)) * _POINTS,
        "linestyle": (0, dashes) if dashes else "-",
    }
    if kind == "rect":
        return Rectangle((number("x"), number("y")), number("width"), number("height"), **how)
    if kind == "circle":
        return Circle((number("cx"), number("cy")), number("r"), **how)
    if kind == "line":
        ends = [(number(f"x{n}"), number(f"y{n}")) for n in (1, 2)]
        return Polygon(ends, closed=False, **how)
    if kind in ("polyline", "polygon"):
        points = [
            tuple(map(float, point.split(","))) for point in element.get("points", "").split()
        ]
        return Polygon(points, closed=kind == "polygon", **how)
    return None


def _write(
    axes: "Axes", element: ElementTree.Element, style: Mapping[str, Any], at: tuple[float, float]
) -> None:
    x, y = at[0] + _length(element, "x", style), at[1] + _length(element, "y", style)
    turned = element.get("transform", "")
    if moved := re.match(r"translate\(([\d.]+) ([\d.]+)\)", turned):
        x, y = float(moved[1]), float(moved[2])
    turn = re.search(r"rotate\((-?\d+)\)", turned)
    sides = {"middle": "center", "end": "right"}
    axes.text(
        x,
        y,
        (element.text or "").replace("$", r"\$"),
        color=style.get("fill", "black"),
        fontsize=float(style.get("font-size", 12)) * _POINTS,
        ha=sides.get(element.get("text-anchor", ""), "left"),
        va="baseline",
        rotation=-float(turn[1]) if turn else 0,
        rotation_mode="anchor",
    )
