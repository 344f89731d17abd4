"""The manager's views of what waits for a decision: candidates to rule on, photos that look alike.

A ruling is made before the votes are shown, so that it is one more opinion and not an echo. One
that was made with the votes in sight says so in its reason.
"""

import streamlit as st

from genset.label import Store, Verdict, Workspace
from genset.label.duplicates import Pair, PairedPhoto, decide_pair, paired, pairs_to_decide
from genset.label.review import Dispute, queue, rule
from labeler_app.manage.deciding import Walk, show_last, walk_of
from labeler_app.manage.parts import colour, show_class, show_notices, show_photo
from labeler_app.manage.session import manager_name
from labeler_app.words import as_markdown

_FRESH_S = 30
_NO_REASON = "looked at in the review queue"
_SEEN = " (votes shown)"


def show_rulings(workspace: Workspace, store: Store) -> None:
    """Draw the candidate that is most in need of a ruling, or that there is none."""
    by = manager_name(workspace, store)
    walk = walk_of("ruling")
    walk.show_problem()
    cases = {case.task: case for case in _queue(str(workspace.root), workspace, store)}
    waiting = walk.waiting(cases)
    if walk.again is None and not waiting:
        walk.show_end(cases, "Nothing waits for a ruling.")
        if walk.last is not None:
            _last(store, walk)
            walk.back_button("last")
        return
    case: Dispute = walk.again or cases[waiting[0]]
    first = "A ruling that is made with the votes in sight says so in its reason."
    seen = st.toggle("Show votes first", key="votes first", help=first) or walk.again is not None
    walk.begin(case.task)
    photo, facts = st.columns([3, 2], gap="medium")
    with photo:
        show_photo(workspace, case, f"The candidate {case.task}")
    with facts:
        st.caption("Settled before" if walk.again else f"{len(waiting):,} to settle")
        _show(store, case)
        if seen:
            _votes(case)
        _buttons(store, case, by, walk, seen=seen)
        _last(store, walk)
    show_notices(store, case)


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


def _last(store: Store, walk: Walk) -> None:
    """Draw what was settled last, and now what the labelers had said of it."""
    if walk.last is None or walk.again is not None:
        return
    case, verdict = walk.last
    with st.container(border=True):
        show_last(store.taxonomy[case.wnid].name, case.task, verdict)
        _votes(case)


def _buttons(store: Store, case: Dispute, by: str, walk: Walk, *, seen: bool) -> None:
    reason = st.text_input("Why", placeholder="optional", key=f"reason {case.task}", max_chars=480)
    reason = (reason.strip() or _NO_REASON) + (_SEEN if seen and case.votes else "")

    def settle(verdict: Verdict) -> None:
        rule(store, case.task, verdict, by, reason)

    walk.verdict_buttons(case.task, case, settle)
    with st.container(horizontal=True):
        walk.skip_button(case.task)
        walk.back_button(case.task)


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
    walk = walk_of("pair")
    walk.show_problem()
    numbers = pairs_to_decide(store)
    waiting = walk.waiting(numbers)
    if not waiting:
        walk.show_end(
            numbers, "No pair waits to be decided. genset duplicates find looks for more."
        )
        return
    pair = paired(store, waiting[0])
    walk.begin(pair.number)
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
    _pair_buttons(store, pair, by, walk)
    show_notices(store, pair.photo, pair.other)


def _show_side(workspace: Workspace, photo: PairedPhoto, side: str) -> None:
    st.markdown(f"**{side}**")  # on a phone it stands above or below
    show_photo(workspace, photo, f"{side}: the photo {photo.name}")
    if photo.classes:
        st.caption(f"found for {as_markdown(', '.join(photo.classes))}")
    if photo.example_of:
        st.caption(f"an example of {as_markdown(', '.join(photo.example_of))}")


def _pair_buttons(store: Store, pair: Pair, by: str, walk: Walk) -> None:
    def decide(keep: str | None) -> None:
        decide_pair(store, pair.number, same=keep is not None, keep=keep, by=by)

    # A photo that is not here cannot be refused: only ours can.
    ways = _SIDES if pair.other is not None else _OURS
    with st.container(horizontal=True, key="decide"):
        for words, shortcut, keep in ways:
            walk.button(words, shortcut, pair.number, pair, decide, keep)
        walk.skip_button(pair.number)
