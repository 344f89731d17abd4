"""Strangers' words, made safe to show.

Titles, names of owners and models, and what logs say may hold line ends, escapes that steer a
terminal, halves of characters that no file takes, marks that turn the direction of what stands
beside them, and letters that nobody sees. An address may be none of the web's. Markdown, HTML and
LaTeX would read words as markup.
"""

import html
import json
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

# They hold emoji and words of Persian and of India's scripts together. Nothing else that cannot
# be seen is kept.
_JOINERS = "\u200c\u200d"

_LONGEST = 2000  # characters of an address, or of a text in markup


def clean(text: str, longest: int = 120) -> str:
    """The words on one line, of characters that print, and no longer than `longest` (at least 1).

    Clean words stay as they are, so it does no harm to clean twice.
    """
    words: Iterable[str] = text.split()
    if not text.isprintable():
        words = filter(None, (_printable(word, _JOINERS).lstrip(_JOINERS) for word in words))
    line = " ".join(words)
    return line if len(line) <= longest else line[: longest - 1].rstrip(f" {_JOINERS}") + "…"


def printable(text: str) -> str:
    """The words on one line, of characters that print, without a joiner, uncut.

    The documents of a release are written with it, and a manifest has their hashes: ``genset pull``
    makes them again and compares. So it gives the same for ever, a second blank where a word of
    nothing but unprintable characters was.
    """
    return " ".join(_printable(word) for word in text.split())


def visible(text: str) -> str:
    """The text as it may be written to a terminal: its lines, of characters that print, uncut."""
    if text.isprintable():
        return text
    return "\n".join(_printable(line, _JOINERS) for line in text.split("\n"))


def _printable(word: str, besides: str = "") -> str:
    if word.isprintable():
        return word
    return "".join(char for char in word if char.isprintable() or char in besides)


def web_link(url: str) -> str | None:
    """The address if it leads to the web, else None: ``javascript:`` is an address too.

    It names a host and no user (``https://flickr.com@elsewhere.example``), and has neither blanks
    nor characters that do not print, nor a backslash, which browsers read as a slash.
    """
    if len(url) > _LONGEST or not url.isprintable() or set(url) & {" ", "\\"}:
        return None
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError:  # a host or a port that there cannot be
        return None
    leads = parts.scheme in ("http", "https") and host and "@" not in parts.netloc
    return url if leads else None


_LATEX = {
    **{sign: f"\\{sign}" for sign in "{}$&#_%"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': r"\textquotedbl{}",
    "[": "{[}",  # at the start of a row it would be an argument of the line end before it
    "*": "{*}",
    "−": "$-$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "∞": r"$\infty$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "→": r"$\to$",
}


def escape_markdown(text: str) -> str:
    """Keep Markdown, and the HTML in it, from reading words as markup."""
    words = html.escape(clean(text, _LONGEST), quote=False)
    return re.sub(r"([\\`*_{}\[\]|#~])", r"\\\1", words)


def escape_html(text: str) -> str:
    """Keep a browser from reading words as markup, in an attribute too."""
    return html.escape(clean(text, _LONGEST))


def escape_latex(text: str) -> str:
    """Keep LaTeX from reading words as commands, and two hyphens as a dash."""
    words = "".join(_LATEX.get(char, char) for char in clean(text, _LONGEST))
    return re.sub("-(?=-)", "-{}", words)


# A spreadsheet takes a cell that begins so for a formula, which a stranger may have written.
_FORMULA = re.compile(r"'*[=+\-@]")


def escape_csv(value: Any) -> str:
    """A value as a cell: numbers as in JSON, an apostrophe before what would be a formula."""
    if value is None or isinstance(value, str):
        text = visible(re.sub(r"\r\n?|\t", " ", value or ""))
        return f"'{text}" if _FORMULA.match(text) else text
    return json.dumps(value)
