"""Nothing is lost or stored twice: offline, reloaded, in two tabs, with a dead server."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import APIResponse, BrowserContext, Route, expect
from sqlalchemy import update

from genset.db import Screen, Store
from genset.workspace import Workspace
from tests.label.serving import free_port, kill, serving
from tests.labeled_workspace import CRANE, GOLDFISH, TENCH, labeled_workspace
from tests.labeler_app.component import (
    begin,
    chosen,
    label,
    loaded_ahead,
    mark,
    photo,
    press,
    rows,
    saved,
    see,
    sign_in,
    stored,
)
from tests.labeler_app.conftest import Served

pytestmark = pytest.mark.browser


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[tuple[Workspace, Store]]:
    """A workspace in which each photo goes to one labeler."""
    workspace, store = labeled_workspace(tmp_path / "workspace", [TENCH, GOLDFISH])
    yield workspace, store
    store.close()


def test_what_was_lost_unsent_or_unfinished_outlives_a_reload_and_is_stored_once(
    served: Served, window: BrowserContext
) -> None:
    page = sign_in(window, served.address, "reload")
    lost: list[APIResponse] = []

    def lose_one(route: Route) -> None:
        if lost:
            route.continue_()
        else:
            lost.append(route.fetch())  # the server has it, the page never hears
            route.abort()

    window.route("**/genset/submit", lose_one)
    label(page, "tench", "UUUUU")
    saved(page, "5/5")
    window.unroute("**/genset/submit")
    window.route("**/genset/submit", lambda route: route.abort())
    label(page, "goldfish")
    see(page, "crane")
    mark(page, "CI")
    see(page, "crane", "2 of 5 decided")
    page.reload()
    begin(page)
    see(page, "crane", "2 of 5 decided")
    assert chosen(page) == "CI..."
    assert stored(served.store, "reload") == {TENCH: "UUUUU"}
    window.unroute("**/genset/submit")
    press(page, "KeyA", "Enter")
    see(page, "tabby")
    saved(page, "15/15")
    assert stored(served.store, "reload") == {TENCH: "UUUUU", GOLDFISH: "CCCCC", CRANE: "CICCC"}
    assert len(rows(served.store, "reload")) == 15


def test_nobody_leaves_unsaved_labels_without_a_word(
    served: Served, window: BrowserContext
) -> None:
    page = sign_in(window, served.address, "leaver")
    window.route("**/genset/submit", lambda route: route.abort())
    label(page, "tench", "CCCCI")
    see(page, "goldfish")
    asked = page.get_by_role("dialog", name="Not saved yet")
    with page.expect_event("dialog") as closing:
        page.close(run_before_unload=True)
    assert closing.value.type == "beforeunload"
    closing.value.dismiss()
    expect(asked).to_contain_text("5 labels are not saved yet")
    press(page, "KeyA")  # about no photo
    asked.get_by_role("button", name="Stay").click()
    see(page, "goldfish", "0 of 5 decided")
    expect(photo(page, 1)).to_be_focused()
    page.get_by_role("button", name="Sign out").click()
    with page.expect_download() as download:
        asked.get_by_role("button", name="Download").click()
    (written,) = json.loads(download.value.path().read_text("utf-8"))["submissions"]
    assert [entry["verdict"] for entry in written["labels"]] == ["correct"] * 4 + ["incorrect"]
    asked.get_by_role("button", name="Sign out now").click()
    expect(page.get_by_label("Your name")).to_be_visible()
    expect(page.get_by_text("5 labels of leaver are not saved yet.")).to_be_visible()
    other = sign_in(window, served.address, "next in line")
    expect(other.get_by_role("status")).to_contain_text("5 labels of leaver are not saved yet.")
    saved(other, "0/0")

    page.goto(f"{served.address}/?labeler=leaver")
    see(page, "goldfish")
    mark(page, "CCIII")
    page.get_by_role("button", name="Sign out").click()
    expect(asked).to_contain_text("5 labels are not saved yet; 5 photos are decided, not submitted")
    asked.get_by_role("button", name="Submit").click()
    expect(asked).to_contain_text("10 labels are not saved yet")
    expect(asked).to_contain_text("you are signed out when they are")
    assert stored(served.store, "leaver") == {}
    window.unroute("**/genset/submit")
    expect(page.get_by_label("Your name")).to_be_visible()
    assert stored(served.store, "leaver") == {TENCH: "CCCCI", GOLDFISH: "CCIII"}
    expect(page.get_by_text("not saved yet")).to_have_count(0)


@pytest.mark.soak
def test_a_killed_server_comes_back_with_a_new_secret_and_nothing_is_lost(
    alone: tuple[Workspace, Store], window: BrowserContext
) -> None:
    workspace, store = alone
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with serving(workspace.root, port) as server:
        page = sign_in(window, address, "ann")
        loaded_ahead(page, 2)
        with page.expect_console_message(lambda said: "not responding" in said.text):
            kill(server)  # and Streamlit's page finds out: nothing of it lies over the photos
        mark(page, "CCCC")
        photo(page, 5).get_by_role("button", name="Incorrect").click()
        press(page, "Enter")
        see(page, "goldfish")
        saved(page, "0/5")
        expect(page.get_by_role("status")).to_contain_text("5 labels are kept in this browser")
        mark(page, "CC")
    (workspace.root / ".label" / "secret").unlink()
    with serving(workspace.root, port):
        saved(page, "5/5")
        see(page, "goldfish", "2 of 5 decided")
        mark(page, "..CCC")
        press(page, "Enter")
        expect(page.get_by_role("heading", name="All done")).to_be_visible()
        saved(page, "10/10")
        assert stored(store, "ann") == {TENCH: "CCCCI", GOLDFISH: "CCCCC"}


def test_who_finds_all_screens_taken_reads_when_they_are_free(
    alone: tuple[Workspace, Store], window: BrowserContext
) -> None:
    port = free_port()
    with serving(alone[0].root, port):
        loaded_ahead(sign_in(window, f"http://127.0.0.1:{port}", "ann"), 2)
        bob = window.new_page()
        bob.goto(f"http://127.0.0.1:{port}/?labeler=bob")
        bob.get_by_role("button", name="Start labeling").click()
        expect(bob.get_by_text("elsewhere, free again 15 minutes after")).to_be_visible()


@pytest.mark.soak
def test_a_screen_that_went_to_another_is_refused_and_said(
    alone: tuple[Workspace, Store], window: BrowserContext
) -> None:
    workspace, store = alone
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with serving(workspace.root, port):
        ann = sign_in(window, address, "ann")
        loaded_ahead(ann, 2)
        with store.begin() as session:
            session.execute(update(Screen).values(expires_at=datetime(2020, 1, 1, tzinfo=UTC)))
        bob = sign_in(window, address, "bob")
        label(bob, "tench", "IIIII")
        saved(bob, "5/5")
        label(ann, "tench", "CCCCC")
        expect(ann.get_by_role("alert")).to_contain_text(
            "5 labels were not stored: given to another labeler meanwhile."
        )
        assert stored(store, "ann") == {}
        assert stored(store, "bob") == {TENCH: "IIIII"}

        # They are kept, with their photos, until they are dismissed one by one.
        ann.reload()
        ann.get_by_role("button", name="Not stored: 5").click()
        listed = ann.get_by_role("dialog", name="Not stored")
        expect(listed.get_by_role("listitem")).to_have_count(5)
        expect(listed.get_by_role("listitem").first).to_contain_text("tench: ✓ Correct")
        listed.get_by_role("button", name="Dismiss").first.click()
        expect(listed.get_by_role("listitem")).to_have_count(4)
        listed.get_by_role("button", name="Close").click()
        expect(ann.get_by_role("button", name="Not stored: 4")).to_be_visible()
