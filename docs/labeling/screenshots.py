"""Make the pictures of the labeling page that the documentation shows.

    python -m docs.labeling.screenshots

The photos in them are drawn here; nobody's photo is shown.
"""

import io
import math
import random
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from PIL import Image, ImageDraw, ImageFilter
from playwright.sync_api import Browser, expect

from genset.db import Store, Verdict
from genset.label.people.access import manager_token
from genset.workspace import Workspace
from tests.browser import chromium
from tests.label.serving import free_port, serving
from tests.labeled_workspace import GOLDFISH, TENCH, add_candidate, vote
from tests.labeler_app.component import begin, press, see
from tests.labeler_app.questions import asked
from tests.questions import ask_about

Color = tuple[int, int, int]
Scheme = Literal["light", "dark"]

HERE = Path(__file__).parent
YAWL, CORAL_REEF, SNORKEL = "n04612504", "n09256479", "n04251144"
WIDE, PHONE = (1280, 800), (360, 740)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace.create(Path(folder) / "workspace")
        with closing(Store.open(workspace.store_url)) as store:
            for number in range(9):
                name = f"owner {number + 1}"
                content = _drawn(number, fish=number not in (1, 3))
                task = add_candidate(
                    workspace, store, GOLDFISH, number, number + 1, content=content, owner_name=name
                )
                if number > 4:  # known to be right
                    vote(store, task, "somebody", Verdict.CORRECT)
            content = _drawn(20, fish=True, skin=(96, 108, 60))
            vote(
                store,
                add_candidate(workspace, store, TENCH, 20, content=content, owner_name="owner 20"),
                "somebody",
                Verdict.CORRECT,
            )
        port = free_port()
        with serving(workspace.root, port), chromium() as browser:
            _shoot(browser, port, "light", WIDE)
            _shoot(browser, port, "dark", WIDE)
            _shoot(browser, port, "light", PHONE, name="phone")
            with closing(Store.open(workspace.store_url)) as store:
                _label_all(store)
            _shoot_manager(browser, f"http://127.0.0.1:{port}/manage", manager_token(workspace))
            with tempfile.TemporaryDirectory() as asked:
                _shoot_questions(browser, Path(asked) / "workspace")


def _shoot_questions(browser: Browser, folder: Path) -> None:
    """A photo that is known to show a goldfish; two of the classes asked about have examples."""
    workspace = Workspace.create(folder)
    with closing(Store.open(workspace.store_url)) as store:
        photos = ((GOLDFISH, 0, True), (TENCH, 20, True), (YAWL, 3, False))
        for wnid, number, fish in photos:
            skin = (96, 108, 60) if wnid == TENCH else (240, 130, 30)
            name = f"owner {number + 1}"
            content = _drawn(number, fish, skin)
            task = add_candidate(workspace, store, wnid, number, content=content, owner_name=name)
            vote(store, task, "somebody", Verdict.CORRECT)
        ask_about(store, {f"{GOLDFISH}/flickr:0": (TENCH, YAWL, CORAL_REEF, SNORKEL)})
    port = free_port()
    wide, high = WIDE
    with (
        serving(workspace.root, port),
        browser.new_context(viewport={"width": wide, "height": high}) as window,
    ):
        page = window.new_page()
        page.goto(f"http://127.0.0.1:{port}/?labeler=ann")
        begin(page)
        asked(page, 0)
        press(page, "n", "m")
        page.mouse.move(0, 0)
        _save(page.screenshot(), "questions")


def _label_all(store: Store) -> None:
    """Let Ben and Cleo label what is there; of one photo they say different things."""
    for number in range(9):
        task = f"{GOLDFISH}/flickr:{number}"
        ben = Verdict.INCORRECT if number in (1, 3) else Verdict.CORRECT
        vote(store, task, "Ben", ben)
        vote(store, task, "Cleo", Verdict.UNSURE if number == 6 else ben)


def _shoot_manager(browser: Browser, address: str, token: str) -> None:
    wide, high = WIDE
    with browser.new_context(viewport={"width": wide, "height": high}) as window:
        page = window.new_page()
        page.goto(f"{address}?view=Photos&token={token}")
        page.get_by_text("Show verdicts").click()
        page.get_by_role("combobox", name="Class").click()
        page.get_by_role("option", name="goldfish").click()
        expect(page.get_by_text("9 of 9 photos")).to_be_visible()
        photos = page.locator(".genset-small img")
        expect(photos).to_have_count(9)
        for photo in photos.all():
            expect(photo).not_to_have_js_property("naturalWidth", 0)
        page.mouse.move(0, 0)
        _save(page.screenshot(clip={"x": 0, "y": 0, "width": wide, "height": 420}), "manager")


