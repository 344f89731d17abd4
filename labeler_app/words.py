"""Strangers' words as text: no markup, no addresses but the web's."""

import re
from urllib.parse import quote

from genset.core.safe import clean, web_link

_LONGEST = 2000  # what is longer is nobody's name, and no message of ours


def as_text(words: str) -> str:
    """`words` for `st.text`, which knows no markup."""
    return f"\u2068{clean(words, 80)}\u2069"  # an isolate: right-to-left names stay to themselves


def as_markdown(words: str) -> str:
    """Markdown that reads as `words`: every sign that could mean something is escaped."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", clean(words, _LONGEST))


def link(words: str, url: str) -> str:
    """A Markdown link; only the words where `url` is no web address."""
    shown = as_markdown(words)
    if web_link(url) is None:
        return shown
    return f"[{shown}](<{quote(url, safe=':/?#@!$&*+,;=%~')}>)"
