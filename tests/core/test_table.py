"""One table in six forms, with any words in its cells."""

import csv
import io
import json
import re
from datetime import UTC, date, datetime
from html.parser import HTMLParser
from math import inf, nan
from pathlib import Path
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from genset.core.safe import clean, escape_latex, escape_markdown, visible
from genset.core.table import (
    Cell,
    Column,
    Table,
    as_html,
    interval_column,
    of_words,
    render,
)
from tests.latex import compile_latex

SIGNS = "\\`*_{}[]|#~"
WORDS = st.text(
    st.characters(exclude_categories=["Cs"])
    | st.sampled_from(f"{SIGNS}<>&;lt\n\r\t -+=@$%^\u202e"),
    max_size=30,
)
VALUES = WORDS | st.none() | st.integers() | st.booleans() | st.floats() | st.dates()
HOSTILE = [
    *("a|b", "<script>alert(1)</script>", "two\nlines", "=HYPERLINK(1)", "'=1", "a\rb", "\x1b[2J"),
    *("100 % of $5 & #1_a^b~c{d}\\x", "\u202eevil", "--", "[x](javascript:y)", "- item", "1. one"),
]

MODELS = Table(
    [
        Column("model"),
        Column("top1", "Top-1", unit="%", format=lambda share: f"{100 * share:.1f}"),
        Column("released", missing=""),
    ],
    [("torchvision:resnet50", 0.7613, date(2018, 4, 1)), ("timm:x", None, None)],
    "Accuracy",
    ["of 2 models"],
)


def of_one(cells: list[Any]) -> Table:
    """A table of one column."""
    return Table([Column("value")], [[cell] for cell in cells], "Title", ["note"])


# What each form looks like

NOTES = Table(title="Notes", notes=["n|"])


def test_text_is_aligned() -> None:
    assert render(MODELS, "text").splitlines() == [
        "Accuracy",
        "",
        "model                 Top-1 (%)  released",
        "torchvision:resnet50       76.1  2018-04-01",
        "timm:x                        –",
        "",
        "of 2 models",
    ]
    # Without a title it begins with its head; wide characters and accents keep columns together.
    table = of_words(("a", "b"), [("虎猫", "x"), ("e\u0301", "x"), ("cats", "x")])
    assert render(table, "text").splitlines() == ["a     b", "虎猫  x", "e\u0301     x", "cats  x"]
    assert render(of_words(("a", "b"), []), "text") == "a  b"


def test_markdown_says_which_columns_are_numbers() -> None:
    assert render(MODELS, "markdown").splitlines() == [
        "## Accuracy",
        "",
        "| model | Top-1 (%) | released |",
        "|:--|--:|:--|",
        "| torchvision:resnet50 | 76.1 | 2018-04-01 |",
        "| timm:x | – |  |",
        "",
        "- of 2 models",
    ]


def test_html_has_scopes_classes_units_and_markup_of_cells() -> None:
    table = Table([Column("m"), Column("n", css="wide")], [("a<b", Cell(0.5, "50 %", "of 4"))])
    assert render(table, "html").splitlines() == [
        "<table>",
        '<thead><tr><th scope="col"><bdi>m</bdi></th>'
        '<th scope="col" class="wide numbers"><bdi>n</bdi></th></tr></thead>',
        "<tbody>",
        '<tr><th scope="row"><bdi>a&lt;b</bdi></th>'
        '<td class="wide numbers"><bdi>50 %</bdi><small><bdi>of 4</bdi></small></td></tr>',
        "</tbody>",
        "</table>",
    ]
    table = Table([Column("m", "M", "%")], [(Cell("a", "a", html="<a>a</a>"),)])
    lines = as_html([table], "list").splitlines()
    assert lines[0] == '<table class="list">'
    assert "<bdi>M</bdi><small><bdi>%</bdi></small></th>" in lines[1]
    assert lines[3] == '<tr><th scope="row"><a>a</a></th></tr>'