def _save(picture: bytes, name: str) -> None:
    few = Image.open(io.BytesIO(picture)).convert("RGB").quantize(192, Image.Quantize.MEDIANCUT)
    few.save(HERE / f"{name}.png", optimize=True)


def _shoot(
    browser: Browser,
    port: int,
    scheme: Literal["light", "dark"],
    size: tuple[int, int],
    name: str = "",
) -> None:
    wide, high = size
    with browser.new_context(
        viewport={"width": wide, "height": high}, color_scheme=scheme, has_touch=bool(name)
    ) as window:
        page = window.new_page()
        page.goto(f"http://127.0.0.1:{port}/?labeler=ann")
        begin(page)
        see(page, "goldfish")
        page.mouse.move(0, 0)
        if not name:
            press(page, "Digit1", "Shift+Digit2", "Digit3", "Digit4", "KeyU", "Digit3")
        _save(page.screenshot(), name or scheme)
        if not name:
            press(page, *["Backspace"] * 4)


def _drawn(number: int, fish: bool, skin: Color = (240, 130, 30)) -> bytes:
    """A fish, or a boat, in water."""
    chance = random.Random(number)
    wide, high = size = ((900, 640), (820, 640), (640, 760))[number % 3]
    image = Image.new("RGB", size)
    draw = ImageDraw.Draw(image)
    tint = chance.randrange(60)
    for row in range(high):
        light = 1 - row / high
        color = (10 + tint, int(70 + 90 * light), int(110 + 100 * light))
        draw.line([(0, row), (wide, row)], color)
    for _ in range(40):
        x, y, r = chance.randrange(wide), chance.randrange(high), chance.randrange(2, 9)
        draw.ellipse([x - r, y - r, x + r, y + r], outline=(190, 225, 235))
    image = image.filter(ImageFilter.GaussianBlur(2))
    middle = wide * chance.uniform(0.42, 0.58), high * chance.uniform(0.42, 0.58)
    pen = _Pen(ImageDraw.Draw(image), middle, wide * 0.24)
    if fish:
        _fish(pen, skin, chance.uniform(-0.2, 0.2))
    else:
        pen.shape((120, 70, 40), (-1, 0), (1, 0), (0.7, 0.4), (-0.7, 0.4))
        pen.shape((240, 240, 230), (0, -1.2), (0, -0.1), (0.9, -0.1))
    content = io.BytesIO()
    image.filter(ImageFilter.GaussianBlur(1)).save(content, "JPEG", quality=88)
    return content.getvalue()


def _fish(pen: "_Pen", skin: Color, sway: float) -> None:
    shade = (skin[0] * 3 // 4, skin[1] * 3 // 4, skin[2] * 3 // 4)
    pen.shape(shade, (0.7, 0), (1.5, sway - 0.5), (1.5, sway + 0.5))
    pen.shape(shade, (-0.3, -0.4), (0.3, -0.8), (0.5, 0))
    pen.oval(skin, (0, 0), 1, 0.5)
    for place in range(18):
        angle = place * 2.4
        pen.oval(shade, (0.15 + 0.5 * math.cos(angle), 0.25 * math.sin(angle)), 0.03, 0.05)
    pen.oval((20, 20, 20), (-0.68, -0.12), 0.07, 0.07)


@dataclass
class _Pen:
    """Draws around a point; lengths are parts of `unit` pixels."""

    draw: ImageDraw.ImageDraw
    middle: tuple[float, float]
    unit: float

    def shape(self, color: Color, *points: tuple[float, float]) -> None:
        self.draw.polygon([self._at(*point) for point in points], color)

    def oval(self, color: Color, at: tuple[float, float], wide: float, high: float) -> None:
        x, y = at
        self.draw.ellipse([self._at(x - wide, y - high), self._at(x + wide, y + high)], color)

    def _at(self, x: float, y: float) -> tuple[float, float]:
        return self.middle[0] + x * self.unit, self.middle[1] + y * self.unit


if __name__ == "__main__":
    main()
