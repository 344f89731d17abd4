"""The manager's gold questions: listed, retired."""

import streamlit as st

from genset.label import Store, Workspace
from genset.label.gold import gold_share, list_gold_questions, retire_gold_question
from labeler_app.manage.parts import show_table


def show_gold(workspace: Workspace, store: Store) -> None:
    """Draw the gold questions that there are, and a way to retire one."""
    st.caption(
        "A photo whose answer is known, hidden among the others. To make one, open a photo in the "
        "view Photos; or add many: genset add --gold DIR. Their share is gold in genset.toml."
    )
    for line in gold_share(store, workspace.label.gold).lines():
        st.text(line)
    known = list_gold_questions(store)
    if not known:
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
    _retire(store, [question.id for question in known if question.retired_at is None])


def _retire(store: Store, numbers: list[int]) -> None:
    form = st.form("retire", border=False, clear_on_submit=True)
    with form, st.container(horizontal=True, vertical_alignment="bottom"):
        number = st.selectbox("Retire one", numbers, index=None, placeholder="Number", width=160)
        sent = st.form_submit_button("Retire")
    if sent and number:
        retire_gold_question(store, number)
        st.rerun()
