"""A real browser for tests marked `browser`."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

# Playwright's own, whose place these take, and two that draw in each window what nobody sees.
_WITHOUT = (
    "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,LensOverlay,"
    "HttpsFirstBalancedModeAutoEnable,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,"
    "AvoidCorsURLLoaderRestartOnRedirect,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,"
    "PreconnectToSearch,WebUIOmniboxPopup,WebUIOmniboxAimPopup"
)

# Chromium as root in a container, and calling nobody on its own account.
_OPTIONS = [
    f"--disable-features={_WITHOUT}",
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
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_program(), args=_OPTIONS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def guarded(beside: Browser, profile: Path, *options: str) -> Iterator[BrowserContext]:
    """Windows of a Chromium that keeps nothing for a site within another one's page.

    Playwright starts once in a process: this one is started by the one that runs `beside`. In
    this new `profile` the user has third-party cookies blocked, and with them all storage.
    """
    (profile / "Default").mkdir(parents=True)
    settings = {"profile": {"block_third_party_cookies": True, "cookie_controls_mode": 1}}
    (profile / "Default" / "Preferences").write_text(json.dumps(settings), "utf-8")
    context = beside.browser_type.launch_persistent_context(
        profile,
        executable_path=_program(),
        args=[*_OPTIONS, *options],
        ignore_https_errors=True,
        viewport={"width": 1440, "height": 900},
    )
    try:
        yield context
    finally:
        context.close()


@contextmanager
def another(browser: Browser, *options: str) -> Iterator[Browser]:
    """Start a second one, with further options: the first one's Playwright runs both."""
    started = browser.browser_type.launch(executable_path=_program(), args=[*_OPTIONS, *options])
    try:
        yield started
    finally:
        started.close()


def _program() -> str:
    names = (os.environ.get("GENSET_CHROMIUM"), "chromium", "chromium-browser", "google-chrome")
    program = next((found for name in names if name and (found := shutil.which(name))), None)
    if program is None:
        pytest.skip("no browser: install Debian's chromium, or name one in GENSET_CHROMIUM")
    return program
