"""One photo as a manager sees it: large, with its credit."""

from html import escape
from typing import Protocol

import streamlit as st

from genset.label import Store, Workspace, image_id, notices
from labeler_app.words import as_markdown, as_text, link


class Credited(Protocol):
    """A stored photo, and whose it is."""

    @property
    def photo_id(self) -> int: ...
    @property
    def source(self) -> str: ...
    @property
    def owner_name(self) -> str: ...
    @property
    def license(self) -> str: ...
    @property
    def license_url(self) -> str: ...
    @property
    def page_url(self) -> str: ...


def show_photo(workspace: Workspace, photo: Credited, what: str) -> None:
    """Draw a photo with its owner, licence and the link to its page; `what` is for those who hear.

    The picture comes from the route that the labeling component uses, by a signed name, so the
    browser keeps it.
    """
    with st.container(gap="xxsmall"):
        source = f"/genset/picture/{image_id(workspace, photo.photo_id)}?w=1400"
        st.html(f'<img class="genset-photo" src="{source}" alt="{escape(what)}">')
        with st.container(key=f"credit {photo.photo_id}", gap=None):
            st.text(f"by {as_text(photo.owner_name)}", wrap=False)
            licence = link(photo.license, photo.license_url)
            st.caption(f"{licence} · {link('Photo page', photo.page_url)}")


def show_notices(store: Store, *photos: Credited | None) -> None:
    """Draw what the photos' sources ask for under them."""
    for notice in notices(store, {photo.source for photo in photos if photo is not None}):
        st.caption(as_markdown(notice))
