"""Where every browser comes in: the labeling page, or the manager's.

All that is stored goes through `genset.label`. Who somebody is, their address says (`sign_in`), so
that a reload changes nothing; Streamlit's session keeps only what they look at.
"""

from pathlib import Path

import streamlit as st

from genset.core.errors import GensetError
from labeler_app.words import as_markdown

HERE = Path(__file__).parent


def main() -> None:
    """Draw the page that the address asks for; an error as one line."""
    st.set_page_config("Label photos", layout="wide")
    st.html(HERE / "style.css")
    # Labelers see no way to the manager's page, and it asks for a token of its own.
    pages = [
        st.Page(HERE / "label_page.py", title="Label photos", default=True),
        st.Page(HERE / "label_page.py", title="Label photos", url_path="mturk"),  # in its frame
        st.Page(HERE / "manage_page.py", title="Manage labels", url_path="manage"),
    ]
    try:
        st.navigation(pages, position="hidden").run()
    except GensetError as error:
        st.error(as_markdown(str(error)))


main()
