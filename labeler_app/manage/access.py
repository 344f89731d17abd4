"""The manager's view of who may label: links for people, and an end to them."""

import streamlit as st

from genset.core.errors import BadInput
from genset.label import Labeler, Labelers, Manager, Managers, Store, Workspace
from labeler_app.manage.tables import show_table
from labeler_app.sign_in import page_origin
from labeler_app.words import as_markdown


def show_access(workspace: Workspace, store: Store) -> None:
    """Draw a form for a labeler's new link, the labelers, and the managers who have links."""
    labelers = Labelers(store)
    _invite(labelers)
    everybody = labelers.all()
    if everybody:
        _list(everybody)
        st.caption("To block somebody, or to void their votes, open the view Labelers.")
    _managers(Managers(store).all())


def _invite(labelers: Labelers) -> None:
    form = st.form("invite", border=False, clear_on_submit=True)
    with form, st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Invite somebody", placeholder="Their name", max_chars=64)
        sent = st.form_submit_button("Make a link", type="primary")
    if not sent:
        return
    try:
        token = labelers.invite(name)
    except BadInput as error:
        st.error(as_markdown(str(error)))
        return
    st.success(
        as_markdown(f"Send this to {name.strip()}. It is shown only now; a new link replaces it.")
    )
    st.code(f"{page_origin()}/?invite={token}", language=None)


def _list(everybody: list[Labeler]) -> None:
    show_table(
        {
            "labeler": [each.name for each in everybody],
            "signs in by": [each.kind for each in everybody],
            "since": [each.created_at for each in everybody],
            "blocked": [each.blocked_at for each in everybody],
        },
        times=("since", "blocked"),
    )


def _managers(everybody: list[Manager]) -> None:
    st.subheader("Managers", anchor=False)
    st.caption(
        "genset managers invite NAME makes a link to this page, genset managers revoke NAME takes "
        "it back."
    )
    if not everybody:
        return
    show_table(
        {
            "manager": [each.name for each in everybody],
            "since": [each.created_at for each in everybody],
            "revoked": [each.revoked_at for each in everybody],
        },
        times=("since", "revoked"),
    )
