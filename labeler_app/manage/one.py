"""One candidate, large, with all that was said of it; who said it only when asked."""

from collections.abc import Sequence

import streamlit as st

from genset.core.errors import BadInput
from genset.label import Store, Verdict, Workspace, add_gold_question
from genset.label.gallery.photos import Case, Vote, case_of
from labeler_app.manage.photos import colour, neighbours, show_notices, show_photo
from labeler_app.manage.state import choose, enlarge
from labeler_app.words import as_markdown


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
        show_photo(workspace, case.shown.photo, f"The candidate {task}")
    with facts:
        _class(store, case)
        _votes(case)
        _settled(case)
        _gold(store, case)
    show_notices(store, case.shown.photo)


def _ways(task: str, around: Sequence[str]) -> None:
    before, after = neighbours(around, task)
    with st.container(horizontal=True):
        st.button("All photos", key="all photos", shortcut="Esc", on_click=enlarge, args=(None,))
        for words, key, place in (("Previous", "Left", before), ("Next", "Right", after)):
            st.button(
                words,
                key=words.lower(),
                shortcut=key,
                type="tertiary",
                disabled=place is None,
                on_click=enlarge,
                args=(task if place is None else around[place],),
            )


def _class(store: Store, case: Case) -> None:
    cls = store.taxonomy[case.shown.photo.wnid]
    st.subheader(as_markdown(cls.name), anchor=False)
    st.markdown(as_markdown(cls.gloss))
    st.caption(as_markdown(case.shown.photo.task))
    if case.shown.contested:
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
                st.markdown(_said(vote), width="content")
                if names:
                    st.button(
                        as_markdown(vote.worker),
                        key=f"labeler {place}",
                        type="tertiary",
                        on_click=choose,
                        kwargs={"labeler": vote.worker},
                    )


def _said(vote: Vote) -> str:
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


def _settled(case: Case) -> None:
    for ruling in case.rulings:
        st.markdown(
            f"Ruled :{colour(ruling.verdict)}-badge[{ruling.verdict}] by {as_markdown(ruling.by)}, "
            f"{ruling.at:%Y-%m-%d %H:%M}: {as_markdown(ruling.reason)}"
        )

    for sent in case.requests:
        st.markdown(
            f"Sent to review by {as_markdown(sent.by)}, {sent.at:%Y-%m-%d %H:%M}: "
            f"{as_markdown(sent.reason)}" + ("" if sent.open else " (ruled on since)")
        )


def _gold(store: Store, case: Case) -> None:
    task = case.shown.photo.task
    for each in case.gold:
        name = store.taxonomy[each.wnid].name
        state = "retired" if each.retired_at else "in use"
        st.markdown(
            f"Gold question {each.id} ({state}): {as_markdown(name)} is {each.expected}, because "
            f"{as_markdown(each.reason)}"
        )
    with st.expander("Use as a gold question"), st.form(f"gold {task}", border=False):
        expected = st.radio("It is", [Verdict.CORRECT, Verdict.INCORRECT], horizontal=True)
        reason = st.text_input("Because", placeholder="how that is known", max_chars=500)
        sent = st.form_submit_button("Use it")
        if sent:
            try:
                add_gold_question(store, task, Verdict(expected), reason)
            except BadInput as error:
                st.error(as_markdown(str(error)))
            else:
                st.rerun()
