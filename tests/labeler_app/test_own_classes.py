"""The page on a workspace's own classes: what a labeler sees of names, definitions and examples."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from genset.classes.files import taxonomy_in
from genset.core.photo import PhotoOrigin
from genset.db.taxonomies import store_taxonomy
from genset.scrape.add import add
from tests.labeled_workspace import add_candidate, labeled_workspace, picture
from tests.labeler_app.component import label, see, sign_in
from tests.labeler_app.conftest import Served, let_many_label, serve
from tests.scrape.test_folder import put

pytestmark = pytest.mark.browser

MARKUP = (
    "<img src='https://evil.example/1.png' onerror=alert(1)> \"dog\" </bdi><script>x()</script>"
)
NAME = f"{MARKUP} {'=cmd|a very long name ' * 9}"[:200]
DEFINITION = f"what barks; {MARKUP} {'and so on ' * 180}"[:1999] + "."
ARABIC = "كلب بلدي"
OWN = f"""name = "pets"
[classes."dog.v2"]
name = '''{NAME}'''
definition = '''{DEFINITION}'''
confusable = ["كلب", "長"]
hypernyms = ["حيوان أليف", "animal"]
[classes."كلب"]
name = "{ARABIC}"
definition = "كلب من أي سلالة (any)"
[classes."長"]
name = "{"長" * 200}"
"""
OF_OURS = PhotoOrigin(source="own", posted_at=datetime.now(UTC))


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Five candidates of each class, and two examples of the first and of the second."""
    folder = tmp_path_factory.mktemp("own")
    workspace, store = labeled_workspace(folder / "workspace", [])
    let_many_label(workspace)
    with store.begin_alone() as session:
        store_taxonomy(session, taxonomy_in(OWN, "own.toml"))
    for place, wnid in enumerate(("dog.v2", "كلب", "長")):
        for number in range(5):
            add_candidate(workspace, store, wnid, 100 * place + number, number + 1)
    photos = {
        f"{wnid}_{number}": picture(900 + 10 * place + number, (320, 300))
        for place, wnid in enumerate(("dog.v2", "كلب"))
        for number in range(2)
    }
    assert add(workspace, store, put(folder / "known", **photos), OF_OURS, examples=True).added == 4
    yield from serve(workspace, store)


def fits(page: Page) -> None:
    """Nothing is wider than the window, and what is to be pressed is in it."""
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    expect(page.get_by_role("button", name="Submit")).to_be_in_viewport(ratio=1)


@pytest.mark.soak
def test_a_class_is_named_and_explained_as_its_maker_wrote_it(
    own: Served, window: BrowserContext, wrong: list[str]
) -> None:
    page = sign_in(window, own.address, "ann")
    see(page, NAME.strip())
    fits(page)
    heading = page.get_by_role("heading", level=1).locator("span").first
    assert heading.evaluate("each => each.scrollWidth <= each.clientWidth + 1")  # none is cut
    definition = page.locator(".definition")
    expect(definition).to_contain_text(DEFINITION)
    expect(page.locator(".kind")).to_have_text("a kind of حيوان أليف › animal")

    reference = page.get_by_role("complementary", name="To compare")
    expect(reference.locator(".example")).to_have_count(2)
    expect(reference.locator(".example .credit")).to_have_text(["Given as an example"] * 2)
    for example in reference.locator("img").all():
        expect(example).not_to_have_js_property("naturalWidth", 0)
    others = reference.locator("figure:not(.example)")
    expect(others).to_have_count(2)
    expect(others.nth(0)).to_contain_text(ARABIC)
    expect(others.nth(0).locator("img")).to_have_count(1)
    expect(others.nth(1)).to_have_attribute("title", f"{'長' * 200}: ")
    expect(others.nth(1).locator(".meaning")).to_have_count(0)  # it says nothing of itself

    label(page, NAME.strip())
    see(page, ARABIC)
    assert page.locator(".definition").evaluate("each => getComputedStyle(each).direction") == "rtl"
    assert (
        page.locator(".definition").evaluate("each => getComputedStyle(each).textAlign") == "left"
    )
    label(page, ARABIC)
    see(page, "長" * 200)
    expect(page.locator(".example")).to_have_count(0)
    fits(page)
    assert wrong == []
