"""Strangers' words as text: no markup, no addresses but the web's, no turning of the line."""

import re
from urllib.parse import quote, urlsplit

_LONGEST = 80
# Characters that turn the direction of all the text that follows them.
_TURNS = dict.fromkeys([0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)])


def as_text(words: str) -> str:
    """`words` on one line, cut where they are endless, unable to turn what stands around them.

    For `st.text`, which knows no markup.
    """
    line = " ".join(words.translate(_TURNS).split())
    line = line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
    return f"\u2068{line}\u2069"  # an isolate: right-to-left names stay to themselves


def as_markdown(words: str) -> str:
    """Markdown that reads as `words`: every sign that could mean something is escaped."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", " ".join(words.split()))


def link(words: str, url: str) -> str:
    """A Markdown link; only the words where `url` is no web address."""
    shown = as_markdown(words)
    try:
        parts = urlsplit(url)
    except ValueError:
        return shown
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return shown
    return f"[{shown}](<{quote(url, safe=':/?#@!$&*+,;=%~')}>)"
