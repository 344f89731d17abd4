"""The manager's view of photos: what was shown and said, of a class or by a labeler.

What labelers say is in sight only when it is asked for: a manager who labels too is not to be
swayed, nor is one who rules.
"""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.label import LONGEST_ID, Store, Taxonomy, Verdict, Workspace
from genset.label.comments import comments
from genset.label.gallery import (
    Answer,
    Case,
    LabeledPhoto,
    Which,
    case_of,
    classes_with_photos,
    labelers_with_labels,
    photos_flagged,
    photos_of_class,
    photos_of_labeler,
)
from genset.label.gold import add_gold_question
from labeler_app.manage.deciding import decision, rule_buttons, walk_of
from labeler_app.manage.parts import (
    Badge,
    badges,
    page_of,
    quiet_button,
    short_name,
    show_class,
    show_comments,
    show_notices,
    show_photo,
    show_small,
)
from labeler_app.manage.session import (
    CLASS,
    FLAGGED,
    LABELER,
    VOTES_SHOWN,
    back_to_comments,
    enlarge,
    enlarged,
    from_the_start,
    is_from_comments,
    manager_name,
    offer,
    saw_votes,
    see_votes,
    show_photos_of,
)
from labeler_app.words import as_markdown

_FRESH_S = 15
_ANY = "any verdict"
_NOTHING = {
    CLASS: "No photos yet: run genset scrape",
    LABELER: "Nobody has labeled yet.",
    FLAGGED: "Nobody has flagged a photo.",
}
_REASON = "looked at in the view Photos"
_VERDICTS = "Votes and rulings; a ruling that is made after they were in sight says so."


def show_photos(workspace: Workspace, store: Store) -> None:
    """Draw a page of photos, or the one that was opened, large."""
    if (task := enlarged()) is not None:
        _show_one(workspace, store, task, st.session_state.get("photos around", ()))
        return
    folder = str(workspace.root)
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        of = st.selectbox(
            "Photos of", list(_NOTHING), key="photos of", on_change=from_the_start, width=150
        )
    known = _known(folder, of, store)
    if not known:
        st.info(_NOTHING[of])
        return
    with row:
        chosen, which, verdict = _choices(of, known, store.taxonomy)
        verdicts = _verdicts_toggle()
    everything = _photos(folder, of, chosen, store)
    found = [photo for photo in everything if photo.passes(which, verdict)]
    shown = f"{len(found):,} of {count(len(everything), 'photo')}"
    order = f", in the order in which {as_markdown(chosen)} decided" if of == LABELER else ""
    st.caption(shown + order)
    seen = found[page_of("photos page", len(found))]
    around = list(dict.fromkeys(photo.photo.task for photo in found))
    if verdict is not None:
        see_votes(*around)  # as the filter says
    with st.container(key="gallery"):
        for place, photo in enumerate(seen):
            words = _badges(photo, store.taxonomy, verdicts=verdicts, named=of != CLASS)
            with st.container(gap="xxsmall"):
                task = photo.photo.task
                show_small(workspace, photo.photo, f"The photo {task}", words)
                if photo.answer is None or photo.answer.expected is None:
                    _open_button(task, f"{place} {task}", around)
    show_notices(store, *(photo.photo for photo in seen))


def _verdicts_toggle() -> bool:
    return st.toggle("Show verdicts", key="verdicts", help=_VERDICTS)


