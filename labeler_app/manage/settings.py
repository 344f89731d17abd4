"""The manager's view of settings: managers' links, gold questions, studies on crowd platforms."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.label import Store, Workspace
from genset.label.crowd.mturk import mturk_question
from genset.label.crowd.studies import Studies, Study, Terms, prolific_address
from genset.label.gold import gold_share, list_gold_questions, retire_gold_question
from genset.label.people.access import Managers
from labeler_app.manage.parts import show_table
from labeler_app.sign_in import page_origin
from labeler_app.words import as_markdown


def show_settings(workspace: Workspace, store: Store) -> None:
    """Draw the managers, the gold questions and the studies, with forms to add and to end them."""
    _managers(Managers(store))
    _gold(workspace, store)
    _studies(Studies(store))


def invite_form(
    words: str,
    invite: Callable[[str], str],
    path: str,
    before: Callable[[str], tuple[str, str]] = lambda name: (name.strip(), ""),
) -> None:
    """Draw a form that makes a link for somebody, and the link that it made.

    `before` says how the name is stored, and what a link changes for who has it.
    """
    form = st.form(words, border=False, clear_on_submit=True)
    with form, st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input(words, placeholder="Their name", max_chars=64)
        sent = st.form_submit_button("Make a link", type="primary")
    if not sent:
        return
    try:
        name, note = before(name)
        token = invite(name)
    except BadInput as error:
        st.error(as_markdown(str(error)))
        return
    if note:
        st.info(as_markdown(note))
    st.success(as_markdown(f"Send this to {name}. It is shown only now; a new link replaces it."))
    st.code(f"{page_origin()}{path}{token}", language=None)


def _managers(managers: Managers) -> None:
    st.header("Managers", anchor=False)
    invite_form("Invite a manager", managers.invite, "/manage?token=")
    if not (everybody := managers.all()):
        return
    show_table(
        {
            "manager": [manager.name for manager in everybody],
            "since": [manager.created_at for manager in everybody],
            "revoked": [manager.revoked_at for manager in everybody],
        },
        times=("since", "revoked"),
    )
    names = [manager.name for manager in everybody if manager.revoked_at is None]
    _end_one("Take a link back", names, "Revoke", managers.revoke)


def _gold(workspace: Workspace, store: Store) -> None:
    st.header("Gold questions", anchor=False)
    st.caption(
        "A photo whose answer is known, hidden among the others. To make one, open a photo in the "
        "view Photos; or add many: genset add --gold DIR. Their share is gold in genset.toml."
    )
    for line in gold_share(store, workspace.label.gold).lines():
        st.text(line)
    if not (known := list_gold_questions(store)):
        return
    show_table(
        {
            "number": [question.id for question in known],
            "photo": [question.task for question in known],
            "class": [store.taxonomy[question.task.partition("/")[0]].name for question in known],
            "it is": [question.expected for question in known],
            "because": [question.reason for question in known],
            "retired": [question.retired_at for question in known],
        },
        times=["retired"],
    )
    numbers = [question.id for question in known if question.retired_at is None]
    _end_one("Retire one", numbers, "Retire", lambda number: retire_gold_question(store, number))


def _end_one(words: str, options: Sequence[Any], button: str, end: Callable[[Any], None]) -> None:
    """Draw a choice, and a button that ends what was chosen."""
    form = st.form(button, border=False, clear_on_submit=True)
    with form, st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(words, options, index=None, placeholder="Choose", width=260)
        sent = st.form_submit_button(button)
    if sent and chosen:
        end(chosen)
        st.rerun()


_TEXT = 20_000
_SCREENS = 40  # of a new study where nothing else is said
_SIGNED = {"as it is": None, "signed": True, "not signed": False}
_CODES = {
    "code": "done",
    "code_failed": "gold questions failed",
    "code_declined": "no consent",
    "code_nothing": "nothing left",
}


def _studies(known: Studies) -> None:
    st.header("Studies", anchor=False)
    if (made := _study_form(known)) is not None:
        _show_made(made)
    if not (studies := known.all()):
        return
    columns = {
        "platform": "platform",
        "key": "study",
        "screens": "screens",
        **{code: f"code: {words}" for code, words in _CODES.items()},
        "gold_needed": "gold needed",
        "pay": "pay",
        "signed": "signed",
    }
    show_table(
        {words: [getattr(study, name) for study in studies] for name, words in columns.items()}
    )


def _study_form(known: Studies) -> Study | None:
    with st.form("study", border=False):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            platform = st.selectbox("Platform", ["prolific", "mturk"], width=140)
            key = st.text_input("Study", placeholder="its id", max_chars=200, width=260).strip()
            as_it_is = f"as it is, or {_SCREENS}"
            screens = st.number_input(
                "Screens each", min_value=1, value=None, placeholder=as_it_is, width=190
            )
        with st.expander("Pay, consent, gold questions, codes"):
            terms = _terms()
        st.caption("Of a study that is there already, what is not filled in here stays as it is.")
        sent = st.form_submit_button("Make the study", type="primary")
    if not sent:
        return None
    try:
        there = known.known(platform, key)
        return known.add(platform, key, screens or (there.screens if there else _SCREENS), terms)
    except BadInput as error:
        st.error(as_markdown(str(error)))
        return None


def _terms() -> Terms:
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
        code: st.text_input(f"Code: {words}", placeholder="as it is, or random").strip() or None
        for code, words in _CODES.items()
    }
    return Terms(
        **codes,
        gold_needed=needed,
        pay=pay.strip() or None,
        consent=consent.strip() or None,
        signed=_SIGNED[signed],
    )


def _show_made(made: Study) -> None:
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
