"""Strangers' HTML: what a browser would show of it, as words, whatever it holds."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from genset.core.safe import clean
from genset.sources.commons_api import plain_text

PIECES = st.sampled_from(
    [
        "<", ">", "</", "/>", "<!--", "-->", "<!", "<![", "<![x[", "<![CDATA[", "]]>", "<?", "&#",
        "<a href='", '<b title="', "script", "<script>", "</script>", "<style>", "<span", "<div>",
        " hidden", " style='display:none'>", "&amp;", "&#0;", "&#xd800;", "=", "\x1b", "\u202e",
        "\ud800", "\0", "word", " ",
    ]
)  # fmt: skip


@pytest.mark.parametrize(
    ("markup", "words"),
    [
        ("Ann", "Ann"), ('<a href="//example.org/User:Ann" title="User:Ann">Ann</a>', "Ann"),
        ("<bdi><a href='https://example.org/'>Ann B</a>\n</bdi>", "Ann B"),
        ("Ann &amp; Bo &lt;3", "Ann & Bo <3"),
        ("<p>Ann;\nBo;\n</p>\nA museum", "Ann; Bo; A museum"),
        ("Ann<br>Bo<br/>Cleo", "Ann Bo Cleo"), ("<ul><li>Ann</li><li>Bo</li></ul>", "Ann Bo"),
        ("<b>T</b>ench", "Tench"),
        ("1891<div style='display: none;'>date QS:P,+1891-00-00T00:00:00Z/9</div>", "1891"),
        ("a<span style='display:none'>b<span>c</span>d</span>e", "ae"),
        ("a<span hidden>b</span>c", "ac"), ("a<img src=x onerror=alert(1)>b", "ab"),
        ("a<img style='display:none'>b", "ab"), ("a<script>alert('<b>1</b>')</script>b", "ab"),
        ("a<SCRIPT >alert(1)</SCRIPT\n>b", "ab"), ("a<style>p { color: red }</style>b", "ab"),
        ("a<script>alert(1)", "a"), ("a<!-- b -->c", "ac"), ("a<![x[ b ]]>c", "ac"),
        ("3 < 4 and 5 > 4", "3 < 4 and 5 > 4"), ("a <b", "a"), ("<script", ""),
        ("<td>Ann</td>", "Ann"), ("a<span STYLE='Display: None'>b</span>", "a"), ("<frameset>", ""),
        ("x\u202egnp.exe", "xgnp.exe"), ("&#x202e;&#27;[2Jx", "[2Jx"), ("", ""), ("<p></p>", ""),
    ],
)  # fmt: skip
def test_what_is_seen_is_kept(markup: str, words: str) -> None:
    assert plain_text(markup) == words


@given(markup=st.lists(PIECES, max_size=30).map("".join) | st.text())
@example(markup="<![x[")
@example(markup="<![[x[>")
def test_any_text_becomes_one_line_that_prints(markup: str) -> None:
    words = plain_text(markup, 50)
    assert words == clean(words, 50)
    assert len(words) <= 50
