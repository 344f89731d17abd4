"""The manager's view of errors that matter: what is shown, what the buttons and keys decide."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from genset.db import ReviewRequest, Ruling, Store
from genset.label.review import queue
from genset.label.suspects import write_suspects
from genset.reporting.suspects import find_suspects
from genset.sets.open import open_set
from genset.workspace import Workspace
from labeler_app.manage import deciding
from tests.labeled_workspace import TENCH
from tests.labeler_app.pages import Opened, click, manage_page, pictures, run, served, shown
from tests.reporting.suspects import scored_workspace

FISH, POT, DIVIDED = (f"{TENCH}/flickr:{number}" for number in (0, 1, 2))
SEEN = " (votes and models' answers shown)"


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opened]:
    monkeypatch.setattr(deciding, "SECONDS_TO_SEE", 0.0)  # a test sees at once
    with served(*scored_workspace(tmp_path / "workspace"), monkeypatch) as place:
        yield place


def make_list(workspace: Workspace) -> None:
    photos = open_set(str(workspace.releases / "v1"))
    write_suspects(workspace.root, find_suspects(photos, workspace.runs))


def decided(store: Store) -> list[tuple[str, str, str]]:
    """What is stored: rulings, then requests for review."""
    with store.session() as session:
        rulings = session.scalars(select(Ruling).order_by(Ruling.number))
        requests = session.scalars(select(ReviewRequest).order_by(ReviewRequest.number))
        return [
            *((each.candidate.task, each.verdict.value, each.reason) for each in rulings),
            *((each.candidate.task, "review", each.reason) for each in requests),
        ]


def test_a_photo_is_shown_with_its_class_its_votes_and_the_models_answers(opened: Opened) -> None:
    make_list(opened[0])
    app = manage_page(opened[0], "Review", of="Errors")
    text = shown(app)
    for words in (
        "v1: all 3 leading models get 3 of 10 photos wrong",
        "On 2 of them all models give the same answer.",
        "3 to decide",
        "tench",
        "freshwater dace-like game fish",
        "All 3 leading models say teapot",
        "teapot 90 % · a",
        "Off by 15 steps in WordNet",
        "2 correct",
    ):
        assert words in text
    (photo,) = pictures(app)
    assert f"The candidate {POT}" in photo
    click(app, "Skip")
    text = shown(app)
    assert "The leading models say" in text
    assert "tabby 90 % · c" in text
    assert "Off by 10 to 15 steps in WordNet" in text


@pytest.mark.soak
def test_each_decision_is_stored_and_brings_the_next_photo(opened: Opened) -> None:
    workspace, store = opened
    make_list(workspace)
    app = manage_page(workspace, "Review", of="Errors")
    click(app, "Incorrect")
    assert "The last one, tench: you ruled it :red-badge[incorrect]" in shown(app)
    click(app, "Send to review")
    assert "The last one, tench: you sent it to review" in shown(app)
    app.text_input(key=f"why {FISH}").set_value("a tench,  surely")
    click(run(app), "Correct")
    assert "Every photo of the list is decided." in shown(app)
    assert decided(store) == [
        (POT, "incorrect", f"3 of 3 leading models say teapot{SEEN}"),
        (FISH, "correct", f"a tench, surely{SEEN}"),
        (DIVIDED, "review", "2 of 3 leading models say teapot"),
    ]
    assert [(each.task, each.why) for each in queue(store, rules=workspace.label)] == [
        (DIVIDED, "sent to review")
    ]
    # Another manager, and a list that is made anew, do not begin again.
    make_list(workspace)
    assert "Every photo of the list is decided." in shown(
        manage_page(workspace, "Review", of="Errors")
    )
