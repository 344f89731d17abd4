"""What the page shows: strangers' words as text, own classes as their maker wrote them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from genset.classes.files import taxonomy_in
from genset.db import find_candidate, name_gold
from genset.db.taxonomies import store_taxonomy
from genset.label.gold import add_gold_question
from tests.label.desks import CORRECT, INCORRECT
from tests.label.serving import free_port, serving
from tests.labeled_workspace import GOLDFISH, TENCH, add_candidate, labeled_workspace, picture
from tests.labeler_app.component import label, mark, photo, press, saved, see, sign_in, stored
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

CLASS = "<img src='https://evil.example/5' onerror=alert(1)> \"dog\" </bdi><script>x()</script>"


ARABIC = "كلب بلدي"

OWN = f"""name = "pets"
[classes."dog.v2"]
name = '''{CLASS}'''
definition = '''what barks; {CLASS} {"and so on " * 150}'''
confusable = ["كلب"]
hypernyms = ["حيوان أليف", "animal"]
[classes."كلب"]
name = "{ARABIC}"
definition = "كلب من أي سلالة (any)"
"""


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[Served]:
    """Own classes of photos by strangers who mean harm; the second has a photo without a file."""
    workspace, store = labeled_workspace(tmp_path / "workspace", [])
    with store.begin_alone() as session:
        store_taxonomy(session, taxonomy_in(OWN, "own.toml"))
    for number, (name, size) in enumerate(zip(NAMES, SIZES, strict=True)):
        content = picture(number, size)
        words = {"owner_name": name, "title": name, "content": content}
        words |= {"license_url": "javascript:alert(1)", "page_url": "https://x.example/a b"}
        add_candidate(workspace, store, "dog.v2", number, number + 1, **words)
    for number in range(5):
        add_candidate(workspace, store, "كلب", 100 + number, number + 1)
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
    see(page, CLASS)
    expect(page.locator(".definition")).to_contain_text(f"what barks; {CLASS}")
    expect(page.locator(".kind")).to_have_text("a kind of حيوان أليف › animal")
    expect(page.get_by_role("complementary", name="To compare")).to_contain_text(ARABIC)
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
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    expect(page.get_by_role("button", name="Submit")).to_be_in_viewport(ratio=1)

    label(page, CLASS, "IIIII")
    see(page, ARABIC)
    assert page.locator(".definition").evaluate("each => getComputedStyle(each).direction") == "rtl"
    expect(photo(page, 3)).to_contain_text("This photo cannot be shown.")
    press(page, "Digit3", "KeyB", "KeyA", "Enter")
    saved(page, "10/10")
    assert stored(hostile.store, "<b>ann</b>")["كلب"] == "CCBCC"
    assert [each for each in wrong if "410" not in each] == []  # the lost one is answered 410


@pytest.mark.browser
def test_answers_are_shown_after_a_training_screen(
    window: BrowserContext, wrong: list[str], tmp_path: Path
) -> None:
    workspace, store = labeled_workspace(tmp_path / "workspace", [TENCH, GOLDFISH])
    with store.begin() as session:  # as genset add --gold does
        name_gold(session, find_candidate(session, f"{TENCH}/flickr:0").photo, TENCH, CORRECT, "")
    add_gold_question(store, f"{TENCH}/flickr:1", INCORRECT, "a <b>carp</b>")
    settings = workspace.root / "genset.toml"
    text = settings.read_text("utf-8").replace("training = 0", "training = 1")
    settings.write_text(text, "utf-8")
    port = free_port()
    with serving(workspace.root, port):
        page = sign_in(window, f"http://127.0.0.1:{port}", "ann")
        see(page, "tench", "0 of 2 decided")
        expect(page.get_by_text("Training: it does not count")).to_be_visible()
        assert "carp" not in page.content()
        mark(page, "CC")
        press(page, "Enter")
        dialog = page.get_by_role("dialog", name="Training")
        expect(dialog).to_contain_text("Training: 1 of 2 right")
        expect(dialog).to_contain_text("tenchYou said correct. It is incorrect: a <b>carp</b>")
        expect(dialog).to_contain_text("tenchRight, it is correct.")
        for image in dialog.locator("img").all():
            assert image.bounding_box()["width"] > 300
        press(page, "Enter")
        see(page, "tench", "0 of 3 decided")
        expect(page.locator(".again")).to_have_count(0)
    assert wrong == []
    store.close()
