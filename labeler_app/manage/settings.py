"""The manager's view of settings: managers' links, gold questions, studies on crowd platforms."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from genset.core.errors import BadInput
from genset.label import Store, Workspace
from genset.label.access import Managers
from genset.label.crowd.studies import Studies, Study
from genset.label.gold import gold_share, list_gold_questions, retire_gold_question
from labeler_app.manage.parts import show_table
from labeler_app.sign_in import page_origin
from labeler_app.words import as_markdown


def show_settings(workspace: Workspace, store: Store) -> None:
    """Draw the managers, the gold questions and the studies."""
    _managers(Managers(store))
    _gold(workspace, store)
    _studies(Studies(store).all())


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
    for line in gold_share(store, workspace.label).lines():
        st.text(line)
    if not (known := list_gold_questions(store)):
        return
    show_table(
        {
            "number": [question.id for question in known],
            "class": [store.taxonomy[question.task.partition("/")[0]].name for question in known],
            "it is": [question.expected for question in known],
            "because": [question.reason for question in known],
            "holds": [question.holds for question in known],
            "retired": [question.retired_at for question in known],
            "photo": [question.task for question in known],
        },
        times=["retired"],
        config={"holds": st.column_config.CheckboxColumn(help="What it was made of still says so")},
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


_COLUMNS = {
    "platform": "platform",
    "key": "study",
    "screens": "screens",
    "code": "code: done",
    "code_failed": "code: gold questions failed",
    "code_declined": "code: no consent",
    "code_nothing": "code: nothing left",
    "gold_needed": "gold needed",
    "pay": "pay",
    "signed": "signed",
}


def _studies(studies: Sequence[Study]) -> None:
    st.header("Studies", anchor=False)
    if not studies:
        st.caption("None: genset labelers study add makes one.")
        return
    show_table(
        {words: [getattr(study, name) for study in studies] for name, words in _COLUMNS.items()}
    )
