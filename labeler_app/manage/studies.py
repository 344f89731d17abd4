"""The manager's studies on crowd platforms: made or changed here, and listed with their codes."""

from urllib.parse import urlsplit

import streamlit as st

from genset.errors import BadInput
from genset.label import Store, Studies, Study, Terms, Workspace
from labeler_app.manage.tables import height
from labeler_app.words import as_markdown

_TEXT = 20_000


def show_studies(workspace: Workspace, store: Store) -> None:
    """Draw a form for a study, and those that there are."""
    known = Studies(store)
    made = _form(known)
    if made is not None:
        st.success(_told(made))
        st.code(_address(made), language=None)
    studies = known.all()
    if not studies:
        return
    st.dataframe(
        {
            "platform": [each.platform for each in studies],
            "study": [each.key for each in studies],
            "screens": [each.screens for each in studies],
            "completion code": [each.code for each in studies],
            "gold questions failed": [each.code_failed for each in studies],
            "no consent": [each.code_declined for each in studies],
            "nothing left": [each.code_nothing for each in studies],
            "gold needed": [each.gold_needed for each in studies],
            "pay": [each.pay for each in studies],
            "signed": [each.signed for each in studies],
        },
        hide_index=True,
        placeholder="–",
        height=height(len(studies)),
    )


def _form(known: Studies) -> Study | None:
    with st.form("study", border=False):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            platform = st.selectbox("Platform", ["prolific", "mturk"], width=140)
            key = st.text_input("Study", placeholder="its id there", max_chars=200, width=260)
            screens = st.number_input("Screens each", min_value=1, value=40, width=130)
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
            signed = st.checkbox("Prolific signs its visits (prolific_token)")
            codes = {
                name: st.text_input(f"Code: {words}", placeholder="as it is, or random")
                for name, words in (
                    ("code", "done"),
                    ("code_failed", "gold questions failed"),
                    ("code_declined", "no consent"),
                    ("code_nothing", "nothing left"),
                )
            }
        st.caption("A study that is there already gets what is filled in here.")
        sent = st.form_submit_button("Make the study", type="primary")
    if not sent:
        return None
    terms = Terms(
        **{name: code.strip() or None for name, code in codes.items()},
        gold_needed=needed,
        pay=pay.strip() or None,
        consent=consent.strip() or None,
        signed=signed or None,
    )
    try:
        return known.add(platform, key.strip(), int(screens), terms)
    except BadInput as error:
        st.error(as_markdown(str(error)))
        return None


def _told(made: Study) -> str:
    words = f"{made.platform} study {made.key}: {made.screens} screens each, code {made.code}"
    return as_markdown(f"{words}. Its address:")


def _address(made: Study) -> str:
    """What the platform is told, as this browser reaches the page."""
    parts = urlsplit(st.context.url or "")
    origin = f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
    if made.platform == "mturk":
        return f"{origin}/"
    ids = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    return f"{origin}/?{ids}"
