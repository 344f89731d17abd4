"""A class's many photos as a grid: worked through by keys, by mouse, and on a phone."""

from collections import Counter
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from genset.label.comments import comments
from tests.labeled_workspace import CRANE, TENCH, labeled_workspace
from tests.labeler_app.component import press, problems, saved, see, sign_in, stored
from tests.labeler_app.conftest import Served, let_many_label, serve

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def grids(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """48 photos of tench and as many of crane; every labeler gets all of them."""
    folder = tmp_path_factory.mktemp("grids") / "workspace"
    workspace, store = labeled_workspace(folder, [TENCH, CRANE], photos=48)
    let_many_label(workspace)
    settings = folder / "genset.toml"
    text = settings.read_text("utf-8")
    assert "photos = 5\n" in text
    text = text.replace('"flickr"', '"commons"').replace("photos = 5\n", "photos = 48\n")
    settings.write_text(text, "utf-8")
    yield from serve(workspace, store)


def verdicts(page: Page) -> list[str]:
    cells = page.locator(".card").evaluate_all("all => all.map(each => each.dataset.verdict)")
    return [verdict[:1].upper() or "." for verdict in cells]


def test_keys_work_through_a_grid(grids: Served, browser: Browser) -> None:
    name = "keys"
    with browser.new_context(viewport={"width": 1366, "height": 625}) as window:
        page = sign_in(window, grids.address, name)
        see(page, "tench", "0 of 48 decided")
        for part in (page.locator(".card").last.locator(".picture"), page.locator(".definition")):
            expect(part).to_be_in_viewport(ratio=0.95)
        press(page, "ArrowRight", "x", "ArrowRight", "x", "x", "ArrowRight", "x", "x", "x")
        press(page, "ArrowRight", "b", "ArrowRight", "x", "Backspace", "ArrowDown", "x")
        assert Counter(verdicts(page)) == Counter(I=2, U=1, C=1, B=1) | Counter({".": 43})
        expect(page.locator(".in-sight")).to_have_text("")  # all were
        press(page, "Enter")
        assert Counter(verdicts(page)) == Counter(I=2, U=1, C=44, B=1)
        see(page, "tench", "48 of 48 decided")
        press(page, "Enter")
        see(page, "crane", "0 of 48 decided")
        saved(page, "48/48")
        press(page, "Backspace")
        see(page, "tench", "48 of 48 decided")
        assert verdicts(page)[:6] == [*"CIUCBC"]
    assert Counter(stored(grids.store, name)[TENCH]) == Counter(I=2, U=1, C=44, B=1)


def test_mouse_works_through_a_grid(grids: Served, window: BrowserContext) -> None:
    page = sign_in(window, grids.address, "mouse")
    see(page, "tench", "0 of 48 decided")
    second = page.get_by_role("button", name="Photo 2: its next verdict", exact=True)
    for verdict in "IUCI":
        second.click()
        assert verdicts(page)[:3] == [".", verdict, "."]
    page.get_by_role("button", name="Photo 3: see it large").click()
    large = page.get_by_role("dialog", name="The photo, large")
    large.get_by_role("button", name="Broken").click()
    page.mouse.move(500, 300)
    page.mouse.wheel(0, -400)
    expect(large.locator(".scale")).to_have_text("2.2×")
    large.get_by_role("button", name="Flag it").click()
    page.keyboard.type("a drawing")
    press(page, "Enter")
    assert verdicts(page)[:4] == [*".IB."]
    page.get_by_role("button", name="Rest correct").click()
    assert problems(page, "grid") == []
    page.get_by_role("button", name="Submit").click()
    see(page, "crane", "0 of 48 decided")
    saved(page, "48/48")
    found = [(one.task, one.text) for one in comments(grids.store) if one.labeler == "mouse"]
    assert found == [(f"{TENCH}/flickr:2", "a drawing")]
