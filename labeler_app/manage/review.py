"""The manager's views of what waits for a decision: candidates to rule on, photos that look alike.

A ruling is made before the votes are shown, so that it is one more opinion and not an echo. One
that was made with the votes in sight says so in its reason.
"""

from functools import partial

import streamlit as st

from genset.core.errors import GensetError
from genset.label import Store, Verdict, Workspace, answering
from genset.label.duplicates import Pair, PairedPhoto, decide_pair, paired, pairs_to_decide
from genset.label.review import Dispute, queue, rule
from labeler_app.manage.parts import colour, show_class, show_notices, show_photo
from labeler_app.manage.session import decides, draw, look_at, manager_name
from labeler_app.words import as_markdown

# Streamlit keeps C and R for itself.
_KEYS = {Verdict.CORRECT: "y", Verdict.INCORRECT: "n", Verdict.UNSURE: "u", Verdict.BROKEN: "b"}
_FRESH_S = 30
_NO_REASON = "looked at in the review queue"
_SEEN = " (votes shown)"


def show_rulings(workspace: Workspace, store: Store) -> None:
    """Draw the candidate that is most in need of a ruling, or that there is none."""
    by = manager_name(workspace, store)
    if problem := st.session_state.pop("ruling problem", None):
        st.error(as_markdown(problem))
    skipped: set[str] = st.session_state.setdefault("ruling skipped", set())
    ruled: set[str] = st.session_state.setdefault("rulings made", set())
    again: Dispute | None = st.session_state.get("ruling again")
    known = _queue(str(workspace.root), workspace, store)
    cases = [case for case in known if case.task not in ruled]
    waiting = [case for case in cases if case.task not in skipped]
    case = again or (waiting[0] if waiting else None)
    if case is None:
        _nothing(len(cases))
        if "ruling last" in st.session_state:
            _last(store, None)
            _back_button("last", can_undo=True)
        return
    seen = st.toggle("Show votes first", key="votes first", help=_FIRST) or again is not None
    draw(f"ruling {case.task}")
    photo, facts = st.columns([3, 2], gap="medium")
    with photo:
        show_photo(workspace, case, f"The candidate {case.task}")
    with facts:
        st.caption("Settled before" if again else f"{len(waiting):,} to settle")
        _show(store, case)
        if seen:
            _votes(case)
        _buttons(store, case, by, seen=seen, can_undo=again is None)
        _last(store, again)
    show_notices(store, case)


_FIRST = "A ruling that is made with the votes in sight says so in its reason."


# For 10,000 candidates it takes most of a second, too long between two of them.
@st.cache_resource(ttl=_FRESH_S, show_spinner=False)
def _queue(folder: str, _workspace: Workspace, _store: Store) -> list[Dispute]:
    """Kept for all managers alike, by `folder`; what each settled since, their session knows."""
    return queue(_store, rules=_workspace.label)


def _show(store: Store, case: Dispute) -> None:
    show_class(store, case.wnid)
    if case.home is not None:
        home = as_markdown(store.taxonomy[case.home].name)
        st.markdown(f"Is it in this photo, too? It is one of {home}.")
    st.markdown(f"**{as_markdown(case.why[:1].upper() + case.why[1:])}**")


def _votes(case: Dispute) -> None:
    st.markdown(as_markdown(case.detail[:1].upper() + case.detail[1:]))
    with st.container(gap=None):
        for worker, verdict in case.votes:
            st.markdown(f":{colour(verdict)}-badge[{as_markdown(verdict)}] {as_markdown(worker)}")


def _last(store: Store, again: Dispute | None) -> None:
    """What was settled last, and now what the labelers had said of it."""
    if again is not None or "ruling last" not in st.session_state:
        return
    case, verdict = st.session_state["ruling last"]
    with st.container(border=True):
        name = as_markdown(store.taxonomy[case.wnid].name)
        st.markdown(f"You ruled the last one, {name}, :{colour(verdict)}-badge[{verdict}]")
        _votes(case)
        st.button(
            "Open its photo",
            key="open last",
            type="tertiary",
            on_click=look_at,
            kwargs={"task": case.task, "class_": case.wnid},
        )


