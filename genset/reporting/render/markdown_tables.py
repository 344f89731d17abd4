"""What the report's Markdown and JSON are put together with."""

import html
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from genset.statistics.intervals import Interval
from genset.text.safe import clean


def table(head: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> str:
    """A Markdown table whose first `words` columns are words; the others are numbers."""
    marks = [":--" if place < words else "--:" for place in range(len(head))]
    lines = [f"| {' | '.join(head)} |", f"|{'|'.join(marks)}|"]
    lines += [f"| {' | '.join(escape(cell) for cell in row)} |" for row in rows]
    return "\n".join(lines)


def escape(text: str) -> str:
    """Keep Markdown, and the HTML in it, from reading a name as markup."""
    words = html.escape(clean(text, longest=2000), quote=False)
    return re.sub(r"([\\`*_{}\[\]|#~])", r"\\\1", words)


def plain(value: Any) -> Any:
    """JSON's types; without the places where this machine keeps photos, nobody's business."""
    if isinstance(value, Interval):
        return value._asdict()
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items() if key != "path"}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value.name if isinstance(value, Path) else value