def _badges(
    photo: LabeledPhoto,
    taxonomy: Taxonomy,
    *,
    verdicts: bool,
    named: bool,
) -> list[Badge]:
    """The words on a photo: what was said, where it is asked for, and what else is known."""
    answer = photo.answer
    found = [Badge(taxonomy[photo.photo.wnid].name)] if named else []
    if answer is not None:
        if verdicts:
            found.append(Badge(answer.verdict, answer.verdict))
        if answer.out or not answer.in_force:
            found.append(Badge("void or held" if answer.out else "changed later"))
    elif not photo.counts:
        found.append(Badge("no votes"))
    elif not verdicts:
        found.append(Badge(count(photo.counts.total(), "vote")))
    if verdicts:
        others = "others: " if answer is not None else ""
        votes = [(verdict, photo.counts[verdict]) for verdict in Verdict if photo.counts[verdict]]
        found += [Badge(f"{others}{number} {verdict}", verdict) for verdict, number in votes]
        if photo.ruling is not None:
            found.append(Badge(f"ruled {photo.ruling}", photo.ruling))
        if votes or answer is not None:
            see_votes(photo.photo.task)
    if photo.out:
        found.append(Badge(f"{photo.out} void or held"))
    if photo.is_flagged:
        found.append(Badge("flagged"))
    if photo.contested:
        found.append(Badge("contested"))
    if photo.is_gold:
        known = f": {answer.expected}" if verdicts and answer and answer.expected else ""
        found.append(Badge(f"gold question{known}"))
    return found


def _open_button(task: str, key: str, around: Sequence[str]) -> None:
    def large() -> None:
        st.session_state["photos around"] = around
        enlarge(task)

    quiet_button(f"Open {short_name(task)}", large, key=f"open {key}")


def _choices(
    of: str, known: Mapping[str, int], taxonomy: Taxonomy
) -> tuple[str, Which, Verdict | None]:
    """Draw the choice of a class or labeler, and of which of its photos are shown."""
    kinds = list(Which)
    key, chosen = "", ""
    if of == CLASS:
        key, words = "class", lambda wnid: f"{taxonomy[wnid].name} ({wnid}, {known[wnid]:,})"
    elif of == LABELER:
        key, words = "labeler", lambda name: f"{name} ({known[name]:,})"
        kinds.remove(Which.UNLABELED)
    if key:
        offer(f"photos {key}", known)
        chosen = _choice(key.capitalize(), list(known), f"photos {key}", 300, words)
    which = _choice("Show", kinds, "photos show", 165)
    verdict = _choice("Verdict", [_ANY, *Verdict], "photos verdict", 165)
    return chosen, Which(which), None if verdict == _ANY else Verdict(verdict)


def _choice(
    label: str, options: Sequence[str], key: str, width: int, words: Callable[[str], str] = str
) -> str:
    return st.selectbox(
        label, options, key=key, width=width, format_func=words, on_change=from_the_start
    )


@st.cache_resource(ttl=_FRESH_S, show_spinner=False)
def _known(folder: str, of: str, _store: Store) -> dict[str, int]:
    if of == CLASS:
        return classes_with_photos(_store)
    if of == LABELER:
        return labelers_with_labels(_store)
    return {photo.photo.task: 1 for photo in _photos(folder, of, "", _store)}


@st.cache_resource(ttl=_FRESH_S, show_spinner=False, max_entries=64)
def _photos(folder: str, of: str, chosen: str, _store: Store) -> list[LabeledPhoto]:
    if of == FLAGGED:
        return photos_flagged(_store)
    return (photos_of_class if of == CLASS else photos_of_labeler)(_store, chosen)


def _show_one(workspace: Workspace, store: Store, task: str, around: Sequence[str]) -> None:
    """Draw the candidate named `task`, what is decided on it, and ways to those `around` it."""
    _ways(task, around)
    walk = walk_of("photo")
    walk.show_problem()
    try:
        case = case_of(store, task)
    except BadInput as error:
        st.error(as_markdown(str(error)))
        return
    walk.begin(task, task)
    photo, facts = st.columns([3, 2], gap="medium")
    with photo:
        show_photo(workspace, case.candidate.photo, f"The candidate {task}")
    with facts:
        cls = store.taxonomy[case.candidate.photo.wnid]
        show_class(store, cls.wnid)
        st.caption(as_markdown(case.candidate.photo.task))
        if case.candidate.contested:
            st.caption("Another class claims this photo too.")
        words = f"All photos of {as_markdown(cls.name)}"
        quiet_button(words, show_photos_of, "class", cls.wnid, key="all of class")
        verdicts, remarks = _verdicts_toggle(), comments(store, task)
        if verdicts:
            _votes(case)
            _rulings(case)
        else:
            votes = sum(answer.in_force for answer in case.labels)
            rulings = count(len(case.rulings), "ruling")
            st.caption(f"{count(votes, 'vote')}, {rulings}, {count(len(remarks), 'comment')}")
        if verdicts or is_from_comments():  # where they were read
            show_comments(remarks)
        by = manager_name(workspace, store)
        seen = VOTES_SHOWN if saw_votes(task) else ""
        rule_buttons(workspace, store, walk, task, by, reason=_REASON, seen=seen)
        if walk.last is not None and walk.last[0][0] == task:
            st.success(f"You {decision(walk.last[1])}")
        _gold(store, case)
    show_notices(store, case.candidate.photo)


