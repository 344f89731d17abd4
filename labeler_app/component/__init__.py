"""The labeling component: one screen of five photos, its keys, and the way of labels to the server.

The script of the page never sees a label. The browser's side, in the modules beside this one, talks
to the routes itself, and keeps in localStorage what the server has not yet acknowledged.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

FILES = Path(__file__).parent
# Streamlit starts a component from a text; the modules themselves come from their route.
_START = """\
const page = import(new URL("/genset/component/main.js", location.origin));
export default async (component) => (await page).mount(component);
"""


def label_photos(session: str, labeler: str, notices: Sequence[str], key: str) -> Any:
    """Draw the component for one labeler.

    Args:
        session: what `labeler_app.security.Sessions.sign` made for this labeler.
        labeler: the labeler's name; their unsent labels are kept under it in this browser.
        notices: what must stand below the photos.
        key: names the component within the page.

    Returns:
        An object whose `expired` is true when the routes refuse the session: draw it again with
        a fresh one.
    """
    component = st.components.v2.component(
        "genset.labeler", css=(FILES / "style.css").read_text("utf-8"), js=_START
    )
    return component(
        key=key,
        data={"session": session, "labeler": labeler, "notices": list(notices)},
        on_expired_change=lambda: None,
    )
