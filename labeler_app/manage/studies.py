"""The manager's studies on crowd platforms: made or changed here, and listed with their codes."""

import streamlit as st

from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.label import (
    Store,
    Studies,
    Study,
    Terms,
    Workspace,
    mturk_question,
    prolific_address,
)
from labeler_app.manage.tables import show_table
from labeler_app.sign_in import page_origin
from labeler_app.words import as_markdown

_TEXT = 20_000
_SCREENS = 40  # of a new study where nothing else is said
_SIGNED = {"as it is": None, "signed": True, "not signed": False}


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


def _form(known: Studies) -> Study | None:
    with st.form("study", border=False):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            platform = st.selectbox("Platform", ["prolific", "mturk"], width=140)
            key = st.text_input("Study", placeholder="its id there", max_chars=200, width=260)
            screens = st.number_input(
                "Screens each",
                min_value=1,
                value=None,
                step=1,
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
        return known.add(platform, key.strip(), screens or _screens(known, platform, key), terms)
    except BadInput as error:
        st.error(as_markdown(str(error)))
        return None


def _screens(known: Studies, platform: str, key: str) -> int:
    there = known.known(platform, key.strip())
    return _SCREENS if there is None else there.screens


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
