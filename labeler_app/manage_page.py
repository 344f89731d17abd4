"""The manager's page: how far the labels are, who to look at, and what waits for a decision.

It is drawn only for the link that `genset label` prints.
"""

import hmac
import logging
from collections.abc import Callable

import streamlit as st

from genset.label import Store, Workspace
from genset.label.answering import answering
from genset.label.people.secret import manager_token
from labeler_app.access import show_access
from labeler_app.numbers import show_frequencies, show_labelers, show_progress
from labeler_app.pairs import show_pairs
from labeler_app.rulings import show_rulings
from labeler_app.workspace import opened

View = Callable[[Workspace, Store], None]

VIEWS: dict[str, View] = {
    "Progress": show_progress,
    "Labelers": show_labelers,
    "Frequencies": show_frequencies,
    "Review": show_rulings,
    "Duplicates": show_pairs,
    "Access": show_access,
}

log = logging.getLogger("genset.label")


def main() -> None:
    """Draw the view that the manager chose; for anybody else, that there is none."""
    workspace, store = opened()
    if not _is_manager(workspace):
        with st.container(key="sign-in"):
            st.title("Manage labels", anchor=False)
            st.error("This page needs its link, which genset label prints when it starts.")
        return
    with st.container(key="manage"):
        # Only what is looked at is drawn: the others would cost time, and photos on the page.
        view = st.segmented_control(
            "View",
            list(VIEWS),
            default="Progress",
            required=True,
            label_visibility="collapsed",
            key="view",
            bind="query-params",
        )
        with answering():
            VIEWS[view or "Progress"](workspace, store)


def _is_manager(workspace: Workspace) -> bool:
    given = st.query_params.get("token", "")
    if hmac.compare_digest(given.encode(), manager_token(workspace).encode()):
        return True
    log.warning("the manager's page was refused: %s", "another token" if given else "no token")
    return False


main()
