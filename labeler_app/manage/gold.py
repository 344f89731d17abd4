"""The manager's gold questions: made from a photo, listed, retired."""

import streamlit as st

from genset.core.errors import BadInput
from genset.label import (
    LONGEST_ID,
    Store,
    Verdict,
    Workspace,
    add_gold_question,
    list_gold_questions,
    retire_gold_question,
)
from labeler_app.manage.parts import show_table
from labeler_app.words import as_markdown


def show_gold(workspace: Workspace, store: Store) -> None:
    """Draw a form for a new gold question, those that there are, and a way to retire one."""
    st.caption(
        "A photo whose answer is known, hidden among the others. Any photo of the view Photos can "
        f"be made one there. Their share of what is shown is {workspace.label.gold:g} "
        "(gold in genset.toml)."
    )
    _add(store)
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


def _add(store: Store) -> None:
    form = st.form("gold", border=False)
    with form, st.container(horizontal=True, vertical_alignment="bottom"):
        task = st.text_input(
            "Photo", placeholder=f"{_some_class(store)}/flickr:6061409035", max_chars=200, width=300
        )
        expected = st.radio("It is", [Verdict.CORRECT, Verdict.INCORRECT], horizontal=True)
        wnid = st.text_input(
            "For the class", placeholder="its own", max_chars=LONGEST_ID, width=160
        )
        reason = st.text_input("Because", max_chars=500, width=300)
        sent = st.form_submit_button("Use as a gold question", type="primary")
    if not sent:
        return
    try:
        made = add_gold_question(
            store, task.strip(), Verdict(expected), reason, wnid.strip() or None
        )
    except BadInput as error:
        st.error(as_markdown(str(error)))
    else:
        st.success(f"Gold question {made.id}: {as_markdown(made.task)} is {made.expected}")


def _some_class(store: Store) -> str:
    """The id of a class, for an example of how photos are named."""
    taxonomy = store.taxonomy
    return "n02123045" if taxonomy.is_imagenet else taxonomy.by_index(0).wnid


def _retire(store: Store, numbers: list[int]) -> None:
    form = st.form("retire", border=False, clear_on_submit=True)
    with form, st.container(horizontal=True, vertical_alignment="bottom"):
        number = st.selectbox("Retire one", numbers, index=None, placeholder="Number", width=160)
        sent = st.form_submit_button("Retire")
    if sent and number:
        retire_gold_question(store, number)
        st.rerun()
