"""What somebody in a paid study is told before they begin, and when they may not."""

import streamlit as st

from genset.label import Labeler, Store, Studies, Study
from labeler_app.words import as_markdown

_NO_CODE = "There is no code for work that was not done: return it on the platform, please."


def agrees(store: Store, labeler: Labeler) -> bool:
    """Whether a labeler may begin; else after drawing the study's terms, for them to decide."""
    if labeler.visit_id is None:
        return True
    studies = Studies(store)
    study, visit = studies.of_visit(labeler.visit_id)
    if visit.outcome == "declined":
        _say_declined(study)
        return False
    if visit.consented_at is not None or visit.ended_at is not None:
        return True
    if not study.pay and not study.consent:
        return True
    with st.container(key="terms"):
        st.title("Before you begin", anchor=False)
        st.markdown(f"{_count(study.screens)} of up to five photos each.")
        # The researchers' own words, which they gave on the command line: Markdown, never HTML.
        for title, words in (("Pay", study.pay), ("Consent", study.consent)):
            if words:
                st.header(title, anchor=False)
                st.markdown(words)
        with st.container(horizontal=True):
            yes = st.button("I agree", type="primary")
            no = st.button("I do not agree")
    if yes or no:
        studies.consent(visit.id, agrees=yes)
        st.rerun()
    return False


def words_for_blocked(store: Store, labeler: Labeler) -> str:
    """What somebody who may not label any more does with their study."""
    if labeler.visit_id is None:
        return "Ask whoever sent you here what to do."
    study, visit = Studies(store).of_visit(labeler.visit_id)
    if visit.outcome is None:
        return _NO_CODE
    code = study.code_for(visit.outcome)
    return f"What you did before is done. Your code: **{as_markdown(code)}**"


def _say_declined(study: Study) -> None:
    with st.container(key="terms"):
        st.title("You did not agree", anchor=False)
        st.markdown("Nothing of yours was stored but that. Thank you for your time.")
        code = study.code_for("declined")
        link = study.back(code)
        if link is None:
            st.markdown("Return the work on the platform, please.")
            return
        st.markdown("Tell Prolific so with this code, or by the link:")
        st.code(code, language=None)
        st.link_button("Back to Prolific", link)


def _count(screens: int) -> str:
    return "One screen" if screens == 1 else f"{screens:,} screens"
