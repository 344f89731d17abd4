"""Make the pictures of a report that the documentation shows.

    python -m docs.reports.screenshots

The models in them are made up, and so are their answers: nobody's photo or result is shown.
"""

import io
import tempfile
from pathlib import Path
from typing import Literal

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Locator

from genset.reporting.options import ReportOptions
from genset.reporting.write import Report
from tests.browser import chromium
from tests.reporting.many import confidences, drawn, keep, many_made_up

HERE = Path(__file__).parent
WIDE, PHONE = (1280, 900), (390, 844)
MODELS = 67


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        photos, runs, made = many_made_up(root, MODELS, photos=2000, classes=500)
        generator = np.random.default_rng(0)
        reverse = drawn(photos, 0.75)[:, ::-1]
        keep(photos, runs, "upside-down", reverse, confidences(np.ones(2000, bool), generator))
        elsewhere = [min(0.95, run.top1.share + 0.11 + generator.normal(0, 0.015)) for run in made]
        rows = [f"{run.model},{100 * top1:.2f}" for run, top1 in zip(made, elsewhere, strict=True)]
        table = root / "validation.csv"
        table.write_text("\n".join(["model,top1", *rows]))
        page = root / "report.html"
        Report(photos, runs, ReportOptions(reference=str(table))).write(page)
        with chromium() as browser:
            _shoot(browser, page, "light", WIDE, "leaderboard")
            _shoot(browser, page, "dark", PHONE, "phone")


def _shoot(
    browser: Browser, path: Path, scheme: Literal["light", "dark"], size: tuple[int, int], name: str
) -> None:
    wide, high = size
    with browser.new_context(
        viewport={"width": wide, "height": high}, color_scheme=scheme
    ) as window:
        page = window.new_page()
        page.goto(path.as_uri())
        if name == "phone":
            _to_the_top(page.locator("#leaderboard h2"))
        picture = page.screenshot()
    few = Image.open(io.BytesIO(picture)).convert("RGB").quantize(64, Image.Quantize.MEDIANCUT)
    few.save(HERE / f"{name}.png", optimize=True)


def _to_the_top(element: Locator) -> None:
    element.evaluate("each => each.scrollIntoView()")


if __name__ == "__main__":
    main()
