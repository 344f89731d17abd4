"""Blocks as HTML. Whatever words they hold, they stay words."""

from collections.abc import Iterable, Sequence

from markupsafe import Markup, escape

from genset.core.safe import web_link
from genset.core.table import Table, as_html
from genset.reporting.blocks import (
    Block,
    Columns,
    Commands,
    Figures,
    Grid,
    Heading,
    Html,
    Paragraph,
)

NOTHING = Markup("")
_BREAKS = ("_", ".")  # behind which a long name may go on in the next line


def html_of(blocks: Iterable[Block]) -> Markup:
    """All blocks, one below the other; behind them, folded, what explains them."""
    notes: list[Block] = []
    rest: list[Block] = []
    for block in blocks:
        (notes if isinstance(block, Paragraph) and block.kind == "note" else rest).append(block)
    parts = [*map(_block, rest)]
    if notes:
        parts.append(folded("How to read this", Markup("\n").join(map(_block, notes))))
    return Markup("\n").join(parts)


def link(url: str, text: str) -> Markup:
    """Words that lead to an address, if it leads to the web; else the words alone."""
    address = web_link(url)
    if not address:
        return Markup("<bdi>{}</bdi>").format(text)
    return Markup('<a href="{}" rel="noopener noreferrer"><bdi>{}</bdi></a>').format(address, text)


def facts(pairs: Iterable[tuple[str, str]]) -> Markup:
    """A list of what is known: names with their values."""
    form = Markup("<dt>{}</dt><dd>{}</dd>")
    return Markup("<dl>\n{}\n</dl>").format(Markup("\n").join(form.format(*one) for one in pairs))


def breakable(name: str) -> Markup:
    """A name that may go on in the next line where a reader expects it."""
    text = escape(name)
    for sign in _BREAKS:
        text = text.replace(sign, Markup(f"{sign}<wbr>"))  # noqa: S704 - of our own
    return text


def folded(summary: str, body: Markup) -> Markup:
    """What a reader opens; what it holds is shown at once where there is no summary."""
    if not summary:
        return body
    return Markup("<details>\n<summary>{}</summary>\n{}\n</details>").format(summary, body)


def _block(block: Block) -> Markup:
    match block:
        case Heading(text):
            return Markup("<h3>{}</h3>").format(text)
        case Paragraph(text, kind):
            css = Markup(' class="{}"').format(kind) if kind else NOTHING
            return Markup("<p{}>{}</p>").format(css, text)
        case Grid(table, fold, css, page):
            return folded(fold, page() if page else grid(table, f"list {css}".strip()))
        case Figures(draw, css):
            return _figures(draw(), css)
        case Commands(text, fold):
            return folded(fold, Markup("<pre><code>{}</code></pre>").format(text))
        case Html(make):
            return make()
        case Columns(columns):
            inner = (Markup("<div>\n{}\n</div>").format(html_of(column)) for column in columns)
            return Markup('<div class="columns">\n{}\n</div>').format(Markup("\n").join(inner))


def _figures(figures: Sequence[tuple[str, Markup]], css: str) -> Markup:
    form = Markup("<figure>{}{}</figure>")
    words = Markup("<figcaption>{}</figcaption>")
    drawn = (form.format(words.format(text) if text else NOTHING, svg) for text, svg in figures)
    return Markup('<div class="figures {}">\n{}\n</div>').format(css, Markup("\n").join(drawn))


def grid(table: Table, css: str) -> Markup:
    """A table in a frame that scrolls where the screen is too narrow for it."""
    drawn = Markup(as_html([table], css))  # noqa: S704 - it is escaped there
    return Markup('<div class="wide">\n{}\n</div>').format(drawn)
