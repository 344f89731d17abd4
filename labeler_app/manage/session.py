"""Who the manager is, and what they look at."""

import hmac
from collections.abc import Container
from typing import Any

import streamlit as st

from genset.label import Store, Workspace
from genset.label.access import Managers, manager_token
from labeler_app.words import as_markdown

_ANYBODY = "manager"


def link_opens(workspace: Workspace, store: Store) -> bool:
    """Whether the address holds a manager's link: the one that was printed, or one by name.

    Asked anew at every run of the page, so that a link that was taken back opens nothing more.
    """
    token = _token()
    if not token:
        return False
    is_printed = hmac.compare_digest(token.encode(), manager_token(workspace).encode())
    return is_printed or Managers(store).by_token(token) is not None


def manager_name(workspace: Workspace, store: Store) -> str:
    """The name that stands beside their decisions.

    It is the one that their link was made for; whoever has the printed link says their name, and
    may change it at any time.
    """
    named = Managers(store).by_token(_token())
    if named is not None:
        st.caption(f"Deciding as {as_markdown(named.name)}")
        return named.name
    name = st.session_state.get("manager") or _ANYBODY
    with st.popover(f"Deciding as {as_markdown(name)}", type="tertiary"):
        name = st.text_input("Your name", key="manager", max_chars=64, placeholder=_ANYBODY)
    return name.strip() or _ANYBODY


def _token() -> str:
    return str(st.query_params.get("token", ""))


VOTES_SHOWN = " (votes shown)"  # at the end of a ruling's reason
_SEEN = "votes seen"


def see_votes(*tasks: str) -> None:
    """Note that this manager has seen what labelers say of candidates."""
    st.session_state.setdefault(_SEEN, set()).update(tasks)


def saw_votes(task: str) -> bool:
    """Whether they have."""
    return task in st.session_state.get(_SEEN, ())


CLASS, LABELER, FLAGGED = "A class", "A labeler", "All flagged"
_VERDICT = "photos verdict"
_PHOTO = "photo"
_PAGE = "photos page"
# Of who decides, and of the choices in the view of photos.
_KEPT = ("manager", "verdicts", "photos of", "photos class", "photos labeler", "photos show")
_IS_FROM_COMMENTS = "photo is from comments"


def keep_choices() -> None:
    """Let these outlive a run that does not draw them: Streamlit forgets them else."""
    for key in (*_KEPT, _VERDICT, _PAGE):
        if key in st.session_state:
            st.session_state[key] = st.session_state[key]


def show_photos_of(kind: str, name: str) -> None:
    """A callback: show the photos of a "class" or a "labeler", from the start."""
    st.session_state["view"] = "Photos"
    st.session_state["photos of"] = LABELER if kind == "labeler" else CLASS
    st.session_state[f"photos {kind}"] = name
    for key in ("photos show", _VERDICT):
        st.session_state.pop(key, None)
    from_the_start()


def offer(key: str, options: Container[Any]) -> None:
    """Forget a choice that is not among the options (any more)."""
    if key in st.session_state and st.session_state[key] not in options:
        del st.session_state[key]


def from_the_start() -> None:
    """A callback: no photo is large, and the first page is seen."""
    for key in (_PHOTO, _PAGE, _IS_FROM_COMMENTS):
        st.session_state.pop(key, None)


def look_at(task: str, from_comments: bool = False) -> None:
    """A callback: show a candidate large, among the photos of its class.

    From the list of comments, the way back leads there.
    """
    show_photos_of("class", task.partition("/")[0])
    st.session_state.pop("photos around", None)
    st.session_state[_IS_FROM_COMMENTS] = from_comments
    enlarge(task)


def is_from_comments() -> bool:
    """Whether the photo that is large was opened from the list of comments."""
    return bool(st.session_state.get(_IS_FROM_COMMENTS))


def back_to_comments() -> None:
    """A callback: show the list of comments again."""
    from_the_start()
    st.session_state["view"], st.session_state["list"] = "Review", "Comments"


def enlarge(photo: Any) -> None:
    """A callback: show this photo large in the view of photos; None: none."""
    st.session_state[_PHOTO] = photo


def enlarged() -> Any:
    """The photo that is large; None where there is none."""
    return st.session_state.get(_PHOTO)
