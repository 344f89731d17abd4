"""The labeling component: screen after screen, its keys, and the way of labels to the server.

The script of the page never sees a label. The browser's side, in the modules beside this one, talks
to the routes itself, and keeps in localStorage what the server has not yet acknowledged.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import streamlit as st

FILES = Path(__file__).parent
_STYLE = ("style.css", "questions.css")
# Streamlit starts a component from a text; the modules themselves come from their route.
_START = """\
const page = import(new URL("/genset/component/{}", location.origin));
export default async (component) => (await page).mount(component);
"""
_UNSAVED_STYLE = """\
section { max-width: 38rem; margin: 0 auto; color: var(--st-text-color); }
section, button { font: 1rem/1.5 var(--st-font); }
"""


@dataclass(frozen=True, slots=True)
class Task:
    """What a study's labeler was promised, and what they agreed to, in the researchers' words."""

    pay: str
    consent: str


@dataclass(frozen=True, slots=True)
class HandIn:
    """Where a finished task is posted to, and what the platform calls the assignment."""

    action: str
    assignment: str


Rows = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Help:
    """What verdicts mean, what fingers and keys do ("Shift + A", "Y 1"), for a kind of screen."""

    meanings: Rows
    touch: Rows
    keys: Rows


@dataclass(frozen=True, slots=True)
class PageState:
    """What the component knows of the labeler and the workspace.

    `workspace` and `labeler` tell apart what is kept in the browser. `one_key` is the verdict that
    one key gives, `grid` whether many photos are on a screen, `lease_minutes` how long a screen is
    kept without a sign of life, `task` None outside studies, `hand_in` outside the frame of
    Mechanical Turk. `notices` must stand below the photos. `photos_help` and `questions_help` are
    what the help says of a kind of screen.
    """

    workspace: str
    labeler: str
    one_key: str
    grid: bool
    lease_minutes: float
    notices: Sequence[str]
    photos_help: Help
    questions_help: Help
    task: Task | None = None
    hand_in: HandIn | None = None


def label_photos(session: str, page: PageState, key: str) -> Any:
    """Draw the component for one labeler.

    Args:
        session: what `labeler_app.routes.Sessions.sign` made for this labeler.
        page: what it knows of them.
        key: names the component within the page.

    Returns:
        An object whose `expired` is true when the routes refuse the session: draw it again with
        a fresh one.
    """
    css = "\n".join((FILES / sheet).read_text("utf-8") for sheet in _STYLE)
    component = st.components.v2.component("genset.labeler", css=css, js=_START.format("main.js"))
    return component(
        key=key, data={"session": session, **asdict(page)}, on_expired_change=lambda: None
    )


def show_unsaved(workspace: str) -> None:
    """Say whose labels this browser keeps that are not saved yet, where nobody labels now."""
    start = _START.format("unsaved.js")
    component = st.components.v2.component("genset.unsaved", css=_UNSAVED_STYLE, js=start)
    component(key="unsaved", data={"workspace": workspace})
