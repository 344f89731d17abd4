"""Strangers' HTML as words.

Nothing of it is ever rendered, so nothing needs to be allowed: what a browser would show as text
is kept, and all markup is dropped.
"""

import re
from html.parser import HTMLParser

from genset.core.safe import clean

# Characters of a value that are read. Nobody's name or date is so long, and the standard library's
# parser takes a time that grows with the square of what is broken on purpose.
_LONGEST = 10_000

# What that parser takes for SGML, and gives up on. In HTML it is a comment.
_MARKED_SECTION = re.compile(r"<!\[+")

_UNSEEN = frozenset({"script", "style", "template", "title", "textarea", "noscript", "iframe"})

# Elements between which words do not run together, and elements that hold nothing.
_BLOCK_NAMES = """
    address article aside blockquote br caption center dd div dl dt fieldset figure footer form h1
    h2 h3 h4 h5 h6 header hr li main nav ol option p pre section table tbody td tfoot th thead tr ul
"""
_EMPTY_NAMES = "area base br col embed hr img input link meta param source track wbr"
_BLOCKS, _NEVER_CLOSED = frozenset(_BLOCK_NAMES.split()), frozenset(_EMPTY_NAMES.split())

_IS_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)

_Attributes = list[tuple[str, str | None]]


def plain_text(markup: str, longest: int = 120) -> str:
    """The words that a browser would show, on one line, of characters that print.

    Scripts, styles and what is hidden are no words. No more than the first 10,000 characters of
    `markup` are read, and no more than `longest` of the words returned.

    >>> plain_text('<p>Ann &amp; <b>Bo</b><script>alert(1)</script></p><p>2014</p>')
    'Ann & Bo 2014'
    """
    # After the last tag that ends, "<" is a character: each would be sought an end to the end.
    tags, end, rest = markup[:_LONGEST].rpartition(">")
    if len(markup) > _LONGEST:
        rest = rest.partition("<")[0]  # half a tag is no word
    reader = _Reader()
    reader.feed(_MARKED_SECTION.sub("<!", tags) + end + rest.replace("<", "&lt;"))
    reader.close()
    return clean("".join(reader.text), longest)


class _Reader(HTMLParser):
    """Collects the text that is seen.

    Of what lies inside an element that is not seen it only counts the elements of the same name, so
    it keeps no more of a page that is nested deeply than of any other.
    """

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text: list[str] = []
        self._unseen = ""  # the name of the element that is not seen, "" outside of one
        self._depth = 0  # elements of this name that are open

    def handle_starttag(self, tag: str, attrs: _Attributes) -> None:
        if tag in _BLOCKS:
            self.text.append(" ")
        if tag in _NEVER_CLOSED:
            return
        if not self._unseen and (tag in _UNSEEN or _is_hidden(attrs)):
            self._unseen = tag
        if tag == self._unseen:
            self._depth += 1

    def handle_startendtag(self, tag: str, attrs: _Attributes) -> None:
        """``<span/>`` is ``<span>`` in HTML, as browsers read it."""
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in _BLOCKS:
            self.text.append(" ")
        if tag == self._unseen:
            self._depth -= 1
            if not self._depth:
                self._unseen = ""

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.text.append(data)


def _is_hidden(attributes: _Attributes) -> bool:
    return any(
        name == "hidden" or (name == "style" and _IS_HIDDEN.search(value or "") is not None)
        for name, value in attributes
    )


def plain_value(value: object, longest: int = 120, deep: int = 3) -> str:
    """A value that may hold HTML as words: of an object by language in English, or the first.

    >>> plain_value({"de": "Anne", "en": "<i>Ann</i>"}), plain_value(["Ann", "<b>Bo</b>"])
    ('Ann', 'Ann, Bo')
    """
    if isinstance(value, str):
        return plain_text(value, longest)
    if type(value) in (int, float):
        return clean(repr(value)[:_LONGEST], longest)
    if not deep or not isinstance(value, dict | list):
        return ""
    if isinstance(value, list):
        parts = (plain_value(item, longest, deep - 1) for item in value[:9])
        return clean(", ".join(filter(None, parts)), longest)
    languages = [value.get("en"), *(v for k, v in value.items() if not str(k).startswith("_"))]
    words = (plain_value(language, longest, deep - 1) for language in languages[:9])
    return next(filter(None, words), "")
