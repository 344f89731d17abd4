"""The manager's view of the work that goes on: who labels, how fast, and until when."""

from datetime import timedelta

import streamlit as st

from genset.label import Store, Workspace
from genset.label.at_work import Finish, Missing, Pace, finish, missing, pace
from labeler_app.manage.state import choose
from labeler_app.words import as_markdown

_FRESH_S = 15
_MOST_NAMES = 40  # as buttons; the others are counted
_FINISH = (
    "The votes that are missing, at the pace of the fastest and of the slowest 20 minutes of the "
    "last hour. Doubtful candidates may come to want more votes: the later end counts these in."
)


def show_work(workspace: Workspace, store: Store) -> None:
    """Draw who is at work, labels an hour, and how long the votes that are missing will take."""
    going, lacking = _work(str(workspace.root), workspace, store)
    with st.container(horizontal=True, gap="large"):
        st.metric("At work", f"{len(going.at_work):,}", help="Labelers with photos before them")
        st.metric("Labels, last hour", f"{going.labels:,}")
        st.metric("Votes missing", _range(lacking))
        st.metric("Done in", in_words(lacking, finish(lacking, going.parts)), help=_FINISH)
    if going.at_work:
        _names(going)


def in_words(lacking: Missing, when: Finish | None) -> str:
    """How long it will take, as a range; or that nobody can tell."""
    if not lacking.most:
        return "all done"
    if when is None:
        return "cannot tell"
    soonest = _length(when.soonest)
    if when.latest is None:
        return f"{soonest} or more"
    latest = _length(when.latest)
    return soonest if soonest == latest else f"{soonest} to {latest}"


@st.cache_resource(ttl=_FRESH_S, show_spinner=False)
def _work(folder: str, _workspace: Workspace, _store: Store) -> tuple[Pace, Missing]:
    return pace(_store, _workspace.label), missing(_store, _workspace.label)


def _names(going: Pace) -> None:
    busiest = sorted(going.at_work, key=lambda each: (-each.labels, each.name))
    with st.container(horizontal=True, gap="small", key="at work"):
        for each in busiest[:_MOST_NAMES]:
            st.button(
                f"{as_markdown(each.name)}: {each.labels:,} an hour",
                key=f"at work {each.name}",
                on_click=choose,
                kwargs={"labeler": each.name},
            )
        if (others := len(busiest) - _MOST_NAMES) > 0:
            st.caption(f"and {others:,} others")


def _range(lacking: Missing) -> str:
    if lacking.least == lacking.most:
        return f"{lacking.least:,}"
    return f"{lacking.least:,} to {lacking.most:,}"


def _length(time: timedelta) -> str:
    """A length of time as people say it: 5 min, 3 h, 4 d."""
    minutes = time / timedelta(minutes=1)
    if minutes < 90:
        return f"{max(1, round(minutes))} min"
    hours = minutes / 60
    return f"{round(hours)} h" if hours < 48 else f"{round(hours / 24):,} d"
