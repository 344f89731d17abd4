"""Every key, mouse and touch; and keys that come too often, or too soon."""

import pytest
from playwright.sync_api import BrowserContext, Route, expect

from genset.label.comments import comments
from genset.label.crowd.studies import Studies, Terms
from tests.labeled_workspace import CRANE, GOLDFISH, TENCH
from tests.labeler_app.component import (
    begin,
    chosen,
    label,
    mark,
    photo,
    press,
    problems,
    saved,
    see,
    sign_in,
    stored,
)
from tests.labeler_app.conftest import Served

pytestmark = pytest.mark.browser

# So fast that nothing can be painted between.
_ALL_AT_ONCE = """
for (const code of ["Enter", "Enter", "KeyA", "Enter"])
  document.dispatchEvent(new KeyboardEvent("keydown", { code, bubbles: true, composed: true }));
"""


@pytest.mark.soak
def test_the_keyboard_does_all(served: Served, window: BrowserContext, wrong: list[str]) -> None:
    page = sign_in(window, served.address, "keys")
    see(page, "tench")
    assert chosen(page) == "....."  # nothing is preselected
    press(page, "Enter")
    see(page, "tench")

    press(page, "Digit1", "Shift+Digit2", "ArrowRight", "KeyU", "ArrowDown", "ArrowLeft", "KeyB")
    assert chosen(page) == "CIUB."
    expect(page.get_by_role("group", name="Photo 2 of 5: Incorrect")).to_be_visible()
    amiss = problems(page, "answers")
    press(page, "Enter")  # one is undecided: that one is shown instead
    expect(photo(page, 5)).to_be_focused()
    press(page, "Backspace")
    assert chosen(page) == "CIU.."
    press(page, "KeyA")
    assert chosen(page) == "CIUCC"
    press(page, "Backspace", "Numpad5", "Digit4", "Digit2")
    assert chosen(page) == "CCUCC"

    press(page, "Space")
    large = page.get_by_role("dialog", name="The photo, large")
    expect(large).to_contain_text("Photo 2: ✓ Correct")
    amiss += problems(page, "large")
    press(page, "ArrowRight", "Shift+Digit3")
    expect(large).to_contain_text("Photo 3: ✗ Incorrect")
    press(page, "Space")
    expect(large).to_be_hidden()
    press(page, "KeyH")
    expect(page.get_by_role("dialog", name="Help")).to_contain_text("Backspace")
    assert amiss + problems(page, "help") == []
    press(page, "Digit1", "Enter")
    expect(page.get_by_role("dialog", name="Help")).to_be_hidden()
    press(page, "Enter")

    see(page, "goldfish")
    expect(page.locator("[aria-live=polite]")).to_contain_text("goldfish: small golden")
    press(page, "Shift+KeyA")
    expect(page.locator("[aria-live=polite]")).to_contain_text("All decided.")
    press(page, "Enter")
    see(page, "crane")
    saved(page, "10/10")
    press(page, "Digit1", "Backspace", "Backspace", "Backspace")
    see(page, "tench", "5 of 5 decided")
    assert chosen(page) == "CCICC"
    press(page, "Digit3", "Enter")
    see(page, "crane")
    saved(page, "10/10")

    assert stored(served.store, "keys") == {TENCH: "CCCCC", GOLDFISH: "IIIII"}
    assert wrong == []


def test_a_held_enter_submits_one_screen(served: Served, window: BrowserContext) -> None:
    page = sign_in(window, served.address, "heavy")
    for name in ("tench", "goldfish"):
        see(page, name)
        mark(page, "CCCCC")
        for _ in range(20):
            page.keyboard.down("Enter")  # without an up between: the key repeats
        page.keyboard.up("Enter")
    see(page, "crane")
    for _ in range(10):
        page.keyboard.down("Digit1")
    page.keyboard.up("Digit1")
    see(page, "crane", "1 of 5 decided")
    saved(page, "10/10")
    assert stored(served.store, "heavy") == {TENCH: "CCCCC", GOLDFISH: "CCCCC"}


@pytest.mark.soak
def test_nothing_is_decided_before_it_is_painted(served: Served, window: BrowserContext) -> None:
    held: list[Route] = []
    holding = True
    page = sign_in(window, served.address, "hasty")
    label(page, "tench")
    see(page, "goldfish")
    label(page, "goldfish")
    see(page, "crane")
    saved(page, "10/10")
    # From here on pictures hang: on a reload not even the first screen is painted.
    page.route(
        "**/genset/picture/**", lambda route: held.append(route) if holding else route.continue_()
    )
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_contain_text("crane")
    press(page, "KeyA", "Enter", "Enter", "Digit1", "Enter")
    expect(page.locator(".decided")).to_have_text("0 of 5 decided")
    expect(page.get_by_role("button", name="Submit")).to_be_disabled()
    holding = False
    for route in held:
        route.continue_()
    see(page, "crane")
    mark(page, "CCCCC")
    page.evaluate(_ALL_AT_ONCE)
    see(page, "tabby")
    saved(page, "15/15")
    assert stored(served.store, "hasty") == dict.fromkeys((TENCH, GOLDFISH, CRANE), "CCCCC")


def test_a_flag_and_its_comment_reach_the_manager(served: Served, window: BrowserContext) -> None:
    page = sign_in(window, served.address, "flagger")
    see(page, "tench")
    press(page, "ArrowRight", "KeyF")
    page.keyboard.type("A <b>carp</b>? Key F is text here.")
    press(page, "Enter")
    page.get_by_role("button", name="Flag Photo 4").click()
    page.get_by_role("button", name="Flag", exact=True).click()
    page.reload()
    see(page, "tench")
    expect(page.locator(".flag[aria-pressed=true]")).to_have_count(2)
    mark(page, "CCCCC")
    press(page, "Enter")
    label(page, "goldfish")
    press(page, "Backspace", "Backspace")
    see(page, "tench", "5 of 5 decided")
    page.get_by_role("button", name="Flag Photo 4").click()
    page.get_by_role("button", name="Take the flag off").click()
    press(page, "Enter")
    label(page, "crane")
    saved(page, "15/15")
    found = [(one.task, one.text) for one in comments(served.store) if one.labeler == "flagger"]
    assert found == [(f"{TENCH}/flickr:1", "A <b>carp</b>? Key F is text here.")]


@pytest.mark.soak
def test_a_study_ends_with_its_code_once_all_is_saved(
    served: Served, window: BrowserContext
) -> None:
    study = Studies(served.store).add("prolific", "study-1", screens=1, terms=Terms(code="DONE"))
    page = window.new_page()
    page.goto(f"{served.address}/?PROLIFIC_PID=5f8a&STUDY_ID=study-1&SESSION_ID=s1")
    begin(page)
    expect(page.get_by_text(study.code)).to_have_count(0)
    label(page, "tench")
    expect(page.get_by_text(study.code, exact=True)).to_be_visible()
    saved(page, "5/5")
    assert stored(served.store, "prolific:5f8a") == {TENCH: "CCCCC"}
    back = page.get_by_role("link", name="Back to Prolific")
    expect(back).to_have_attribute("href", "https://app.prolific.com/submissions/complete?cc=DONE")
