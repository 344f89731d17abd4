"""Markdown in which strangers' words stay words."""

import html
import re
from collections.abc import Iterable, Sequence

from genset.core.safe import clean

_LONGEST = 2000


def escape(text: str) -> str:
    """Keep Markdown, and the HTML in it, from reading words as markup."""
    words = html.escape(clean(text, _LONGEST), quote=False)
    return re.sub(r"([\\`*_{}\[\]|#~])", r"\\\1", words)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], words: int | None = 1) -> str:
    """A table whose cells are any words, in its head too.

    Args:
        head: the columns' names.
        rows: as many cells each.
        words: how many of the first columns hold words, aligned left; the others hold numbers,
            aligned right; None: no alignment.
    """
    marks = [" --- " if words is None else ":--" if n < words else "--:" for n in range(len(head))]
    top, *lines = (f"| {' | '.join(map(escape, row))} |" for row in (head, *rows))
    return "\n".join([top, f"|{'|'.join(marks)}|", *lines])
