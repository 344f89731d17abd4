"""The manager's view of progress: who is at work, by class, and the selection frequencies."""

from collections.abc import Sequence
from datetime import timedelta

import streamlit as st

from genset.core.numbers import NONE, count
from genset.label import Store, Workspace
from genset.label.quality import MissingVotes, Pace, missing, pace
from genset.label.stats import Stats, collect
from labeler_app.manage.parts import show_table
from labeler_app.words import as_markdown

_FRESH_S = 30  # numbers may be as old as this; collecting them again takes seconds for many labels


_ALL = "all panels"


def show_progress(workspace: Workspace, store: Store) -> None:
    """Who is at work, how many candidates are labeled, in all and by class, and how surely."""
    going, lacking = _work(str(workspace.root), workspace, store)
    with st.container(horizontal=True, gap="medium"):
        st.metric("At work", f"{len(going.at_work):,}", help="Labelers with photos before them")
        st.metric("Labels, last hour", f"{going.labels:,}")
        st.metric("Votes missing", _range(lacking))
        st.metric("Done in", _finish(lacking, going), help=_FINISH)
    if going.at_work:
        busiest = sorted(going.at_work.items(), key=lambda labeler: (-labeler[1], labeler[0]))
        names = [f"{name} ({labels:,})" for name, labels in busiest[:_MOST_NAMES]]
        names += [f"{len(busiest) - _MOST_NAMES:,} others"] * (len(busiest) > _MOST_NAMES)
        st.caption(as_markdown(f"At work, with their labels of the last hour: {', '.join(names)}"))
    stats = chosen_stats(workspace, store)
    with st.container(horizontal=True, gap="medium"):
        st.metric("Candidates done", f"{stats.done:,} of {stats.candidates:,}", help=_DONE)
        st.metric("Labels", f"{stats.votes:,}")
        st.metric("Labelers", f"{stats.labelers:,}")
        st.metric("Krippendorff's alpha", _number(stats.agreement.alpha), help=_ALPHA)
        rulings = f"{count(stats.ruled, 'is', 'are')} settled"
        st.metric("To review", f"{len(stats.disputes):,}", help=rulings)
    st.progress(stats.done / stats.candidates if stats.candidates else 0.0)
    show_table(
        {
            "class": [cls.wnid for cls in stats.classes],
            "name": [cls.name for cls in stats.classes],
            "done": [cls.done / cls.candidates for cls in stats.classes],
            "candidates": [cls.candidates for cls in stats.classes],
            "labeled": [cls.labeled for cls in stats.classes],
            "labels": [cls.votes for cls in stats.classes],
            "frequency": [cls.frequency for cls in stats.classes],
            "alpha": [cls.alpha for cls in stats.classes],
        },
        config={
            "done": st.column_config.ProgressColumn(format="percent", help=_DONE),
            "labeled": st.column_config.NumberColumn(help="Candidates with at least one label"),
            "frequency": st.column_config.NumberColumn(
                "mean selection frequency", format="%.2f", help="Share of labels that say correct"
            ),
            "alpha": st.column_config.NumberColumn("alpha", format="%.2f", help=_ALPHA),
        },
    )
    _frequencies(stats)


def _frequencies(stats: Stats) -> None:
    """Draw how the selection frequencies lie, and each candidate's with its 95 % interval."""
    if not stats.frequencies:
        return
    st.header("Selection frequencies", anchor=False)
    st.caption("Candidates by the share of their labelers who said correct")
    _histogram(stats.histogram)
    interval = st.column_config.NumberColumn(format="%.2f", help="95 % interval (Wilson)")
    show_table(
        {
            "candidate": [frequency.task for frequency in stats.frequencies],
            "frequency": [frequency.share for frequency in stats.frequencies],
            "low": [frequency.low for frequency in stats.frequencies],
            "high": [frequency.high for frequency in stats.frequencies],
            "correct": [frequency.correct for frequency in stats.frequencies],
            "labels": [frequency.votes for frequency in stats.frequencies],
            "ruling": [frequency.ruling for frequency in stats.frequencies],
        },
        config={
            "frequency": st.column_config.ProgressColumn(format="%.2f"),
            "low": interval,
            "high": interval,
            "ruling": st.column_config.TextColumn(help="What a review settled"),
        },
    )


def _finish(lacking: MissingVotes, going: Pace) -> str:
    """How long it will take, as a range; or that nobody can tell."""
    if not lacking.most:
        return "all done"
    soonest, latest = map(going.time_for, (lacking.votes, lacking.most))
    if soonest is None or latest is None:
        return "cannot tell"
    lengths = dict.fromkeys(map(_length, (soonest, latest)))
    return " to ".join(lengths)


_MOST_NAMES = 40  # the others are counted
_FINISH = (
    "The votes that are missing, at the pace of the last hour's labels, if there are 20. Doubtful "
    "candidates may come to want more votes: the later end counts these in."
)


@st.cache_resource(ttl=15, show_spinner=False)
def _work(folder: str, _workspace: Workspace, _store: Store) -> tuple[Pace, MissingVotes]:
    return pace(_store, _workspace.label), missing(_store, _workspace.label)


def _range(lacking: MissingVotes) -> str:
    if lacking.votes == lacking.most:
        return f"{lacking.votes:,}"
    return f"{lacking.votes:,} to {lacking.most:,}"


def _length(time: timedelta) -> str:
    """A length of time as people say it: 5 min, 3 h, 4 d."""
    minutes = time / timedelta(minutes=1)
    if minutes < 90:
        return f"{max(1, round(minutes))} min"
    hours = minutes / 60
    return f"{round(hours)} h" if hours < 48 else f"{round(hours / 24):,} d"


_DONE = "With all the labels that they are to get, or settled in review"


_ALPHA = "Agreement beyond chance: 1 is perfect, 0 is what chance would give"


def chosen_stats(workspace: Workspace, store: Store) -> Stats:
    """The numbers of the panel that is chosen, where there are several."""
    stats = collected(str(workspace.root), None, workspace, store)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        panel = _ALL
        if len(stats.panels) > 1:
            panel = st.selectbox("Panel", [_ALL, *stats.panels], key="panel", width=240)
        if st.button("Refresh", icon=":material/refresh:", type="tertiary"):
            collected.clear()
            stats = collected(str(workspace.root), None, workspace, store)
    if panel != _ALL:
        stats = collected(str(workspace.root), panel, workspace, store)
    return stats


@st.cache_resource(ttl=_FRESH_S, show_spinner="Counting …")
def collected(folder: str, panel: str | None, _workspace: Workspace, _store: Store) -> Stats:
    """Kept for all managers alike, by `folder` and `panel`; shared, for nothing changes it."""
    return collect(_store, _workspace, panel)


def _histogram(counts: Sequence[int]) -> None:
    """Bars of plain HTML, of our own numbers: Streamlit's charts want scripts to be evaluated."""
    most = max(counts) or 1
    bars = "".join(
        f'<div><b>{count:,}</b><i style="--share:{count / most:.3f}"></i>'
        f"<span>{place / 10:.1f}</span></div>"
        for place, count in enumerate(counts)
    )
    words = "; ".join(f"{count} from {place / 10:.1f}" for place, count in enumerate(counts))
    st.html(f'<div class="genset-bars" role="img" aria-label="{words}">{bars}</div>')


def _number(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"
