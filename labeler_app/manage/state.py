"""What a manager looks at: kept while they go from one view to another and back."""

from collections.abc import Container
from typing import Any

import streamlit as st

# Of the choices in the view of photos. Streamlit forgets those that a run does not draw.
CHOICES = ("photos of", "photos class", "photos labeler", "photos show", "photos verdict")
_PHOTO = "photo"
_PAGE = "photos page"


def keep_choices() -> None:
    """Let the choices in the view of photos outlive a run that draws something else."""
    for key in (*CHOICES, _PAGE):
        if key in st.session_state:
            st.session_state[key] = st.session_state[key]


def choose(**choices: Any) -> None:
    """A callback: show the view of photos, of this ``class_`` or ``labeler``, from its start."""
    st.session_state["view"] = "Photos"
    for key in CHOICES[3:]:
        st.session_state.pop(key, None)
    if "labeler" in choices:
        st.session_state["photos of"] = "A labeler"
        st.session_state["photos labeler"] = choices["labeler"]
    else:
        st.session_state["photos of"] = "A class"
        st.session_state["photos class"] = choices["class_"]
    from_the_start()


def offer(key: str, options: Container[Any]) -> None:
    """Forget a choice that is not among the options (any more)."""
    if key in st.session_state and st.session_state[key] not in options:
        del st.session_state[key]


def from_the_start() -> None:
    """A callback: no photo is large, and the first page is seen."""
    st.session_state.pop(_PHOTO, None)
    st.session_state.pop(_PAGE, None)


def look_at(task: str, class_: str) -> None:
    """A callback: show a candidate large, among the photos of its class."""
    choose(class_=class_)
    st.session_state.pop("photos around", None)
    enlarge(task)


def enlarge(photo: Any) -> None:
    """A callback: show this photo large in the view of photos; None: none."""
    st.session_state[_PHOTO] = photo


def enlarged() -> Any:
    """The photo that is large; None where there is none."""
    return st.session_state.get(_PHOTO)
