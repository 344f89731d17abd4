"""The page of seventy models as readers use it, in a real browser."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.reporting.page.conftest import MODELS

pytestmark = pytest.mark.browser

A4 = {"width": 718, "height": 1047}  # pixels of 1/96 inch within margins of 10 mm
LETTER = {"width": 740, "height": 980}
MARGINS = """[...document.styleSheets].flatMap(each => [...each.cssRules])
  .filter(each => each.media?.mediaText === "print").flatMap(each => [...each.cssRules])
  .filter(each => each instanceof CSSPageRule).map(each => each.style.margin)"""
NAMES = "all => all.map(row => row.querySelector('th').textContent.trim())"


@contextmanager
def opened(browser: Browser, path: Path, width: int = 1280, **options: Any) -> Iterator[Page]:
    """The page in a new window; nothing may go wrong in it, and nothing be asked for."""
    trouble: list[str] = []
    with browser.new_context(
        viewport={"width": width, "height": 900}, offline=True, **options
    ) as context:
        page = context.new_page()
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.goto(path.as_uri())
        yield page
    assert trouble == []


def names(page: Page) -> list[str]:
    """The models of the table, from its first row to its last."""
    found: list[str] = page.locator("#board tbody tr").evaluate_all(NAMES)
    return found


def numbers(page: Page, column: int) -> list[float | None]:
    """What a column holds, as numbers."""
    cells = page.locator(f"#board tbody tr td:nth-child({column})").all_inner_texts()
    return [None if text == "–" else float(text) for text in cells]


@pytest.mark.soak
def test_columns_sort_by_mouse_and_by_keyboard(browser: Browser, large: Path) -> None:
    with opened(browser, large) as page:
        best_first = names(page)
        heads = page.locator("#board thead th")
        top1 = heads.nth(2)
        top5 = page.get_by_role("columnheader", name="Top-5")
        expect(top1).to_have_attribute("aria-sort", "descending")

        top5.get_by_role("button").click()
        column = 1 + top5.evaluate("head => head.cellIndex")
        found = numbers(page, column)
        assert found == sorted(found, key=lambda value: -(value or 0))
        expect(top5).to_have_attribute("aria-sort", "descending")
        assert page.locator("#board [aria-sort]").count() == 1
        said = page.locator('.tools [role="status"]')
        expect(said).to_have_text("Sorted by Top-5, highest first")

        # The second time the other way, without a mouse; the focus stays where it is.
        page.keyboard.press("Enter")
        assert numbers(page, column) == sorted(found, key=lambda value: value or 0)
        expect(top5).to_have_attribute("aria-sort", "ascending")
        expect(top5.get_by_role("button")).to_be_focused()

        page.locator("#board tbody tr").last.scroll_into_view_if_needed()
        expect(heads.first).to_be_in_viewport()
        page.locator("#board thead button", has_text="Model").focus()
        page.keyboard.press("Space")
        assert names(page) == sorted(best_first)
        top1.get_by_role("button").press("Enter")
        assert names(page) == best_first
        page.locator("#board thead button", has_text="Rank").press("Enter")
        texts = page.locator("#board td:nth-child(2)").all_inner_texts()
        ends = [[int(end) for end in text.split(" to ")] for text in texts]
        assert ends == sorted(ends, key=lambda each: (each[0], each[-1]))


def test_a_filter_leaves_the_models_that_are_named(browser: Browser, large: Path) -> None:
    with opened(browser, large) as page:
        field = page.get_by_role("searchbox", name="Find models")
        field.press_sequentially("MODEL -1")
        rows = page.locator("#board tbody tr:visible")
        expect(rows).to_have_count(10)
        expect(page.locator(".tools output")).to_have_text(f"10 of {MODELS} models")
        expect(page.locator("#each-model details:visible")).to_have_count(10)
        field.fill("no such model")
        expect(rows).to_have_count(0)
        field.fill("")
        expect(rows).to_have_count(MODELS)


def test_photos_are_filtered_by_class_and_by_who_is_right(browser: Browser, large: Path) -> None:
    with opened(browser, large) as page:
        cards = page.locator(".photo:visible")
        page.get_by_label("Wrong", exact=True).select_option(f"model-{MODELS - 1}")
        mine = cards.locator("li", has_text=f"model-{MODELS - 1}:")
        expect(mine).to_have_count(cards.count())
        expect(mine.filter(has_text="✓")).to_have_count(0)
        page.get_by_label("Class", exact=True).select_option(index=1)
        assert cards.count() <= 1


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_name_leads_to_its_folded_section(browser: Browser, large: Path, scripts: bool) -> None:
    with opened(browser, large, java_script_enabled=scripts) as page:
        spec = page.get_by_text("file:model-33.pth?arch=torchvision:resnet18&name=model-33").first
        expect(spec).to_be_hidden()
        page.get_by_role("link", name="model-33").first.click()
        expect(spec).to_be_visible()
        expect(spec).to_be_in_viewport()


def test_without_scripts_it_is_a_whole_document(browser: Browser, large: Path) -> None:
    with opened(browser, large, java_script_enabled=False) as page:
        expect(page.locator("#board tbody tr")).to_have_count(MODELS)
        expect(page.get_by_role("button")).to_have_count(0)
        expect(page.get_by_role("searchbox")).to_have_count(0)
        expect(page.locator("#leaderboard svg.ranking")).to_be_visible()
        summary = page.locator("#each-model summary").first
        summary.click()
        expect(page.get_by_role("heading", name="Provenance").first).to_be_visible()


def test_points_are_named_to_mouse_keyboard_and_finger(browser: Browser, several: Path) -> None:
    with opened(browser, several, has_touch=True) as page:
        # Ten models are read at a sitting.
        assert len(page.locator("body").inner_text().split()) <= 1000
        tip = page.locator(".tip")
        point = page.locator("#baseline svg [tabindex][data-name=model-03]").first
        point.hover()
        expect(tip).to_contain_text("model-03")
        page.keyboard.press("Escape")
        expect(tip).to_be_hidden()
        point.focus()
        expect(tip).to_contain_text("model-03")
        page.locator("nav a").first.focus()
        expect(tip).to_be_hidden()
        box = point.bounding_box()
        assert box is not None
        page.touchscreen.tap(box["x"] + box["width"] + 9, box["y"] + box["height"] / 2)
        expect(tip).to_contain_text("model-03")
        page.locator("#baseline h2").tap()
        expect(tip).to_be_hidden()


# Visible numbers of which a part is off the screen, or hidden by what they stand in. The matrix of
# pairs alone scrolls sideways in its own frame.
CUT = """() => {
  const cut = [];
  for (const each of document.querySelectorAll(".numbers, #board text")) {
    if (!each.checkVisibility() || !each.textContent.trim()) continue;
    const at = each.getBoundingClientRect();
    const scrolls = each.closest(".matrix");
    if (each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).display !== "inline"
        && !(each instanceof SVGElement)) {
      cut.push("hidden: " + each.textContent);
    }
    if (!scrolls && (at.left < -1 || at.right > innerWidth + 1)) cut.push(each.textContent);
  }
  return cut;
}"""


@pytest.mark.soak
def test_it_fits_screens_from_a_phone_to_a_wall(browser: Browser, large: Path) -> None:
    with opened(browser, large) as page:
        unfolded = "section:not(#each-model) details, #each-model details:first-child"
        page.locator(unfolded).evaluate_all("all => all.forEach(each => { each.open = true; })")
        for width in (390, 1280, 2560):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") == width
            assert page.evaluate(CUT) == [], f"{width} px"
        page.set_viewport_size({"width": 1280, "height": 900})
        height = page.locator("#board").bounding_box()
        assert height is not None
        assert height["height"] < 2000
    with opened(browser, large) as page:
        height = page.evaluate("document.documentElement.scrollHeight")
        assert height < 15_000, "it was 34,500 when nothing was folded"


def test_the_leaderboard_is_on_page_one_in_print(browser: Browser, large: Path) -> None:
    with opened(browser, large, color_scheme="dark") as page:
        page.emulate_media(media="print", color_scheme="dark")
        assert page.evaluate(MARGINS) == ["10mm"]
        for paper in (A4, LETTER):
            page.set_viewport_size(paper)
            box = page.locator("#board").bounding_box()
            assert box is not None
            assert box["y"] + box["height"] < paper["height"]
            assert page.evaluate("document.documentElement.scrollWidth") == paper["width"]
            assert page.evaluate(CUT) == []
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == (
            "rgb(255, 255, 255)"
        )
        expect(page.locator(".tools")).to_be_hidden()
        expect(page.locator("nav")).to_be_hidden()


def test_what_scrolls_is_reached_by_the_keyboard(browser: Browser, large: Path) -> None:
    hint = "each => getComputedStyle(each, '::before').content"
    with opened(browser, large) as page:
        frame = page.locator("#board .wide")
        frame.evaluate("each => { each.style.width = '20rem'; }")
        expect(frame).to_have_attribute("tabindex", "0")
        assert "More columns to the right" in frame.evaluate(hint)
        expect(frame).to_have_attribute("aria-label", "Table: Models")
        frame.evaluate("each => { each.style.width = ''; }")
        expect(frame).not_to_have_attribute("tabindex", "0")
        assert "More" not in frame.evaluate(hint)


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1280)])
@pytest.mark.soak
def test_axe_finds_nothing(browser: Browser, several: Path, scheme: str, width: int) -> None:
    # axe is put into the page as a script, which the page's own policy forbids.
    with opened(browser, several, width, color_scheme=scheme, bypass_csp=True) as page:
        page.locator("details").evaluate_all("all => all.forEach(each => { each.open = true; })")
        found = Axe().run(page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"][:200]) for each in found] == []


def test_no_other_script_runs(browser: Browser, large: Path, tmp_path: Path) -> None:
    """A policy that did not hold would let a stranger's word become a script."""
    broken = tmp_path / "broken.html"
    text = large.read_text("utf-8")
    planted = (
        "<script>document.title = 'taken'</script><p onclick=\"document.title = 'taken'\">x</p>"
    )
    broken.write_text(text.replace("<main>", f"<main>{planted}"), "utf-8")
    with browser.new_context(offline=True) as context:
        page = context.new_page()
        page.goto(broken.as_uri())
        page.locator("main > p").first.click()
        assert "taken" not in page.title()
