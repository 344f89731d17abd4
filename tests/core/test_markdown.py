"""Tables in plain text and in Markdown, with any words in them."""

import html
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from genset.core.markdown import escape, table
from genset.core.safe import clean
from genset.core.tables import Grid, aligned, as_markdown, as_text

SIGNS = "\\`*_{}[]|#~"
WORDS = st.text(st.characters() | st.sampled_from(f"{SIGNS}<>&;lt\n \u202e"), max_size=30)


@given(WORDS)
@example(f"{SIGNS}<>&{SIGNS}")
def test_what_is_escaped_reads_as_the_words(words: str) -> None:
    written = escape(words)
    assert not re.search(rf"(?<!\\)(\\\\)*[{re.escape(SIGNS[1:])}<>]", written)
    assert not re.search(r"&(?!amp;|lt;|gt;)", written)
    read = html.unescape(re.sub(rf"\\([{re.escape(SIGNS)}])", r"\1", written))
    assert read == clean(words, 2000)


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ("<b>&lt;</b>", "&lt;b&gt;&amp;lt;&lt;/b&gt;"),
        ("[x](javascript:y)", r"\[x\](javascript:y)"),
        ("a|b\n`c` \x1b[2J", r"a\|b \`c\` \[2J"),
        ("p < 0.0001", "p &lt; 0.0001"),
        ("95 % interval (−0.5 to +1.2)", "95 % interval (−0.5 to +1.2)"),
    ],
)
def test_escaped(words: str, written: str) -> None:
    assert escape(words) == written


def test_nothing_is_endless() -> None:
    assert len(escape("x" * 100_000)) == 2000


def test_a_table_says_which_columns_are_numbers() -> None:
    assert table(("Model", "Set", "Right"), [("a_b", "x", "50.0")], words=2).splitlines() == [
        "| Model | Set | Right |",
        "|:--|:--|--:|",
        r"| a\_b | x | 50.0 |",
    ]
    assert table(("a", "b"), [], words=None).splitlines()[1] == "| --- | --- |"


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1))
@example([("|", "\\|"), ("a\nb", "\\")])
def test_words_stay_in_their_cells(cells: list[tuple[str, str]]) -> None:
    head, *rows = cells
    lines = table(head, rows).splitlines()
    assert len(lines) == len(cells) + 1
    for line in lines:
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 3


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    assert list(aligned(("a", "bcd", "e"), [("long", "x", "")])) == ["a     bcd  e", "long  x"]
    assert list(aligned(("a", "b"), [])) == ["a  b"]


GRIDS = [Grid("T|le", ["a", "b"], [["1|", "2"]], ["note_"]), Grid("Empty"), Grid("N", notes=["n"])]


def test_grids_are_told_in_plain_text() -> None:
    assert as_text(GRIDS) == "T|le\n\na   b\n1|  2\n\nnote_\n\nEmpty\n\nN\n\nn"


def test_grids_are_told_in_markdown() -> None:
    first = "## T\\|le\n\n| a | b |\n| --- | --- |\n| 1\\| | 2 |\n\n- note\\_"
    assert as_markdown(GRIDS) == f"{first}\n\n## Empty\n\n## N\n\n- n"
