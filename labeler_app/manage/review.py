"""The manager's view of what waits for a decision, in lists, one case after another.

A ruling on a candidate is made before the votes are shown, so that it is one more opinion and not
an echo. One that was made with the votes in sight says so in its reason. Among the errors all is
in sight: a model's answer is no reason to change a label, but where all leading models say the
same, the label may be the one that is wrong. What is doubtful there goes to review.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from genset.core.errors import BadInput, GensetError
from genset.core.numbers import count
from genset.label import Store, Taxonomy, Workspace
from genset.label.comments import comments
from genset.label.duplicates import PairedPhoto, decide, open_pairs, paired
from genset.label.gallery import Case, case_of
from genset.label.review import Dispute, queue
from genset.label.suspects import SUSPECTS_FILE, Guess, Suspect, Suspects, read_suspects, undecided
from labeler_app.manage.deciding import Walk, decision, rule_buttons, walk_of
from labeler_app.manage.parts import (
    badges,
    choose,
    page_of,
    quiet_button,
    short_name,
    show_class,
    show_comments,
    show_notices,
    show_photo,
)
from labeler_app.manage.session import VOTES_SHOWN, look_at, manager_name, saw_votes, see_votes
from labeler_app.words import as_markdown

_FRESH_S = 30
_NO_REASON = "looked at in the review queue"
_ALL_SHOWN = " (votes and models' answers shown)"
_BLIND = "A ruling that is made with the votes in sight says so in its reason."


def show_review(workspace: Workspace, store: Store) -> None:
    """Draw the first case of the chosen list, or that there is none."""
    by = manager_name(workspace, store)
    LISTS[choose("List", list(LISTS))](workspace, store, by)


def _candidates(workspace: Workspace, store: Store, by: str) -> None:
    walk = walk_of("candidate")
    first = st.toggle("Show votes first", key="votes first", help=_BLIND)
    cases = {case.task: case for case in _queue(str(workspace.root), workspace, store)}

    def votes(dispute: Dispute) -> None:
        see_votes(dispute.task)
        st.markdown(as_markdown(dispute.detail[:1].upper() + dispute.detail[1:]))
        with st.container(gap=None):
            for worker, verdict in dispute.votes:
                st.markdown(f"{badges({verdict: verdict})} {as_markdown(worker)}")
        show_comments(comments(store, dispute.task))

    def facts(dispute: Dispute, _: Case) -> None:
        if dispute.home is not None:
            home = as_markdown(store.taxonomy[dispute.home].name)
            st.markdown(f"Is it in this photo, too? It is one of {home}.")
        st.markdown(f"**{as_markdown(dispute.why[:1].upper() + dispute.why[1:])}**")
        if first or walk.again is not None:
            votes(dispute)
        seen = VOTES_SHOWN if dispute.votes and saw_votes(dispute.task) else ""
        rule_buttons(
            *(workspace, store, walk, dispute.task, by),
            reason=_NO_REASON,
            seen=seen,
            review=False,
        )

    _go_through(workspace, store, walk, cases, "Nothing waits for a ruling.", facts, votes)


# For 10,000 candidates it takes most of a second, too long between two of them.
@st.cache_resource(ttl=_FRESH_S, show_spinner=False)
def _queue(folder: str, _workspace: Workspace, _store: Store) -> list[Dispute]:
    """Kept for all managers alike, by `folder`; what each settled since, their session knows."""
    return queue(_store, rules=_workspace.label)


def _go_through(
    workspace: Workspace,
    store: Store,
    walk: Walk,
    cases: Mapping[str, Any],
    end: str,
    facts: Callable[[Any, Case], None],
    afterwards: Callable[[Any], None],
) -> None:
    """Draw a photo with its class, what the list says of it (`facts`), and the one before it."""
    found = walk.next(cases, end)
    if found is None:
        _last(store, walk, afterwards)
        if walk.last is not None:
            walk.back_button()
        return
    one, remaining = found
    try:
        case = case_of(store, one.task)
    except BadInput as error:
        st.error(as_markdown(str(error)))
        walk.skip_button()
        return
    photo, column = st.columns([3, 2], gap="medium")
    with photo:
        show_photo(workspace, case.candidate.photo, f"The candidate {one.task}")
    with column:
        st.caption(remaining)
        show_class(store, case.candidate.photo.wnid)
        facts(one, case)
        with st.container(horizontal=True):
            walk.skip_button()
            walk.back_button()
        _last(store, walk, afterwards)
    show_notices(store, case.candidate.photo)


def _last(store: Store, walk: Walk, afterwards: Callable[[Any], None]) -> None:
    """Draw what was decided last, and what may be seen of it now."""
    if walk.last is None or walk.again is not None:
        return
    (_, one), verdict = walk.last
    name = _name(one.task.partition("/")[0], store.taxonomy)
    with st.container(border=True):
        st.markdown(f"The last one, {name}: you {decision(verdict)}")
        quiet_button("Open its photo", look_at, one.task, key="open last")
        afterwards(one)


def _errors(workspace: Workspace, store: Store, by: str) -> None:
    walk = walk_of("error")
    path = workspace.root / SUSPECTS_FILE
    try:
        changed = path.stat().st_mtime_ns if path.exists() else 0
        found, cases = _suspects(workspace.root, changed, store)
    except (GensetError, OSError) as error:
        st.error(as_markdown(str(error)))
        return
    if found is None:
        st.info("There is no list of errors yet. To make one: `genset labels suspects RELEASE`")
        return
    st.caption(as_markdown(" · ".join(found.summary())))

    def facts(suspect: Suspect, case: Case) -> None:
        _answers(suspect, case.candidate.photo.wnid, store.taxonomy)
        see_votes(suspect.task)
        counts, ruling = case.candidate.counts, case.candidate.ruling
        words = {verdict: f"{votes} {verdict}" for verdict, votes in counts.items()}
        ruled = {} if ruling is None else {ruling: f"ruled {ruling}"}
        st.markdown(f"Labelers: {badges(words) or 'no votes'} {badges(ruled)}")
        show_comments(comments(store, suspect.task))
        reason = _reason(suspect, store.taxonomy)
        rule_buttons(*(workspace, store, walk, suspect.task, by), reason=reason, seen=_ALL_SHOWN)

    end = "Every photo of the list is decided."
    _go_through(workspace, store, walk, cases, end, facts, lambda _: None)


# A list that was made since is read; what each manager decided since, their session knows.
@st.cache_resource(ttl=_FRESH_S, show_spinner=False, max_entries=4)
def _suspects(
    root: Path, changed: int, _store: Store
) -> tuple[Suspects | None, dict[str, Suspect]]:
    found = read_suspects(root, _store.taxonomy)
    open_cases = [] if found is None else undecided(_store, found)
    return found, {suspect.task: suspect for suspect in open_cases}


def _answers(suspect: Suspect, home: str, taxonomy: Taxonomy) -> None:
    """Draw the right classes beside the photo's own, and what the models say."""
    others = [_name(wnid, taxonomy) for wnid in suspect.right if wnid != home]
    if others:
        st.markdown(f"Right too: {', '.join(others)}")
    if home not in suspect.right:
        st.markdown("Its own class is not among the right ones.")
    models = len(suspect.guesses)
    if suspect.agreeing == models > 1:
        st.markdown(f"**All {models} leading models say {_name(suspect.common, taxonomy)}**")
    else:
        st.markdown("**The leading models say**")
    with st.container(gap=None):
        for guess in suspect.guesses:
            sure = "" if guess.probability is None else f" {100 * guess.probability:.0f} %"
            st.markdown(f"{_name(guess.wnid, taxonomy)}{sure} · {as_markdown(guess.model)}")
    if suspect.common in taxonomy:
        common = taxonomy[suspect.common]
        st.caption(f"{as_markdown(common.name)}: {as_markdown(common.gloss)}")
    st.caption(f"Off by {_steps(suspect.guesses)} in WordNet")


