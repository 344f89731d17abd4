"""The manager's review queue: one candidate at a time, its votes, and a key for each ruling."""

from functools import partial

import streamlit as st

from genset.errors import GensetError
from genset.label import Store, Verdict, Workspace, imagenet1k
from genset.label.answering import answering
from genset.label.quality.review import Dispute, queue, rule
from labeler_app.manager import decides, draw, manager_name
from labeler_app.photos import show_notices, show_photo
from labeler_app.words import as_markdown

# Streamlit keeps C and R for itself.
_KEYS = {Verdict.CORRECT: "y", Verdict.INCORRECT: "n", Verdict.UNSURE: "u", Verdict.BROKEN: "b"}
_FRESH_S = 30
_NO_REASON = "looked at in the review queue"


def show_rulings(workspace: Workspace, store: Store) -> None:
    """Draw the candidate that is most in need of a ruling, or that there is none."""
    by = manager_name()
    if problem := st.session_state.pop("ruling problem", None):
        st.error(as_markdown(problem))
    skipped: set[str] = st.session_state.setdefault("ruling skipped", set())
    settled: set[str] = st.session_state.setdefault("rulings made", set())
    again: Dispute | None = st.session_state.get("ruling again")
    known = _queue(str(workspace.root), workspace, store)
    cases = [each for each in known if each.task not in settled]
    waiting = [each for each in cases if each.task not in skipped]
    case = again or (waiting[0] if waiting else None)
    if case is None:
        _nothing(len(cases))
        return
    draw(f"ruling {case.task}")
    photo, facts = st.columns([3, 2], gap="medium")
    with photo:
        show_photo(workspace, case, f"The candidate {case.task}")
    with facts:
        st.caption("Settled before" if again else f"{len(waiting):,} to settle")
        _show(case)
        _buttons(store, case, by, can_undo=again is None)
    show_notices(store, case)


# For 10,000 candidates it takes most of a second, too long between two of them.
@st.cache_data(ttl=_FRESH_S, show_spinner=False)
def _queue(folder: str, _workspace: Workspace, _store: Store) -> list[Dispute]:
    """Kept for all managers alike, by `folder`; what each settled since, their session knows."""
    return queue(_store, rules=_workspace.label)


def _show(case: Dispute) -> None:
    cls = imagenet1k()[case.wnid]
    st.subheader(as_markdown(cls.name), anchor=False)
    st.markdown(as_markdown(cls.gloss))
    kinds = " › ".join(cls.hypernyms[:3])
    pages = " · ".join(f"[{as_markdown(page.title)}](<{page.url}>)" for page in cls.wikipedia)
    st.caption(f"a kind of {as_markdown(kinds)}" + (f" · Wikipedia: {pages}" if pages else ""))
    st.markdown(f"**{as_markdown(case.why[:1].upper() + case.why[1:])}**")
    with st.container(gap=None):
        for worker, verdict in case.votes:
            st.markdown(f":{_colour(verdict)}-badge[{as_markdown(verdict)}] {as_markdown(worker)}")


def _colour(verdict: str) -> str:
    return {"correct": "green", "incorrect": "red", "unsure": "orange"}.get(verdict, "gray")


def _buttons(store: Store, case: Dispute, by: str, *, can_undo: bool) -> None:
    reason = st.text_input("Why", placeholder="optional", key=f"reason {case.task}", max_chars=500)
    settle = partial(_settle, store, case, by=by, reason=reason or _NO_REASON)
    with st.container(horizontal=True):
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
        st.button(
            "Back",
            key=f"back {case.task}",
            type="tertiary",
            shortcut="Backspace",
            disabled=not (can_undo and "ruling last" in st.session_state),
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
        st.session_state["ruling last"] = case
        st.session_state["rulings made"].add(case.task)


def _skip(task: str) -> None:
    st.session_state.pop("ruling again", None)
    st.session_state["ruling skipped"].add(task)


def _back() -> None:
    st.session_state["ruling again"] = st.session_state["ruling last"]


def _nothing(left: int) -> None:
    if not left:
        st.success("Nothing waits for a ruling.")
        return
    st.info(f"You skipped the last {left:,}.")
    if st.button("Look at them again"):
        st.session_state["ruling skipped"].clear()
        st.rerun()
