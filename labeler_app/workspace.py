"""The workspace that is served, opened once for all labelers."""

import os
from pathlib import Path

import streamlit as st

from genset.label import Store, Workspace


def opened() -> tuple[Workspace, Store]:
    """The workspace that ``GENSET_WORKSPACE`` names, and its store.

    Raises:
        GensetError: there is no workspace, or its store does not answer.
    """
    return _opened(os.environ.get("GENSET_WORKSPACE", "."))


@st.cache_resource(show_spinner=False)
def _opened(folder: str) -> tuple[Workspace, Store]:
    workspace = Workspace.find(Path(folder))
    return workspace, Store.open(workspace.store_url)