def _steps(guesses: Sequence[Guess]) -> str:
    least, most = (end(guess.distance for guess in guesses) for end in (min, max))
    return count(least, "step") if least == most else f"{least} to {most} steps"


def _reason(suspect: Suspect, taxonomy: Taxonomy) -> str:
    models, name = len(suspect.guesses), _plain(suspect.common, taxonomy)
    if models == 1:
        return f"the best model says {name}"
    return f"{suspect.agreeing} of {models} leading models say {name}"


def _name(wnid: str, taxonomy: Taxonomy) -> str:
    return as_markdown(_plain(wnid, taxonomy))


def _plain(wnid: str, taxonomy: Taxonomy) -> str:
    return taxonomy[wnid].name if wnid in taxonomy else wnid or "no class"


# What is said of a pair, its key, and which of the two is kept; None: they are not the same. The
# one on the left is the second of the pair. A photo that is not here cannot be refused.
_SIDES = (
    ("Same, keep left", "1", "second"),
    ("Same, keep right", "2", "first"),
    ("Different", "d", None),
)
_OURS = (("Same, refuse ours", "1", "second"), ("Different", "d", None))


def _duplicates(workspace: Workspace, store: Store, by: str) -> None:
    walk = walk_of("pair")
    numbers = {pair.id: pair.id for pair in open_pairs(store)}
    end = "No pair waits to be decided. genset duplicates find looks for more."
    if (found := walk.next(numbers, end)) is None:
        return
    number, remaining = found
    pair = paired(store, number)
    st.caption(
        f"{remaining} · {pair.distance} of 64 bits differ · if they are the same, "
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

    def decide_pair(keep: str | None) -> None:
        decide(store, [pair.number], same=keep is not None, keep=keep, by=by)

    with st.container(horizontal=True, key="decide"):
        for words, shortcut, keep in _SIDES if pair.other is not None else _OURS:
            walk.button(words, shortcut, decide_pair, keep)
        walk.skip_button()
    show_notices(store, pair.photo, pair.other)


def _show_side(workspace: Workspace, photo: PairedPhoto, side: str) -> None:
    st.markdown(f"**{side}**")  # on a phone it stands above or below
    show_photo(workspace, photo, f"{side}: the photo {photo.name}")
    if photo.classes:
        st.caption(f"found for {as_markdown(', '.join(photo.classes))}")
    if photo.example_of:
        st.caption(f"an example of {as_markdown(', '.join(photo.example_of))}")


def _comments(_: Workspace, store: Store, by: str) -> None:
    found = comments(store)
    if not found:
        st.success("Nobody has flagged a photo.")
    for place, comment in enumerate(found[page_of("comments page", len(found))]):
        with st.container(horizontal=True, vertical_alignment="center"):
            name = _name(comment.task.partition("/")[0], store.taxonomy)
            words, key = f"Open {name}, {short_name(comment.task)}", f"comment {place}"
            quiet_button(words, look_at, comment.task, True, key=key)
            show_comments([comment])


LISTS: dict[str, Callable[[Workspace, Store, str], None]] = {
    "Candidates": _candidates,
    "Errors": _errors,
    "Duplicates": _duplicates,
    "Comments": _comments,
}
