"""The manager's page: for the manager alone; numbers, rulings, pairs of photos, invitations."""

import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select, text

from genset.db import DuplicatePair, Label, Photo, Ruling, Store, Verdict
from genset.label.access import Managers, manager_token
from genset.label.session.pictures import picture_path
from labeler_app.manage import deciding
from tests.labeled_workspace import GOLDFISH, TENCH, add_candidate, labeled_workspace, vote
from tests.labeler_app.pages import (
    Opened,
    buttons,
    click,
    field,
    manage_page,
    pictures,
    run,
    served,
    shown,
)

NOTICE = "not endorsed or certified by SmugMug"
VIEWS = ["Progress", "Photos", "People", "Review", "Settings"]
LISTS = ["Candidates", "Errors", "Duplicates", "Comments"]
YES, NO = Verdict.CORRECT, Verdict.INCORRECT


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opened]:
    monkeypatch.setattr(deciding, "SECONDS_TO_SEE", 0.0)  # a test sees at once
    workspace = labeled_workspace(tmp_path / "workspace", [TENCH, GOLDFISH])
    with served(*workspace, monkeypatch) as place:
        yield place


def divide(store: Store, *tasks: str) -> None:
    """Let labelers disagree about these candidates."""
    for task in tasks:
        vote(store, task, "ann", YES)
        vote(store, task, "ben", NO)


def pair(store: Store, number: int, other: str, distance: int) -> None:
    """Propose that photo `number` looks like another one."""
    with store.begin() as session:
        photo = session.scalars(select(Photo).where(Photo.source_id == str(number))).one()
        session.add(DuplicatePair(photo_id=photo.id, other=other, distance=distance))


def rulings(store: Store) -> list[tuple[str, Verdict, str, str]]:
    with store.session() as session:
        stored = session.scalars(select(Ruling).order_by(Ruling.number))
        return [(each.candidate.task, each.verdict, each.by, each.reason) for each in stored]


def verdicts(store: Store) -> dict[str, str | None]:
    with store.session() as session:
        return {each.other: each.verdict for each in session.scalars(select(DuplicatePair))}


