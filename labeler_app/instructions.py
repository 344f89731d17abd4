"""What verdicts and keys mean: read before the first screen, and in the page's help (H)."""

from collections.abc import Sequence

import streamlit as st

from genset.label import Taxonomy, Workspace
from genset.label.session.sources import SourceWarning
from labeler_app.component import Help, Rows
from labeler_app.words import as_markdown

_WHAT = """\
You will see the name of a class of things, what it means, and up to {photos} photos that a search
found for it. Say of each photo whether it shows such a thing.
"""

_CARE = """\
Go by the definition, not by the name alone: two classes may share a name.{} Every label is stored
at once; come back when you like.
"""

_LINKED = " Where a class that is new to you has a link to Wikipedia, look there first."

_FURTHER = """\
Some screens show one photo, and say what it is known to show. Say of each class below it whether
the photo shows such a thing **too**. Often it is none of them.
"""

_SUBMIT = "submit, when all are decided"
_OTHER = {"correct": "incorrect", "incorrect": "correct"}


def photos_help(one_key: str, grid: bool = False) -> Help:
    """The help for a screen of photos, or a grid; `one_key` is the verdict that one key gives."""
    other = _OTHER[one_key]
    by_place = (("1 – 5", f"that photo is {one_key}"), ("Shift + 1 – 5", f"that photo is {other}"))
    turn = f"{other}, then unsure, then {one_key}"
    touch = (
        (("Tap a photo", turn), ("Tap ⤢", "see it large, with all verdicts and a flag"))
        if grid
        else (("Tap a photo", "see it large; below it are its verdicts, on it a flag"),)
    )
    return Help(
        meanings=(
            ("Correct", "It shows at least one such thing: large or small, whole or in part."),
            ("Incorrect", "It shows none. A thing that only looks like it does not count."),
            ("Unsure", "You looked, and you cannot tell."),
            (
                "Broken",
                "It does not load, or it is no photo: a drawing, a screenshot, a page of text.",
            ),
        ),
        touch=(
            *touch,
            ("Two fingers", "magnify what is seen large"),
            ("Rest ✓, ✗", "all that was in sight and is undecided"),
            ("Undo", "take back, also on the screens before"),
        ),
        keys=(
            *((("Click X", turn),) if grid else by_place),
            ("← → ↑ ↓", "another photo"),
            ("U", "unsure"),
            ("B", "broken, or not a photo"),
            ("F", "flag it, with a comment if you like"),
            ("A", f"the rest in sight: {one_key}"),
            ("Shift + A", f"the rest in sight: {other}"),
            ("Space", "see the photo large; wheel and pinch magnify it"),
            ("Backspace", "take back, also on the screens before"),
            ("Enter", f"the rest in sight: {one_key}; then submit" if grid else _SUBMIT),
            ("H", "these instructions"),
        ),
    )


QUESTIONS_HELP = Help(
    meanings=(
        ("Yes", "At least one is in the photo: large or small, whole or in part."),
        ("Maybe", "You looked, and you cannot tell."),
        ("No", "None is, or something only looks like it."),
    ),
    touch=(
        ("Tap the photo", "see it large; two fingers magnify it"),
        ("⚑", "flag it, with a comment if you like"),
        ("None of these", "no to the rest in sight; submit if that is all"),
        ("Undo", "take back, also on the screens before"),
    ),
    keys=(
        ("Y 1", "yes, it is in the photo too"),
        ("M 2", "maybe"),
        ("N 3", "no"),
        ("F", "flag it, with a comment if you like"),
        ("0", "none of these: no to the rest in sight; submit if that is all"),
        ("↑ ↓", "another question"),
        ("/", "add something else of the classes"),
        ("Space", "see the photo large; wheel and pinch magnify it"),
        ("Z Backspace", "take back, also on the screens before"),
        ("Enter", _SUBMIT),
        ("H", "these instructions"),
    ),
)


def _table(rows: Rows) -> str:
    return "\n".join(("| | |", "|---|---|", *(f"| **{name}** | {text} |" for name, text in rows)))


def show_instructions(
    workspace: Workspace,
    taxonomy: Taxonomy,
    *,
    notice: str | None = None,
    warnings: Sequence[SourceWarning] = (),
    start: str | None = None,
    further: bool = False,
) -> bool:
    """Draw the instructions, under a notice and warnings if any; whether `start` was pressed.

    `further` is whether it is asked which further classes a photo shows.
    """
    rules = workspace.label
    photos = photos_help(rules.one_key, rules.grid)
    with st.container(key="instructions"):
        st.title("How to label", anchor=False)
        if notice:
            st.info(notice)
        for warning in warnings:
            st.warning(f"**{as_markdown(warning.title)}**: {as_markdown(warning.text)}")
        what, keys = st.columns([6, 5], gap="large")
        with what:
            st.markdown(_WHAT.format(photos=rules.photos))
            if rules.grid:
                st.markdown(_table((("Click or tap a photo", photos.touch[0][1]),)))
            st.markdown(_table(photos.meanings))
            st.markdown(_CARE.format(_LINKED if any(cls.wikipedia for cls in taxonomy) else ""))
            with st.container(key="instructions-touch"):
                st.markdown(_table(photos.touch))
            if further:
                st.subheader("One photo, several classes", anchor=False)
                st.markdown(_FURTHER)
                st.markdown(_table(QUESTIONS_HELP.meanings))
            # Not Enter: it ends the name's form, and pressed twice it would skip what stands here.
            pressed = start is not None and st.button(start, type="primary", shortcut="Space")
        with keys, st.container(key="instructions-keys"):
            st.markdown(_table(photos.keys))
            if further:
                st.subheader("Keys where there is one photo", anchor=False)
                st.markdown(_table(QUESTIONS_HELP.keys))
            st.caption("Mouse and touch do all of it too.")
    return pressed
