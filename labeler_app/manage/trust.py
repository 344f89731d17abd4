"""The manager's decisions on a labeler: to block them, to take their votes out and back in."""

from datetime import UTC, date, datetime, time

import streamlit as st

from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.label import Labeler, LabelerAct, Labelers, Store, Workspace
from genset.label.gallery.photos import labelers_with_labels
from genset.label.trust.standing import Standing, standings
from genset.label.trust.void import Effect, clear, effect_of_void, unvoid, void
from labeler_app.manage.state import choose
from labeler_app.words import as_markdown

_FRESH_S = 15
_NO_REASON = "decided on the manager's page"


def show_suspects(workspace: Workspace, store: Store, by: str) -> None:
    """Draw those whose votes are held out, with the reason, and two buttons each: clear, void."""
    held = [standing for standing in standings(store).values() if standing.what is LabelerAct.HOLD]
    for each in held:
        with st.container(border=True):
            st.markdown(
                f"**{as_markdown(each.worker)}** is {each.words}: {as_markdown(each.reason)}"
            )
            with st.container(horizontal=True):
                cleared = st.button("Clear", key=f"clear {each.worker}")
                voided = st.button("Void", key=f"void {each.worker}")
                _look_button(each.worker, f"look at suspect {each.worker}")
        if cleared:
            _do(clear(store, workspace, each.worker, by=by, reason=_NO_REASON), "cleared")
        if voided:
            _do(void(store, workspace, each.worker, by=by, reason=each.reason), "void")


def show_decisions(workspace: Workspace, store: Store, by: str) -> None:
    """Draw a way to block a labeler or to void their votes, with what that would change."""
    if said := st.session_state.pop("trust said", None):
        st.success(as_markdown(said))
    everybody = Labelers(store).all()
    names = {each.name for each in everybody} | labelers_with_labels(store).keys()
    name = st.selectbox(
        "Decide on a labeler",
        sorted(names),
        index=None,
        placeholder="Whom",
        key="trust whom",
        width=340,
    )
    if not name:
        return
    standing = standings(store).get(name)
    signed = next((each for each in everybody if each.name == name), None)
    with st.container(border=True, key="trust"):
        _state(name, signed, standing)
        reason = st.text_input("Because", key=f"why {name}", max_chars=500)
        if standing is not None and standing.what is LabelerAct.VOID:
            if st.button("Count their votes again", key="unvoid"):
                again = unvoid(store, workspace, name, by=by, reason=reason or _NO_REASON)
                _do(again, "in force again")
            _block_only(store, signed)
        else:
            _void(workspace, store, name, signed, by=by, reason=reason or _NO_REASON)


def in_words(effect: Effect) -> str:
    """What a decision changes, in a sentence or two."""
    words = f"{count(effect.votes, 'vote')} on {count(effect.candidates, 'candidate')}"
    if effect.already:
        words += f", besides {count(effect.already, 'vote')} that did not count before either"
    if changes := ", ".join(effect.changes()):
        words += f"; {changes}"
    if effect.releases:
        words += f". These releases hold such votes, and stay: {', '.join(effect.releases)}"
    if effect.unread:
        words += f". These cannot be read: {', '.join(effect.unread)}"
    return words


def _state(name: str, signed: Labeler | None, standing: Standing | None) -> None:
    words = []
    if signed is not None and signed.blocked_at is not None:
        words.append(f"blocked since {signed.blocked_at:%Y-%m-%d %H:%M}")
    if standing is not None:
        words.append(f"{standing.words} by {standing.by}: {standing.reason}")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{as_markdown(name)}** {as_markdown('; '.join(words))}")
        _look_button(name, "look at chosen")


def _void(
    workspace: Workspace, store: Store, name: str, signed: Labeler | None, *, by: str, reason: str
) -> None:
    day = st.date_input(
        "Only votes since (midnight, UTC)",
        value=None,
        max_value="today",
        key=f"since {name}",
        width=240,
    )
    since = _midnight(day)
    try:
        effect = _effect(str(workspace.root), name, since, workspace, store)
    except BadInput as error:  # as where nothing was labeled
        st.caption(as_markdown(str(error)))
        _block_only(store, signed)
        return
    st.markdown(f"To void takes out {as_markdown(in_words(effect))}.")
    can_block = signed is not None and signed.blocked_at is None
    with st.container(horizontal=True):
        voided = st.button("Void their votes", key="void")
        both = can_block and st.button("Block and void", key="block and void")
    _block_only(store, signed, "Block, and keep the votes")
    if both:
        Labelers(store).block(name)
    if voided or both:
        done = void(store, workspace, name, by=by, reason=reason, since=since)
        _do(done, "blocked and void" if both else "void")


def _block_only(store: Store, signed: Labeler | None, words: str = "Block") -> None:
    if signed is None or signed.blocked_at is not None:
        return
    if st.button(words, key="block"):
        Labelers(store).block(signed.name)
        st.session_state["trust said"] = f"{signed.name} is blocked"
        st.rerun()


def _do(effect: Effect, what: str) -> None:
    """Say what was done, on the page that is drawn anew."""
    _effect.clear()
    st.session_state["trust said"] = f"{effect.worker} is {what}: {in_words(effect)}"
    st.rerun()


def _look_button(name: str, key: str) -> None:
    st.button("What they said", key=key, type="tertiary", on_click=choose, kwargs={"labeler": name})


def _midnight(day: date | None) -> datetime | None:
    return None if day is None else datetime.combine(day, time(), tzinfo=UTC)


# For a labeler of 20,000 labels it takes a second or two, and holds up who writes.
@st.cache_data(ttl=_FRESH_S, show_spinner="Counting …", max_entries=64)
def _effect(
    folder: str, name: str, since: datetime | None, _workspace: Workspace, _store: Store
) -> Effect:
    return effect_of_void(_store, _workspace, name, since)