def _ways(task: str, around: Sequence[str]) -> None:
    place = around.index(task) if task in around else None
    before = around[place - 1] if place else None
    after = around[place + 1] if place is not None and place + 1 < len(around) else None
    with st.container(horizontal=True):
        if is_from_comments():
            st.button("All comments", shortcut="Esc", on_click=back_to_comments)
        else:
            st.button("All photos", shortcut="Esc", on_click=enlarge, args=(None,))
        for words, key, other in (("Previous", "Left", before), ("Next", "Right", after)):
            quiet_button(words, enlarge, other, key=words, shortcut=key, disabled=other is None)


def _votes(case: Case) -> None:
    if not case.labels:
        st.caption("Nobody has labeled it.")
        return
    see_votes(case.candidate.photo.task)
    names = st.toggle("Show who said it", key="names")
    with st.container(gap="xxsmall"):
        for place, answer in enumerate(case.labels):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(_vote_line(answer), width="content")
                if names:
                    name = as_markdown(answer.worker)
                    key = f"labeler {place}"
                    quiet_button(name, show_photos_of, "labeler", answer.worker, key=key)


def _vote_line(answer: Answer) -> str:
    facts = [f"{answer.decided_at:%Y-%m-%d %H:%M}"]
    if answer.panel != "main":
        facts.append(f"panel {as_markdown(answer.panel)}")
    if answer.out or not answer.in_force:
        facts.append("void or held out" if answer.out else "changed later")
    return f"{badges({answer.verdict: answer.verdict})} {', '.join(facts)}"


def _rulings(case: Case) -> None:
    for ruling in case.rulings:
        st.markdown(
            f"Ruled {badges({ruling.verdict: ruling.verdict})} by {as_markdown(ruling.by)}, "
            f"{ruling.at:%Y-%m-%d %H:%M}: {as_markdown(ruling.reason)}"
        )
    for request in case.requests:
        st.markdown(
            f"Sent to review by {as_markdown(request.by)}, {request.at:%Y-%m-%d %H:%M}: "
            f"{as_markdown(request.reason)}"
            + ("" if case.is_open(request) else " (ruled on since)")
        )


def _gold(store: Store, case: Case) -> None:
    task = case.candidate.photo.task
    for question in case.gold:
        name = store.taxonomy[question.wnid].name
        state = "retired" if question.retired_at else "in use"
        st.markdown(
            f"Gold question {question.id} ({state}): {as_markdown(name)} is {question.expected}"
            + (f", because {as_markdown(question.reason)}" if question.reason else "")
        )
    with st.expander("Use as a gold question"), st.form(f"gold {task}", border=False):
        expected = st.radio("It is", [Verdict.CORRECT, Verdict.INCORRECT], horizontal=True)
        wnid = st.text_input("For the class", placeholder="its own", max_chars=LONGEST_ID)
        reason = st.text_input("Because", placeholder="how that is known", max_chars=500)
        sent = st.form_submit_button("Use it")
    if sent:
        try:
            add_gold_question(store, task, Verdict(expected), reason, wnid.strip() or None)
        except BadInput as error:
            st.error(as_markdown(str(error)))
        else:
            st.rerun()
