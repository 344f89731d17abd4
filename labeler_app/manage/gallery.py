"""The manager's view of photos: what was shown and said, of a class or by a labeler."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.label import LONGEST_ID, Store, Taxonomy, Verdict, Workspace
from genset.label.gallery.labeler import LabelerAnswer, Place, answers_at, places_of
from genset.label.gallery.photos import (
    Case,
    LabeledCandidate,
    Vote,
    Which,
    case_of,
    classes_with_photos,
    labelers_with_labels,
    of_class,
)
from genset.label.gold import add_gold_question
from labeler_app.manage.parts import (
    MOST_SENT,
    Badge,
    colour,
    counted,
    page_of,
    show_class,
    show_notices,
    show_photo,
    show_small,
)
from labeler_app.manage.session import (
    choose,
    enlarge,
    enlarged,
    from_the_start,
    keep_choices,
    offer,
)
from labeler_app.words import as_markdown

_FRESH_S = 15


_ANY = "any verdict"


_OF_LABELER = [kind for kind in Which if kind is not Which.UNLABELED]


def show_gallery(workspace: Workspace, store: Store) -> None:
    """Draw a page of photos, or the one that was opened, large."""
    keep_choices()
    folder = str(workspace.root)
    if (task := enlarged()) is not None:
        show_one(workspace, store, task, st.session_state.get("photos around", ()))
        return
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        of = st.selectbox(
            "Photos of", list(OF), key="photos of", on_change=from_the_start, width=130
        )
    OF[of](folder, workspace, store, row)


def _class(folder: str, workspace: Workspace, store: Store, row: DeltaGenerator) -> None:
    classes = _classes(folder, store)
    if not classes:
        st.info("No photos yet: run genset scrape")
        return
    taxonomy = store.taxonomy
    offer("photos class", classes)
    with row:
        known = _to_choose_from(classes, taxonomy)
        wnid, which, verdict = _choices(
            "class", known, lambda wnid: f"{taxonomy[wnid].name} ({wnid}, {classes[wnid]:,})", Which
        )
    everything = _shown(folder, wnid, store)
    found = [candidate for candidate in everything if candidate.passes(which, verdict)]
    st.caption(f"{len(found):,} of {count(len(everything), 'photo')}")
    seen = found[page_of("photos page", len(found))]
    around = [candidate.photo.task for candidate in found]
    with st.container(key="gallery"):
        for candidate in seen:
            _cell(workspace, candidate, around)
    show_notices(store, *(candidate.photo for candidate in seen))


def _cell(workspace: Workspace, candidate: LabeledCandidate, around: Sequence[str]) -> None:
    badges = counted(candidate.counts) or [Badge("no votes")]
    if candidate.ruling is not None:
        badges.append(Badge(f"ruled {candidate.ruling}", candidate.ruling))
    if candidate.out:
        badges.append(Badge(f"{candidate.out} void or held"))
    if candidate.contested:
        badges.append(Badge("contested"))
    if candidate.is_gold:
        badges.append(Badge("gold question"))
    with st.container(gap="xxsmall"):
        show_small(workspace, candidate.photo, f"The candidate {candidate.photo.task}", badges)
        _open_button(candidate.photo.task, candidate.photo.task, around)


def _labeler(folder: str, workspace: Workspace, store: Store, row: DeltaGenerator) -> None:
    labelers = _labelers(folder, store)
    if not labelers:
        st.info("Nobody has labeled yet.")
        return
    with row:
        name, which, verdict = _choices(
            "labeler", list(labelers), lambda name: f"{name} ({labelers[name]:,})", _OF_LABELER
        )
    places = _places(folder, name, which, verdict, store)
    st.caption(f"{len(places):,} said by {as_markdown(name)}, in that order")
    seen = answers_at(store, name, places[page_of("photos page", len(places))])
    around = [answer.photo.task for answer in seen]
    with st.container(key="gallery"):
        for answer in seen:
            _answer_cell(workspace, answer, around, store.taxonomy[answer.photo.wnid].name)
    show_notices(store, *(answer.photo for answer in seen))


def _answer_cell(
    workspace: Workspace, answer: LabelerAnswer, around: Sequence[str], name: str
) -> None:
    badges = [Badge(answer.verdict, answer.verdict)]
    if answer.seconds is not None:
        badges.append(Badge(f"{answer.seconds:.1f} s"))
    if answer.expected is not None:
        badges.append(Badge(f"gold question: {answer.expected}"))
    if answer.out:
        badges.append(Badge("void or held"))
    elif not answer.in_force:
        badges.append(Badge("changed later"))
    if answer.others:
        others = ", ".join(f"{count} {verdict}" for verdict, count in answer.others.items())
        badges.append(Badge(f"others: {others}"))
    if answer.ruling is not None:
        badges.append(Badge(f"ruled {answer.ruling}", answer.ruling))
    with st.container(gap="xxsmall"):
        what = f"The photo {answer.photo.task}, shown for {name}"
        show_small(workspace, answer.photo, what, [Badge(name), *badges])
        if answer.expected is None:
            _open_button(answer.photo.task, f"{answer.place.number} {answer.photo.task}", around)
        else:
            st.caption(f"known {answer.expected}")


OF = {"A class": _class, "A labeler": _labeler}


def _open_button(task: str, key: str, around: Sequence[str]) -> None:
    def large() -> None:
        st.session_state["photos around"] = list(dict.fromkeys(around))
        enlarge(task)

    _, _, photo = task.partition("/")
    st.button(f"Open {photo}", key=f"open {key}", type="tertiary", on_click=large)


def _choices(
    of: str, options: Sequence[str], words: Callable[[str], str], kinds: Iterable[Which]
) -> tuple[str, Which, Verdict | None]:
    """Draw the choice of a class or labeler, and which of its photos are shown."""

    offer(f"photos {of}", options)
    chosen = st.selectbox(
        of.capitalize(),
        options,
        format_func=words,
        key=f"photos {of}",
        on_change=from_the_start,
        width=340,
    )
    which = st.selectbox(
        "Show", list(kinds), key="photos show", on_change=from_the_start, width=145
    )
    verdict = st.selectbox(
        "Verdict", [_ANY, *Verdict], key="photos verdict", on_change=from_the_start, width=145
    )
    return chosen, Which(which), None if verdict == _ANY else Verdict(verdict)


def _to_choose_from(classes: Mapping[str, int], taxonomy: Taxonomy) -> list[str]:
    """The classes; of more than a browser is sent, those with the words that are looked for."""
    if len(classes) <= MOST_SENT:
        return list(classes)
    words = st.text_input("Find a class", key="photos find", width=200).casefold().strip()
    named = (wnid for wnid in classes if words in f"{wnid} {taxonomy[wnid].name}".casefold())
    found = list(islice(named, MOST_SENT)) or list(islice(classes, MOST_SENT))
    chosen: str = st.session_state.get("photos class", found[0])
    return found if words or chosen in found else [chosen, *found]


@st.cache_resource(ttl=_FRESH_S, show_spinner=False)
def _classes(folder: str, _store: Store) -> dict[str, int]:
    return classes_with_photos(_store)


@st.cache_resource(ttl=_FRESH_S, show_spinner=False)
def _labelers(folder: str, _store: Store) -> dict[str, int]:
    return labelers_with_labels(_store)


@st.cache_resource(ttl=_FRESH_S, show_spinner=False, max_entries=64)
def _shown(folder: str, wnid: str, _store: Store) -> list[LabeledCandidate]:
    return of_class(_store, wnid)


@st.cache_resource(ttl=_FRESH_S, show_spinner=False, max_entries=64)
def _places(
    folder: str, worker: str, which: Which, verdict: Verdict | None, _store: Store
) -> list[Place]:
    return places_of(_store, worker, which, verdict)


def show_one(workspace: Workspace, store: Store, task: str, around: Sequence[str]) -> None:
    """Draw the candidate named `task`, and ways to the ones `around` it in its gallery."""
    _ways(task, around)
    try:
        case = case_of(store, task)
    except BadInput as error:
        st.error(as_markdown(str(error)))
        return
    photo, facts = st.columns([3, 2], gap="medium")
    with photo:
        show_photo(workspace, case.candidate.photo, f"The candidate {task}")
    with facts:
        _about_class(store, case)
        _votes(case)
        _rulings(case)
        _gold(store, case)
    show_notices(store, case.candidate.photo)


def _ways(task: str, around: Sequence[str]) -> None:
    place = around.index(task) if task in around else None
    before = around[place - 1] if place else None
    after = around[place + 1] if place is not None and place + 1 < len(around) else None
    with st.container(horizontal=True):
        st.button("All photos", key="all photos", shortcut="Esc", on_click=enlarge, args=(None,))
        for words, key, other in (("Previous", "Left", before), ("Next", "Right", after)):
            st.button(
                words,
                key=words.lower(),
                shortcut=key,
                type="tertiary",
                disabled=other is None,
                on_click=enlarge,
                args=(other,),
            )


def _about_class(store: Store, case: Case) -> None:
    cls = store.taxonomy[case.candidate.photo.wnid]
    show_class(store, cls.wnid)
    st.caption(as_markdown(case.candidate.photo.task))
    if case.candidate.contested:
        st.caption("Another class claims this photo too.")
    st.button(
        f"All photos of {as_markdown(cls.name)}",
        key="all of class",
        type="tertiary",
        on_click=choose,
        kwargs={"class_": cls.wnid},
    )


def _votes(case: Case) -> None:
    if not case.votes:
        st.caption("Nobody has labeled it.")
        return
    names = st.toggle("Show who said it", key="names")
    with st.container(gap="xxsmall"):
        for place, vote in enumerate(case.votes):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(_vote_line(vote), width="content")
                if names:
                    st.button(
                        as_markdown(vote.worker),
                        key=f"labeler {place}",
                        type="tertiary",
                        on_click=choose,
                        kwargs={"labeler": vote.worker},
                    )


def _vote_line(vote: Vote) -> str:
    facts = [f"{vote.decided_at:%Y-%m-%d %H:%M}"]
    if vote.seconds is not None:
        facts.append(f"{vote.seconds:.1f} s")
    if vote.panel != "main":
        facts.append(f"panel {as_markdown(vote.panel)}")
    if vote.out:
        facts.append("void or held out")
    elif not vote.in_force:
        facts.append("changed later")
    return f":{colour(vote.verdict)}-badge[{vote.verdict}] {', '.join(facts)}"


def _rulings(case: Case) -> None:
    for ruling in case.rulings:
        st.markdown(
            f"Ruled :{colour(ruling.verdict)}-badge[{ruling.verdict}] by {as_markdown(ruling.by)}, "
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
            f"Gold question {question.id} ({state}): {as_markdown(name)} is {question.expected}, "
            f"because {as_markdown(question.reason)}"
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
