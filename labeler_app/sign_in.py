"""Who a labeler is: decided here, on the server, anew at every run of the page.

An address says it, by an invitation (``?invite=TOKEN``), by the link of a crowd's platform, or, on
a machine of one's own, by a name (``?labeler=NAME``); or an identity provider does, where
Streamlit's secrets have an ``[auth]`` section.
"""

import ipaddress
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st
from streamlit.errors import StreamlitAuthError, StreamlitMissingAuthlibError

from genset.core.errors import BadInput, GensetError, MissingExtra
from genset.core.numbers import count
from genset.label import Store
from genset.label.access import secret_of_environment
from genset.label.crowd.mturk import PREVIEW, submit_address
from genset.label.crowd.prolific import IDS, by_prolific
from genset.label.crowd.studies import Studies, Study
from genset.label.labelers import Labeler, Labelers
from labeler_app.component import HandIn
from labeler_app.words import as_markdown

_LONGEST = 256  # characters; the platforms' ids and our links' tokens have some 30


def is_preview() -> bool:
    """Whether somebody on MTurk only looks whether they want the work."""
    return st.query_params.get("assignmentId") == PREVIEW


def hand_in() -> HandIn | None:
    """Where Mechanical Turk wants this task handed in; None where nobody comes from there.

    Raises:
        BadInput: the address says another place than the platform's.
    """
    if "turkSubmitTo" not in st.query_params:
        return None
    return HandIn(submit_address(_part("turkSubmitTo")), _part("assignmentId"))


def signed_in(labelers: Labelers) -> Labeler | None:
    """The labeler; None after drawing what they can do to become one."""
    problem = None
    try:
        labeler = _by_address(labelers) or _by_provider(labelers)
    except BadInput as error:
        labeler, problem = None, str(error)
    if labeler is None:
        _ask(problem)
    elif labeler.blocked_at is not None:
        with st.container(key="sign-in"):
            st.title("You can no longer label here", anchor=False)
            st.markdown(_words_for_blocked(labelers.store, labeler))
        return None
    return labeler


def agrees(store: Store, labeler: Labeler, photos: int) -> bool:
    """Whether a labeler may begin; else after drawing the study's terms, for them to decide.

    A screen has up to so many `photos`.
    """
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
        st.markdown(f"{count(study.screens, 'screen')} of up to {photos} photos each.")
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


def _words_for_blocked(store: Store, labeler: Labeler) -> str:
    """What somebody who may not label any more does with their study."""
    if labeler.visit_id is None:
        return "Ask whoever sent you here what to do."
    study, visit = Studies(store).of_visit(labeler.visit_id)
    if visit.outcome is None:
        return _NO_CODE
    code = study.code_for(visit.outcome)
    return f"What you did before is done. Your code: **{as_markdown(code)}**"


def can_sign_out() -> bool:
    """Whether there is another way in than the link that led here."""
    return "labeler" in st.query_params or _is_logged_in()


def sign_out() -> None:
    """Forget who this is, and what they looked at."""
    st.query_params.clear()
    st.session_state.clear()
    if _is_logged_in():
        st.logout()


def page_host() -> str:
    """The host under which this browser reaches the page; "" for none."""
    return st.context.headers.get("Host") or ""


def page_origin() -> str:
    """What the address of this page begins with, as this browser reaches it; "" for none."""
    parts = urlsplit(st.context.url or "")
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


_NO_CODE = "There is no code for work that was not done: return it on the platform, please."


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


def _by_address(labelers: Labelers) -> Labeler | None:
    parameters = st.query_params
    invite = _part("invite") if "invite" in parameters else None
    # First: an invitation beside a platform's ids says whose ids these are.
    if "PROLIFIC_PID" in parameters:
        ids = {name: _part(name) for name in IDS}
        return by_prolific(labelers, ids, parameters.get("prolific_token", ""), page_host(), invite)
    if "workerId" in parameters:
        # An address that we gave to MTurk names the study; any other, the HIT.
        key = _part("study" if "study" in parameters else "hitId")
        return labelers.by_study(
            "mturk", key, _part("workerId"), _part("assignmentId"), invite=invite
        )
    if invite is not None:
        return labelers.by_invite(invite)
    if "labeler" in parameters:
        if not _names_are_enough():
            raise BadInput("a name is not enough here: open the link that you were sent")
        return labelers.by_name(parameters["labeler"])
    return None


def _part(name: str) -> str:
    value = st.query_params.get(name, "")
    if len(value) > _LONGEST or not value.isprintable():
        raise BadInput(f"the link's {name} is damaged: open the link as you were sent it")
    if not value and name != "invite":
        raise BadInput(f"the link lacks {name}: open it from the study's own page")
    return value


def _by_provider(labelers: Labelers) -> Labeler | None:
    if not _is_logged_in():
        return None
    claims = st.user.to_dict()
    try:
        issuer, subject = str(claims["iss"]), str(claims["sub"])
    except KeyError as missing:
        raise BadInput(f"the identity provider does not say {missing}") from None
    return labelers.by_oidc(
        issuer, subject, str(claims.get("name") or claims.get("email") or subject)
    )


def _is_logged_in() -> bool:
    return _providers() is not None and bool(st.user.get("is_logged_in"))


def _providers() -> list[str] | None:
    """The identity providers by name, "" for one without; None where none is configured."""
    try:
        auth = st.secrets["auth"]
    except KeyError:
        return None
    except FileNotFoundError as error:  # Streamlit's word for a file with mistakes too
        if any(Path(path).exists() for path in st.get_option("secrets.files")):
            raise GensetError(f"Streamlit's secrets cannot be read: {error}") from None
        return None
    named = [name for name, value in auth.items() if isinstance(value, Mapping)]
    return named or [""]


def _names_are_enough() -> bool:
    """Whether this is somebody's own machine, without any set-up.

    A page that others can reach needs a secret of its own, so there is none here. The host's name
    is looked at too: a page of another site could send a browser here under that site's name.
    """
    host = st.context.headers.get("Host")
    return (
        secret_of_environment() is None
        and _providers() is None
        and (host is None or _is_local(host))
    )


def _is_local(host: str) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:  # no host at all
        return False
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def _ask(problem: str | None) -> None:
    with st.container(key="sign-in"):
        st.title("Label photos", anchor=False)
        if problem:
            st.error(as_markdown(problem[:1].upper() + problem[1:]))
        if (providers := _providers()) is not None:
            for provider in providers:
                _login_button(provider)
        elif _names_are_enough():
            with st.form("name", border=False):
                name = st.text_input("Your name", max_chars=64, autocomplete="username")
                sent = st.form_submit_button("Start", type="primary")
            st.caption("Every label is kept under this name. Come back under it to go on.")
            if sent:
                st.query_params.from_dict({"labeler": name})  # an invitation that did not hold goes
                st.rerun()
        elif not problem:
            st.markdown("Open the link that you were sent. It says who you are.")


def _login_button(provider: str) -> None:
    words = f"Sign in with {provider.capitalize()}" if provider else "Sign in"
    if st.button(words, key=f"login {provider}", type="primary"):
        try:
            st.login(provider or None)
        except StreamlitMissingAuthlibError:
            raise MissingExtra("signing in with a provider", "oidc") from None
        except StreamlitAuthError as error:
            raise GensetError(f"the secrets' auth section is wrong: {error}") from None
