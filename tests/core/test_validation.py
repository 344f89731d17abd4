"""Data from outside is what a Record says, or is refused in a line that names the mend."""

import importlib
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import inspect

import genset
from genset.core.errors import BadInput
from genset.core.validation import (
    Invalid,
    Meta,
    Record,
    check,
    parse_json,
    parse_toml,
    read_json,
    read_text,
)

Votes = Annotated[int, Meta(ge=1, description="labelers of each photo", examples=[3])]
Orcid = Annotated[str, Meta(pattern=r"^[0-9-]+$", title="an ORCID", examples=["0000-0001"])]


class Label(Record, frozen=True):
    votes: Votes = 1
    key: Literal["correct", "incorrect"] = "correct"
    steps: tuple[Annotated[int, Meta(ge=1)], ...] = ()
    share: Annotated[float, Meta(gt=0, le=1)] = 0.5
    chance: Annotated[float, Meta(ge=0, le=1)] = 0.5
    since: date = date(2014, 1, 1)
    panel: Annotated[str, Meta(min_length=1, max_length=8)] = "main"
    orcid: Orcid | None = None
    on: bool = False

    def __post_init__(self) -> None:
        if self.steps and self.steps[0] <= self.votes:
            raise ValueError("each number of steps must be larger than votes")


class Settings(Record, frozen=True):
    name: Annotated[str, Meta(examples=["pets"])]
    label: Label = Label()
    classes: dict[str, Label | list[str]] = msgspec.field(default_factory=dict)


def refused(document: Any, kind: Any = Settings) -> str:
    with pytest.raises(BadInput) as found:
        check(document, kind, "genset.toml")
    assert "\n" not in str(found.value)
    return str(found.value)


def test_what_fits_is_a_record() -> None:
    label = {"votes": 3, "share": 1, "steps": [5, 10], "since": "2015-02-01", "orcid": "0000-1"}
    found = check({"name": "x", "label": label}, Settings, "genset.toml")
    assert found.label.since == date(2015, 2, 1)
    assert found.label == Label(
        votes=3, share=1.0, steps=(5, 10), since=date(2015, 2, 1), orcid="0000-1"
    )
    with pytest.raises(AttributeError):
        found.name = "y"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ({"votes": "three"}, '.votes must be a whole number of at least 1, such as 3, not "thre'),
        ({"votes": True}, ".votes must be a whole number of at least 1, such as 3, not true"),
        ({"voets": 1}, ".voets is unknown; did you mean votes?"),
        ({"zzz": 1}, ".zzz is unknown; known here: votes, key, steps, share, chance, since"),
        ({"key": "unsure"}, '.key must be "correct" or "incorrect", not "unsure"'),
        ({"steps": 5}, ".steps must be a list, each of them a whole number of at least 1, not 5"),
        ({"steps": [5, 0]}, ".steps[1] must be a whole number of at least 1, not 0"),
        ({"steps": [1]}, ": each number of steps must be larger than votes"),
        ({"share": 0}, ".share must be a number of more than 0 and at most 1, not 0"),
        ({"chance": 2}, ".chance must be a number from 0 to 1, not 2"),
        ({"since": "today"}, '.since must be a day, such as 2014-01-31, not "today"'),
        ({"since": datetime(2014, 1, 1)}, ".since must be a day, such as 2014-01-31, not 2014-"),
        ({"panel": ""}, '.panel must be a text of 1 to 8 characters, not ""'),
        ({"orcid": "no"}, '.orcid must be an ORCID, such as "0000-0001", not "no"'),
        ({"orcid": {}}, '.orcid must be an ORCID, such as "0000-0001", not an empty table'),
        ({"on": 1}, ".on must be true or false, not 1"),
        ([1], " must be a table of keys and values, not a list"),
        (None, " must be a table of keys and values, not null"),
    ],
)
def test_what_does_not_is_named_with_what_to_write(label: Any, words: str) -> None:
    assert refused({"name": "x", "label": label}).startswith(f"genset.toml: label{words}")


def test_mistakes_at_the_top_in_dictionaries_and_in_hostile_values() -> None:
    assert refused({}) == 'genset.toml: name is missing: it must be a text, such as "pets"'
    assert refused(5) == "genset.toml must be a table of keys and values, not 5"
    assert refused({"label": {}, "nane": "x"}).endswith("nane is unknown; did you mean name?")
    classes = {"good": {}, "crème brûlée": {"votes": 0}, "last": {"votes": 0}}
    message = refused({"name": "x", "classes": classes})
    assert message.startswith('genset.toml: classes."crème brûlée".votes must be a whole number')
    with pytest.raises(Invalid) as found:
        check({"name": "x", "classes": classes}, Settings, "it")
    assert found.value.keys == ("classes", "crème brûlée", "votes")
    for value, words in (
        (["b", 5], "[1] must be a text, not 5"),
        ({"voets": 5}, ".voets is unknown; did you mean votes?"),
    ):
        assert refused({"name": "x", "classes": {"a": value}}) == f"genset.toml: classes.a{words}"
    message = refused({"name": "x", "label": {"votes": "\x1b[2J\u202e" + "x" * 1000}})
    assert message.isprintable() and len(message) < 250


