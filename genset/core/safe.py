"""Strangers' words, made safe to show.

Titles, names of owners and models, and what logs say may hold line ends, escapes that steer a
terminal, halves of characters that no file takes, marks that turn the direction of what stands
beside them, and letters that nobody sees. Markup is not this module's: who writes HTML or Markdown
escapes what comes from here.
"""

from collections.abc import Iterable

# They hold emoji and words of Persian and of India's scripts together. Nothing else that cannot
# be seen is kept.
_JOINERS = "\u200c\u200d"


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
    nothing but unprintable characters was included.
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
