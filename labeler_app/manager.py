"""Who the manager is, for what they decide, and whether they can have seen it."""

import time

import streamlit as st

from labeler_app.words import as_markdown

SECONDS_TO_SEE = 0.5


def manager_name() -> str:
    """The name that stands beside their decisions; they may change it at any time."""
    name = st.session_state.get("manager") or "manager"
    with st.popover(f"Deciding as {as_markdown(name)}", type="tertiary"):
        name = st.text_input("Your name", key="manager", max_chars=64, placeholder="manager")
    return name.strip() or "manager"


def draw(case: str) -> None:
    """Note that a case is on the page from now on, unless it was there before."""
    if st.session_state.get("drawn", ("", 0.0))[0] != case:
        st.session_state["drawn"] = case, time.monotonic()


def decides(case: str) -> bool:
    """Whether a key was meant for this case: it was on the page long enough, and it is once.

    Somebody who presses a key twice would else decide the next case before they saw it.
    """
    drawn, since = st.session_state.get("drawn", ("", 0.0))
    if drawn != case or time.monotonic() - since < SECONDS_TO_SEE:
        return False
    del st.session_state["drawn"]
    return True
