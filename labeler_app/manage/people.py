"""The manager's views of people: whose votes count, who may label, studies on crowd platforms."""

from datetime import UTC, datetime, time

import streamlit as st

from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.label import LabelerAct, Store, Workspace
from genset.label.crowd.mturk import mturk_question
from genset.label.crowd.studies import Studies, Study, Terms, prolific_address
from genset.label.gallery.photos import labelers_with_labels
from genset.label.people.access import Manager, Managers
from genset.label.people.labelers import Labeler, Labelers
from genset.label.trust.decisions import Suspension, suspensions
from genset.label.trust.void import Effect, clear, effect_of_void, unvoid, void
from labeler_app.manage.parts import show_table
from labeler_app.manage.session import choose
from labeler_app.sign_in import page_origin
from labeler_app.words import as_markdown

_NO_REASON = "decided on the manager's page"


def show_suspects(workspace: Workspace, store: Store, by: str) -> None:
    """Draw those whose votes are held out, with the reason, and two buttons each: clear, void."""
    suspects = [
        suspension
        for suspension in suspensions(store).values()
        if suspension.what is LabelerAct.HOLD
    ]
    for suspension in suspects:
        with st.container(border=True):
            st.markdown(
                f"**{as_markdown(suspension.worker)}** is {suspension.words}: "
                f"{as_markdown(suspension.reason)}"
            )
            with st.container(horizontal=True):
                cleared = st.button("Clear", key=f"clear {suspension.worker}")
                voided = st.button("Void", key=f"void {suspension.worker}")
                _look_button(suspension.worker, f"look at suspect {suspension.worker}")
        if cleared:
            _do(clear(store, workspace, suspension.worker, by=by, reason=_NO_REASON), "cleared")
        if voided:
            _do(void(store, workspace, suspension.worker, by=by, reason=suspension.reason), "void")


def show_decisions(workspace: Workspace, store: Store, by: str) -> None:
    """Draw a way to block a labeler or to void their votes, with what that would change."""
    if message := st.session_state.pop("trust said", None):
        st.success(as_markdown(message))
    everybody = Labelers(store).all()
    names = {labeler.name for labeler in everybody} | labelers_with_labels(store).keys()
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
    suspension = suspensions(store).get(name)
    signed = next((labeler for labeler in everybody if labeler.name == name), None)
    with st.container(border=True, key="trust"):
        _state(name, signed, suspension)
        reason = st.text_input("Because", key=f"why {name}", max_chars=500)
        if suspension is not None and suspension.what is LabelerAct.VOID:
            if st.button("Count their votes again", key="unvoid"):
                again = unvoid(store, workspace, name, by=by, reason=reason or _NO_REASON)
                _do(again, "in force again")
            _block_only(store, signed)
        else:
            _void(workspace, store, name, signed, by=by, reason=reason or _NO_REASON)


def show_access(workspace: Workspace, store: Store) -> None:
    """Draw a form for a labeler's new link, the labelers, and the managers who have links."""
    labelers = Labelers(store)
    _invite(labelers)
    everybody = labelers.all()
    if everybody:
        _list(everybody)
        st.caption("To block somebody, or to void their votes, open the view Labelers.")
    _managers(Managers(store).all())


def show_studies(workspace: Workspace, store: Store) -> None:
    """Draw a form for a study, and those that there are."""
    known = Studies(store)
    made = _form(known)
    if made is not None:
        _tell(made)
    studies = known.all()
    if not studies:
        return
    show_table(
        {
            "platform": [study.platform for study in studies],
            "study": [study.key for study in studies],
            "screens": [study.screens for study in studies],
            "completion code": [study.code for study in studies],
            "gold questions failed": [study.code_failed for study in studies],
            "no consent": [study.code_declined for study in studies],
            "nothing left": [study.code_nothing for study in studies],
            "gold needed": [study.gold_needed for study in studies],
            "pay": [study.pay for study in studies],
            "signed": [study.signed for study in studies],
        },
    )


_FRESH_S = 15


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


def _state(name: str, signed: Labeler | None, suspension: Suspension | None) -> None:
    words = []
    if signed is not None and signed.blocked_at is not None:
        words.append(f"blocked since {signed.blocked_at:%Y-%m-%d %H:%M}")
    if suspension is not None:
        words.append(f"{suspension.words} by {suspension.by}: {suspension.reason}")
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
    since = datetime.combine(day, time(), tzinfo=UTC) if day else None
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


