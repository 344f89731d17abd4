"""The labeling page in a real browser, served by the real server, which may be killed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from sqlalchemy import select

from genset.store import Label, Store
from genset.workspace import Workspace
from tests.browser import chromium
from tests.label.serving import free_port, kill, serving
from tests.labeled_workspace import (
    CRANE,
    GOLDFISH,
    TABBY,
    TENCH,
    add_candidate,
    labeled_workspace,
    picture,
)

pytestmark = pytest.mark.browser

HOSTILE = "<img src='https://evil.example/1.png'> ![x](https://evil.example/2.png)"
expect.set_options(timeout=30_000)

Opened = tuple[Workspace, Store]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    workspace, store = labeled_workspace(tmp_path / "workspace", [TENCH, CRANE, TABBY])
    for rank in range(5):
        name = HOSTILE if rank == 0 else None
        size = [(2400, 300), (40, 2000), (8, 8), (1600, 1200), (300, 200)][rank]
        content = picture(500 + rank, size)
        add_candidate(
            workspace, store, GOLDFISH, 500 + rank, rank, content=content, owner_name=name
        )
    yield workspace, store
    store.close()


@pytest.fixture
def window(browser: Browser) -> Iterator[tuple[BrowserContext, list[str]]]:
    """A browser window, and what went wrong in it."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    wrong: list[str] = []
    context.on("weberror", lambda error: wrong.append(str(error.error)))
    context.on(
        "console",
        lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None,
    )
    context.on("requestfailed", lambda request: wrong.append(request.url))
    yield context, wrong
    context.close()


def hosts(context: BrowserContext) -> set[str]:
    """Filled as the window asks: every host that anything is asked of."""
    asked: set[str] = set()
    context.on(
        "request",
        lambda request: asked.add(request.url.split("/")[2]) if "://" in request.url else None,
    )
    return asked


def choose(page: Page, verdicts: str) -> None:
    """Click a verdict for each photo: C, I or U."""
    words = {"C": "Correct", "I": "Incorrect", "U": "Unsure"}
    for number, letter in enumerate(verdicts, start=1):
        choice = page.get_by_role("radiogroup", name=f"Photo {number}")
        choice.get_by_role("radio", name=words[letter], exact=True).click()
    expect(page.get_by_text(f"{len(verdicts)} of 5 decided")).to_be_visible()


def see(page: Page, name: str, decided: int = 0) -> None:
    """Wait until the screen of this class is drawn; the count is what comes last."""
    expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
    expect(page.get_by_text(f"{decided} of 5 decided")).to_be_visible()


def submit(page: Page, following: str) -> None:
    page.get_by_role("button", name="Submit").click()
    see(page, following)


def sign_in(page: Page, port: int, name: str) -> None:
    page.goto(f"http://127.0.0.1:{port}")
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Your name").press("Enter")
    see(page, "tench")


def stored(store: Store) -> list[tuple[str, str, str]]:
    with store.session() as session:
        labels = session.scalars(select(Label).order_by(Label.number))
        return [(label.worker, label.candidate.task, label.verdict.value[0]) for label in labels]


def clicked(worker: str, wnid: str, verdicts: str, first: int) -> list[tuple[str, str, str]]:
    return [
        (worker, f"{wnid}/flickr:{first + place}", letter.lower())
        for place, letter in enumerate(verdicts)
    ]


