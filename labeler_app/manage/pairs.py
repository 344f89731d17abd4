"""The manager's view of photos that look alike: side by side, with a key for each answer."""

import streamlit as st

from genset.core.errors import GensetError
from genset.db.failures import answering
from genset.label import Store, Workspace
from genset.label.duplicates import Pair, PairedPhoto, decide_pair, paired, pairs_to_decide
from labeler_app.manage.manager import decides, draw, manager_name
from labeler_app.manage.photos import show_notices, show_photo
from labeler_app.words import as_markdown

# What is said of a pair, its key, and which of the two is kept; None: they are not the same. The
# one on the left is the second of the pair.
_SIDES = (
    ("Same, keep left", "1", "second"),
    ("Same, keep right", "2", "first"),
    ("Different", "d", None),
)
_OURS = (("Same, refuse ours", "1", "second"), ("Different", "d", None))


def show_pairs(workspace: Workspace, store: Store) -> None:
    """Draw the closest pair that nobody has decided, or that there is none."""
    by = manager_name(workspace, store)
    if problem := st.session_state.pop("pair problem", None):
        st.error(as_markdown(problem))
    skipped: set[int] = st.session_state.setdefault("pairs skipped", set())
    numbers = pairs_to_decide(store)
    waiting = [number for number in numbers if number not in skipped]
    if not waiting:
        _nothing(len(numbers))
        return
    pair = paired(store, waiting[0])
    draw(f"pair {pair.number}")
    st.caption(
        f"{len(waiting):,} to decide · {pair.distance} of 64 bits differ · if they are the same, "
        "one is kept; the other is refused, and the next scrape fills its place"
    )
    left, right = st.columns(2, gap="medium")
    with left:
        if pair.other is not None:
            _show(workspace, pair.other, "Left")
        else:
            st.info(
                as_markdown(
                    f"{pair.other_name}: a photo that the pool must not share. "
                    "It is known by its fingerprint alone, so look it up where it is."
                )
            )
    with right:
        _show(workspace, pair.photo, "Right" if pair.other is not None else "Ours")
    _buttons(store, pair, by)
    show_notices(store, pair.photo, pair.other)


def _show(workspace: Workspace, photo: PairedPhoto, side: str) -> None:
    st.markdown(f"**{side}**")  # on a phone it stands above or below
    show_photo(workspace, photo, f"{side}: the photo {photo.name}")
    if photo.classes:
        st.caption(f"found for {as_markdown(', '.join(photo.classes))}")
    if photo.example_of:
        st.caption(f"an example of {as_markdown(', '.join(photo.example_of))}")


def _buttons(store: Store, pair: Pair, by: str) -> None:
    # A photo that is not here cannot be refused: only ours can.
    ways = _SIDES if pair.other is not None else _OURS
    with st.container(horizontal=True, key="decide"):
        for words, key, keep in ways:
            st.button(
                words,
                key=f"{key} {pair.number}",
                shortcut=key,
                on_click=_decide,
                args=(store, pair.number, keep, by),
            )
        st.button(
            "Skip", key=f"skip {pair.number}", type="tertiary", on_click=_skip, args=(pair.number,)
        )


def _decide(store: Store, number: int, keep: str | None, by: str) -> None:
    if not decides(f"pair {number}"):
        return
    try:
        with answering():
            decide_pair(store, number, same=keep is not None, keep=keep, by=by)
    except GensetError as error:
        st.session_state["pair problem"] = f"Not stored: {error}"


def _skip(number: int) -> None:
    st.session_state["pairs skipped"].add(number)


def _nothing(left: int) -> None:
    if not left:
        st.success("No pair waits to be decided. genset duplicates find looks for more.")
        return
    st.info(f"You skipped the last {left:,}.")
    if st.button("Look at them again"):
        st.session_state["pairs skipped"].clear()
        st.rerun()
