"""The labeling component as somebody who labels uses it, and what is stored of that."""

import re
from collections.abc import Sequence
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Locator, Page, expect
from sqlalchemy import select

from genset.db import Label, Store

WORDS = {"C": "Correct", "I": "Incorrect", "U": "Unsure", "B": "Broken"}


def sign_in(window: BrowserContext, address: str, name: str) -> Page:
    """A tab in which this labeler has read the instructions, and sees a class painted."""
    page = window.new_page()
    page.goto(f"{address}/?labeler={name}")
    begin(page)
    return page


def begin(page: Page) -> None:
    """Get past the instructions, which are shown until there are photos."""
    start = page.get_by_role("button", name="Start labeling")
    expect(start.or_(page.locator(".class"))).to_be_visible()
    if start.is_visible():
        start.click()
    expect(page.locator(".screen[data-state='painted']")).to_be_visible()


def see(page: Page, name: str, decided: str = "0 of 5 decided") -> None:
    """Wait until this class is on display, painted, with so much decided."""
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)
    expect(page.locator(".decided")).to_have_text(decided)
    expect(page.locator(".screen[data-state='painted']")).to_be_visible()


def asked(page: Page, decided: int) -> list[str]:
    """Wait until a photo is painted and so many of its questions are decided; their classes."""
    heading = page.get_by_role("heading", name="Which of these are also in this photo?")
    expect(heading).to_be_visible()
    expect(page.locator(".decided")).to_have_text(re.compile(rf"{decided} of \d decided"))
    expect(page.locator(".screen[data-state='painted']")).to_be_visible()
    labels = [each.get_attribute("aria-label") or "" for each in page.locator(".question").all()]
    return [label.split(": ")[1] for label in labels]


def loaded_ahead(page: Page, screens: int) -> None:
    """Begin, and wait until the page has the pictures of so many screens, with that on display."""
    press(page, "Digit1", "Backspace")
    page.wait_for_function(
        """photos => performance.getEntriesByType("resource").filter(
          ({ name }) => name.includes("/genset/picture/") && !name.endsWith("w=350") // an example
        ).length >= photos""",
        arg=5 * screens,
    )


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def mark(page: Page, verdicts: str) -> None:
    """By keys, photo by photo: C, I, U or B; "." leaves one out."""
    for place, letter in enumerate(verdicts, 1):
        if letter == ".":
            continue
        keys = {"C": [f"Digit{place}"], "I": [f"Shift+Digit{place}"]}
        press(page, *keys.get(letter, [f"Digit{place}", f"Key{letter}"]))


def label(page: Page, name: str, verdicts: str = "CCCCC") -> None:
    """Decide the class that is on display and submit it."""
    see(page, name)
    mark(page, verdicts)
    press(page, "Enter")


def photo(page: Page, place: int) -> Locator:
    return page.locator(".card").nth(place - 1)


def chosen(page: Page) -> str:
    """What is decided on display: "CI.U." for instance."""
    pressed = [
        card.locator("[aria-pressed=true]").all_text_contents()
        for card in page.locator(".card").all()
    ]
    letters = {word: letter for letter, word in WORDS.items()}
    return "".join(letters[each[0][1:]] if each else "." for each in pressed)


def saved(page: Page, text: str) -> None:
    expect(page.locator(".saved")).to_have_text(f"saved {text}")


def stored(store: Store, worker: str) -> dict[str, str]:
    """The verdicts in force by class, photo by photo as they are ranked."""
    found: dict[str, dict[str, str]] = {}
    for row in rows(store, worker):
        wnid, _, name = row.candidate.task.partition("/")
        found.setdefault(wnid, {})[name] = row.verdict.value[0].upper()
    return {
        wnid: "".join(letter for _, letter in sorted(photos.items()))
        for wnid, photos in found.items()
    }


def rows(store: Store, worker: str) -> Sequence[Label]:
    """Every label of this labeler, in the order in which they were stored."""
    with store.session() as session:
        mine = select(Label).where(Label.worker == worker).order_by(Label.number)
        labels = session.scalars(mine).all()
        for each in labels:
            _ = each.candidate.task  # loaded while there is a session
        return labels


def problems(page: Page, where: str) -> list[str]:
    """What axe-core finds; that it looks into the component is checked as well."""
    found: dict[str, Any] = (
        Axe().run(page, options={"resultTypes": ["violations", "passes"]}).response
    )
    seen = next(each for each in found["passes"] if each["id"] == "button-name")
    assert any("stBidiComponentIsolated" in str(node["target"]) for node in seen["nodes"])
    return [
        f"{where}: {each['id']} {each['nodes'][0]['html'][:200]}"
        for each in found["violations"]
        if each["impact"] in ("critical", "serious")
    ]
