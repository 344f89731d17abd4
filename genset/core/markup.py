"""Strangers' words in Markdown, HTML and LaTeX: escaped, they stay words."""

import html
import re

from genset.core.safe import clean

_LONGEST = 2000  # characters

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
