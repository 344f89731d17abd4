"""Strangers' HTML as words.

Nothing of it is ever rendered, so nothing needs to be allowed: what a browser would show as text
is kept, and all markup is dropped.
"""

from selectolax.lexbor import LexborHTMLParser

from genset.core.safe import clean

_LONGEST = 10_000  # characters that are read: nobody's name or date is so long

_UNSEEN = """
    body :is(script, style, template, title, textarea, noscript, iframe, [hidden],
    [style*='display:none' i], [style*='display: none' i],
    [style*='visibility:hidden' i], [style*='visibility: hidden' i])
"""

# Elements between which words do not run together.
_BLOCKS = """
    address, article, aside, blockquote, br, caption, center, dd, div, dl, dt, fieldset, figure,
    footer, form, h1, h2, h3, h4, h5, h6, header, hr, li, main, nav, ol, option, p, pre, section,
    table, tbody, td, tfoot, th, thead, tr, ul
"""


def plain_text(markup: str, longest: int = 120) -> str:
    """The words that a browser would show, on one line, of characters that print.

    Scripts, styles and what is hidden are no words. No more than the first 10,000 characters of
    `markup` are read, and no more than `longest` of the words returned.

    >>> plain_text('<p>Ann &amp; <b>Bo</b><script>alert(1)</script></p><p>2014</p>')
    'Ann & Bo 2014'
    """
    body = LexborHTMLParser(markup[:_LONGEST]).body
    if body is None:
        return ""
    while unseen := body.css_first(_UNSEEN):  # with what lies in it
        unseen.decompose()
    for block in body.css(_BLOCKS):
        block.insert_before(" ")
        block.insert_after(" ")
    return clean(body.text(), longest)
