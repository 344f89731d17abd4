"""What stands on a large report's page, as it is written."""

import base64
import hashlib
import re
from collections import Counter
from pathlib import Path

import pytest

from genset.reporting.report import TopK
from genset.reporting.sections.board import drawing, scale_of
from genset.score.results.runs import Accuracy
from genset.sets.open import open_set
from tests.reporting.page.conftest import MODELS, PHOTOS, REVERSED
from tests.reporting.sets import Page, release_of, report, score


@pytest.fixture(scope="module")
def page(large: Path) -> Page:
    return Page(large)


def section(page: Page, title: str, following: str) -> str:
    """The words of a section; its title and the next one's stand in the table of contents too."""
    start = page.text.split(title, 2)[2]
    return start.partition(following)[0]


@pytest.mark.soak
def test_seventy_models_fit_in_one_small_file(large: Path, page: Page) -> None:
    assert large.stat().st_size < 3_000_000
    words = [
        found["data-words"] for tag, found in page.tags if tag == "tr" and "data-words" in found
    ]
    assert len(words) == MODELS
    assert words[0] == f"model-{MODELS - 1}"


def test_all_links_within_the_page_lead_somewhere(page: Page) -> None:
    ids = Counter(found["id"] for _, found in page.tags if "id" in found)
    assert not [name for name, times in ids.items() if times > 1]
    within = {href[1:] for href in page.values("a", "href") if href.startswith("#")}
    assert within <= set(ids)
    sections = {found["id"] for tag, found in page.tags if tag == "section"}
    assert sections <= within, "a section that the table of contents lacks"


def test_a_model_that_cannot_be_right_stands_apart_with_what_to_do(page: Page) -> None:
    assert REVERSED not in page.text.partition("Left out The answers of this model")[0]
    said = section(page, "Left out", "Between models")
    assert REVERSED in said
    assert "Write the answers by the sorted wnids, and score it again." in said
    assert "--include-flagged" in said


def test_a_models_section_says_all_that_is_known_of_it(page: Page) -> None:
    each = section(page, "Each model", "To make it again")
    first = each.partition("model-68 ")[2].partition("Back to the table")[0]
    assert f"of {MODELS} by top-1 accuracy; cannot be told apart from" in each
    for words in ("Top-1", "Top-5", "Provenance", "Its hardest classes", "Calibration", "Spec"):
        assert words in first
    assert "file:model-69.pth?arch=torchvision:resnet18" in each


def test_only_the_pages_own_script_may_run(page: Page, large: Path) -> None:
    (policy,) = (
        found["content"]
        for tag, found in page.tags
        if tag == "meta" and found.get("http-equiv") == "Content-Security-Policy"
    )
    (source,) = re.findall(r"<script>(.*?)</script>", large.read_text("utf-8"), re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
    rules = dict(rule.strip().split(" ", 1) for rule in (policy or "").split(";"))
    assert rules["script-src"] == f"'sha256-{digest}'"
    assert rules["default-src"] == "'none'"
    assert not any(name.startswith("on") for _, found in page.tags for name in found)


def test_a_remark_of_all_models_is_made_once(tmp_path: Path) -> None:
    photos, runs = release_of(tmp_path / "set", 4), tmp_path / "runs"
    broken, other = photos.photos[0].id, photos.photos[1].id
    score(photos, runs, "one", 2, unreadable=[broken])
    score(photos, runs, "two", 1, unreadable=[broken])
    board = section(report(photos, runs), "Models", "Between models")
    assert board.count("1 photo could not be read; not counted") == 1
    assert "All models: 1 photo could not be read; not counted." in board

    score(photos, runs, "three", 1, unreadable=[broken, other])
    board = section(report(photos, runs), "Models", "Between models")
    remark = "answered 2 of 4 photos: in no rank 2 photos could not be read; not counted"
    assert f"three {remark}" in board
    assert "All models:" not in board


def test_a_set_without_models_has_no_empty_table(tmp_path: Path) -> None:
    photos = release_of(tmp_path / "set", 3)
    found = report(photos, tmp_path / "runs")
    assert not [tag for tag, _ in found.tags if tag in ("table", "svg")]
    assert "No model was scored on this set yet." in found.text
    assert "Models The set" not in found.text  # no section of pairs, errors or each model


@pytest.mark.parametrize(
    ("first", "second", "ticks"),
    [
        ((762, 1000), (771, 1000), (0.74, 0.76, 0.78)),
        ((0, 5), (5, 5), (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)),
        ((5, 5), (5, 5), (0.6, 0.7, 0.8, 0.9, 1.0)),
        ((38_061, 50_000), (38_070, 50_000), (0.758, 0.76, 0.762, 0.764, 0.766)),
    ],
)
def test_all_rows_are_drawn_on_one_scale(
    first: tuple[int, int], second: tuple[int, int], ticks: tuple[float, ...]
) -> None:
    tops = [TopK(1, found) for found in (Accuracy.of(*first), Accuracy.of(*second))]
    scale = scale_of(tops)
    assert scale.ticks == pytest.approx(ticks)
    for top in tops:
        drawn = drawing(scale, top, "<b>", "'\"")
        places = [float(each) for each in re.findall(r'x[12]?="([\d.-]+)%"', drawn)]
        assert all(0 <= place <= 100 for place in places)
        middle = (top.accuracy.share - scale.low) / (scale.high - scale.low)
        assert f'cx="{100 * middle:.2f}%"' in drawn
        assert "<b>" not in drawn


def test_a_list_of_photos_has_a_page_too(large: Path, tmp_path: Path) -> None:
    wnids = [folder.name for folder in (large.parent / "set" / "test").iterdir() if folder.is_dir()]
    rows = [f"photo{number},{wnid}" for number, wnid in enumerate(wnids[:PHOTOS])]
    (tmp_path / "photos.csv").write_text("\n".join(["image,wnid", *rows]))
    found = report(open_set(str(tmp_path / "photos.csv")), tmp_path / "runs")
    assert "List of photos" in found.text
