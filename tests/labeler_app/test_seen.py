"""What was not in sight has no verdict, from a phone to 4K; and what is seen large."""

from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from genset.classes import imagenet1k
from tests.labeled_workspace import CRANE, TENCH, add_candidate
from tests.labeler_app.component import (
    asked,
    chosen,
    photo,
    press,
    problems,
    rows,
    saved,
    see,
    sign_in,
)
from tests.labeler_app.conftest import Served, let_many_label, serve
from tests.questions import questioned_workspace

pytestmark = pytest.mark.browser

# The second is a window of 1366 x 800, magnified to 200 %.
WINDOWS = [(360, 740, 3), (683, 400, 2), (3840, 2160, 1)]

# Of each row: what share of its height nothing lies over, and what is decided.
_SHARES = """
elements => elements.map((element) => {
  const root = element.getRootNode();
  const { top, left, width, height } = element.getBoundingClientRect();
  const points = Array.from({ length: 20 }, (_, step) => top + ((step + 0.5) / 20) * height);
  const isOpen = (y) => element.contains(root.elementFromPoint(left + width * 0.6, y));
  return [points.filter(isOpen).length / 20, element.closest("[data-verdict]").dataset.verdict];
})
"""

_BOX = "i => (({ x, y, width }) => ({ x, y, width }))(i.getBoundingClientRect())"


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A photo asked about eight classes, and five photos of crane; every labeler gets all of it."""
    classes = [cls.wnid for cls in imagenet1k()]
    further = [classes[number] for number in (500, 520, 600, 620, 700, 800, 900, 950)]
    folder = tmp_path_factory.mktemp("long") / "workspace"
    workspace, store = questioned_workspace(folder, [TENCH], photos=1, further=further)
    for number in range(5):
        add_candidate(workspace, store, CRANE, 200 + number, number + 1)
    let_many_label(workspace)
    yield from serve(workspace, store)


def keys_for_all(page: Page, selector: str, key: str) -> int:
    """Press a key, which decides what was in sight by then, until that is all; how often."""
    shown = page.locator(selector)
    whole: set[int] = set()
    seen: set[int] = set()
    for times in range(1, 12):
        page.wait_for_timeout(200)  # as long as a labeler takes to look
        shares = list(enumerate(share for share, _ in shown.evaluate_all(_SHARES)))
        whole |= {place for place, share in shares if share == 1}
        seen |= {place for place, share in shares if share >= 0.9}
        press(page, key)
        if len(whole) == len(shares):
            return times
        verdicts = [verdict for _, verdict in shown.evaluate_all(_SHARES)]
        assert len(verdicts) == len(shares)  # still the same screen
        assert whole <= {place for place, verdict in enumerate(verdicts) if verdict} <= seen
        if all(verdicts):  # the last one to a twentieth
            return times
    raise AssertionError("there is more to see after many keys")


@pytest.mark.parametrize(("width", "height", "scale"), WINDOWS)
def test_keys_for_all_decide_what_was_in_sight(
    long: Served, browser: Browser, width: int, height: int, scale: int
) -> None:
    name = f"seen-{width}"
    size = {"width": width, "height": height}
    with browser.new_context(viewport=size, device_scale_factor=scale) as window:
        page = sign_in(window, long.address, name)
        assert len(asked(page, 0)) == 8
        assert (keys_for_all(page, ".question", "0") == 1) == (width >= 1920)
        see(page, "tench", "0 of 1 decided")
        keys_for_all(page, ".card .picture", "KeyA")
        press(page, "Enter")
        see(page, "crane")
        assert (keys_for_all(page, ".card .picture", "KeyA") == 1) == (width >= 1280)
        expect(page.locator(".decided")).to_have_text("5 of 5 decided")
        press(page, "Enter")
        saved(page, "14/14")
    shown = {round(label.shown_at.timestamp(), 1) for label in rows(long.store, name)}
    assert len(shown) > 2 or width >= 1920  # what came into sight later was shown later


def test_on_a_phone_fingers_answer_questions_and_add_classes_in_sight(
    long: Served, browser: Browser
) -> None:
    with browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    ) as phone:
        page = sign_in(phone, long.address, "thumb")
        asked(page, 0)
        for button in page.locator(".screen button:visible, .actions button:visible").all():
            box = button.bounding_box()
            assert box is not None and box["height"] >= 44, button.inner_text()
        for place, word in enumerate(("No", "Maybe", "Yes")):
            button = page.locator(".question").nth(place).get_by_role("button", name=word)
            button.tap()
            expect(button).to_have_attribute("aria-pressed", "true")
            expect(page.locator(".seen img")).to_be_in_viewport(ratio=0.9)
        add = page.get_by_role("button", name="Something else of the classes")
        for name in ("husky", "dogsled", "pug", "bell pepper"):
            add.tap()
            page.get_by_role("combobox").fill(name)
            page.get_by_role("option").first.tap()
            added = page.locator(".question.added").last
            expect(added).to_contain_text(name)
            expect(added).to_be_in_viewport(ratio=1)
            expect(add).to_be_in_viewport(ratio=1)
        assert page.evaluate("document.querySelector('.stMain').scrollWidth - innerWidth") <= 0
        while page.locator(".question").count():
            page.wait_for_timeout(200)  # the tap decides what was in sight by then
            page.get_by_role("button", name="None of these").tap()
        see(page, "tench", "0 of 1 decided")
        photo(page, 1).get_by_role("button", name="Correct", exact=True).tap()
        page.get_by_role("button", name="Submit").tap()
        see(page, "crane")
        saved(page, "13/13")
        for place in range(1, 6):
            photo(page, place).get_by_role("button", name="Correct", exact=True).tap()
            expect(page.get_by_role("heading", name="crane")).to_be_in_viewport(ratio=1)


def test_a_key_for_one_brings_it_into_sight_first(served: Served, browser: Browser) -> None:
    with browser.new_context(viewport={"width": 683, "height": 400}) as window:
        page = sign_in(window, served.address, "one")
        press(page, "Digit5")
        see(page, "tench", "0 of 5 decided")
        expect(page.get_by_text("Not yet: Photo 5 was not in sight.")).to_be_attached()
        expect(photo(page, 5).locator(".picture")).to_be_in_viewport(ratio=0.9)
        page.wait_for_timeout(200)
        press(page, "Digit5")
        see(page, "tench", "1 of 5 decided")
        photo(page, 4).get_by_role("button", name="Incorrect").click()
        assert chosen(page) == "...IC"
        for key in ("Digit1", "Digit2", "Digit3"):  # once: what is next comes into sight by itself
            press(page, key)
            page.wait_for_timeout(200)
        assert chosen(page) == "CCCIC"
        expect(page.get_by_role("heading", name="tench")).to_be_in_viewport()


@pytest.mark.parametrize(("width", "height"), [(390, 844), (3840, 2160)])
def test_wheel_mouse_and_two_fingers_magnify_and_the_class_stays_in_sight(
    served: Served, browser: Browser, width: int, height: int
) -> None:
    with browser.new_context(viewport={"width": width, "height": height}) as window:
        page = sign_in(window, served.address, f"zoom-{width}")
        zoom = page.get_by_role("dialog", name="The photo, large")
        image = zoom.locator("img")
        photo(page, 2).get_by_role("button", name="see it large").click()
        before = image.evaluate(_BOX)
        x, y = width / 4, height / 4
        page.mouse.move(x, y)
        page.mouse.wheel(0, -400)
        after = image.evaluate(_BOX)
        assert (by := after["width"] / before["width"]) > 1.5
        assert after["x"] == pytest.approx(x - (x - before["x"]) * by, abs=2)
        assert after["y"] == pytest.approx(y - (y - before["y"]) * by, abs=2)
        page.mouse.down()
        page.mouse.move(x - 60, y - 30)
        page.mouse.up()
        moved = {**after, "x": after["x"] - 60, "y": after["y"] - 30}
        assert image.evaluate(_BOX) == pytest.approx(moved, abs=1)
        press(page, "Shift+Digit2")
        for text in ("tench", "freshwater dace-like", "Photo 2: ✗ Incorrect"):
            expect(zoom.get_by_text(text).last).to_be_in_viewport()
        press(page, "ArrowRight")  # the next one is whole again
        assert image.evaluate(_BOX) == before
        fingers = window.new_cdp_session(page)
        for kind, spread in (("touchStart", 40), ("touchMove", 80), ("touchMove", 120)):
            points = [{"x": width / 2 + way * spread, "y": y} for way in (-1, 1)]
            fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        assert image.evaluate(_BOX)["width"] == pytest.approx(3 * before["width"], rel=0.2)
        page.mouse.click(x, y)
        expect(zoom).to_be_hidden()
        assert chosen(page) == ".I..."


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.soak
def test_whoever_cannot_see_a_photo_s_questions_is_told_all(
    long: Served, browser: Browser, scheme: Literal["light", "dark"]
) -> None:
    with browser.new_context(
        viewport={"width": 1280, "height": 800},
        color_scheme=scheme,
        bypass_csp=True,  # axe is put into the page as a script
    ) as window:
        page = sign_in(window, long.address, f"axe-{scheme}")
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
        press(page, "/")
        page.keyboard.type("pug")
        expect(page.get_by_role("option").first).to_be_visible()
        press(page, "Enter")
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
