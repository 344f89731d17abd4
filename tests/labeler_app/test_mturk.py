"""Paid work on Mechanical Turk: in its frame, over TLS, without cookies, handed in by a form."""

import re
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, BrowserContext, FrameLocator, Page, expect
from sqlalchemy import select

from genset.db import Label, Labeler, Screen, Store, Visit
from genset.label.crowd.studies import Studies, Study
from tests.browser import guarded
from tests.label.serving import free_port, serving
from tests.labeled_workspace import CRANE, GOLDFISH, TABBY, TENCH, labeled_workspace
from tests.labeler_app.conftest import let_many_label
from tests.labeler_app.crowd import LABELS, Crowd, crowd

pytestmark = pytest.mark.browser

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
STORAGE = "() => { try { return localStorage.length } catch (error) { return error.name } }"
SUBMIT = "https://www.mturk.com/mturk/externalSubmit"


class Platform:
    """Mechanical Turk with a study of two screens, as one worker's browser shows it."""

    def __init__(self, store: Store, study: Study, crowd: Crowd, window: BrowserContext) -> None:
        self.store, self.study, self.crowd, self.window = store, study, crowd, window

    def task(self, site: str = "worker.mturk.com", path: str = "/mturk", **ids: str) -> Page:
        """The page of a site that shows a task in its frame; an id that is "" is left out."""
        words = {
            "study": self.study.key,
            "assignmentId": "A1",
            "hitId": "H1",
            "workerId": "W1",
            "turkSubmitTo": "https://www.mturk.com",
        } | ids
        query = urlencode({name: word for name, word in words.items() if word})
        self.crowd.framed = f"https://{LABELS}{path}?{query}"
        page = self.window.new_page()
        page.goto(f"https://{site}/task")
        return page

    def rows(self, of: type) -> int:
        with self.store.session() as session:
            return len(session.scalars(select(of)).all())


@pytest.fixture(scope="module")
def platform(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    folder = tmp_path_factory.mktemp("mturk")
    workspace, store = labeled_workspace(folder / "workspace", [TENCH, GOLDFISH, CRANE, TABBY])
    let_many_label(workspace)
    study = Studies(store).add("mturk", "birds & fish", 2)
    port = free_port()
    with (
        serving(workspace.root, port),
        crowd(folder, port) as there,
        guarded(browser, folder / "profile", *there.options) as window,
    ):
        yield Platform(store, study, there, window)
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
        for place in range(1, 6):
            page.keyboard.press(f"Digit{place}")
        page.keyboard.press("Enter")


@pytest.mark.soak
def test_a_worker_does_the_task_in_the_frame_and_it_is_handed_in_once(platform: Platform) -> None:
    page = platform.task(assignmentId="A1", workerId="W1")
    expect(framed(page).get_by_role("button", name="Start labeling")).to_be_visible()
    assert page.frames[1].evaluate(STORAGE) == "SecurityError"  # this browser means it
    work(page, 2)
    expect(framed(page).get_by_text("The platform has it.")).to_be_visible()
    ((address, form),) = platform.crowd.posts
    assert address == SUBMIT
    assert form == {"assignmentId": ["A1"], "outcome": ["done"], "code": [platform.study.code]}
    with platform.store.session() as session:
        labels = session.scalars(select(Label).where(Label.worker == "mturk:W1")).all()
        (visit,) = session.scalars(select(Visit)).all()
    assert len(labels) == 10
    assert (visit.key, visit.outcome) == ("A1", "done")
    # Nothing was kept in the browser for a site in another one's page.
    assert platform.window.cookies(f"https://{LABELS}") == []

    again = platform.task(assignmentId="A1", workerId="W1")
    expect(framed(again).get_by_text("Handed in. Thank you!")).to_be_visible()
    assert len(platform.crowd.posts) == 1
    framed(again).get_by_role("button", name="Hand in again").click()
    expect(framed(again).get_by_text("The platform has it.")).to_be_visible()
    assert platform.crowd.posts[1] == platform.crowd.posts[0]


def test_a_preview_shows_the_instructions_and_takes_nothing(platform: Platform) -> None:
    before = [platform.rows(each) for each in (Labeler, Visit, Screen)]
    page = platform.task(assignmentId=PREVIEW, workerId="", turkSubmitTo="")
    expect(framed(page).get_by_text("Accept the work to begin")).to_be_visible()
    assert framed(page).get_by_role("button", name="Start labeling").count() == 0
    assert [platform.rows(each) for each in (Labeler, Visit, Screen)] == before


@pytest.mark.soak
def test_ids_that_are_another_worker_s_or_of_no_study_get_nothing(platform: Platform) -> None:
    page = platform.task(assignmentId="A7", workerId="W7")
    expect(framed(page).get_by_role("button", name="Start labeling")).to_be_visible()
    before = [platform.rows(each) for each in (Labeler, Visit, Screen, Label)]
    for ids, says in (
        ({"assignmentId": "A7", "workerId": "W8"}, "This visit is somebody else's"),
        ({"study": "another"}, "This study is not known here"),
        ({"workerId": "W\x00"}, "The link's workerId is damaged"),
        ({"assignmentId": "A" * 300}, "The link's assignmentId is damaged"),
    ):
        page = platform.task(**ids)
        expect(framed(page).get_by_text(says)).to_be_visible()
    assert [platform.rows(each) for each in (Labeler, Visit, Screen, Label)] == before


def test_no_other_site_frames_the_page_and_mturk_frames_no_other_page(platform: Platform) -> None:
    for site, path in (
        ("evil.example", "/mturk"),
        ("worker.mturk.com", "/"),
        ("worker.mturk.com", "/manage"),
    ):
        with platform.window.expect_event(
            "console", lambda said: re.search(r"frame-ancestors", said.text) is not None
        ):
            page = platform.task(site, path, assignmentId="A1", workerId="W1")
        assert framed(page).get_by_text("Label photos").count() == 0
