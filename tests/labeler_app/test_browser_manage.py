"""The manager's page in a real browser: its photos are seen, its keys decide."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import select

from genset.db import DuplicatePair, Photo, Ruling, Store, Verdict
from genset.label.access import manager_token
from genset.workspace import Workspace
from labeler_app.manage.deciding import SECONDS_TO_SEE
from tests.label.serving import free_port, serving
from tests.labeled_workspace import GOLDFISH, TENCH, labeled_workspace, vote

pytestmark = pytest.mark.browser

Opened = tuple[Workspace, Store]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    workspace, store = labeled_workspace(tmp_path / "workspace", [TENCH, GOLDFISH])
    for task in (f"{TENCH}/flickr:0", f"{TENCH}/flickr:1"):
        vote(store, task, "ann", Verdict.CORRECT)
        vote(store, task, "ben", Verdict.INCORRECT)
    with store.begin() as session:
        photo = session.scalars(select(Photo).where(Photo.source_id == "3")).one()
        session.add(DuplicatePair(photo_id=photo.id, other="flickr:100", distance=3))
    yield workspace, store
    store.close()


def see_pictures(page: Page, count: int) -> None:
    photos = page.locator("img.genset-photo")
    expect(photos).to_have_count(count)
    for photo in photos.all():
        expect(photo).to_have_js_property("complete", True)
        assert photo.evaluate("image => image.naturalWidth") > 0


def press(page: Page, key: str) -> None:
    """Press a key once what is on the page has been there long enough to be seen."""
    page.wait_for_timeout(1000 * SECONDS_TO_SEE + 500)
    page.keyboard.press(key)


@pytest.mark.soak
def test_a_manager_decides_by_keys_what_they_see(
    opened: Opened, window: BrowserContext, wrong: list[str]
) -> None:
    workspace, store = opened
    port = free_port()
    with serving(workspace.root, port):
        page = window.new_page()
        page.goto(f"http://127.0.0.1:{port}/manage?token={manager_token(workspace)}")
        expect(page.get_by_text("Candidates done")).to_be_visible()

        page.get_by_role("radio", name="Photos").click()
        page.locator(".genset-small img").nth(1).click(force=True)  # the button reaches over it
        expect(page.get_by_text(f"{TENCH}/flickr:1")).to_be_visible()
        page.get_by_role("radio", name="Review").click()
        expect(page.get_by_text("2 to decide")).to_be_visible()
        see_pictures(page, 1)
        press(page, "n")
        expect(page.get_by_text("1 to decide")).to_be_visible()
        press(page, "y")
        expect(page.get_by_text("Nothing waits for a ruling")).to_be_visible()

        page.get_by_role("radio", name="Duplicates").click()
        expect(page.get_by_text("1 to decide")).to_be_visible()
        see_pictures(page, 2)
        press(page, "d")
        expect(page.get_by_text("No pair waits to be decided")).to_be_visible()

        page.reload()  # the address holds the view too
        expect(page.get_by_text("No pair waits to be decided")).to_be_visible()

    with store.session() as session:
        assert session.scalars(select(Ruling.verdict).order_by(Ruling.number)).all() == [
            Verdict.INCORRECT,
            Verdict.CORRECT,
        ]
        assert session.scalars(select(DuplicatePair.verdict)).all() == ["different"]
    # Streamlit asks for its own files beside the page first, and then where they are.
    assert [said for said in wrong if "404" not in said] == []
