"""Who may label: by a name on one's own machine, an invitation, a provider, a crowd's platform."""

import logging
from collections.abc import Mapping
from pathlib import Path

import pytest
from sqlalchemy import select, text
from streamlit import config
from streamlit.runtime.context import ContextProxy

from genset.classes.files import taxonomy_in
from genset.db import Labeler as LabelerRow
from genset.db import Store, Verdict
from genset.db.taxonomies import store_taxonomy
from genset.label.crowd.studies import Studies, Terms
from genset.label.labelers import Labelers
from genset.label.session.desk import Desk
from genset.workspace import Workspace
from labeler_app.instructions import photos_help
from tests.labeled_workspace import TENCH, labeled_workspace, vote
from tests.labeler_app.pages import (
    Opened,
    buttons,
    click,
    label_page,
    labels_for,
    provided_page,
    run,
    served,
    shown,
)
from tests.questions import questioned_workspace

GOOGLE = {"iss": "https://accounts.google.com", "sub": "117", "name": "Ann B.", "email": "a@b.c"}
PROLIFIC = {"PROLIFIC_PID": "p1", "STUDY_ID": "study", "SESSION_ID": "s1"}
MTURK = {"workerId": "W1", "hitId": "hit", "assignmentId": "A1"}


def names(store: Store) -> list[str]:
    with store.session() as session:
        return list(session.scalars(select(LabelerRow.name).order_by(LabelerRow.id)))


def labels_as(store: Store, workspace: Workspace, **query: str) -> str | None:
    """The name under which this address lets one label, once the instructions are read."""
    app = label_page(**query)
    if "Start labeling" in buttons(app):
        click(app, "Start labeling")
    labeler = labels_for(app, workspace)
    return None if labeler is None else Labelers(store).get(labeler).name


def test_on_one_s_own_machine_a_name_is_enough(opened: Opened) -> None:
    workspace, store = opened
    app = label_page()
    assert labels_for(app, workspace) is None
    app.text_input[0].set_value("Ann-Kristin Ö.")
    click(app, "Start")

    assert app.query_params["labeler"] == "Ann-Kristin Ö."
    assert "Ann-Kristin Ö." in shown(app)
    assert labels_as(store, workspace, labeler="Ann-Kristin Ö.") == "Ann-Kristin Ö."

    click(app, "Sign out")
    assert "labeler" not in app.query_params
    assert app.text_input[0].label == "Your name"
    assert names(store) == ["Ann-Kristin Ö."]


