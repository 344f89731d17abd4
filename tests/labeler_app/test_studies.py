"""What is asked and told before the first photo: a study's terms, and warnings of sources."""

import pytest
from streamlit.testing.v1 import AppTest

from genset.label import Workspace
from genset.label.access import label_secret
from genset.label.ballots import votes_table
from genset.label.crowd import prolific
from genset.label.crowd.prolific import Keys
from genset.label.crowd.studies import Studies, Terms
from genset.label.labelers import Labelers
from genset.label.session.desk import Desk
from labeler_app.routes import Sessions
from tests.label.crowd.key_host import key_host
from tests.label.desks import do_all
from tests.label.session.test_given_examples import know
from tests.labeled_workspace import TENCH, add_candidate
from tests.labeler_app.pages import (
    Opened,
    buttons,
    click,
    label_page,
    labels_for,
    session_for,
    shown,
)

PROLIFIC = {"PROLIFIC_PID": "P1", "STUDY_ID": "S1", "SESSION_ID": "V1"}

TERMS = Terms(pay="£2 for ten minutes", consent="We keep your **verdicts**.", code="D0NE")


def desk_behind(app: AppTest, workspace: Workspace, opened: Opened) -> Desk:
    """What the page's session lets somebody do."""
    session = session_for(app)
    assert session is not None
    who = Sessions(label_secret(workspace)).who(session)
    return Desk(*opened, Labelers(opened[1]).get(*who))


def test_a_visitor_agrees_to_pay_and_consent_before_the_first_screen(opened: Opened) -> None:
    workspace, store = opened
    study = Studies(store).add("prolific", "S1", 1, TERMS)
    app = label_page(**PROLIFIC)
    assert "£2 for ten minutes" in shown(app)
    assert "We keep your **verdicts**." in shown(app)
    assert labels_for(app, workspace) is None
    click(app, "I agree")
    click(app, "Start labeling")
    desk = desk_behind(app, workspace, opened)
    do_all(desk)
    done = desk.progress().done
    assert done is not None and (done.outcome, done.code) == ("done", "D0NE")
    assert Studies(store).visits(study)[0].consented_at is not None
    assert "Before you begin" not in shown(label_page(**PROLIFIC))


def test_a_visitor_who_does_not_agree_gets_the_code_for_that_and_no_photo(opened: Opened) -> None:
    workspace, store = opened
    study = Studies(store).add("prolific", "S1", 1, TERMS)
    app = label_page(**PROLIFIC)
    click(app, "I do not agree")
    for page in (app, label_page(**PROLIFIC)):
        assert "You did not agree" in shown(page)
        assert str(study.code_declined) in shown(page)
        assert labels_for(page, workspace) is None
        assert "I agree" not in buttons(page)
    assert "D0NE" not in shown(app)
    assert votes_table(store) == []


def test_a_signed_study_takes_nobody_whom_prolific_does_not_vouch_for(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, store = opened
    Studies(store).add("prolific", "S1", 1, Terms(signed=True))
    with key_host() as host:
        monkeypatch.setattr(prolific, "KEYS", Keys(host.address))
        good = host.token(aud="http://localhost/")
        monkeypatch.setattr("labeler_app.sign_in.page_host", lambda: "localhost:8501")
        for token in ("", "made-up", good[:-4], host.token(aud="https://elsewhere.example")):
            app = label_page(**PROLIFIC, prolific_token=token)
            assert labels_for(app, workspace) is None
            assert "rolific" in shown(app)
            assert "Start labeling" not in buttons(app)
        swapped = label_page(**PROLIFIC | {"SESSION_ID": "V2"}, prolific_token=good)
        assert "is no longer valid" in shown(swapped)
        assert Labelers(store).all() == []

        app = label_page(**PROLIFIC, prolific_token=good)
        click(app, "Start labeling")
        do_all(desk_behind(app, workspace, opened))
    assert {vote.worker for vote in votes_table(store)} == {"prolific:P1"}


EVIL = "<img src=x onerror=alert(1)> [a](javascript:b) **c** :smile: $1$"


def test_a_labeler_is_warned_before_the_first_photo_and_never_again(opened: Opened) -> None:
    workspace, store = opened
    know(store, "commons", title="Wikimedia Commons", warning="There is no safe search.")
    app = label_page(labeler="ann")
    assert "safe search" not in shown(app)  # there are none of its photos
    add_candidate(workspace, store, TENCH, 900, source="commons")
    app = label_page(labeler="ann")
    assert "**Wikimedia Commons**: There is no safe search." in shown(app)
    assert labels_for(app, workspace) is None  # no photos before that
    click(app, "Start labeling")
    assert labels_for(app, workspace) is not None
    again = label_page(labeler="ann")  # a reload, with nothing labeled yet
    assert "safe search" not in shown(again) and "Start labeling" in buttons(again)
    assert "safe search" in shown(label_page(labeler="bob"))


def test_who_has_labeled_already_is_warned_of_a_source_that_comes_later(opened: Opened) -> None:
    workspace, store = opened
    click(label_page(labeler="ann"), "Start labeling")
    add_candidate(workspace, store, TENCH, 900, source="wild")
    know(store, "wild", title=EVIL, warning=EVIL)
    app = label_page(labeler="ann")
    assert labels_for(app, workspace) is None
    (warning,) = app.warning
    assert warning.value.startswith(r"**\<img")
    for markup in ("](", "**c**", ":smile:", "$1$"):
        assert markup not in warning.value  # every sign of it is escaped
    assert "onerror" in shown(app)
    click(app, "Start labeling")
    assert labels_for(app, workspace) is not None
