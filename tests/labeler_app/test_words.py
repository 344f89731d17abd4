"""Strangers' words on the page: as text, as Markdown that reads the same, as links to the web."""

from datetime import UTC, datetime

import pytest

from genset.classes import imagenet1k
from genset.label.session.shown import Screen, ShownPhoto
from labeler_app.instructions import photos_help
from labeler_app.routes import screen_json
from labeler_app.words import as_markdown, as_text, link
from tests.labeled_workspace import TENCH


def test_text_is_one_short_line_that_keeps_to_itself() -> None:
    assert as_text("Ann\n\u202eKo\x1b[31m") == "\u2068Ann Ko[31m\u2069"
    assert as_text("می‌خواهم") == "\u2068می‌خواهم\u2069"
    assert len(as_text("endless" * 20_000)) == 82


def test_every_sign_of_markdown_is_a_sign() -> None:
    assert as_markdown("*a* :smile:\n$1$ <b>") == r"\*a\* \:smile\: \$1\$ \<b\>"
    assert as_markdown("\u202e`x`\x00") == r"\`x\`"


def test_a_link_cannot_be_left() -> None:
    assert link("](x)", "https://x.example/a>)[b](c") == (
        r"[\]\(x\)](<https://x.example/a%3E%29%5Bb%5D%28c>)"
    )


@pytest.mark.parametrize(
    "url", ["", "javascript:alert(1)", "https://x.example/a b", "https://flickr.com@x.example/"]
)
def test_what_leads_nowhere_is_words_alone(url: str) -> None:
    assert link("Photo page", url) == "Photo page"


def test_the_component_gets_no_address_that_leads_elsewhere() -> None:
    good, bad = "https://example.org/licence", "javascript:alert(1)"
    shown = (
        ShownPhoto("1", "flickr", "Ann", "CC BY 2.0", license_url=good, page_url=bad),
        ShownPhoto("2", "flickr", "Ann", "CC BY 2.0", license_url=bad, page_url=good),
    )
    screen = Screen("s", imagenet1k()[TENCH], shown, shown[:1], (), datetime.now(UTC), False)
    told = screen_json(screen)
    addresses = [(each["license_url"], each["page_url"]) for each in told["photos"]]
    assert addresses == [(good, ""), ("", good)]
    assert [each["page_url"] for each in told["examples"]] == [""]


@pytest.mark.parametrize("one, other", [("correct", "incorrect"), ("incorrect", "correct")])
def test_the_help_names_the_verdict_of_every_key(one: str, other: str) -> None:
    keys = dict(photos_help(one).keys)
    assert keys["1 – 5"].endswith(f" {one}")
    assert keys["Shift + 1 – 5"].endswith(f" {other}")
    assert keys["A"].endswith(f" {one}")
    assert keys["Shift + A"].endswith(f" {other}")
    assert dict(photos_help(one, grid=True).keys)["Click X"] == f"{other}, then unsure, then {one}"
