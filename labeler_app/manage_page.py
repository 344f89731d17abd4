"""The manager's page: how far the labels are, who to look at, and what waits for a decision.

It is drawn only for the link that `genset label` prints, and for those of `genset managers invite`.
"""

import logging
from collections.abc import Callable

import streamlit as st

from genset.label import Store, Workspace, answering
from labeler_app.manage.parts import choose
from labeler_app.manage.people import show_people
from labeler_app.manage.photos import show_photos
from labeler_app.manage.progress import show_progress
from labeler_app.manage.review import show_review
from labeler_app.manage.session import keep_choices, link_opens
from labeler_app.manage.settings import show_settings
from labeler_app.workspace import opened

View = Callable[[Workspace, Store], None]

# Each with the question that it answers.
VIEWS: dict[str, tuple[str, View]] = {
    "Progress": ("how far are the labels?", show_progress),
    "Photos": ("what do labelers say of them?", show_photos),
    "People": ("who labels, and how well?", show_people),
    "Review": ("what waits for a decision?", show_review),
    "Settings": ("who manages, what is tested, what is paid?", show_settings),
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
    keep_choices()
    with st.container(key="manage"):
        # Only what is looked at is drawn: the others would cost time, and photos on the page.
        question, show = VIEWS[view := choose("View", list(VIEWS))]
        st.title(f"{view}: {question}", anchor=False)
        with answering():
            show(workspace, store)


main()
