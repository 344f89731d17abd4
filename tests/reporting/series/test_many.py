"""A series of many models: as low as its rows allow, and what is flagged apart."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.reporting.many import drawn, keep, long_names, score_many
from tests.reporting.series.test_series import listed, said

pytestmark = pytest.mark.browser

MODELS = 60
PLACES = {"one": range(100), "two": range(20, 120), "three": range(40, 140)}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Sixty models of long names on three sets of 100 classes, and one with reversed answers."""
    folder = tmp_path_factory.mktemp("many")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, places in PLACES.items():
            photos = listed(folder, name, places)
            bases = drawn(photos)
            score_many(photos, Path("runs"), bases, MODELS, names=long_names(MODELS))
            keep(photos, Path("runs"), "upside-down", bases[-1][:, ::-1])
        said(*(f"{name}/labels.csv" for name in PLACES), "-o", "site")
        yield folder / "site" / "index.html"


@pytest.mark.parametrize(("width", "table", "whole"), [(1280, 1500, 7000), (390, 6000, 15000)])
@pytest.mark.soak
def test_the_page_is_as_low_as_its_rows_allow(
    browser: Browser, index: Path, width: int, table: int, whole: int
) -> None:
    with browser.new_context(viewport={"width": width, "height": 900}, offline=True) as context:
        page = context.new_page()
        page.goto(index.as_uri())
        assert len(rows(page)) == MODELS
        assert height(page, "#side-by-side") < table
        assert height(page, "html") < whole
        for number in range(len(PLACES)):  # the tables of a set's own classes are folded
            folded = page.locator(f"#subset-{number} details")
            assert not folded.locator("table").is_visible()
            folded.locator("summary").click()
            assert folded.locator("tbody tr").count() == MODELS
            assert folded.locator("table").is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_a_model_that_is_flagged_everywhere_stands_under_left_out_alone(
    browser: Browser, index: Path
) -> None:
    with browser.new_context(viewport={"width": 1280, "height": 900}, offline=True) as context:
        page = context.new_page()
        page.goto(index.as_uri())
        assert "upside-down" not in rows(page)
        assert page.locator("table", has_text="upside-down").count() == 0
        flagged = page.locator("#flagged")
        assert flagged.get_by_text("upside-down").count() == 1
        assert flagged.locator("dd").count() == len(PLACES)
        page.get_by_role("link", name="Left out: 1 model.").click()
        flagged.get_by_role("link", name="two").click()
        expect(page.locator(":target").get_by_text("upside-down").first).to_be_visible()


def rows(page: Page) -> list[str]:
    return page.locator("#side-by-side tbody th").all_inner_texts()


def height(page: Page, selector: str) -> float:
    found: float = page.locator(selector).evaluate("each => each.getBoundingClientRect().height")
    return found