def _buttons(store: Store, case: Dispute, by: str, *, seen: bool, can_undo: bool) -> None:
    reason = st.text_input("Why", placeholder="optional", key=f"reason {case.task}", max_chars=480)
    reason = (reason.strip() or _NO_REASON) + (_SEEN if seen and case.votes else "")
    settle = partial(_settle, store, case, by=by, reason=reason)
    with st.container(horizontal=True, key="decide"):
        for verdict, key in _KEYS.items():
            st.button(
                verdict.capitalize(),
                key=f"rule {verdict} {case.task}",
                shortcut=key,
                on_click=settle,
                args=(verdict,),
            )
    with st.container(horizontal=True):
        st.button(
            "Skip",
            key=f"skip {case.task}",
            type="tertiary",
            shortcut="s",
            on_click=_skip,
            args=(case.task,),
        )
        _back_button(case.task, can_undo=can_undo and "ruling last" in st.session_state)


def _back_button(key: str, *, can_undo: bool) -> None:
    st.button(
        "Back",
        key=f"back {key}",
        type="tertiary",
        shortcut="Backspace",
        disabled=not can_undo,
        on_click=_back,
    )


def _settle(store: Store, case: Dispute, verdict: Verdict, *, by: str, reason: str) -> None:
    if not decides(f"ruling {case.task}"):
        return
    st.session_state.pop("ruling again", None)
    try:
        with answering():
            rule(store, case.task, verdict, by, reason)
    except GensetError as error:
        st.session_state["ruling problem"] = f"Not stored: {error}"
    else:
        st.session_state["ruling last"] = case, verdict
        st.session_state["rulings made"].add(case.task)


def _skip(task: str) -> None:
    st.session_state.pop("ruling again", None)
    st.session_state["ruling skipped"].add(task)


def _back() -> None:
    st.session_state["ruling again"] = st.session_state["ruling last"][0]


def _nothing(skipped: int) -> None:
    if not skipped:
        st.success("Nothing waits for a ruling.")
        return
    st.info(f"You skipped the last {skipped:,}.")
    if st.button("Look at them again"):
        st.session_state["ruling skipped"].clear()
        st.rerun()


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
        _no_pairs(len(numbers))
        return
    pair = paired(store, waiting[0])
    draw(f"pair {pair.number}")
    st.caption(
        f"{len(waiting):,} to decide · {pair.distance} of 64 bits differ · if they are the same, "
        "one is kept; the other is refused, and the next scrape fills its place"
    )
    first, second = st.columns(2, gap="medium")
    with first:
        if pair.other is not None:
            _show_side(workspace, pair.other, "Left")
        else:
            st.info(
                as_markdown(
                    f"{pair.other_name}: a photo that the pool must not share. "
                    "It is known by its fingerprint alone, so look it up where it is."
                )
            )
    with second:
        _show_side(workspace, pair.photo, "Right" if pair.other is not None else "Ours")
    _pair_buttons(store, pair, by)
    show_notices(store, pair.photo, pair.other)


def _show_side(workspace: Workspace, photo: PairedPhoto, side: str) -> None:
    st.markdown(f"**{side}**")  # on a phone it stands above or below
    show_photo(workspace, photo, f"{side}: the photo {photo.name}")
    if photo.classes:
        st.caption(f"found for {as_markdown(', '.join(photo.classes))}")
    if photo.example_of:
        st.caption(f"an example of {as_markdown(', '.join(photo.example_of))}")


def _pair_buttons(store: Store, pair: Pair, by: str) -> None:
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
            "Skip",
            key=f"skip {pair.number}",
            type="tertiary",
            on_click=_skip_pair,
            args=(pair.number,),
        )


def _decide(store: Store, number: int, keep: str | None, by: str) -> None:
    if not decides(f"pair {number}"):
        return
    try:
        with answering():
            decide_pair(store, number, same=keep is not None, keep=keep, by=by)
    except GensetError as error:
        st.session_state["pair problem"] = f"Not stored: {error}"


def _skip_pair(number: int) -> None:
    st.session_state["pairs skipped"].add(number)


def _no_pairs(skipped: int) -> None:
    if not skipped:
        st.success("No pair waits to be decided. genset duplicates find looks for more.")
        return
    st.info(f"You skipped the last {skipped:,}.")
    if st.button("Look at them again"):
        st.session_state["pairs skipped"].clear()
        st.rerun()
