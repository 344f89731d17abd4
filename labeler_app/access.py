"""The manager's view of who may label: links for people, and an end to them."""

from urllib.parse import urlsplit

import streamlit as st

from genset.errors import BadInput
from genset.label import Labeler, Labelers, Store, Studies, Workspace
from labeler_app.words import as_markdown


def show_access(workspace: Workspace, store: Store) -> None:
    """Draw the labelers, a form for a new link, the studies, and a way to block somebody."""
    labelers = Labelers(store)
    _invite(labelers)
    everybody = labelers.all()
    if everybody:
        _list(everybody)
        _block(labelers, [each.name for each in everybody if each.blocked_at is None])
    _studies(Studies(store))


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
    st.code(f"{_origin()}/?invite={token}", language=None)


def _origin() -> str:
    """What the address of this page begins with, as this browser reaches it."""
    parts = urlsplit(st.context.url or "")
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


def _list(everybody: list[Labeler]) -> None:
    st.dataframe(
        {
            "labeler": [each.name for each in everybody],
            "signs in by": [each.kind for each in everybody],
            "since": [each.created_at for each in everybody],
            "blocked": [each.blocked_at for each in everybody],
        },
        hide_index=True,
        placeholder="–",
        column_config={
            name: st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm")
            for name in ("since", "blocked")
        },
    )


def _block(labelers: Labelers, names: list[str]) -> None:
    form = st.form("block", border=False, clear_on_submit=True)
    with form, st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox("Block somebody", names, index=None, placeholder="Whom")
        sent = st.form_submit_button("Block")
    if sent and name:
        labelers.block(name)
        st.rerun()


def _studies(known: Studies) -> None:
    if not (studies := known.all()):
        return
    st.dataframe(
        {
            "platform": [each.platform for each in studies],
            "study": [each.key for each in studies],
            "screens": [each.screens for each in studies],
            "completion code": [each.code for each in studies],
        },
        hide_index=True,
        placeholder="–",
    )
