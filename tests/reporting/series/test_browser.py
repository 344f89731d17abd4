"""A series in a real browser: sorted, searched, on a phone, and as axe-core sees it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.reporting.series.test_series import MODELS, keep, listed, said

pytestmark = pytest.mark.browser

NEW = re.compile("^new")

# Elements of a table whose words stand beyond their box or the screen.
CUT = """
() => [...document.querySelectorAll("td, th")]
  .filter((cell) => cell.checkVisibility())
  .filter((cell) => cell.scrollWidth > cell.clientWidth + 1 ||
    cell.getBoundingClientRect().right > innerWidth + 1)
  .map((cell) => cell.textContent)
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Five models on two sets of 60 and 50 classes, and one on the first alone."""
    folder = tmp_path_factory.mktemp("series")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        first = listed(folder, "old", [place for place in range(60) for _ in range(3)])
        second = listed(folder, "new", [place for place in range(10, 60) for _ in range(2)])
        keep(first, {**MODELS, "alone": 0.8})
        # On the second set the order is another one.
        keep(second, dict(zip(MODELS, [0.75, 0.9, 0.8, 0.7, 0.6], strict=True)))
        said("old/labels.csv", "new/labels.csv", "-o", "site")
        yield folder / "site" / "index.html"


@pytest.fixture
def page(browser: Browser, index: Path) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 1280, "height": 900}, offline=True) as context:
        found = context.new_page()
        found.goto(index.as_uri())
        yield found


def rows(page: Page) -> list[str]:
    return page.locator("#side-by-side tbody tr:visible th").all_inner_texts()


def test_each_set_sorts_the_models_and_a_gap_comes_last(page: Page) -> None:
    assert rows(page)[0] == "best"
    head = page.locator("#side-by-side").get_by_role("columnheader", name=NEW)
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    assert (rows(page)[0], rows(page)[-1]) == ("good", "alone")
    page.keyboard.press("Enter")  # the button has the focus
    expect(head).to_have_attribute("aria-sort", "ascending")
    assert (rows(page)[0], rows(page)[-1]) == ("worst", "alone")
    page.get_by_label("Find models").fill("wea")
    assert rows(page) == ["weak"]


def test_a_phone_shows_the_heads_that_sort(browser: Browser, index: Path) -> None:
    with browser.new_context(viewport={"width": 390, "height": 800}, offline=True) as context:
        page = context.new_page()
        page.goto(index.as_uri())
        heads = page.locator("#side-by-side thead button")
        heads.get_by_text("Change on new").click()
        # From the first set to the second, `worst` changes places with `good`.
        changes = page.locator("#side-by-side td.change:visible").all_inner_texts()
        found = [float(each.split()[0].replace("−", "-")) for each in changes if each]
        assert (len(found), found) == (5, sorted(found, reverse=True))
        assert rows(page)[-1] == "alone"


def test_names_and_accuracies_lead_to_the_model_in_its_set_s_report(
    browser: Browser, index: Path
) -> None:
    with browser.new_context(viewport={"width": 1280, "height": 800}, offline=True) as context:
        page = context.new_page()
        for cell, title in (("th", "old"), ("td:nth-child(3)", "new")):
            page.goto(index.as_uri())
            row = page.locator("#side-by-side tbody tr").filter(has_text="weak")
            row.locator(cell).get_by_role("link").click()
            expect(page.get_by_role("heading", level=1)).to_have_text(title)
            section = page.locator("details:has(> div:target)")
            expect(section.locator("summary bdi").first).to_have_text("weak")
            expect(section.locator("div:target")).to_be_in_viewport()


def test_a_point_is_named_and_leads_to_no_surprise(page: Page, index: Path) -> None:
    page.locator("svg circle[data-name=fair]").first.hover()
    expect(page.locator(".tip strong")).to_have_text("fair")
    page.get_by_role("link", name="Full report on new").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("new")


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1280)])
def test_nothing_is_cut_and_axe_finds_nothing(
    browser: Browser, index: Path, scheme: str, width: int
) -> None:
    # axe is put into the page as a script, which the page's own policy forbids.
    with browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        bypass_csp=True,
        offline=True,
    ) as context:
        page = context.new_page()
        page.goto(index.as_uri())
        page.locator("details").evaluate_all("all => all.forEach(each => { each.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.evaluate(CUT) == []
        found = Axe().run(page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"][:200]) for each in found] == []