def test_without_a_link_of_this_workspace_the_page_shows_and_decides_nothing(
    opened: Opened, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    workspace, store = opened
    divide(store, f"{TENCH}/flickr:0")
    other, there = labeled_workspace(tmp_path / "other", [])
    there.close()
    for token in ("", "é", manager_token(other)):
        with caplog.at_level(logging.WARNING, "genset.label"):
            app = manage_page(workspace, token=token)
        app.query_params["view"] = "Review"  # nor by asking for a view
        for page in (app, run(app)):
            assert "This page needs its link, which genset label prints" in shown(page)
            assert not (page.segmented_control or page.button or page.metric or page.dataframe)
            assert pictures(page) == []
    assert "the manager's page was refused" in caplog.text


def test_a_manager_s_link_that_is_taken_back_decides_nothing_more_in_an_open_page(
    opened: Opened,
) -> None:
    workspace, store = opened
    divide(store, f"{TENCH}/flickr:0")
    settings = manage_page(workspace, "Settings")
    field(settings, "Invite a manager").set_value("Dana")
    click(settings, "Make a link")
    (link,) = settings.code
    token = link.value.partition("/manage?token=")[2]
    app = manage_page(workspace, "Review", token=token)
    assert "Deciding as Dana" in shown(app)
    assert list(settings.dataframe[0].value["manager"]) == ["Dana"]
    take_back = next(each for each in settings.selectbox if each.label == "Take a link back")
    take_back.set_value("Dana")
    click(settings, "Revoke")
    click(app, "Correct")  # on the page that was drawn before
    assert "A link that was taken back opens nothing" in shown(app)
    assert not app.button
    assert pictures(app) == []
    assert rulings(store) == []
    # The printed link stays, and a new one lets them in again.
    again = Managers(store).invite("Dana")
    for each in ({}, {"token": again}):
        assert "1 to decide" in shown(manage_page(workspace, "Review", **each))
    assert "opens nothing" in shown(manage_page(workspace, token=token))


@pytest.mark.soak
def test_every_view_has_its_question_and_can_be_drawn_before_there_is_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(*labeled_workspace(tmp_path, classes=[]), monkeypatch) as (workspace, _):
        for view in VIEWS:
            app = manage_page(workspace, view)
            assert not app.error
            (title,) = app.title
            assert title.value.startswith(f"{view}: ")
            assert title.value.endswith("?")
        for of in LISTS:
            assert not manage_page(workspace, "Review", of=of).error


def test_progress_is_told_in_all_by_class_and_by_candidate_with_intervals(opened: Opened) -> None:
    workspace, store = opened
    for number in range(5):
        vote(store, f"{TENCH}/flickr:{number}", "ann", YES if number else NO)
    for worker in ("ben", "cleo"):
        vote(store, f"{TENCH}/flickr:0", worker, YES)
    app = manage_page(workspace)
    assert [(cell.label, cell.value) for cell in app.metric][4:7] == [
        ("Candidates done", "5 of 10"),
        ("Labels", "7"),
        ("Labelers", "3"),
    ]
    table = app.dataframe[0].value.set_index("name")
    assert (table.loc["tench", "done"], table.loc["goldfish", "done"]) == (1, 0)
    row = app.dataframe[1].value.set_index("candidate").loc[f"{TENCH}/flickr:0"]
    assert (row["correct"], row["labels"]) == (2, 3)
    assert row["low"] < row["frequency"] == 2 / 3 < row["high"]
    (bars,) = [element.value for element in app.html if '"genset-bars"' in element.value]
    assert re.findall(r"<b>(\d+)</b>", bars) == [*"000000100", "0", "4"]


def test_the_review_queue_is_settled_by_a_key_each(opened: Opened) -> None:
    workspace, store = opened
    divide(store, f"{TENCH}/flickr:0", f"{TENCH}/flickr:1", f"{GOLDFISH}/flickr:100")
    app = manage_page(workspace, "Review")
    text = shown(app)
    assert "3 to decide" in text
    assert "tench" in text
    assert "freshwater dace-like game fish" in text
    assert "https://en.wikipedia.org/wiki/Tench" in text
    assert "Labelers disagree" in text
    assert "1 correct" not in text  # a ruling is made before the votes are seen
    assert "ann" not in text.split()
    assert [button.proto.shortcut for button in app.button][:5] == ["y", "n", "u", "b", "s"]

    click(app, "Incorrect")
    text = shown(app)
    assert "2 to decide" in text
    assert "The last one, tench: you ruled it :red-badge[incorrect]" in text
    assert "Labelers disagree: 1 correct, 1 incorrect" in text
    assert ":green-badge[correct] ann" in text
    assert ":red-badge[incorrect] ben" in text
    app.text_input(key=f"why {TENCH}/flickr:1").set_value("a carp")
    app.text_input(key="manager").set_value("Dr. Who")
    run(app)
    click(app, "Broken")
    click(app, "Back")
    assert "Decided before" in shown(app)
    click(app, "Unsure")
    click(app, "Correct")
    assert "Nothing waits for a ruling" in shown(app)
    assert rulings(store) == [
        (f"{TENCH}/flickr:0", NO, "manager", "looked at in the review queue"),
        (f"{TENCH}/flickr:1", Verdict.BROKEN, "Dr. Who", "a carp"),
        (
            f"{TENCH}/flickr:1",
            Verdict.UNSURE,
            "Dr. Who",
            "looked at in the review queue (votes shown)",
        ),
        (f"{GOLDFISH}/flickr:100", YES, "Dr. Who", "looked at in the review queue"),
    ]
    with store.session() as session:
        assert len(session.scalars(select(Label)).all()) == 6  # no vote was touched


@pytest.mark.soak
def test_what_cannot_have_been_seen_is_not_decided(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, store = opened
    monkeypatch.setattr(deciding, "SECONDS_TO_SEE", 3600.0)
    divide(store, f"{TENCH}/flickr:0")
    pair(store, 1, "flickr:100", 2)
    click(manage_page(workspace, "Review"), "Correct")
    click(manage_page(workspace, "Review", of="Duplicates"), "Same, keep left")
    assert rulings(store) == []
    assert verdicts(store) == {"flickr:100": None}


def test_a_photo_comes_from_its_route_with_its_credit(opened: Opened) -> None:
    workspace, store = opened
    hostile = "<b>x</b> **y** [z](https://evil.example)\n\u202e:smile: $1$"
    add_candidate(workspace, store, TENCH, 900, 9, owner_name=hostile)
    with store.begin() as session:
        session.execute(
            text(
                "UPDATE photo SET license = '](x) <i>*free*', license_url = 'javascript:alert(1)',"
                " page_url = 'https://x.example/a>)[b](c' WHERE source_id = '900'"
            )
        )
    divide(store, f"{TENCH}/flickr:900")
    app = manage_page(workspace, "Review")
    (photo,) = pictures(app)
    found = re.fullmatch(
        r'<img class="genset-photo" src="/genset/picture/([\w-]+)\?w=\d+" alt="[^"<>]+">', photo
    )
    assert found
    assert picture_path(workspace, store, found[1]).is_file()
    by_line = "by \u2068<b>x</b> **y** [z](https://evil.example) :smile: $1$\u2069"
    assert by_line in [element.value for element in app.text]  # st.text knows no markup
    credit = next(element.value for element in app.caption if "free" in element.value)
    assert credit == (
        r"\]\(x\) \<i\>\*free\* · [Photo page](<https://x.example/a%3E%29%5Bb%5D%28c>)"
    )
    assert NOTICE in shown(app)


def test_pairs_are_decided_side_by_side_the_closest_first(opened: Opened) -> None:
    workspace, store = opened
    pair(store, 101, "flickr:0", 5)
    pair(store, 1, "flickr:100", 2)
    pair(store, 103, "flickr:2", 7)
    pair(store, 4, "imagenet.hashes:n01440764/*1*.jpg", 9)
    app = manage_page(workspace, "Review", of="Duplicates")
    assert "4 to decide · 2 of 64 bits differ" in shown(app)
    left, right = pictures(app)
    assert "Left: the photo flickr:100" in left and "Right: the photo flickr:1" in right
    assert "found for tench" in shown(app)
    assert "found for goldfish" in shown(app)
    assert [button.proto.shortcut for button in app.button][:2] == ["1", "2"]

    click(app, "Same, keep left")
    assert "3 to decide" in shown(app)
    click(app, "Different")
    click(app, "Same, keep right")
    # A photo that is not here: it says which it is.
    assert len(pictures(app)) == 1
    assert "imagenet.hashes:n01440764/*1*.jpg: a photo that the pool must not share" in shown(app)
    assert "Same, keep right" not in buttons(app)
    click(app, "Skip")
    assert "You skipped the last 1" in shown(app)
    assert "1 to decide" in shown(click(app, "Look at them again"))
    click(app, "Different")
    assert "No pair waits to be decided" in shown(app)
    found = {"flickr:100": "same", "flickr:0": "different", "flickr:2": "same"}
    assert verdicts(store) == {**found, "imagenet.hashes:n01440764/*1*.jpg": "different"}
    with store.session() as session:
        rejected = session.scalars(select(Photo).where(Photo.rejected.is_not(None)))
        assert {photo.source_id: photo.rejected for photo in rejected} == {
            "1": "duplicate: of flickr:100",
            "2": "duplicate: of flickr:103",
        }
        decided = session.scalars(select(DuplicatePair.decided_by)).all()
        assert decided == ["manager"] * 4
