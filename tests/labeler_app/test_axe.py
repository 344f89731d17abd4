"""Every page and every view, as axe-core sees it: light and dark, from a phone's width to 4K.

One server for all of it; each page is loaded once for a scheme, and made narrower and wider. Then
what axe-core does not look at: touch, what covers what, and bars that are to scale.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import select

from genset.db import DuplicatePair, Photo, Store, Verdict, now
from genset.label.access import Managers, manager_token
from genset.label.crowd.studies import Studies, Terms
from genset.label.gold import add_gold_question
from genset.label.labelers import Labelers
from genset.label.suspects import Guess, Suspect, Suspects, write_suspects
from genset.workspace import Workspace
from tests.label.desks import desk_of, do, hold
from tests.label.serving import free_port, serving
from tests.labeled_workspace import CRANE, GOLDFISH, TENCH, labeled_workspace, vote
from tests.labeler_app.component import begin

pytestmark = pytest.mark.browser

# Streamlit's link that skips to the content stands outside of every landmark: "region", moderate.
STREAMLITS = 'data-testid="stSkipToContent"'
WIDTHS = (360, 1280, 3840)
HEIGHTS = {360: 740, 1280: 800, 3840: 2160}
YES, NO = Verdict.CORRECT, Verdict.INCORRECT


def nothing(_: Page) -> None:
    """What is there at once is looked at."""


def open_photo(page: Page) -> None:
    page.get_by_text("Show verdicts").click()
    page.get_by_role("button", name="Open flickr:0").click()
    page.get_by_text("Show who said it").click()
    expect(page.get_by_role("button", name="ann")).to_be_visible()
    page.get_by_text("Use as a gold question").click()


def open_labeler(page: Page) -> None:
    open_photo(page)
    page.get_by_role("button", name="ann").click()
    expect(page.get_by_text("in the order in which ann decided")).to_be_visible()


def decide_on_ben(page: Page) -> None:
    page.get_by_role("combobox", name="Look at a labeler").click()
    page.get_by_role("option", name="ben").click()
    expect(page.get_by_text("would be void")).to_be_visible()


def show_votes(page: Page) -> None:
    page.get_by_text("Show votes first").click()
    expect(page.get_by_text("Labelers disagree: ")).to_be_visible()


@dataclass(frozen=True)
class Seen:
    """A page by its address (a view of the manager's page: by its name), what is there, a step."""

    address: str
    there: str
    step: Callable[[Page], None] = nothing


PAGES = {
    "sign-in": Seen("/", "Your name"),
    "no invitation": Seen("/?invite=none", "ask for a new one"),
    "instructions": Seen("/?labeler=cleo", "How to label"),
    "a study's terms": Seen("/?PROLIFIC_PID=p&STUDY_ID=study&SESSION_ID=s", "How to label|agree"),
    "no such study": Seen("/?PROLIFIC_PID=p&STUDY_ID=no&SESSION_ID=s", "not known here"),
    "labeling": Seen("/?labeler=mara", "Start labeling|tench", begin),
    "no link": Seen("/manage", "This page needs its link"),
    "Progress": Seen("Progress", "Candidates done"),
    "Photos": Seen("Photos", "of 5 photos"),
    "a photo": Seen("Photos", "of 5 photos", open_photo),
    "a labeler": Seen("Photos", "of 5 photos", open_labeler),
    "People": Seen("People", "held out by"),
    "to void": Seen("People", "Look at a labeler", decide_on_ben),
    "Candidates": Seen("Review", "2 to decide"),
    "votes first": Seen("Review", "2 to decide", show_votes),
    "Errors": Seen("Review&list=Errors", "1 to decide"),
    "Duplicates": Seen("Review&list=Duplicates", "1 to decide"),
    "Comments": Seen("Review&list=Comments", "has flagged"),
    "Settings": Seen("Settings", "Take a link back"),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workspace, str]]:
    """A workspace in which each view has something to show, and where it is served."""
    folder = tmp_path_factory.mktemp("axe") / "workspace"
    workspace, store = labeled_workspace(folder, [TENCH, GOLDFISH, CRANE])
    settings = workspace.root / "genset.toml"
    settings.write_text(settings.read_text("utf-8").replace("votes = 1\n", "votes = 2\n"), "utf-8")
    workspace = Workspace.find(workspace.root)
    fill(workspace, store)
    port = free_port()
    with serving(workspace.root, port):
        yield workspace, f"http://127.0.0.1:{port}"
    store.close()


def fill(workspace: Workspace, store: Store) -> None:
    for task in (f"{TENCH}/flickr:0", f"{TENCH}/flickr:1"):
        vote(store, task, "ann", YES)
        vote(store, task, "ben", NO)
    vote(store, f"{GOLDFISH}/flickr:100", "eve", YES)
    hold(store, workspace, "eve", by="genset", reason="under 0.3 s a photo")
    desk = desk_of((workspace, store), "dana")
    do(desk, desk.screens()[0])
    desk.screens()
    add_gold_question(store, f"{CRANE}/flickr:200", YES, "my own crane")
    terms = Terms(pay="£2", consent="Your labels are published.", gold_needed=0.8)
    Studies(store).add("prolific", "study", 3, terms)
    Labelers(store).invite("Mia")
    Managers(store).invite("Dana")
    guesses = Guess("a", TENCH, 0.9, 1), Guess("b", TENCH, None, 1)
    suspect = Suspect(f"{GOLDFISH}/flickr:102", (GOLDFISH, CRANE), guesses, 1, TENCH, 2)
    found = Suspects("v1", "sha256:1", now(), ("a", "b"), 10, 0, "severity", (suspect,))
    write_suspects(workspace.root, found)
    with store.begin() as session:
        photo = session.scalars(select(Photo).where(Photo.source_id == "3")).one()
        session.add(DuplicatePair(photo_id=photo.id, other="flickr:100", distance=3))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.soak
def test_every_page_can_be_read_by_all_eyes_and_by_a_screen_reader(
    place: tuple[Workspace, str], browser: Browser, scheme: Literal["light", "dark"]
) -> None:
    workspace, origin = place
    manage = f"/manage?token={manager_token(workspace)}&view="
    # axe is put into the page as a script, which the policy would refuse.
    with browser.new_context(color_scheme=scheme, bypass_csp=True) as context:
        page = context.new_page()
        problems = []
        for name, seen in PAGES.items():
            address = seen.address if seen.address.startswith("/") else manage + seen.address
            page.set_viewport_size({"width": 1280, "height": 800})
            page.goto(origin + address)
            words = [page.get_by_text(each).first for each in seen.there.split("|")]
            expect(words[0].or_(words[-1]).first).to_be_visible()
            seen.step(page)
            problems += [f"{name}, {each}" for each in found(page)]
        assert problems == []


def found(page: Page) -> list[str]:
    """What axe-core finds at each width; and whether the page is wider than the window."""
    problems = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
        expect(page.locator("[data-stale=true]")).to_have_count(0)
        page.wait_for_timeout(250)  # what has a transition, such as a toggle, comes to rest
        for each in Axe().run(page).response["violations"]:
            nodes = [node["html"] for node in each["nodes"] if STREAMLITS not in node["html"]]
            if nodes:
                problems.append(f"{width} px: {each['id']} {nodes[0][:200]}")
        if page.evaluate("document.scrollingElement.scrollWidth > innerWidth"):
            problems.append(f"{width} px: wider than the window")
    return problems
