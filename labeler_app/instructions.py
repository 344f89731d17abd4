"""What a labeler is told before the first screen."""

from collections.abc import Sequence

import streamlit as st

from genset.label import SourceWarning
from labeler_app.words import as_markdown

_WHAT = """\
You will see the name of a class of things, what it means, and up to five photos that a search
found for it. Say of each photo whether it shows such a thing.
"""

_VERDICTS = """\
| | |
|---|---|
| **Correct** | It shows at least one such thing: large or small, whole or in part. |
| **Incorrect** | It shows none. A thing that only looks like it does not count. |
| **Unsure** | You looked, and you cannot tell. |
| **Broken** | It does not load, or it is no photo: a drawing, a screenshot, a page of text. |
"""

_CARE = """\
Go by the definition, not by the name alone: two classes may share a name. Where a class is new to
you, look at its Wikipedia page first. Every label is kept at once; come back when you like.
"""

_KEYS = """\
| key | does |
|---|---|
| **1** to **5** | that photo is {first} |
| **Shift** with **1** to **5** | that photo is {second} |
| **←** **→** | go to another photo |
| **U** | unsure |
| **B** | broken, or not a photo |
| **A** | all that are left are {first} |
| **Shift** with **A** | all that are left are {second} |
| **Space** | look closer |
| **Enter** | submit, once all are decided |
| **Backspace** | go back and change your mind |
| **H** | see this again |
"""

_FURTHER = """\
Some screens show one photo, and say what it is known to show. Of each class below it say whether
the photo shows such a thing **too**: large or small, whole or in part, in front or behind. **Yes**,
**no**, or **maybe** where you cannot tell. Often it is none of them. Where you see something else
of the classes, search for it and add it.
"""

_FURTHER_KEYS = """\
| key | does |
|---|---|
| **Y** or **1** | yes, it is in the photo too |
| **M** or **2** | maybe |
| **N** or **3** | no |
| **0** | none of these, and submit |
| **↑** **↓** | go to another question |
| **/** | search for something else of the classes |
| **Z** or **Backspace** | go back and change your mind |
"""

_OTHER = {"correct": "incorrect", "incorrect": "correct"}


def show_instructions(
    *,
    notice: str | None = None,
    warnings: Sequence[SourceWarning] = (),
    start: str | None = None,
    one_key: str = "correct",
    further: bool = False,
) -> bool:
    """Draw the instructions, under a notice and warnings if any; whether `start` was pressed.

    `one_key` is the verdict that a digit's key gives, `further` whether it is asked which further
    classes a photo shows.
    """
    with st.container(key="instructions"):
        st.title("How to label", anchor=False)
        if notice:
            st.info(notice)
        for warning in warnings:
            st.warning(f"**{as_markdown(warning.title)}**: {as_markdown(warning.text)}")
        what, keys = st.columns([6, 5], gap="large")
        with what:
            st.markdown(_WHAT)
            st.markdown(_VERDICTS)
            st.markdown(_CARE)
            if further:
                st.subheader("One photo, several classes", anchor=False)
                st.markdown(_FURTHER)
            # Not Enter: it ends the name's form, and pressed twice it would skip what stands here.
            pressed = start is not None and st.button(start, type="primary", shortcut="Space")
        with keys, st.container(key="instructions-keys"):
            st.markdown(_KEYS.format(first=one_key, second=_OTHER[one_key]))
            if further:
                st.subheader("Keys where there is one photo", anchor=False)
                st.markdown(_FURTHER_KEYS)
            st.caption("Mouse and touch do all of it too.")
    return pressed


# What is seen in the picture, the verdict on it, and why.
_CARDS = (
    ("▲", "Correct", "a triangle"),
    ("■", "Incorrect", "a square"),
    ("▲■", "Correct", "a triangle, and something else"),
    ("◣", "Correct", "a triangle, seen otherwise"),
    ("●", "Incorrect", "a circle"),
)


def show_example() -> None:
    """Draw the screen, all decided."""
    st.subheader("An example", anchor=False)
    st.markdown("**Triangle**: a flat shape with three straight sides. Then up to five photos:")
    cards = "".join(
        f'<figure data-verdict="{verdict.lower()}"><div aria-hidden="true">{sign}</div>'
        f"<figcaption><b>{verdict}</b>: {why}</figcaption></figure>"
        for sign, verdict, why in _CARDS
    )
    st.html(f'<div class="genset-example">{cards}</div>')
