"""The labeling page: the instructions once, then the component that shows screen after screen."""

import streamlit as st

from genset.label import Store, Workspace
from genset.label.access import label_secret, workspace_key
from genset.label.crowd.studies import Studies
from genset.label.labelers import Labeler, Labelers
from genset.label.proposals import asks_further_classes
from genset.label.session.desk import Desk
from genset.label.session.sources import heed, notices, warnings
from labeler_app.component import HandIn, PageState, Task, label_photos, show_unsaved
from labeler_app.instructions import QUESTIONS_HELP, photos_help, show_instructions
from labeler_app.routes import Sessions
from labeler_app.sign_in import agrees, can_sign_out, hand_in, is_preview, sign_out, signed_in
from labeler_app.workspace import opened


def main() -> None:
    """Draw what this labeler is to see now."""
    if is_preview():
        workspace, store = opened()
        notice = "This is a preview. Accept the work to begin."
        show_instructions(workspace, store.taxonomy, notice=notice)
        return
    to = hand_in()  # before anything is stored: an address that is not the platform's ends here
    workspace, store = opened()
    if not _is_labeled(workspace, store, to):
        show_unsaved(workspace_key(store))


def _is_labeled(workspace: Workspace, store: Store, to: HandIn | None) -> bool:
    """Draw what comes first, or else the component; whether it is drawn."""
    labeler = signed_in(Labelers(store))
    if labeler is None or not agrees(store, labeler, workspace.label.photos):
        return False
    desk, unheeded = Desk(workspace, store, labeler), warnings(store, labeler)
    progress = desk.progress()
    # Labels may wait in the browser of who was given photos: nothing stands before the component,
    # which sends them, when the server has started again and forgotten its sessions.
    begun = bool(progress.photos) or st.session_state.get("instructed") or desk.has_begun()
    ready = bool(progress.classes) and begun and not unheeded
    if not progress.classes:
        st.info("No photos to label yet: run genset scrape")
    elif not ready:
        if show_instructions(
            workspace,
            store.taxonomy,
            warnings=unheeded,
            start="Start labeling",
            further=asks_further_classes(store),
        ):
            heed(store, labeler, [warning.source for warning in unheeded])
            st.session_state["instructed"] = True
            st.rerun()
    else:
        _label(workspace, store, labeler, to)
    # Below all else, so that the photos have the height.
    with st.container(key="bottom", horizontal=True, vertical_alignment="center"):
        st.text(labeler.name)
        if can_sign_out() and st.button("Sign out", key="sign-out", type="tertiary"):
            sign_out()
            st.rerun()
    return ready


def _label(workspace: Workspace, store: Store, labeler: Labeler, to: HandIn | None) -> None:
    # Kept while it holds, so that the component is not handed a new one at every run.
    of, session = st.session_state.get("session", (None, ""))
    who = labeler.id, labeler.visit_id
    if of != who:
        session = Sessions(label_secret(workspace)).sign(*who)
        st.session_state["session"] = who, session
    rules = workspace.label
    page = PageState(
        workspace=workspace_key(store),
        labeler=labeler.name,
        one_key=rules.one_key,
        grid=rules.grid,
        lease_minutes=rules.lease_minutes,
        notices=notices(store),
        photos_help=photos_help(rules.one_key, rules.grid),
        questions_help=QUESTIONS_HELP,
        task=_task(store, labeler),
        hand_in=to,
    )
    result = label_photos(session, page, key=f"label {who}")
    if result.expired:
        del st.session_state["session"]
        st.rerun()


def _task(store: Store, labeler: Labeler) -> Task | None:
    if labeler.visit_id is None:
        return None
    study, _ = Studies(store).of_visit(labeler.visit_id)
    return Task(study.pay, study.consent)


main()
