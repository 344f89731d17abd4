"""Make the pictures of the labeling page that the documentation shows.

    python -m docs.labeling.screenshots

The photos in them are those that scikit-image ships (pip install scikit-image): CC0, or in the
public domain.
"""

import io
import tempfile
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, NamedTuple

from PIL import Image
from playwright.sync_api import Browser, expect

from genset.db import Store, Verdict
from genset.label.access import manager_token
from genset.workspace import Workspace
from tests.browser import chromium
from tests.label.serving import free_port, serving
from tests.labeled_workspace import TABBY, add_candidate, vote
from tests.labeler_app.component import asked, begin, press, see
from tests.questions import ask_about


class Sample(NamedTuple):
    """A photo by scikit-image's name for its file."""

    file: str
    owner: str
    license: str = "CC0 1.0"


PHOTOS = (
    Sample("chelsea.png", "Stefan van der Walt"),
    Sample("coffee.png", "Rachel Michetti"),
    Sample("rocket.jpg", "SpaceX", "Public domain"),
    Sample("astronaut.png", "NASA", "Public domain"),
    Sample("camera.png", "Lav Varshney"),
    Sample("hubble_deep_field.jpg", "NASA", "Public domain"),
    Sample("clock_motion.png", "Stefan van der Walt", "Public domain"),
    Sample("brick.png", "CC0Textures"),
    Sample("grass.png", "linolafett"),
)

HERE = Path(__file__).parent
ESPRESSO, MUG, SPOON, TABLE = "n07920052", "n03063599", "n04597913", "n03201208"
WIDE, PHONE = (1280, 800), (360, 740)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = _workspace(Path(folder) / "workspace")
        with closing(Store.open(workspace.store_url)) as store:
            for number in range(len(PHOTOS)):
                _add(workspace, store, TABBY, number)
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


def _workspace(folder: Path) -> Workspace:
    """A new workspace whose labelers get photos by rank."""
    workspace = Workspace.create(folder)
    settings = folder / "genset.toml"
    text = settings.read_text("utf-8").replace('order = "random"', 'order = "rank"')
    settings.write_text(text, "utf-8")
    return workspace


def _shoot_questions(browser: Browser, folder: Path) -> None:
    """A photo that is known to show an espresso; one of the classes asked about has an example."""
    workspace = _workspace(folder)
    with closing(Store.open(workspace.store_url)) as store:
        for wnid, number in ((ESPRESSO, 1), (TABBY, 0)):
            vote(store, _add(workspace, store, wnid, number), "somebody", Verdict.CORRECT)
        ask_about(store, {f"{ESPRESSO}/local:1": (MUG, SPOON, TABLE, TABBY)})
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
        press(page, "n", "n", "y")
        page.mouse.move(0, 0)
        _save(page.screenshot(), "questions")


def _label_all(store: Store) -> None:
    """Let Ben and Cleo label what is there; of one photo they say different things."""
    for number in range(len(PHOTOS)):
        task = f"{TABBY}/local:{number}"
        ben = Verdict.INCORRECT if number else Verdict.CORRECT
        vote(store, task, "Ben", ben)
        vote(store, task, "Cleo", Verdict.UNSURE if number == 6 else ben)


def _shoot_manager(browser: Browser, address: str, token: str) -> None:
    wide, high = WIDE
    with browser.new_context(viewport={"width": wide, "height": high}) as window:
        page = window.new_page()
        page.goto(f"{address}?view=Photos&token={token}")
        page.get_by_text("Show verdicts").click()
        page.get_by_role("combobox", name="Class").click()
        page.get_by_role("option", name="tabby").click()
        expect(page.get_by_text("9 of 9 photos")).to_be_visible()
        photos = page.locator(".genset-small img")
        expect(photos).to_have_count(9)
        for photo in photos.all():
            expect(photo).not_to_have_js_property("naturalWidth", 0)
        expect(page.get_by_text("2 incorrect")).to_have_count(7)
        page.mouse.move(0, 0)
        _save(page.screenshot(clip={"x": 0, "y": 0, "width": wide, "height": 420}), "manager")


def _save(picture: bytes, name: str) -> None:
    Image.open(io.BytesIO(picture)).save(HERE / f"{name}.webp", quality=82, method=6)


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
        see(page, "tabby")
        page.mouse.move(0, 0)
        if not name:
            press(page, "Digit1", "Shift+Digit2", "Shift+Digit3", "Shift+Digit4", "Digit2")
            press(page, "Shift+Digit2")
        _save(page.screenshot(), name or scheme)
        if not name:
            press(page, *["Backspace"] * 4)


def _photo(number: int) -> bytes:
    """A photo that scikit-image ships, as a JPEG."""
    spec = find_spec("skimage")
    if spec is None or spec.origin is None:
        raise SystemExit("the pictures need scikit-image's photos: pip install scikit-image")
    content = io.BytesIO()
    with Image.open(Path(spec.origin).with_name("data") / PHOTOS[number].file) as image:
        image.convert("RGB").save(content, "JPEG", quality=92)
    return content.getvalue()


def _add(workspace: Workspace, store: Store, wnid: str, number: int) -> str:
    photo = PHOTOS[number]
    page = "https://scikit-image.org/docs/stable/api/skimage.data.html"
    terms = {"license": photo.license, "license_url": "", "page_url": page}
    credit = {"source": "local", "owner_name": photo.owner, **terms}
    content = _photo(number)
    return add_candidate(workspace, store, wnid, number, number + 1, content=content, **credit)


if __name__ == "__main__":
    main()