# For a labeler of 20,000 labels it takes a second or two, and holds up who writes.
@st.cache_data(ttl=_FRESH_S, show_spinner="Counting …", max_entries=64)
def _effect(
    folder: str, name: str, since: datetime | None, _workspace: Workspace, _store: Store
) -> Effect:
    return effect_of_void(_store, _workspace, name, since)


def _invite(labelers: Labelers) -> None:
    form = st.form("invite", border=False, clear_on_submit=True)
    with form, st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Invite somebody", placeholder="Their name", max_chars=64)
        sent = st.form_submit_button("Make a link", type="primary")
    if not sent:
        return
    try:
        token = labelers.invite(name)
    except BadInput as error:
        st.error(as_markdown(str(error)))
        return
    st.success(
        as_markdown(f"Send this to {name.strip()}. It is shown only now; a new link replaces it.")
    )
    st.code(f"{page_origin()}/?invite={token}", language=None)


def _list(everybody: list[Labeler]) -> None:
    show_table(
        {
            "labeler": [labeler.name for labeler in everybody],
            "signs in by": [labeler.kind for labeler in everybody],
            "since": [labeler.created_at for labeler in everybody],
            "blocked": [labeler.blocked_at for labeler in everybody],
        },
        times=("since", "blocked"),
    )


def _managers(everybody: list[Manager]) -> None:
    st.subheader("Managers", anchor=False)
    st.caption(
        "genset managers invite NAME makes a link to this page, genset managers revoke NAME takes "
        "it back."
    )
    if not everybody:
        return
    show_table(
        {
            "manager": [manager.name for manager in everybody],
            "since": [manager.created_at for manager in everybody],
            "revoked": [manager.revoked_at for manager in everybody],
        },
        times=("since", "revoked"),
    )


_TEXT = 20_000


_SCREENS = 40  # of a new study where nothing else is said


_SIGNED = {"as it is": None, "signed": True, "not signed": False}


def _form(known: Studies) -> Study | None:
    with st.form("study", border=False):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            platform = st.selectbox("Platform", ["prolific", "mturk"], width=140)
            key = st.text_input("Study", placeholder="its id", max_chars=200, width=260).strip()
            screens = st.number_input(
                "Screens each",
                min_value=1,
                value=None,
                placeholder=f"as it is, or {_SCREENS}",
                width=190,
            )
        with st.expander("Pay, consent, gold questions, codes"):
            pay = st.text_area("Pay", max_chars=_TEXT, height=68)
            consent = st.text_area("Consent", max_chars=_TEXT, height=120)
            needed = st.number_input(
                "Share of gold questions that a labeler needs right (0: nobody fails)",
                min_value=0.0,
                max_value=1.0,
                value=None,
                placeholder="as it is",
                step=0.05,
            )
            signed = st.selectbox("Prolific's visits (prolific_token)", list(_SIGNED))
            codes = {
                name: st.text_input(f"Code: {words}", placeholder="as it is, or random")
                for name, words in (
                    ("code", "done"),
                    ("code_failed", "gold questions failed"),
                    ("code_declined", "no consent"),
                    ("code_nothing", "nothing left"),
                )
            }
        st.caption("Of a study that is there already, what is not filled in here stays as it is.")
        sent = st.form_submit_button("Make the study", type="primary")
    if not sent:
        return None
    terms = Terms(
        **{name: code.strip() or None for name, code in codes.items()},
        gold_needed=needed,
        pay=pay.strip() or None,
        consent=consent.strip() or None,
        signed=_SIGNED[signed],
    )
    try:
        there = known.known(platform, key)
        return known.add(platform, key, screens or (there.screens if there else _SCREENS), terms)
    except BadInput as error:
        st.error(as_markdown(str(error)))
        return None


def _tell(made: Study) -> None:
    """Say what was made, and show what the platform is to be given."""
    screens = count(made.screens, "screen")
    words = f"{made.platform} study {made.key}: {screens} each, code {made.code}"
    st.success(as_markdown(words))
    if made.platform == "prolific":
        st.caption("The study's address, to be pasted on Prolific:")
        st.code(prolific_address(page_origin()), language=None)
        return
    try:
        question = mturk_question(page_origin(), made.key)
    except BadInput:  # the manager came by plain http, as on the server itself
        st.info(
            "MTurk shows https pages only. Open this page by its https address and send the form "
            "again for the ExternalQuestion, or run genset labelers study add with --address."
        )
    else:
        st.caption("The HIT's question, to be given to MTurk as it stands:")
        st.code(question, language="xml")
