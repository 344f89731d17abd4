"""Who the manager is, for what they decide, and whether they can have seen it."""

import hmac
import time

import streamlit as st

from genset.label import Managers, Store, Workspace
from genset.label.people.access import manager_token
from labeler_app.words import as_markdown
from labeler_app.workspace import opened

SECONDS_TO_SEE = 0.5
_ANYBODY = "manager"


def link_opens(workspace: Workspace, store: Store) -> bool:
    """Whether the address holds a manager's link: the one that was printed, or one by name.

    Asked anew at every run of the page, so that a link that was taken back opens nothing more.
    """
    given = _token()
    if not given:
        return False
    return _is_printed(workspace, given) or Managers(store).by_token(given) is not None


def manager_name(workspace: Workspace, store: Store) -> str:
    """The name that stands beside their decisions.

    It is the one that their link was made for; whoever has the printed link says their name, and
    may change it at any time.
    """
    named = Managers(store).by_token(_token())
    if named is not None:
        st.caption(f"Deciding as {as_markdown(named.name)}")
        return named.name
    name = st.session_state.get("manager") or _ANYBODY
    with st.popover(f"Deciding as {as_markdown(name)}", type="tertiary"):
        name = st.text_input("Your name", key="manager", max_chars=64, placeholder=_ANYBODY)
    return name.strip() or _ANYBODY


def draw(case: str) -> None:
    """Note that a case is on the page from now on, unless it was there before."""
    if st.session_state.get("drawn", ("", 0.0))[0] != case:
        st.session_state["drawn"] = case, time.monotonic()


def decides(case: str) -> bool:
    """Whether a key was meant for this case: it was on the page long enough, and it is once.

    Somebody who presses a key twice would else decide the next case before they saw it. And the
    link must still open the page: a key's callback runs before the page looks at it.
    """
    drawn, since = st.session_state.get("drawn", ("", 0.0))
    if drawn != case or time.monotonic() - since < SECONDS_TO_SEE or not link_opens(*opened()):
        return False
    del st.session_state["drawn"]
    return True


def _token() -> str:
    return str(st.query_params.get("token", ""))


def _is_printed(workspace: Workspace, given: str) -> bool:
    return hmac.compare_digest(given.encode(), manager_token(workspace).encode())
