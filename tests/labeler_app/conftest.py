"""One server for most tests of the page, and windows that look at it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from genset.db import Store
from genset.workspace import Workspace
from tests.label.serving import free_port, serving
from tests.labeled_workspace import CRANE, GOLDFISH, TABBY, TENCH, labeled_workspace
from tests.labeler_app import pages

expect.set_options(timeout=15_000)


@dataclass(frozen=True)
class Served:
    """A workspace with its page; every labeler gets every photo: tench, goldfish, crane, tabby."""

    workspace: Workspace
    store: Store
    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def serve(workspace: Workspace, store: Store) -> Iterator[Served]:
    """To the end of the fixture that yields from it, which leaves the store to be closed."""
    port = free_port()
    with serving(workspace.root, port):
        yield Served(Workspace.find(workspace.root), store, port)
    store.close()


@pytest.fixture(scope="session")
def served(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served") / "workspace"
    workspace, store = labeled_workspace(folder, [TENCH, GOLDFISH, CRANE, TABBY])
    let_many_label(workspace)
    yield from serve(workspace, store)


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[pages.Opened]:
    """A workspace of tench for pages that no browser looks at."""
    with pages.served(*labeled_workspace(tmp_path / "workspace", [TENCH]), monkeypatch) as place:
        yield place


def let_many_label(workspace: Workspace) -> None:
    settings = workspace.root / "genset.toml"
    text = settings.read_text("utf-8")
    assert "votes = 1\n" in text
    settings.write_text(text.replace("votes = 1\n", "votes = 50\n"), "utf-8")


@pytest.fixture
def window(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    yield context
    context.close()


@pytest.fixture
def wrong(window: BrowserContext) -> list[str]:
    """What goes wrong in the window: errors, warnings, requests that fail or go elsewhere."""
    found: list[str] = []
    window.on("weberror", lambda error: found.append(str(error.error)))
    window.on(
        "console",
        lambda said: found.append(said.text) if said.type in ("error", "warning") else None,
    )
    window.on("requestfailed", lambda request: found.append(f"failed: {request.url}"))
    ours = ("http://127.0.0.1:", "data:", "blob:")
    window.on(
        "request", lambda sent: sent.url.startswith(ours) or found.append(f"elsewhere: {sent.url}")
    )
    return found
