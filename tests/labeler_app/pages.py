"""The pages without a browser: Streamlit runs their scripts, the test clicks."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

import labeler_app
from genset.db import Store
from genset.label.access import label_secret, manager_token
from genset.workspace import Workspace
from labeler_app.routes import Sessions

APP = Path(labeler_app.__file__).with_name("app.py")
MANAGE = APP.with_name("manage_page.py")

# What Streamlit reads of every installed package, for each page anew.
SCAN = cache(manifest_scanner.scan_component_manifests)

Opened = tuple[Workspace, Store]


@contextmanager
def served(workspace: Workspace, store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opened]:
    """Let the pages be of this workspace; at the end, they forget it."""
    monkeypatch.setattr(manifest_scanner, "scan_component_manifests", SCAN)
    monkeypatch.setenv("GENSET_WORKSPACE", str(workspace.root))
    yield workspace, store
    st.cache_resource.clear()
    st.cache_data.clear()
    store.close()


def label_page(**query: str) -> AppTest:
    """The labeling page as a fresh tab sees it, under an address with this query."""
    app = AppTest.from_file(APP, default_timeout=60)
    app.query_params.update(query)
    return run(app)


def provided_page(
    auth: dict[str, Any], user: dict[str, Any] | None = None, **query: str
) -> AppTest:
    """The same where Streamlit's secrets have this ``[auth]``, and a provider says who one is."""
    app = AppTest.from_file(APP, default_timeout=60)
    app.query_params.update(query)
    app.secrets["auth"] = auth
    app.user = {"is_logged_in": False} if user is None else {"is_logged_in": True, **user}
    return run(app)


def manage_page(
    workspace: Workspace, view: str = "Progress", token: str | None = None, of: str = "Candidates"
) -> AppTest:
    """The manager's page with one of its views, by the manager's link or with another token.

    `of` is the list of the view Review.
    """
    app = AppTest.from_file(APP, default_timeout=60)
    run(app)
    app.switch_page(str(MANAGE))
    app.query_params["token"] = manager_token(workspace) if token is None else token
    run(app)
    if view != "Progress":
        app.segmented_control[0].set_value(view)
        run(app)
    if of != "Candidates":
        app.segmented_control[1].set_value(of)
        run(app)
    return app


def run(app: AppTest) -> AppTest:
    app.run()
    assert not app.exception
    return app


def click(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click()
    return run(app)


def field(app: AppTest, label: str) -> Any:
    """The text field with this label."""
    return next(each for each in app.text_input if each.label == label)


def buttons(app: AppTest) -> list[str]:
    return [button.label for button in app.button]


def shown(app: AppTest) -> str:
    """All text on the page, as people read it."""
    parts = (
        *(app.title, app.header, app.subheader, app.markdown, app.caption, app.text, app.code),
        *(app.error, app.info, app.success, app.warning, app.metric),
    )
    return "\n".join(str(element.value) for part in parts for element in part).replace("\\", "")


def pictures(app: AppTest) -> list[str]:
    """The photos on the page, as HTML."""
    return [element.value for element in app.html if "<img" in element.value]


def labels_for(app: AppTest, workspace: Workspace) -> int | None:
    """The id of the labeler whom the component is drawn for; None where there is no component."""
    session = session_for(app)
    return None if session is None else Sessions(label_secret(workspace)).who(session)[0]


def session_for(app: AppTest) -> str | None:
    """The session that the component is drawn with; None where there is no component."""
    components = app.get("bidi_component")  # or else the one that says what is not saved yet
    return next((json.loads(one.proto.json).get("session") for one in components), None)