def test_three_classes_stay_labeled_through_a_reload_and_a_killed_server(
    opened: Opened, window: tuple[BrowserContext, list[str]]
) -> None:
    workspace, store = opened
    context, wrong = window
    asked = hosts(context)
    port = free_port()
    with serving(workspace.root, port) as server:
        page = context.new_page()
        sign_in(page, port, "Ann B.")
        expect(page.get_by_role("button", name="Submit")).to_be_disabled()
        choose(page, "CCICU")
        submit(page, "goldfish")
        expect(page.get_by_text(HOSTILE)).to_be_visible()
        choose(page, "IIIII")
        submit(page, "crane")
        choose(page, "CUCCC")
        submit(page, "tabby")
        choose(page, "C")

        page.reload()
        expect(page.get_by_text("3 of 4 classes")).to_be_visible()
        expect(page.get_by_text("Ann B.")).to_be_visible()
        see(page, "tabby", decided=1)
        address = page.url
        page.close()
        kill(server)

    with serving(workspace.root, port):
        page = context.new_page()
        page.goto(address)
        expect(page.get_by_text("3 of 4 classes")).to_be_visible()
        see(page, "tabby", decided=1)
        first = page.get_by_role("radiogroup", name="Photo 1")
        expect(first.get_by_role("radio", name="Correct", exact=True)).to_be_checked()
        page.get_by_role("button", name="Back").click()
        see(page, "crane", decided=5)
        second = page.get_by_role("radiogroup", name="Photo 2")
        expect(second.get_by_role("radio", name="Unsure")).to_be_checked()
        page.close()

    assert stored(store) == [
        *clicked("Ann B.", TENCH, "CCICU", 0),
        *clicked("Ann B.", GOLDFISH, "IIIII", 500),
        *clicked("Ann B.", CRANE, "CUCCC", 100),
        *clicked("Ann B.", TABBY, "C", 200),
    ]
    assert asked == {f"127.0.0.1:{port}"}
    assert wrong == []


def test_photos_of_any_size_fit_the_window_and_wrap_on_a_phone(
    opened: Opened, window: tuple[BrowserContext, list[str]]
) -> None:
    workspace, _ = opened
    context, wrong = window
    port = free_port()
    with serving(workspace.root, port):
        page = context.new_page()
        sign_in(page, port, "ann")
        choose(page, "CCCCC")
        submit(page, "goldfish")
        photos = page.get_by_role("img", name="Photo")
        expect(photos).to_have_count(5)
        boxes = [photo.bounding_box() for photo in photos.all()]
        assert len({box["y"] for box in boxes if box}) == 1  # side by side
        assert len({box["x"] for box in boxes if box}) == 5
        for box in boxes:
            assert box is not None
            assert box["width"] > 200
            assert box["height"] < 0.7 * 900
        assert page.evaluate("document.querySelector('.stMain').scrollHeight") <= 900

        page.set_viewport_size({"width": 360, "height": 740})
        expect(photos.first).to_be_visible()
        page.wait_for_function(
            "new Set([...document.querySelectorAll('img')].map(i => i.getBoundingClientRect().x))"
            ".size == 1"
        )
        assert page.evaluate("document.querySelector('.stMain').scrollWidth") <= 360

        page.get_by_role("radiogroup", name="Photo 1").scroll_into_view_if_needed()
        choose(page, "IIIII")  # the last is far below
        submit(page, "crane")
        page.wait_for_function("document.querySelector('.stMain').scrollTop == 0")
    assert wrong == []


def test_a_double_click_submits_once_and_the_keyboard_does_all(
    opened: Opened, window: tuple[BrowserContext, list[str]]
) -> None:
    workspace, store = opened
    context, wrong = window
    port = free_port()
    with serving(workspace.root, port):
        page = context.new_page()
        sign_in(page, port, "ann")
        choose(page, "CCCCC")
        page.get_by_role("button", name="Submit").dblclick()
        see(page, "goldfish")
        expect(page.get_by_text("1 of 4 classes")).to_be_visible()

        for number in range(1, 6):
            choice = page.get_by_role("radiogroup", name=f"Photo {number}")
            choice.get_by_role("radio", name="Correct", exact=True).focus()
            page.keyboard.press("ArrowRight")
            page.keyboard.press("Enter")
            expect(choice.get_by_role("radio", name="Incorrect")).to_be_checked()
        expect(page.get_by_role("button", name="Submit")).to_be_enabled()
        page.get_by_role("button", name="Submit").focus()
        page.keyboard.press("Enter")
        see(page, "crane")

    assert stored(store) == [
        *clicked("ann", TENCH, "CCCCC", 0),
        *clicked("ann", GOLDFISH, "IIIII", 500),
    ]
    assert wrong == []
