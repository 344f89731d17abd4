"""What stands on a large report's page, as it is written."""

import base64
import hashlib
import re
from collections import Counter
from pathlib import Path

import pytest

from genset.reporting.figures.plot import share_axis
from genset.reporting.sections.board import Ranked, ranking_plot
from genset.score.results.runs import Accuracy
from tests.reporting.page.conftest import MODELS
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
    names = re.findall(
        r'<tr><th scope="row"><a href="#model-[^>]*><bdi>(.*?)<', large.read_text("utf-8")
    )
    assert len(names) == MODELS
    assert names[0] == f"model-{MODELS - 1}"


def test_all_links_within_the_page_lead_somewhere(page: Page) -> None:
    ids = Counter(found["id"] for _, found in page.tags if "id" in found)
    assert not [name for name, times in ids.items() if times > 1]
    within = {href[1:] for href in page.values("a", "href") if href.startswith("#")}
    assert within <= set(ids)
    sections = {found["id"] for tag, found in page.tags if tag == "section"}
    assert sections <= within, "a section that the table of contents lacks"


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
    remark = f"1 photo could not be read ({broken}); not counted"
    assert board.count(remark) == 1
    assert f"All models: {remark}." in board

    score(photos, runs, "three", 1, unreadable=[broken, other])
    board = section(report(photos, runs), "Models", "Between models")
    remark = f"2 photos could not be read ({broken}, ...); not counted"
    assert f"three answered 2 of 4 photos: in no rank; {remark}" in board
    assert "All models:" not in board


def test_a_few_far_weaker_models_do_not_squeeze_the_axis() -> None:
    strong = [Accuracy.of(700 + n, 1000) for n in range(0, 60, 5)]
    shares = [each.share for each in strong]
    assert share_axis("", [*shares, 0.001]).low > 0.6
    models = [Ranked(f"m{n}", each, near=False) for n, each in enumerate(strong[::-1])]
    drawn = ranking_plot([*models, Ranked("chance", Accuracy.of(1, 1000), near=False)])
    assert drawn.count("▼") == 1
