"""The manager's page: how far the labels are, who to look at, and what waits for a decision.

It is drawn only for the link that `genset label` prints, and for those of `genset managers invite`.
"""

import logging
from collections.abc import Callable

import streamlit as st

from genset.label import Store, Workspace, answering
from labeler_app.manage.errors import show_errors
from labeler_app.manage.gallery import show_gallery
from labeler_app.manage.gold import show_gold
from labeler_app.manage.people import show_access, show_studies
from labeler_app.manage.progress import show_frequencies, show_labelers, show_progress
from labeler_app.manage.review import show_pairs, show_rulings
from labeler_app.manage.session import link_opens
from labeler_app.workspace import opened

View = Callable[[Workspace, Store], None]

VIEWS: dict[str, View] = {
    "Progress": show_progress,
    "Photos": show_gallery,
    "Labelers": show_labelers,
    "Frequencies": show_frequencies,
    "Review": show_rulings,
    "Errors": show_errors,
    "Duplicates": show_pairs,
    "Gold questions": show_gold,
    "Studies": show_studies,
    "Access": show_access,
}

_NO_LINK = (
    "This page needs its link, which genset label prints when it starts, or one of your own, which "
    "genset managers invite makes. A link that was taken back opens nothing."
)

log = logging.getLogger("genset.label")


def main() -> None:
    """Draw the view that the manager chose; for anybody else, that there is none."""
    workspace, store = opened()
    if not link_opens(workspace, store):
        token = "another token" if "token" in st.query_params else "no token"
        log.warning("the manager's page was refused: %s", token)
        with st.container(key="sign-in"):
            st.title("Manage labels", anchor=False)
            st.error(_NO_LINK)
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


main()
