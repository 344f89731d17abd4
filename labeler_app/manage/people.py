"""The manager's view of people: how well they label, whose votes count, who may come."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, time

import streamlit as st

from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.label import LabelerAct, Store, Verdict, Workspace
from genset.label.decisions import (
    Effect,
    LabelerEvent,
    clear,
    effect_of_void,
    suspensions,
    void,
)
from genset.label.gallery import labelers_with_labels
from genset.label.labelers import Labeler, Labelers
from genset.label.quality import Quality, quality
from genset.label.stats import LabelerStats, Share
from labeler_app.manage.parts import quiet_button, show_table
from labeler_app.manage.progress import chosen_stats, collected
from labeler_app.manage.session import manager_name, show_photos_of
from labeler_app.manage.settings import invite_form
from labeler_app.words import as_markdown

_FRESH_S = 15
_LEAST_GOLD = 5  # for a point of a line
_NO_REASON = "decided on the manager's page"


def show_people(workspace: Workspace, store: Store) -> None:
    """Draw who labels how fast, how well, and how like the others; those to look at come first.

    And what was, or can be, decided on them, and a form for somebody's link.
    """
    by = manager_name(workspace, store)
    stats = chosen_stats(workspace, store)
    if not (stats.by_labeler or stats.suspended):
        st.info("Nobody has labeled yet.")
    for labeler in stats.by_labeler:
        if labeler.reasons:
            st.warning(
                f"**{as_markdown(labeler.name)}**: {as_markdown('; '.join(labeler.reasons))}"
            )
    everybody = {labeler.name: labeler for labeler in Labelers(store).all()}
    periods = _quality(str(workspace.root), stats.panel, store)
    if everybody or stats.by_labeler:
        _labelers(everybody, stats.by_labeler, periods)
    for out in stats.suspended:
        st.caption(
            f"{as_markdown(out.name)}: {count(out.labels, 'candidate')}, {out.state} by "
            f"{as_markdown(out.by)}: {as_markdown(out.reason)}"
        )
    _show_one(workspace, store, everybody, periods, by)
    labelers = Labelers(store)
    invite_form("Invite a labeler", labelers.invite, "/?invite=", labelers.before_invite)


@st.cache_resource(ttl=_FRESH_S, show_spinner=False)
def _quality(folder: str, panel: str | None, _store: Store) -> list[Quality]:
    return quality(_store, panel)


def _labelers(
    everybody: Mapping[str, Labeler], stats: Sequence[LabelerStats], periods: Sequence[Quality]
) -> None:
    """Draw a row for whoever has labeled or may sign in, with the numbers that there are."""
    numbers = {row.name: row for row in stats}
    names = sorted(numbers, key=lambda name: (not numbers[name].reasons, -numbers[name].labels))
    names += [name for name in everybody if name not in numbers]
    rows = [numbers.get(name, LabelerStats(name, 0, 0, {}, None, None, None, ())) for name in names]
    people = [everybody.get(name) for name in names]
    gold = gold_points(periods)
    show_table(
        {
            "labeler": names,
            "labels": [row.labels for row in rows],
            "gold questions right": [_share(row.gold) for row in rows],
            "answers": [row.answers for row in rows],
            **{
                str(verdict): [_percent(row.verdicts.get(verdict, 0), row.labels) for row in rows]
                for verdict in Verdict
            },
            "seconds a photo": [row.seconds for row in rows],
            "like the others": [_share(row.consensus) for row in rows],
            "over time": [gold.get(name, []) for name in names],
            "signs in by": [person and person.kind for person in people],
            "since": [person and person.created_at for person in people],
            "blocked": [person and person.blocked_at for person in people],
        },
        config={
            **{day: st.column_config.DateColumn(width=95) for day in ("since", "blocked")},
            **{str(verdict): st.column_config.NumberColumn(format="%d%%") for verdict in Verdict},
            "seconds a photo": st.column_config.NumberColumn(format="%.1f", help="The median"),
            "like the others": st.column_config.TextColumn(
                help="Labels that say what most others say of the candidate"
            ),
            "gold questions right": st.column_config.TextColumn(
                help="Answers on hidden photos that are known to be right or wrong"
            ),
            "over time": st.column_config.LineChartColumn(
                "gold over time",
                y_min=0,
                y_max=1,
                help="Share of gold questions right, of at least five at a time",
            ),
        },
    )


def gold_points(periods: Sequence[Quality]) -> dict[str, list[float]]:
    """Shares of gold questions right, by labeler: of a period, or of as many as have five."""
    points: dict[str, list[float]] = {}
    remaining: dict[str, tuple[int, int]] = {}
    for row in periods:
        if row.gold is not None:
            right, of = remaining.pop(row.worker, (0, 0))
            right, of = right + row.gold.right, of + row.gold.of
            if of < _LEAST_GOLD:
                remaining[row.worker] = right, of
            else:
                points.setdefault(row.worker, []).append(right / of)
    return points


def _show_one(
    workspace: Workspace,
    store: Store,
    everybody: Mapping[str, Labeler],
    periods: Sequence[Quality],
    by: str,
) -> None:
    """Draw one labeler over time, and a way to block them or to void their votes."""
    if message := st.session_state.pop("trust message", None):
        st.success(message)
    out = suspensions(store)
    held = [name for name, found in out.items() if found.what is LabelerAct.HOLD]
    st.session_state.setdefault("trust whom", next(iter(held), None))
    name = st.selectbox(
        "Look at a labeler, and decide",
        sorted(everybody.keys() | labelers_with_labels(store).keys()),
        placeholder="Whom",
        key="trust whom",
        width=340,
    )
    if not name:
        return
    with st.container(border=True, key="trust"):
        _state(name, everybody.get(name), out.get(name))
        if rows := [row for row in periods if row.worker == name]:
            show_table(
                {
                    "from": [row.since for row in rows],
                    "labels": [row.votes for row in rows],
                    "gold questions shown": [_percent(row.gold_shown, 1) for row in rows],
                    "right, with 95 % interval": [_interval(row.gold) for row in rows],
                    "like the others": [_interval(row.consensus) for row in rows],
                },
                times=["from"],
                config={
                    "gold questions shown": st.column_config.NumberColumn(
                        format="%d%%", help="Of the photos that they answered"
                    )
                },
            )
        _decide(workspace, store, name, everybody.get(name), out.get(name), by)


def _share(share: Share | None) -> str | None:
    return None if share is None else f"{share.share:.0%} ({share.right:,} of {share.of:,})"


def _interval(share: Share | None) -> str | None:
    return None if share is None else f"{_share(share)}, {share.low:.0%} to {share.high:.0%}"


def _percent(part: float, whole: int) -> int | None:
    return round(100 * part / whole) if whole else None


def _state(name: str, signed: Labeler | None, suspension: LabelerEvent | None) -> None:
    words = []
    if signed is not None and signed.blocked_at is not None:
        words.append(f"blocked since {signed.blocked_at:%Y-%m-%d %H:%M}")
    if suspension is not None:
        words.append(f"{suspension.words} by {suspension.by}: {suspension.reason}")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{as_markdown(name)}** {as_markdown('; '.join(words))}")
        quiet_button("Their photos", show_photos_of, "labeler", name, key="their photos")


def _decide(
    workspace: Workspace,
    store: Store,
    name: str,
    signed: Labeler | None,
    suspension: LabelerEvent | None,
    by: str,
) -> None:
    """Draw the buttons that can be pressed now, with what to void would change."""
    what = None if suspension is None else suspension.what
    reason = st.text_input("Because", key=f"why {name}", max_chars=500) or _NO_REASON
    since = effect = None
    if what is not LabelerAct.VOID:
        day = st.date_input(
            "Only votes since (midnight, UTC)",
            value=None,
            max_value="today",
            key=f"since {name}",
            width=300,
        )
        since = datetime.combine(day, time(), tzinfo=UTC) if day else None
        try:
            effect = _effect(str(workspace.root), name, since, workspace, store)
            st.markdown(_line(effect, "would be void"))
        except BadInput as error:  # as where nothing was labeled
            st.caption(as_markdown(str(error)))
    can_block = signed is not None and signed.blocked_at is None
    with st.container(horizontal=True):
        cleared = what in (LabelerAct.VOID, LabelerAct.HOLD) and st.button(
            "Count their votes again", key="clear"
        )
        voided = effect is not None and st.button("Void their votes", key="void")
        words = "Block" if effect is None else "Block, and keep the votes"
        blocked = can_block and st.button(words, key="block")
    if cleared:
        _do(clear(store, workspace, name, by=by, reason=reason), "count again")
    if voided:
        done = void(store, workspace, name, by=by, reason=reason, since=since)
        _do(done, "are void")
    if blocked:
        Labelers(store).block(name)
        st.session_state["trust message"] = as_markdown(f"{name} is blocked")
        st.rerun()


def _line(effect: Effect, what: str) -> str:
    return as_markdown(effect.text(what).replace("\n", "; "))


def _do(effect: Effect, what: str) -> None:
    """Say what was done, on the page that is drawn anew."""
    _effect.clear()
    collected.clear()
    st.session_state["trust message"] = _line(effect, what)
    st.rerun()


# For a labeler of 20,000 labels it takes a second or two, and holds up who writes.
@st.cache_data(ttl=_FRESH_S, show_spinner="Counting …", max_entries=64)
def _effect(
    folder: str, name: str, since: datetime | None, _workspace: Workspace, _store: Store
) -> Effect:
    return effect_of_void(_store, _workspace, name, since)
