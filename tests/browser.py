"""A real browser for tests marked `browser`."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

# Chromium as root in a container, and calling nobody on its own account.
_OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

expect.set_options(timeout=30_000)  # a busy machine may take its time


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the system's Chromium; the test is skipped where there is none."""
    names = (os.environ.get("GENSET_CHROMIUM"), "chromium", "chromium-browser", "google-chrome")
    program = next((found for name in names if name and (found := shutil.which(name))), None)
    if program is None:
        pytest.skip("no browser: install Debian's chromium, or name one in GENSET_CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_OPTIONS)
        try:
            yield browser
        finally:
            browser.close()
