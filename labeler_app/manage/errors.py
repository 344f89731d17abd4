"""The manager's view of errors that matter: photos that all leading models get wrong, one by one.

A model's answer is no reason to change a label, but where all of them say the same, the label may
be the one that is wrong. Unlike in the review queue everything is in sight here, and rulings say so
in their reason; what is doubtful goes to review, where it is looked at without.
"""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import streamlit as st

from genset.core.errors import BadInput, GensetError
from genset.core.numbers import count
from genset.label import Store, Taxonomy, Verdict, Workspace
from genset.label.gallery.photos import Case, case_of
from genset.label.review import rule, send_to_review
from genset.label.suspects import SUSPECTS_FILE, Guess, Suspect, Suspects, read_suspects, undecided
from labeler_app.manage.deciding import Walk, show_last, walk_of
from labeler_app.manage.parts import colour, show_class, show_notices, show_photo
from labeler_app.manage.session import manager_name
from labeler_app.words import as_markdown

_FRESH_S = 30
_REVIEW = "It waits for a ruling in the view Review, and goes to more labelers meanwhile."
_SEEN = " (votes and models' answers shown)"


def show_errors(workspace: Workspace, store: Store) -> None:
    """Draw the first photo of the list that is not decided, or that there is none."""
    by = manager_name(workspace, store)
    walk = walk_of("error")
    walk.show_problem()
    try:
        found = _list(workspace.root, store)
    except GensetError as error:
        st.error(as_markdown(str(error)))
        return
    if found is None:
        st.info("There is no list of errors yet. To make one: `genset labels suspects RELEASE`")
        return
    _about(found)
    cases = {
        case.task: case for case in _undecided(str(workspace.root), found.made_at, found, store)
    }
    waiting = walk.waiting(cases)
    if walk.again is None and not waiting:
        walk.show_end(cases, "Every photo of the list is decided.")
        _last(walk, store.taxonomy, at_end=True)
        return
    case = walk.again or cases[waiting[0]]
    _one(workspace, store, case, by, walk, len(waiting))
    _last(walk, store.taxonomy)


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


def _one(
    workspace: Workspace, store: Store, one: Suspect, by: str, walk: Walk, remaining: int
) -> None:
    walk.begin(one.task)
    try:
        case = case_of(store, one.task)
    except BadInput as error:
        st.error(as_markdown(str(error)))
        walk.skip_button(one.task)
        return
    photo, facts = st.columns([3, 2], gap="medium")
    with photo:
        show_photo(workspace, case.candidate.photo, f"The candidate {one.task}")
    with facts:
        st.caption("Decided before" if walk.again else f"{remaining:,} left")
        show_class(store, case.candidate.photo.wnid)
        _right(one, case.candidate.photo.wnid, store.taxonomy)
        _answers(one, store.taxonomy)
        _votes(case)
        _buttons(workspace, store, one, by, walk)
    show_notices(store, case.candidate.photo)


def _right(one: Suspect, home: str, taxonomy: Taxonomy) -> None:
    others = [wnid for wnid in one.right if wnid != home]
    if others:
        st.markdown(f"Right too: {', '.join(_name(wnid, taxonomy) for wnid in others)}")
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


def _buttons(workspace: Workspace, store: Store, one: Suspect, by: str, walk: Walk) -> None:
    reason = st.text_input("Why", placeholder="optional", key=f"why {one.task}", max_chars=440)
    reason = reason.strip() or _reason(one, store.taxonomy)

    def decide(verdict: Verdict | None) -> None:
        if verdict is None:
            send_to_review(store, one.task, workspace.label, by, reason)
        else:
            rule(store, one.task, verdict, by, reason + _SEEN)

    walk.verdict_buttons(one.task, one, decide)
    with st.container(horizontal=True):
        walk.button("Send to review", "v", one.task, one, decide, None, _REVIEW)
        walk.skip_button(one.task)
        walk.back_button(one.task)


def _reason(one: Suspect, taxonomy: Taxonomy) -> str:
    models = len(one.guesses)
    name = _plain(one.common, taxonomy)
    if models == 1:
        return f"the best model says {name}"
    return f"{one.agreeing} of {models} leading models say {name}"


def _last(walk: Walk, taxonomy: Taxonomy, *, at_end: bool = False) -> None:
    """Draw what was decided last."""
    if walk.last is None or walk.again is not None:
        return
    one, verdict = walk.last
    with st.container(border=True):
        show_last(_plain(one.task.partition("/")[0], taxonomy), one.task, verdict)
        if at_end:
            walk.back_button("last")


def _name(wnid: str, taxonomy: Taxonomy) -> str:
    return as_markdown(_plain(wnid, taxonomy))


def _plain(wnid: str, taxonomy: Taxonomy) -> str:
    return taxonomy[wnid].name if wnid in taxonomy else wnid or "no class"
