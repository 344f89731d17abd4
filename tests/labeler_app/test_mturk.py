"""Paid work on Mechanical Turk: in its frame, without cookies, handed in by a form.

The browser is told what the platform's pages are: nothing of them is asked for outside.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlencode

import pytest
from playwright.sync_api import Browser, BrowserContext, FrameLocator, Page, Route, expect
from sqlalchemy import select

from genset.db import Label, Labeler, Screen, Store, Visit
from genset.label.crowd.studies import Studies, Study
from tests.browser import guarded
from tests.label.serving import free_port, serving
from tests.labeled_workspace import CRANE, GOLDFISH, TABBY, TENCH, labeled_workspace
from tests.labeler_app.component import mark
from tests.labeler_app.conftest import let_many_label

pytestmark = pytest.mark.browser

STORAGE = "() => { try { return localStorage.length } catch (error) { return error.name } }"
SUBMIT = "https://www.mturk.com/mturk/externalSubmit"


@dataclass
class Platform:
    """Mechanical Turk with a study of two screens, as one worker's browser shows it.

    `posts` are the forms that it has received, and `framed` is what its page shows in a frame.
    """

    store: Store
    study: Study
    address: str
    window: BrowserContext
    framed: str = ""
    posts: list[tuple[str, dict[str, list[str]]]] = field(default_factory=list)

    def answer(self, route: Route) -> None:
        page = f'<iframe width="1400" height="860" src="{html.escape(self.framed)}"></iframe>'
        if route.request.method == "POST":
            self.posts.append((route.request.url, parse_qs(route.request.post_data)))
            page = "<p>The platform has it."
        route.fulfill(body=f"<!doctype html><title>Tasks</title>{page}", content_type="text/html")

    def task(self, site: str = "worker.mturk.com", path: str = "/mturk", **ids: str) -> Page:
        """The page of a site that shows a task in its frame; an id that is "" is left out."""
        words = {"study": self.study.key, "assignmentId": "A1", "hitId": "H1", "workerId": "W1"}
        words |= {"turkSubmitTo": "https://www.mturk.com"} | ids
        query = urlencode({name: word for name, word in words.items() if word})
        self.framed = f"{self.address}{path}?{query}"
        page = self.window.new_page()
        page.goto(f"https://{site}/task")
        return page

    def rows(self) -> list[int]:
        with self.store.session() as session:
            kinds = (Labeler, Visit, Screen, Label)
            return [len(session.scalars(select(kind)).all()) for kind in kinds]


@pytest.fixture
def platform(browser: Browser, tmp_path: Path) -> Iterator[Platform]:
    workspace, store = labeled_workspace(tmp_path / "workspace", [TENCH, GOLDFISH, CRANE, TABBY])
    let_many_label(workspace)
    study = Studies(store).add("mturk", "birds & fish", 2)
    port = free_port()
    outside = f"--ip-address-space-overrides=127.0.0.1:{port}=public"  # as a page on the internet
    with serving(workspace.root, port), guarded(browser, tmp_path / "profile", outside) as window:
        made = Platform(store, study, f"http://127.0.0.1:{port}", window)
        window.route(re.compile("^https:"), made.answer)
        yield made
    store.close()


def framed(page: Page) -> FrameLocator:
    return page.frame_locator("iframe")


def work(page: Page, screens: int) -> None:
    """Do so many screens in the frame, by keys alone."""
    frame = framed(page)
    frame.get_by_role("button", name="Start labeling").click()
    for _ in range(screens):
        expect(frame.locator(".screen[data-state='painted']")).to_be_visible()
        expect(frame.locator(".decided")).to_have_text("0 of 5 decided")
        mark(page, "CCCCC")
        page.keyboard.press("Enter")


@pytest.mark.soak
def test_a_worker_does_the_task_in_the_frame_and_it_is_handed_in_once(platform: Platform) -> None:
    preview = platform.task(
        assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE", workerId="", turkSubmitTo=""
    )
    expect(framed(preview).get_by_text("Accept the work to begin")).to_be_visible()
    assert framed(preview).get_by_role("button", name="Start labeling").count() == 0
    assert platform.rows() == [0, 0, 0, 0]

    page = platform.task()
    expect(framed(page).get_by_role("button", name="Start labeling")).to_be_visible()
    assert page.frames[1].evaluate(STORAGE) == "SecurityError"  # this browser means it
    stranger = platform.task(workerId="W8")
    expect(framed(stranger).get_by_text("This visit is somebody else's")).to_be_visible()
    assert platform.rows()[:3] == [1, 1, 0]
    work(page, 2)
    expect(framed(page).get_by_text("The platform has it.")).to_be_visible()
    form = {"assignmentId": ["A1"], "outcome": ["done"], "code": [platform.study.code]}
    assert platform.posts == [(SUBMIT, form)]
    assert platform.rows()[3] == 10
    assert [visit.outcome for visit in Studies(platform.store).visits(platform.study)] == ["done"]
    # Nothing was kept in the browser for a site in another one's page.
    assert platform.window.cookies(platform.address) == []

    again = platform.task()
    expect(framed(again).get_by_text("Handed in. Thank you!")).to_be_visible()
    assert len(platform.posts) == 1
    framed(again).get_by_role("button", name="Hand in again").click()
    expect(framed(again).get_by_text("The platform has it.")).to_be_visible()
    assert platform.posts[1:] == platform.posts[:1]

    for site, path in (("evil.example", "/mturk"), ("worker.mturk.com", "/manage")):
        with platform.window.expect_event(
            "console", lambda said: re.search(r"frame-ancestors", said.text) is not None
        ):
            page = platform.task(site, path)
        assert framed(page).get_by_text("Label photos").count() == 0
