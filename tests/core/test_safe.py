"""Strangers' words: whatever they hold, one line that is safe to show; and ordinary words whole."""

from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from genset.core.safe import clean, printable, web_link

JOINERS = "\u200c\u200d"
NASTY = (
    "\x00\x07\x08\x1b\x7f\x85\x9b"  # control characters; 9b begins an escape sequence alone
    "\t\n\v\f\r\x1c\u2028\u2029 \xa0\u3000"  # line ends and blanks
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # turn the line
    "\u200b\u2060\ufeff\xad\U000e0041\ue022\ufff9\uffff"  # not seen
    "\ud800\udfff" + JOINERS
)
WORDS = st.text(st.characters() | st.sampled_from(NASTY) | st.sampled_from("ab 👨🏽م"), max_size=40)

ORDINARY = [
    "Photo of a tench, 3 kg",
    "Jörg Müller-Groß",
    "می‌خواهم نامه‌ای",  # Persian, with joiners in its words
    "ന്‍ ശ്രീ ക്‌ഷ",  # Malayalam, also with one at a word's end
    "مصور فوتوغرافي",
    "שָׁלוֹם",
    "写真家 山田",
    "ภาพถ่าย",
    "नमस्ते क्‍ष",
    "👨‍👩‍👧‍👦 🏳️‍🌈 ❤️‍🔥 👩🏽‍🚀 🇩🇪 ☺️",
    "<b>&amp;</b> {{ x }} C:\\n [31m",
]


@given(WORDS, st.integers(1, 50))
@example("a\u200b b \u200b c", 50)
@example("a \x00 b", 50)
@example("👨‍👩‍👧", 3)
@example("ab cd", 4)
@example("\u200d\u200c", 50)
@example("abc", 1)
def test_whatever_it_is_it_becomes_one_short_line_that_prints(text: str, longest: int) -> None:
    line = clean(text, longest)
    assert len(line) <= longest
    assert len(line.splitlines()) <= 1
    assert all(char.isprintable() or char in JOINERS for char in line)
    assert line.encode().decode() == line
    assert line == " ".join(line.split())
    assert not any(word.startswith(tuple(JOINERS)) for word in line.split())
    assert clean(line, longest) == line


@given(st.lists(st.sampled_from(ORDINARY), min_size=1).map(" ".join))
def test_ordinary_words_of_any_script_stay_as_they_are(text: str) -> None:
    assert clean(text, len(text)) == text


def test_what_is_too_long_ends_in_dots_after_a_whole_sign() -> None:
    assert clean("tench tench", 11) == "tench tench"
    assert clean("tench tench", 10) == "tench ten…"
    assert clean("tench tench", 7) == "tench…"
    assert clean("👨‍👩‍👧", 3) == "👨…"
    assert len(clean("x" * 100_000)) == 120


def test_what_steers_hides_or_turns_the_line_is_gone() -> None:
    for char in NASTY:
        blank = " " if char.isspace() else char if char in JOINERS else ""
        assert clean(f"a{char}b") == f"a{blank}b", ascii(char)
        assert (clean(f"a {char} b"), clean(char)) == ("a b", ""), ascii(char)
    assert clean("\x1b[2J\x1b]0;title\x07 tench") == "[2J]0;title tench"
    assert clean("\u202egnp.exe\u2066 \x00\x1b[31m") == "gnp.exe [31m"


@given(WORDS)
def test_what_is_printable_prints_and_is_one_line(text: str) -> None:
    assert printable(text).isprintable()


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (" Ann\tKo\n", "Ann Ko"),
        ("a\x00b\x1b[2J\u202e", "ab[2J"),
        ("می‌خواهم 👨‍👩‍👧", "میخواهم 👨👩👧"),
        ("Love \ue022", "Love "),
        ("a \u200b b", "a  b"),
        ("x" * 5000, "x" * 5000),
    ],
)
def test_the_documents_of_old_releases_can_be_made_again(text: str, written: str) -> None:
    # Their hashes are in manifests: no output here may ever change.
    assert printable(text) == written


# Which addresses become links

GOOD = (
    "https://www.flickr.com/photos/78733179@N04/10115956703",
    "HTTPS://Example.org:8443/a;b?c=d&e=%20#f",
    *("http://example.org", "https://[2001:db8::1]/", "https://пример.рф/линь"),
    *("https://en.wikipedia.org/wiki/Tench_(fish)", "https://example.org/" + "a" * 1980),
)
BAD = (
    *("", "Photo page", "example.org/photo", "//example.org/x", "/etc/passwd", "http:example.org"),
    *("javascript:alert(1)", "javascript://example.org/%0aalert(1)", " JaVaScRiPt:alert(1)"),
    *("java\tscript:alert(1)", "data:text/html,<script>alert(1)</script>", "file:///etc/passwd"),
    *("ftp://example.org/", "http://", "https:///photo", "https://:80/", "https://?x"),
    *("https://example.org:port/", "https://example.org:99999/", "http://[broken"),
    *("https://user@example.org/", "https://flickr.com:secret@elsewhere.example/"),
    *("https://flickr.com\\@elsewhere.example/", "https://elsewhere.example\\.flickr.com/"),
    *(" https://example.org", "https://example.org/a b", "https:\n//example.org"),
    *("https://example.org/\x1b[2J", "https://example.org/\u202egpj.exe"),
    *("https://example.org/\ud800", "https://example.org/\u3000"),
    "https://example.org/" + "a" * 1981,
)


def test_an_address_on_the_web_is_a_link_and_no_other_is() -> None:
    assert [web_link(url) for url in GOOD] == list(GOOD)
    assert [url for url in BAD if web_link(url) is not None] == []


@given(st.text(st.characters() | st.sampled_from("htps:/@\\.[] \n%")))
@example("https://a\u2100b/")  # a host that would split when it is normalized
def test_whatever_it_is_there_is_an_answer(text: str) -> None:
    for url in (text, f"https://{text}", f"https://example.org/{text}"):
        if found := web_link(url):
            assert found == url
            assert urlsplit(url).scheme in ("http", "https")
            assert url.isprintable() and " " not in url and len(url) <= 2000