def test_where_others_reach_the_page_a_name_is_not_enough(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GENSET_LABEL_SECRET", "x" * 32)
    app = label_page()
    assert not app.text_input
    assert "Open the link that you were sent" in shown(app)
    app = label_page(labeler="ann")
    assert "A name is not enough here" in shown(app)
    assert names(opened[1]) == []


@pytest.mark.soak
def test_under_a_foreign_host_name_a_name_is_not_enough(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    def headers(_: ContextProxy) -> Mapping[str, str]:
        return {"Host": host}

    monkeypatch.setattr(ContextProxy, "headers", property(headers))
    for host in ("evil.example", "127.0.0.1.evil.example:8501", "10.0.0.7:8501", "[::2]:8501"):
        app = label_page(labeler="ann")
        assert "A name is not enough here" in shown(app), host
        assert not app.text_input
    assert names(opened[1]) == []
    for host in ("127.0.0.1:8501", "localhost:8501", "[::1]:8501"):
        assert label_page().text_input, host


def test_an_invitation_lets_in_the_one_it_was_made_for(
    opened: Opened, caplog: pytest.LogCaptureFixture
) -> None:
    workspace, store = opened
    old, token = (Labelers(store).invite("Ben") for _ in range(2))
    assert labels_as(store, workspace, invite=token) == "Ben"
    assert "Sign out" not in buttons(label_page(invite=token))
    # Whoever has a link may not choose to be somebody else by the address.
    assert labels_as(store, workspace, invite=token, labeler="ann") == "Ben"
    with caplog.at_level(logging.WARNING, "genset.label"):
        for wrong in (old, "", old + "x"):
            app = label_page(invite=wrong)
            assert "This invitation link is no longer valid" in shown(app)
            assert labels_for(app, workspace) is None
    refused = [record for record in caplog.records if record.name == "genset.label"]
    assert len(refused) == 3 and old not in caplog.text
    assert names(store) == ["Ben"]
    app.text_input[0].set_value("ann")  # on one's own machine a name still does
    click(app, "Start")
    assert dict(app.query_params) == {"labeler": "ann"}
    app = label_page(invite=token)
    Labelers(store).block("Ben")
    run(app)
    assert "You can no longer label here" in shown(app)
    assert labels_for(app, workspace) is None and not app.button


def test_where_a_provider_is_configured_it_says_who_one_is(opened: Opened) -> None:
    workspace, store = opened
    app = label_page()  # without one, what Streamlit says of the user counts for nothing
    app.user = {"is_logged_in": True, **GOOGLE}
    assert run(app).text_input
    app = provided_page({"client_id": "x"})
    assert buttons(app) == ["Sign in"]
    assert not app.text_input
    app = provided_page({"google": {"client_id": "x"}, "microsoft": {"client_id": "y"}})
    assert buttons(app) == ["Sign in with Google", "Sign in with Microsoft"]
    assert "A name is not enough" in shown(provided_page({"client_id": "x"}, labeler="ann"))
    app = provided_page({"client_id": "x"}, {"iss": GOOGLE["iss"], "name": "Ann B."})
    assert "The identity provider does not say 'sub'" in shown(app)
    assert names(store) == []

    app = provided_page({"client_id": "x"}, GOOGLE)
    click(app, "Start labeling")
    labeler = labels_for(app, workspace)
    assert labeler is not None
    assert Labelers(store).get(labeler).name == "Ann B."
    assert "Sign out" in buttons(app)


def test_secrets_that_cannot_be_read_let_nobody_in(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "secrets.toml").write_text("[auth\nclient_id = ")
    before = config.get_option("secrets.files")
    config.set_option("secrets.files", [str(tmp_path / "secrets.toml")])
    try:
        app = label_page(labeler="ann")
    finally:
        config.set_option("secrets.files", before)
    assert "Streamlit's secrets cannot be read" in shown(app)
    assert names(opened[1]) == []


def test_a_crowd_s_workers_come_by_their_platform_s_link(opened: Opened) -> None:
    workspace, store = opened
    Studies(store).add("prolific", "study", 3, Terms(code="CODE"))
    Studies(store).add("mturk", "hit", 3, Terms(code="CODE"))
    for query, says in (
        (PROLIFIC | {"STUDY_ID": "another"}, "This study is not known here"),
        ({"PROLIFIC_PID": "p1"}, "The link lacks STUDY_ID"),
        ({"workerId": "W1", "hitId": "hit"}, "The link lacks assignmentId"),
        (PROLIFIC | {"PROLIFIC_PID": "p" * 257}, "The link's PROLIFIC_PID is damaged"),
        (MTURK | {"workerId": "W\n1"}, "The link's workerId is damaged"),
        ({"invite": "x" * 100_000}, "The link's invite is damaged"),
    ):
        app = label_page(**query)
        assert says in shown(app)
        assert labels_for(app, workspace) is None
    assert names(store) == []
    assert labels_as(store, workspace, **PROLIFIC) == "prolific:p1"
    assert labels_as(store, workspace, **PROLIFIC | {"SESSION_ID": "s2"}) == "prolific:p1"
    assert labels_as(store, workspace, **MTURK) == "mturk:W1"
    assert names(store) == ["prolific:p1", "mturk:W1"]


def test_instructions_come_before_the_first_label_and_not_again(opened: Opened) -> None:
    workspace, store = opened
    app = label_page(labeler="ann")
    assert "How to label" in shown(app)
    for word in ("Correct", "Incorrect", "Unsure", "Broken", "Backspace", "Tap a photo", "Undo"):
        assert word in shown(app)
    assert labels_for(app, workspace) is None
    click(app, "Start labeling")
    assert "How to label" not in shown(app)
    assert labels_for(app, workspace) is not None

    vote(store, f"{TENCH}/flickr:0", "ann", Verdict.CORRECT)
    assert labels_for(label_page(labeler="ann"), workspace) is not None


@pytest.mark.parametrize("file", ["", "[classes.owl]"])
def test_instructions_name_wikipedia_where_a_class_has_a_link(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(*labeled_workspace(tmp_path / "mine", []), monkeypatch) as (_, store):
        if file:
            with store.begin_alone() as session:
                store_taxonomy(session, taxonomy_in(file, "own.toml"))
        text = shown(label_page(assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE"))
    assert "Go by the definition" in text and ("link to Wikipedia" in text) != bool(file)


@pytest.mark.parametrize("asks", [False, True])
def test_the_instructions_tell_of_questions_where_there_are_some(
    asks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = questioned_workspace if asks else labeled_workspace
    with served(*made(tmp_path / "workspace", [TENCH]), monkeypatch):
        text = shown(label_page(labeler="ann"))
    assert ("One photo, several classes" in text) == asks
    assert ("none of these" in text) == asks
    assert "Correct" in text


def test_nothing_stands_before_the_labels_that_wait_of_who_was_given_photos(opened: Opened) -> None:
    """Their labels may be in the browser yet, and the server started again meanwhile."""
    workspace, store = opened
    desk = Desk(workspace, store, Labelers(store).by_name("ann"))
    assert labels_for(label_page(labeler="ann"), workspace) is None
    desk.screens()

    assert labels_for(label_page(labeler="ann"), workspace) == desk.labeler.id


def test_who_signs_in_next_in_the_same_tab_is_somebody_else(opened: Opened) -> None:
    workspace, _ = opened
    app = label_page(labeler="ann")
    click(app, "Start labeling")
    first = labels_for(app, workspace)
    click(app, "Sign out")
    app.text_input[0].set_value("bob")
    click(app, "Start")
    assert "How to label" in shown(app)
    click(app, "Start labeling")
    assert labels_for(app, workspace) not in (None, first)


def test_before_any_scrape_the_page_says_what_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(*labeled_workspace(tmp_path, classes=[]), monkeypatch):
        assert "No photos to label yet: run genset scrape" in shown(label_page(labeler="ann"))


def test_a_store_that_does_not_answer_is_told_in_one_line(opened: Opened) -> None:
    _, store = opened
    with store.begin() as session:
        session.execute(
            text(
                "CREATE TRIGGER full BEFORE INSERT ON labeler"
                " BEGIN SELECT RAISE(ABORT, 'disk is full'); END"
            )
        )
    app = label_page(labeler="ann")
    assert [error.value.replace("\\", "") for error in app.error] == [
        "the store does not answer: disk is full"
    ]


@pytest.mark.parametrize("one, other", [("correct", "incorrect"), ("incorrect", "correct")])
def test_the_help_names_the_verdict_of_every_key(one: str, other: str) -> None:
    keys = dict(photos_help(one).keys)
    assert keys["1 – 5"].endswith(f" {one}")
    assert keys["Shift + 1 – 5"].endswith(f" {other}")
    assert keys["A"].endswith(f" {one}")
    assert keys["Shift + A"].endswith(f" {other}")
    assert dict(photos_help(one, grid=True).keys)["Click X"] == f"{other}, then unsure, then {one}"