def test_csv_and_json_hold_raw_values_under_names() -> None:
    assert list(csv.reader(io.StringIO(render(MODELS, "csv")))) == [
        ["model", "top1", "released"],
        ["torchvision:resnet50", "0.7613", "2018-04-01"],
        ["timm:x", "", ""],
    ]
    assert json.loads(render(MODELS, "json")) == [
        {"model": "torchvision:resnet50", "top1": 0.7613, "released": "2018-04-01"},
        {"model": "timm:x", "top1": None, "released": None},
    ]
    # Of a pair, CSV has a column for either end.
    columns = [Column("model"), interval_column("top1_interval"), Column("rank", ends=("a", "b"))]
    rows = [("x", Cell((0.5, 0.75), "50–75"), Cell([1, 2], "1 to 2")), ("y", None, None)]
    assert render(Table(columns, rows), "csv").splitlines() == [
        "model,top1_low,top1_high,rank_a,rank_b",
        "x,0.5,0.75,1,2",
        "y,,,,",
    ]


def test_latex_uses_booktabs_and_compiles_whatever_the_words(tmp_path: Path) -> None:
    lines = render(MODELS, "latex").splitlines()
    assert lines[1:3] == [
        r"\centering\footnotesize\setlength{\tabcolsep}{3pt}",
        r"\caption{Accuracy}",
    ]
    assert lines[4:13] == [
        r"\begin{tabular}{lrl}",
        r"\toprule",
        r"model & Top-1 & released \\",
        r" & (\%) &  \\",
        r"\midrule",
        r"torchvision:resnet50 & 76.1 & 2018-04-01 \\",
        r"timm:x & – &  \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    assert render(of_words(("a",), [("b",)]), "latex").startswith(r"\begin{tabular}{l}")
    compile_latex(render([MODELS, of_one(HOSTILE), NOTES], "latex"), tmp_path)


def test_values_without_a_format_and_cells_with_words_of_their_own() -> None:
    time = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
    lines = render(of_one([time, 0.25, True, 12, None, nan]), "text").splitlines()
    assert [line.strip() for line in lines[3:-2]] == [
        *("2024-05-06 07:08", "0.25", "True", "12", "–", "–")
    ]
    rows = json.loads(render(of_one([time, nan, inf]), "json"))
    assert [row["value"] for row in rows] == ["2024-05-06T07:08:09+00:00", None, None]
    table = Table([Column("share")], [(Cell(1 / 3, "33.3", "1 of 3"),)])
    assert "33.3 (1 of 3)" in render(table, "text")
    assert json.loads(render(table, "json")) == [{"share": 1 / 3}]


def test_without_rows_people_read_the_notes_and_programs_the_head() -> None:
    forms = {"text": "none", "markdown": "- none", "csv": "not_hidden", "json": "[]"}
    table = of_words(["not hidden"], [], ["none"])
    assert {form: render(table, form) for form in forms} == forms
    assert "not hidden" in render(table, "latex")


def test_several_tables_follow_each_other_and_are_one_csv() -> None:
    assert render([MODELS, NOTES], "text").endswith("of 2 models\n\nNotes\n\nn|")
    assert render([MODELS, NOTES], "markdown").endswith("- of 2 models\n\n## Notes\n\n- n\\|")
    assert render([MODELS, NOTES], "latex").endswith("\\paragraph{Notes}\nn\\textbar{}\\par")
    assert render([MODELS, NOTES], "html").endswith(
        "<p><bdi>Notes</bdi></p>\n<ul>\n<li><bdi>n|</bdi></li>\n</ul>"
    )
    other = Table([Column("model"), Column("hours")], [("x", 2)], "Time")
    assert list(csv.DictReader(io.StringIO(render([MODELS, other, NOTES], "csv"))))[1:] == [
        {"table": "Accuracy", "model": "timm:x", "top1": "", "released": "", "hours": ""},
        {"table": "Time", "model": "x", "top1": "", "released": "", "hours": "2"},
    ]
    assert render([MODELS, NOTES], "csv") == render(MODELS, "csv")
    assert json.loads(render([NOTES, of_words(("a",), [("b",)])], "json")) == [
        {"title": "Notes", "rows": [], "notes": ["n|"]},
        {"title": "", "rows": [{"a": "b"}], "notes": []},
    ]


# Any words


@given(st.lists(VALUES))
@example(HOSTILE)
def test_text_csv_and_json_are_read_back(cells: list[Any]) -> None:
    lines = render(Table([Column("value")], [[cell] for cell in cells]), "text").split("\n")
    assert len(lines) == 1 + len(cells)
    assert all(visible(line) == line for line in lines)
    [head, *rows] = csv.reader(io.StringIO(render(of_one(cells), "csv"), newline=""), strict=True)
    assert head == ["value"]
    written = render(of_one(cells), "json")
    assert written.isascii()
    for cell, row, fields in zip(cells, rows, json.loads(written), strict=True):
        [read] = row or [""]
        assert not re.match(r"[=+\-@]", read) or not isinstance(cell, str)
        if isinstance(cell, str):
            assert re.sub("^'(?='*[=+\\-@])", "", read) == visible(re.sub("\r\n?|\t", " ", cell))
        elif isinstance(cell, int | float) and cell == cell and abs(cell) != inf:
            assert json.loads(read) == cell
        if isinstance(cell, str | int) or cell is None:
            assert fields == {"value": cell}


@given(st.lists(WORDS, min_size=1), WORDS)
@example(HOSTILE, "a|b\nc")
def test_markdown_is_read_back(cells: list[str], other: str) -> None:
    table = Table([Column(other or "x")], [[cell] for cell in cells], other, [other])
    tokens = MarkdownIt("commonmark").enable("table").parse(render(table, "markdown"))
    kinds = [token.type for token in tokens]
    assert kinds.count("table_open") == 1 and kinds.count("tr_open") == 1 + len(cells)
    assert kinds.count("bullet_list_open") == kinds.count("list_item_open") == 1
    assert "html_block" not in kinds and "ordered_list_open" not in kinds
    starts = [n for n, kind in enumerate(kinds) if kind == "td_open"]
    for cell, start in zip(cells, starts, strict=True):
        inline = tokens[start + 1]
        parts = inline.children or []
        assert {part.type for part in parts} <= {"text", "text_special"}
        assert "".join(part.content for part in parts).strip() == clean(cell, 2000).strip()


class Reader(HTMLParser):
    """Collects cells and elements."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.cells: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells:
            self.cells[-1] += data


@given(st.lists(WORDS))
@example(HOSTILE)
def test_html_is_read_back(cells: list[str]) -> None:
    reader = Reader()
    reader.feed(render(Table([Column("value")], [[cell] for cell in cells]), "html"))
    assert reader.tags <= {"table", "thead", "tbody", "tr", "th", "td", "bdi"}
    assert [cell.strip() for cell in reader.cells[1:]] == [clean(cell, 2000) for cell in cells]


@given(WORDS)
@example("--- [a] {b} $x_1^2$ 100 % & \\input{/etc/passwd} ~ # <a> `c` *")
def test_latex_has_no_command_of_a_stranger(words: str) -> None:
    written = escape_latex(words)
    ours = r"\\(?:text[a-z]+\{\}|[{}$&#_%])|\$(?:-|\\[a-z]+)\$|\{[\[*]\}|-\{\}"
    rest = re.sub(ours, "", written)
    assert not set(rest) & set('\\{}$&#_%^~<>[*|`"')
    assert "--" not in written


def test_escaped_in_markdown_and_never_endless() -> None:
    assert escape_markdown("<b>&lt;</b>") == "&lt;b&gt;&amp;lt;&lt;/b&gt;"
    assert escape_markdown("a|b\n`c` \x1b[2J [x](y)") == r"a\|b \`c\` \[2J \[x\](y)"
    assert escape_markdown(SIGNS) == "".join(f"\\{sign}" for sign in SIGNS)
    plain = "95 % interval (−0.5 to +1.2)"
    assert escape_markdown(plain) == plain
    assert len(escape_markdown("x" * 100_000)) == len(escape_latex("x" * 100_000)) == 2000
