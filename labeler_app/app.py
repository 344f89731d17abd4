"""The labeling page. A labeler signs in by name and decides one class's photos at a time.

All that is stored goes through `genset.label`; what lives here is only where the labeler is: their
name in the page's address (a reload keeps it), and in Streamlit's session the screen they look at.
"""

import os
from pathlib import Path

import streamlit as st

from genset.errors import BadInput, GensetError
from genset.label import Labeling, Progress, Screen, Store, Workspace
from labeler_app.photos import new_choices, show_photos
from labeler_app.words import as_markdown

STYLE = Path(__file__).with_name("style.css")
TO_THE_TOP = "<script>document.querySelector('.stMain').scrollTo(0, 0)</script>"
FLICKR_NOTICE = "This product uses the Flickr API but is not endorsed or certified by SmugMug, Inc."


def main() -> None:
    """Draw the page: the sign-in, a class to label, or the end; an error as one line."""
    st.set_page_config("Label photos", layout="wide")
    st.html(STYLE)
    try:
        labeling = _signed_in(*_opened(os.environ.get("GENSET_WORKSPACE", ".")))
        if labeling is not None:
            _label(labeling)
    except GensetError as error:
        st.error(as_markdown(str(error)))


@st.cache_resource(show_spinner=False)
def _opened(folder: str) -> tuple[Workspace, Store]:
    workspace = Workspace.find(Path(folder))
    return workspace, Store.open(workspace.store_url)


def _signed_in(workspace: Workspace, store: Store) -> Labeling | None:
    """The work of the labeler whom the address names; without one, ask for a name."""
    problem = None
    if (named := st.query_params.get("labeler")) is not None:
        try:
            return Labeling(workspace, store, named)
        except BadInput as error:
            problem = str(error)
    with st.container(key="sign-in"):
        st.title("Label photos", anchor=False)
        st.markdown(
            "You will see a class of things, and photos that a search found for it. A photo is "
            "**correct** if it shows at least one such thing, whatever else it shows, and "
            "**incorrect** if it shows none. Say **unsure** where you cannot tell."
        )
        with st.form("name", border=False):
            name = st.text_input("Your name", max_chars=64, autocomplete="username")
            sent = st.form_submit_button("Start", type="primary")
        if problem:
            st.error(as_markdown(problem))
        st.caption("Every mark is kept at once. Come back under the same name to go on.")
    if sent:
        st.query_params["labeler"] = name
        st.rerun()
    return None


def _label(labeling: Labeling) -> None:
    """Store what was chosen, then show where this labeler is: a screen, or the end."""
    problems = []
    for task, verdict in new_choices().items():
        try:
            labeling.mark(task, verdict)
        except GensetError as error:
            problems.append(str(error))
    progress = labeling.progress()
    _top(labeling.worker, progress)
    for problem in problems:
        st.error(as_markdown(f"Not stored: {problem}"))
    if not progress.classes:
        st.info("No photos to label yet: run genset scrape")
        return
    # The screen is pinned: when its last photo is decided it is no longer the next one, and yet
    # the labeler is to see it until they submit.
    at = st.session_state.get("at")
    screen = labeling.screen_of(at) if at else labeling.next_screen()
    if screen is None:
        _end(labeling, progress)
        return
    st.session_state["at"] = screen.photos[0].task
    _class(screen)
    show_photos(screen)
    _bottom(screen)


def _top(worker: str, progress: Progress) -> None:
    share = progress.classes_done / progress.classes if progress.classes else 0.0
    with st.container(key="top", horizontal=True, vertical_alignment="center"):
        st.progress(share, f"{progress.classes_done:,} of {progress.classes:,} classes")
        st.text(worker)
        if st.button("Sign out", type="tertiary"):
            st.query_params.clear()
            st.session_state.clear()
            st.rerun()


def _class(screen: Screen) -> None:
    cls = screen.cls
    with st.container(key="class", gap="xxsmall"):
        st.title(as_markdown(cls.name), anchor=False)
        if others := cls.lemmas[1:]:
            st.caption(f"also called {as_markdown(', '.join(others))}")
        st.markdown(as_markdown(cls.gloss))
        st.caption(as_markdown(" › ".join(("a kind of " + cls.hypernyms[0], *cls.hypernyms[1:]))))


def _bottom(screen: Screen) -> None:
    here = screen.photos[0].task
    decided = sum(photo.verdict is not None for photo in screen.photos)
    with st.container(key="bottom", horizontal=True, vertical_alignment="center"):
        _back(screen.before, key=f"back {here}")
        st.caption(f"{decided} of {len(screen.photos)} decided", text_alignment="right")
        # A key of its own for each screen: a second click must not submit the next one.
        key = f"submit {here}"
        off = not screen.done
        st.button("Submit", key=key, type="primary", disabled=off, on_click=_go, args=(None,))
    if any(photo.source == "flickr" for photo in screen.photos):
        st.caption(FLICKR_NOTICE)
    # Streamlit leaves the window where it was, on a phone five photos below the next class's top.
    # A container of another name is drawn afresh, so this runs once for each screen.
    with st.container(key=f"to the top {here}"):
        st.html(TO_THE_TOP, unsafe_allow_javascript=True)


def _end(labeling: Labeling, progress: Progress) -> None:
    with st.container(key="end"):
        st.title("All done", anchor=False)
        st.markdown(f"You have labeled all {progress.classes:,} classes. Thank you!")
        last = labeling.last_screen()
        _back(last.photos[0].task if last else None, key="back from the end")


def _back(task: str | None, key: str) -> None:
    """A button that leads to the screen with this task."""
    icon = ":material/arrow_back:"
    st.button("Back", key=key, icon=icon, disabled=task is None, on_click=_go, args=(task,))


def _go(task: str | None) -> None:
    """Look at the screen with this task; at the next undecided one for None."""
    st.session_state["at"] = task


main()
