"""Marks: vowels, tones and accents that are written with the letter before them.

To ``\\w`` they are no letters, but the words of India's scripts, and of others, have them.
"""

import re
import unicodedata

MARK = "\u0300"
"""One that stands for all in `as_one`, and is itself no ``\\w``."""

# Marks that nobody sees, by which two words would look the same.
_UNSEEN = re.compile("[\u034f\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")


def is_mark(char: str) -> bool:
    """Whether it belongs to a word (Unicode's categories Mn and Mc) and is seen."""
    return unicodedata.category(char) in ("Mn", "Mc") and not _UNSEEN.fullmatch(char)


def as_one(text: str) -> str:
    """The text with `MARK` for each mark: patterns find in it what they cannot name in `text`."""
    if text.isascii():
        return text
    return "".join(MARK if is_mark(char) else char for char in text)
