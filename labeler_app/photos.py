"""The photos of one screen and the choices under them.

`show_photos` and `new_choices` are all that the page knows of this: a component that takes a screen
and hands back choices can stand in their place.
"""

from base64 import b64encode
from pathlib import Path

import streamlit as st

from genset.errors import GensetError
from genset.label import Screen, ShownPhoto, Verdict, shown_picture
from labeler_app.words import as_markdown, as_text, link


def new_choices() -> dict[str, Verdict]:
    """What the labeler chose since the photos were drawn, by task. Ask before drawing again.

    This compares values; no callback tells it. A click breaks off the run that the click before it
    began, within a callback too, and Streamlit never calls that callback again: of five quick
    clicks two were lost. The value of a choice stays until a run gets as far as this.
    """
    shown: dict[str, Verdict | None] = st.session_state.get("shown", {})
    chosen = {task: st.session_state.get(_key(task)) for task in shown}
    return {task: v for task, v in chosen.items() if v is not None and v != shown[task]}


def show_photos(screen: Screen) -> None:
    """Draw a screen's photos side by side, each with what is stored of it as its choice."""
    # First the choices, then what counts as shown: a run that is broken off between the two leaves
    # a choice that is stored already, never one that nobody made.
    for photo in screen.photos:
        # Differs where a choice could not be stored, or another tab stored another one.
        if st.session_state.get(_key(photo.task)) != photo.verdict:
            st.session_state[_key(photo.task)] = photo.verdict
    st.session_state["shown"] = {photo.task: photo.verdict for photo in screen.photos}
    with st.container(key="photos"):
        for number, photo in enumerate(screen.photos, start=1):
            with st.container(gap="xsmall"):
                _picture(number, photo)
                st.segmented_control(
                    f"Photo {number}",
                    list(Verdict),
                    required=True,
                    format_func=lambda verdict: verdict.capitalize(),
                    key=_key(photo.task),
                    width="stretch",
                )
                _credit(photo)


def _key(task: str) -> str:
    return f"verdict {task}"


def _picture(number: int, photo: ShownPhoto) -> None:
    try:
        address = _address(photo.image)
    except GensetError as error:
        st.warning(as_markdown(f"Photo {number} cannot be shown: {error}. Tell whoever runs this."))
    else:
        st.image(address, width="stretch", alt=f"Photo {number}")


@st.cache_data(show_spinner=False, max_entries=100)
def _address(image: Path) -> str:
    """The photo as a data address, which comes with the page and only once.

    Streamlit forgets the files of a run that a click broke off: a browser that asks for one a
    moment later is told that there is no such photo, and does not ask again.
    """
    return f"data:image/jpeg;base64,{b64encode(shown_picture(image)).decode()}"


def _credit(photo: ShownPhoto) -> None:
    with st.container(gap=None):
        st.text(f"by {as_text(photo.owner_name)}", wrap=False)
        st.caption(
            f"{link(photo.license, photo.license_url)} · {link('Photo page', photo.page_url)}"
        )
