"""The manager's view of errors that matter: photos that all leading models get wrong, one by one.

A model's answer is no reason to change a label, but where all of them say the same, the label may
be the one that is wrong. Unlike in the review queue everything is in sight here, and rulings say so
in their reason; what is doubtful goes to review, where it is looked at without.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

import streamlit as st

from genset.core.errors import BadInput, GensetError
from genset.core.numbers import count
from genset.label import Store, Taxonomy, Verdict, Workspace, answering
from genset.label.gallery.photos import Case, case_of
from genset.label.review import rule, send_to_review
from genset.label.suspects import SUSPECTS_FILE, Guess, Suspect, Suspects, read_suspects, undecided
from labeler_app.manage.parts import colour, show_class, show_notices, show_photo
from labeler_app.manage.session import decides, draw, look_at, manager_name
from labeler_app.words import as_markdown

# Streamlit keeps C and R for itself.
_KEYS = {Verdict.CORRECT: "y", Verdict.INCORRECT: "n", Verdict.UNSURE: "u", Verdict.BROKEN: "b"}
_FRESH_S = 30
_SEEN = " (votes and models' answers shown)"


def show_errors(workspace: Workspace, store: Store) -> None:
    """Draw the first photo of the list that is not decided, or that there is none."""
    by = manager_name(workspace, store)
    if problem := st.session_state.pop("error problem", None):
        st.error(as_markdown(problem))
    try:
        found = _list(workspace.root, store)
    except GensetError as error:
        st.error(as_markdown(str(error)))
        return
    if found is None:
        st.info("There is no list of errors yet. To make one: `genset labels suspects RELEASE`")
        return
    _about(found)
    done: set[str] = st.session_state.setdefault("errors decided", set())
    skipped: set[str] = st.session_state.setdefault("errors skipped", set())
    cases = _undecided(str(workspace.root), found.made_at, found, store)
    open_cases = [suspect for suspect in cases if suspect.task not in done]
    waiting = [suspect for suspect in open_cases if suspect.task not in skipped]
    again: Suspect | None = st.session_state.get("error again")
    one = again or (waiting[0] if waiting else None)
    if one is None:
        _nothing(len(open_cases))
    else:
        _one(workspace, store, one, by, "Decided before" if again else f"{len(waiting):,} left")
    _last(one, store.taxonomy, is_again=again is not None)


def _list(root: Path, store: Store) -> Suspects | None:
    """The newest list, read again once another one was made."""
    try:
        changed = (root / SUSPECTS_FILE).stat().st_mtime_ns
    except OSError:
        return None
    return _read(str(root), changed, store)


@st.cache_resource(show_spinner=False, max_entries=4)
def _read(root: str, changed: int, _store: Store) -> Suspects | None:
    return read_suspects(Path(root), _store.taxonomy)


# What each manager decided since, their session knows.
@st.cache_resource(ttl=_FRESH_S, show_spinner=False, max_entries=4)
def _undecided(folder: str, made_at: datetime, _found: Suspects, _store: Store) -> list[Suspect]:
    return undecided(_store, _found)


def _about(found: Suspects) -> None:
    missed, models = len(found.suspects), len(found.leading)
    who = f"All {models} leading models get" if models > 1 else "The one model gets"
    text = f"{who} {missed:,} of {count(found.photos, 'photo')} of {found.release} wrong"
    if models > 1:
        text += f", and on {found.unanimous:,} of these they give one and the same answer"
    st.caption(as_markdown(f"{text}."))


def _one(workspace: Workspace, store: Store, one: Suspect, by: str, where: str) -> None:
    draw(f"error {one.task}")
    try:
        case = case_of(store, one.task)
    except BadInput as error:
        st.error(as_markdown(str(error)))
        _skip_button(one)
        return
    photo, facts = st.columns([3, 2], gap="medium")
    with photo:
        show_photo(workspace, case.candidate.photo, f"The candidate {one.task}")
    with facts:
        st.caption(where)
        show_class(store, case.candidate.photo.wnid)
        _right(one, case.candidate.photo.wnid, store.taxonomy)
        _answers(one, store.taxonomy)
        _votes(case)
        _buttons(workspace, store, one, by)
    show_notices(store, case.candidate.photo)


def _right(one: Suspect, home: str, taxonomy: Taxonomy) -> None:
    others = [wnid for wnid in one.right if wnid != home]
    if others:
        st.markdown(f"Right too: {_names(others, taxonomy)}")
    if home not in one.right:
        st.markdown("Its own class is not among the right ones.")


def _answers(suspect: Suspect, taxonomy: Taxonomy) -> None:
    models = len(suspect.guesses)
    if suspect.agreeing == models > 1:
        st.markdown(f"**All {models} leading models say {_name(suspect.common, taxonomy)}**")
    else:
        st.markdown("**The leading models say**")
    with st.container(gap=None):
        for guess in suspect.guesses:
            st.markdown(f"{_name(guess.wnid, taxonomy)}{_sure(guess)} · {as_markdown(guess.model)}")
    if suspect.common in taxonomy:
        common = taxonomy[suspect.common]
        st.caption(f"{as_markdown(common.name)}: {as_markdown(common.gloss)}")
    st.caption(f"Off by {_steps(suspect.guesses)} in WordNet")


def _steps(guesses: Sequence[Guess]) -> str:
    least, most = (end(guess.distance for guess in guesses) for end in (min, max))
    return count(least, "step") if least == most else f"{least} to {most} steps"


def _sure(guess: Guess) -> str:
    return "" if guess.probability is None else f" {100 * guess.probability:.0f} %"


def _votes(case: Case) -> None:
    counts, ruling = case.candidate.counts, case.candidate.ruling
    badges = [
        f":{colour(verdict)}-badge[{counts[verdict]} {verdict}]"
        for verdict in Verdict
        if counts[verdict]
    ]
    if ruling is not None:
        badges.append(f":{colour(ruling)}-badge[ruled {ruling}]")
    st.markdown("Labelers: " + (" ".join(badges) or "no votes"))


def _buttons(workspace: Workspace, store: Store, one: Suspect, by: str) -> None:
    reason = st.text_input("Why", placeholder="optional", key=f"why {one.task}", max_chars=440)
    decide = partial(_decide, workspace, store, one, by=by, words=reason.strip())
    with st.container(horizontal=True, key="decide"):
        for verdict, key in _KEYS.items():
            st.button(
                verdict.capitalize(),
                key=f"error {verdict} {one.task}",
                shortcut=key,
                on_click=decide,
                args=(verdict,),
            )
    with st.container(horizontal=True):
        st.button(
            "Send to review",
            key=f"error review {one.task}",
            shortcut="v",
            help="It waits for a ruling in the view Review, and goes to more labelers meanwhile.",
            on_click=decide,
            args=(None,),
        )
        _skip_button(one)
        _back_button(one.task)


def _skip_button(one: Suspect) -> None:
    st.button(
        "Skip",
        key=f"error skip {one.task}",
        type="tertiary",
        shortcut="s",
        on_click=_skip,
        args=(one.task,),
    )


def _back_button(key: str) -> None:
    can_undo = "error last" in st.session_state and "error again" not in st.session_state
    st.button(
        "Back",
        key=f"error back {key}",
        type="tertiary",
        shortcut="Backspace",
        disabled=not can_undo,
        on_click=_back,
    )


def _decide(
    workspace: Workspace,
    store: Store,
    one: Suspect,
    verdict: Verdict | None,
    *,
    by: str,
    words: str,
) -> None:
    """Rule, or (None) send to review."""
    if not decides(f"error {one.task}"):
        return
    st.session_state.pop("error again", None)
    words = words or _reason(one, store.taxonomy)
    try:
        with answering():
            if verdict is None:
                send_to_review(store, one.task, workspace.label, by, words)
            else:
                rule(store, one.task, verdict, by, words + _SEEN)
    except GensetError as error:
        st.session_state["error problem"] = f"Not stored: {error}"
    else:
        st.session_state["error last"] = one, verdict
        st.session_state["errors decided"].add(one.task)


def _reason(one: Suspect, taxonomy: Taxonomy) -> str:
    models = len(one.guesses)
    name = _plain(one.common, taxonomy)
    if models == 1:
        return f"the best model says {name}"
    return f"{one.agreeing} of {models} leading models say {name}"


def _skip(task: str) -> None:
    st.session_state.pop("error again", None)
    st.session_state["errors skipped"].add(task)


def _back() -> None:
    st.session_state["error again"] = st.session_state["error last"][0]


def _last(one: Suspect | None, taxonomy: Taxonomy, *, is_again: bool) -> None:
    """What was decided last."""
    if is_again or "error last" not in st.session_state:
        return
    last, verdict = st.session_state["error last"]
    with st.container(border=True):
        name = _name(last.task.partition("/")[0], taxonomy)
        if verdict is None:
            st.markdown(f"You sent the last one, {name}, to review")
        else:
            st.markdown(f"You ruled the last one, {name}, :{colour(verdict)}-badge[{verdict}]")
        with st.container(horizontal=True):
            st.button(
                "Open its photo",
                key="open last error",
                type="tertiary",
                on_click=look_at,
                kwargs={"task": last.task, "class_": last.task.partition("/")[0]},
            )
            if one is None:
                _back_button("last")


def _nothing(skipped: int) -> None:
    if not skipped:
        st.success("Every photo of the list is decided.")
        return
    st.info(f"You skipped the last {skipped:,}.")
    if st.button("Look at them again"):
        st.session_state["errors skipped"].clear()
        st.rerun()


def _names(wnids: Sequence[str], taxonomy: Taxonomy) -> str:
    return ", ".join(_name(wnid, taxonomy) for wnid in wnids)


def _name(wnid: str, taxonomy: Taxonomy) -> str:
    return as_markdown(_plain(wnid, taxonomy))


def _plain(wnid: str, taxonomy: Taxonomy) -> str:
    return taxonomy[wnid].name if wnid in taxonomy else wnid or "no class"
