"""The second kind of screen in a browser: which further classes are in a photo."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from genset.db import Claim, Store, Verdict
from tests.labeled_workspace import CRANE, TENCH, add_candidate, labeled_workspace
from tests.labeler_app import pages
from tests.labeler_app.component import press, problems, saved, see, sign_in
from tests.labeler_app.conftest import Served, let_many_label, serve
from tests.labeler_app.questions import asked, labels_of, row, said
from tests.questions import questioned_workspace

HUSKY, DOGSLED = "n02109961", "n03218198"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Two photos of tench, asked about three classes each; then those and five cranes to label.

    Every labeler gets all of it, and what others added.
    """
    folder = tmp_path_factory.mktemp("asked") / "workspace"
    workspace, store = questioned_workspace(folder, [TENCH], photos=2)
    for number in range(5):
        add_candidate(workspace, store, CRANE, 200 + number, number + 1)
    let_many_label(workspace)
    yield from serve(workspace, store)


def by_class(store: Store, worker: str) -> dict[str, list[Verdict]]:
    """The verdicts of a labeler by what their class is called, over all photos."""
    found: dict[str, list[Verdict]] = {}
    with store.session() as session:
        for claim_id, verdict in labels_of(store, worker).items():
            claim = session.get_one(Claim, claim_id)
            found.setdefault(claim.wnid, []).append(verdict)
    return {wnid: sorted(verdicts) for wnid, verdicts in found.items()}


def all_stored(page: Page, labels: int) -> None:
    saved(page, f"{labels}/{labels}")


def choose(page: Page, text: str) -> None:
    """Search for a class by keys, and choose the first that is found."""
    press(page, "/")
    search = page.get_by_role("combobox", name="Something else of the classes")
    expect(search).to_be_focused()
    page.keyboard.type(text)
    expect(page.get_by_role("option").first).to_be_visible()
    press(page, "Enter")


@pytest.mark.browser
@pytest.mark.soak
def test_the_keyboard_answers_all_and_one_can_go_back(
    place: Served, window: BrowserContext, wrong: list[str]
) -> None:
    page = sign_in(window, place.address, "keys")
    names = asked(page, 0)
    expect(page.get_by_role("heading", level=1)).to_contain_text("This photo shows: tench")
    assert {"bassinet", "croquet ball", "lampshade"} <= set(names)
    first, _, third, *_ = names
    press(page, "Enter")
    asked(page, 0)
    press(page, "y", "2")
    asked(page, 2)
    expect(row(page, third)).to_be_focused()  # on to the next
    expect(row(page, third)).to_be_in_viewport(ratio=1)
    press(page, "z", "ArrowUp")
    expect(row(page, first)).to_be_focused()
    assert said(page) == {**dict.fromkeys(names, "undecided"), first: "Yes"}

    press(page, "/")
    search = page.get_by_role("dialog", name="Something else of the classes")
    page.keyboard.type("tench")
    expect(page.get_by_role("option", disabled=True)).to_have_count(1)
    press(page, "Enter", "Escape")  # the photo shows that one already
    expect(search).to_be_hidden()
    choose(page, "HUSKY")
    expect(row(page, "Eskimo dog")).to_contain_text("added by you")
    expect(row(page, "Eskimo dog")).to_be_in_viewport(ratio=1)
    choose(page, "n02124075")
    expect(row(page, "Egyptian cat")).to_be_visible()
    row(page, "Egyptian cat").get_by_role("button", name="Take Egyptian cat off again").click()
    expect(row(page, "Egyptian cat")).to_have_count(0)

    page.reload()
    asked(page, 1)
    added = {"Eskimo dog": "Yes"}
    assert said(page) == {**dict.fromkeys(names, "undecided"), first: "Yes", **added}
    press(page, "0")
    asked(page, 0)
    all_stored(page, len(names) + 1)
    press(page, "Backspace")
    # What was added is a question like the others.
    assert sorted(asked(page, len(names) + 1)) == sorted([*names, "Eskimo dog"])
    assert said(page)[first] == "Yes"
    expect(page.get_by_text("Labeled before")).to_be_visible()
    row(page, "Eskimo dog").get_by_role("button", name="No").click()
    press(page, "Enter")
    others = asked(page, 0)
    press(page, "2", *"n" * (len(others) - 1), "Enter")

    see(page, "tench", "0 of 2 decided")  # and on with the first kind
    press(page, "KeyA", "Enter")
    see(page, "crane")
    all_stored(page, len(names) + 1 + len(others) + 2)
    found = by_class(place.store, "keys")
    assert found.pop(HUSKY) == [Verdict.INCORRECT]
    assert found.pop(TENCH) == [Verdict.CORRECT] * 2
    given = [each for verdicts in found.values() for each in verdicts]
    assert given.count(Verdict.CORRECT) == given.count(Verdict.UNSURE) == 1
    assert given.count(Verdict.INCORRECT) == len(given) - 2
    assert wrong == []


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.soak
def test_whoever_cannot_see_it_is_told_all(
    place: Served, browser: Browser, scheme: Literal["light", "dark"]
) -> None:
    with browser.new_context(
        viewport={"width": 1280, "height": 800},
        color_scheme=scheme,
        bypass_csp=True,  # axe is put into the page as a script
    ) as window:
        page = sign_in(window, place.address, f"axe-{scheme}")
        first, second, third, *rest = asked(page, 0)
        count = len(rest) + 3
        told = page.locator("[aria-live=polite]")
        expect(told).to_have_text(
            f"This photo shows: tench. {count} questions: what is also in it?"
        )
        press(page, "y", "m")
        expect(told).to_have_text(f"{second}: Maybe. {count - 2} left.")
        press(page, "z")
        expect(told).to_have_text(f"Taken back. {count - 1} left.")
        press(page, "m")
        group = page.get_by_role("group", name=f"Question 3 of {count}: {third}: undecided")
        expect(group).to_be_focused()
        yes = page.get_by_role("group", name=f"Question 1 of {count}: {first}: Yes")
        expect(yes).to_be_visible()
        choose(page, "pug")
        expect(told).to_have_text("pug is added.")
        found = problems(page, "answers")
        press(page, "h")
        found += problems(page, "help")
        press(page, "h", "/")
        page.keyboard.type("dog")
        found += problems(page, "search")
        expect(page.get_by_role("combobox")).to_have_attribute("aria-activedescendant", "class-0")
        press(page, "Escape")
        page.set_viewport_size({"width": 390, "height": 844})
        found += problems(page, "phone")
        assert found == []


@pytest.mark.parametrize("asks", [False, True])
def test_the_instructions_tell_of_questions_where_there_are_some(
    asks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = questioned_workspace if asks else labeled_workspace
    with pages.served(*made(tmp_path / "workspace", [TENCH]), monkeypatch):
        text = pages.shown(pages.label_page(labeler="ann"))
    assert ("One photo, several classes" in text) == asks
    assert ("none of these" in text) == asks
    assert "Correct" in text