def test_keys_that_sources_add_are_passed_over() -> None:
    class Reply(Record, frozen=True, forbid_unknown_fields=False):
        stat: str

    assert parse_json(b'{"stat": "ok", "new": 1}', Reply, "Flickr").stat == "ok"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"a":', "it: not valid JSON (input data was truncated)"),
        (b'{"name": "x",\n  "label": NaN}', "it, line 2, column 12: not valid JSON"),
        (b'{"name": "\xff"}', "it: not valid JSON (invalid start byte); write it in UTF-8"),
        (b"[" * 100_000, "it: lists or objects within each other"),
        (b'{"name": 1e999}', "it: not valid JSON (number out of range)"),
        (b'{"name": 1}', 'it: name must be a text, such as "pets", not 1'),
    ],
)
def test_json_that_is_none_is_refused_with_its_place(content: bytes, words: str) -> None:
    with pytest.raises(BadInput) as found:
        parse_json(content, Settings, "it")
    assert str(found.value).startswith(words)


@given(
    st.binary(max_size=40) | st.text("{}[],:\"'\\ntrue0123456789e.+-", max_size=40).map(str.encode)
)
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    try:
        parse_json(content, dict[str, Label], "it")
    except BadInput as error:
        assert str(error).startswith("it")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["votes", "steps", "orcid", "since", "x y"]), inner)
    ),
    max_leaves=8,
)


@given(VALUES)
def test_any_value_is_taken_or_its_place_is_told(value: Any) -> None:
    try:
        check({"name": "x", "classes": {"a": {}, "b": value}}, Settings, "it")
    except Invalid as error:
        assert error.keys[:2] == ("classes", "b")


def test_files_are_read_but_not_too_much(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b'\xef\xbb\xbf{"name": "x"}')
    (tmp_path / "a.toml").write_text("name = 'x'\n[label]\nvotes = 3\n")
    assert read_json(tmp_path / "a.json", Settings) == Settings(name="x")
    assert parse_toml(read_text(tmp_path / "a.toml"), Settings, "it") == Settings(
        name="x", label=Label(votes=3)
    )
    with pytest.raises(BadInput, match=r"a\.json has 16 bytes; at most 15 are read"):
        read_json(tmp_path / "a.json", Settings, largest=15)
    with pytest.raises(BadInput, match="it has 40 bytes; at most 39 are read"):
        parse_json(b" " * 40, Settings, "it", largest=39)
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(BadInput, match=r"b\.toml cannot be read: .*; write it in UTF-8"):
        read_text(tmp_path / "b.toml")
    with pytest.raises(BadInput, match=r"c\.toml cannot be read: No such file"):
        read_text(tmp_path / "c.toml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name = 'x'\nlabel", "it, line 2: a line has KEY = VALUE"),
        ("name = x", "it, line 1: a text stands in quotes"),
        ("name = 'x", "it, line 1: a text in quotes ends on its line"),
        ("name = 'x'\nname = 'y'", "it, line 2: this key is there twice"),
        ("a = " + "[" * 100_000, "it, line 1: here are lists within lists"),
        ("name = 'x'\n[label]\nvotes = 0", "it, line 3: label.votes must be a whole number"),
    ],
)
def test_toml_that_is_none_is_refused_with_its_line(text: str, words: str) -> None:
    with pytest.raises(BadInput) as found:
        parse_toml(text, Settings, "it")
    assert str(found.value).startswith(words)


def test_no_text_with_a_pattern_stands_beside_a_table_or_a_list() -> None:
    """msgspec 0.22 frees such a text wrongly, and the process crashes."""
    root = Path(genset.__file__).parent
    for path in root.rglob("*.py"):
        if ", frozen=True" in path.read_text("utf-8"):
            importlib.import_module(".".join(path.relative_to(root.parent).with_suffix("").parts))
    kinds = Record.__subclasses__()
    for kind in kinds:
        kinds += kind.__subclasses__()
        for field in msgspec.structs.fields(kind):
            types = getattr(inspect.type_info(field.type), "types", ())
            names = {type(each).__name__ for each in types}
            if any(getattr(each, "pattern", None) for each in types):
                assert names <= {"StrType", "IntType", "NoneType"}, (kind, field.name)
    assert len(kinds) > 50
