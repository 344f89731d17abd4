"""The page where the pool's photos are from several sources: notices, and a warning once."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.label.session.test_sources import FLICKR, know
from tests.labeled_workspace import CRANE, GOLDFISH, TENCH, add_candidate, labeled_workspace
from tests.labeler_app.component import press, see, sign_in
from tests.labeler_app.conftest import Served, let_many_label, serve
from tests.labeler_app.pages import Opened, buttons, click, label_page, labels_for, shown

EVIL = "<img src=x onerror=alert(1)> [a](javascript:b) **c** :smile: $1$"


def test_a_labeler_is_warned_before_the_first_photo_and_never_again(opened: Opened) -> None:
    workspace, store = opened
    know(store, "commons", title="Wikimedia Commons", warning="There is no safe search.")
    app = label_page(labeler="ann")
    assert "safe search" not in shown(app)  # there are none of its photos
    add_candidate(workspace, store, TENCH, 900, source="commons")
    app = label_page(labeler="ann")
    assert "**Wikimedia Commons**: There is no safe search." in shown(app)
    assert labels_for(app, workspace) is None  # no photos before that
    click(app, "Start labeling")
    assert labels_for(app, workspace) is not None
    again = label_page(labeler="ann")  # a reload, with nothing labeled yet
    assert "safe search" not in shown(again) and "Start labeling" in buttons(again)
    assert "safe search" in shown(label_page(labeler="bob"))


def test_who_has_labeled_already_is_warned_of_a_source_that_comes_later(opened: Opened) -> None:
    workspace, store = opened
    click(label_page(labeler="ann"), "Start labeling")
    add_candidate(workspace, store, TENCH, 900, source="wild")
    know(store, "wild", title=EVIL, warning=EVIL)
    app = label_page(labeler="ann")
    assert labels_for(app, workspace) is None
    (warning,) = app.warning
    assert warning.value.startswith(r"**\<img")
    for markup in ("](", "**c**", ":smile:", "$1$"):
        assert markup not in warning.value  # every sign of it is escaped
    assert "onerror" in shown(app)
    click(app, "Start labeling")
    assert labels_for(app, workspace) is not None


# In a browser


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Three classes of Flickr's photos; the last has two of Commons', one of them gold."""
    folder = tmp_path_factory.mktemp("two") / "workspace"
    workspace, store = labeled_workspace(folder, [TENCH, GOLDFISH, CRANE], photos=3)
    know(store, "flickr", title="Flickr", notice=FLICKR)
    know(
        store,
        "commons",
        title="Wikimedia Commons",
        notice="Photos via Wikimedia Commons.",
        warning="Wikimedia Commons has no safe search: photos may show what you do not want to see",
    )
    let_many_label(workspace)
    yield from serve(workspace, store)


def decide_all(page: Page, name: str) -> None:
    """All three photos are correct."""
    see(page, name, "0 of 3 decided")
    press(page, "KeyA", "Enter")


def below(page: Page) -> list[str]:
    return [each for each in page.locator(".notices").all_text_contents() if each]


@pytest.mark.browser
@pytest.mark.soak
def test_an_open_page_warns_before_photos_of_a_new_source_and_keeps_what_is_decided(
    two: Served, window: BrowserContext, browser: Browser
) -> None:
    page = sign_in(window, two.address, "ann")
    assert set(below(page)) == {FLICKR}
    for number in (900, 901):
        add_candidate(two.workspace, two.store, CRANE, number, source="commons")
    decide_all(page, "tench")
    warning = page.get_by_text("no safe search")
    expect(warning).to_be_visible()
    expect(page.locator(".class")).to_have_count(0)
    page.get_by_role("button", name="Start labeling").click()
    see(page, "goldfish", "0 of 3 decided")
    expect(page.locator(".saved")).to_have_text("saved 3/3")
    both = f"Photos via Wikimedia Commons. {FLICKR}"
    assert set(below(page)) == {both}  # the same for a screen of Flickr's photos alone
    page.reload()
    see(page, "goldfish", "0 of 3 decided")
    expect(warning).to_have_count(0)
    decide_all(page, "goldfish")
    see(page, "crane", "0 of 5 decided")
    assert set(below(page)) == {both}

    phone = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    with phone:
        small = phone.new_page()
        small.goto(f"{two.address}/?labeler=eve")
        expect(small.get_by_text("no safe search")).to_be_visible()
        small.get_by_role("button", name="Start labeling").click()
        see(small, "tench", "0 of 3 decided")
        notice = small.locator(".screen .notices")
        expect(notice).to_have_text(both)
        notice.scroll_into_view_if_needed()
        expect(notice).to_be_in_viewport()
        assert small.evaluate("document.documentElement.scrollWidth") <= 390
