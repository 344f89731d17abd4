"""What a labeler is shown, and what is stored of what they say."""

from pathlib import Path

import pytest
from sqlalchemy import select, text

from genset.errors import BadInput, GensetError
from genset.label import Labeling, Progress, Screen, Verdict
from genset.store import Label, Photo, Store
from genset.workspace import Workspace
from tests.labeled_workspace import (
    CLASSES,
    CRANE,
    GOLDFISH,
    TABBY,
    TENCH,
    add_candidate,
    labeled_workspace,
)

Opened = tuple[Workspace, Store]


def decide(labeling: Labeling, screen: Screen, verdict: Verdict = Verdict.CORRECT) -> None:
    for photo in screen.photos:
        labeling.mark(photo.task, verdict)


def next_class(labeling: Labeling) -> str | None:
    screen = labeling.next_screen()
    return screen and screen.cls.wnid


def stored(store: Store) -> list[tuple[str, str, Verdict]]:
    with store.session() as session:
        labels = session.scalars(select(Label).order_by(Label.number))
        return [(label.candidate.task, label.worker, label.verdict) for label in labels]


def test_a_screen_shows_what_a_labeler_and_flickr_s_terms_need(opened: Opened) -> None:
    screen = Labeling(*opened, "ann").next_screen()

    assert screen is not None
    assert (screen.cls.wnid, screen.cls.name) == (TENCH, "tench")
    assert [photo.task for photo in screen.photos] == [f"{TENCH}/flickr:{k}" for k in range(5)]
    photo = screen.photos[1]
    assert photo.image.is_file()
    assert photo.source == "flickr"
    assert photo.owner_name == "owner 1"
    assert photo.license == "CC BY 2.0"
    assert photo.license_url == "https://creativecommons.org/licenses/by/2.0/"
    assert photo.page_url == "https://www.flickr.com/photos/1@N00/1"
    assert photo.verdict is None


def test_an_owner_without_a_name_is_shown_by_their_id(opened: Opened) -> None:
    task = add_candidate(*opened, CRANE, 900, rank=9, owner_name="")

    assert Labeling(*opened, "ann").screen_of(task).photos[-1].owner_name == "900@N00"


def test_classes_come_one_after_the_other_until_all_are_done(opened: Opened) -> None:
    labeling = Labeling(*opened, "ann")
    seen = []
    while (screen := labeling.next_screen()) is not None:
        seen.append(screen.cls.wnid)
        assert labeling.progress() == Progress(len(seen) - 1, 4)
        decide(labeling, screen)

    assert seen == list(CLASSES)
    assert labeling.progress() == Progress(4, 4)


def test_a_screen_is_done_when_its_last_photo_is_decided(opened: Opened) -> None:
    labeling = Labeling(*opened, "ann")
    for number in range(4):
        labeling.mark(f"{TENCH}/flickr:{number}", Verdict.UNSURE)
    assert next_class(labeling) == TENCH
    assert not labeling.screen_of(f"{TENCH}/flickr:0").done

    labeling.mark(f"{TENCH}/flickr:4", Verdict.UNSURE)

    assert labeling.screen_of(f"{TENCH}/flickr:0").done
    assert next_class(labeling) == GOLDFISH


def test_a_class_with_many_photos_takes_several_screens(tmp_path: Path) -> None:
    workspace, store = labeled_workspace(tmp_path, [TENCH, TABBY], photos=7)
    labeling = Labeling(workspace, store, "ann")
    first = labeling.next_screen()
    assert first is not None
    decide(labeling, first)
    second = labeling.next_screen()
    assert second is not None

    assert [len(first.photos), len(second.photos)] == [5, 2]
    assert (first.cls, first.before) == (second.cls, None)
    assert second.before in {photo.task for photo in first.photos}
    assert labeling.progress() == Progress(0, 2)
    decide(labeling, second)
    assert labeling.progress() == Progress(1, 2)


def test_back_leads_from_the_end_to_the_first_screen(opened: Opened) -> None:
    labeling = Labeling(*opened, "ann")
    screen = labeling.last_screen()
    assert screen is not None
    seen = [screen.cls.wnid]
    while screen.before is not None:
        screen = labeling.screen_of(screen.before)
        seen.append(screen.cls.wnid)

    assert seen == [TABBY, CRANE, GOLDFISH, TENCH]


def test_a_search_that_adds_a_class_meanwhile_does_not_move_a_labeler(tmp_path: Path) -> None:
    workspace, store = labeled_workspace(tmp_path, [CRANE])
    labeling = Labeling(workspace, store, "ann")
    at = labeling.next_screen()
    assert at is not None

    add_candidate(workspace, store, TENCH, 900)

    assert labeling.screen_of(at.photos[0].task).photos == at.photos


def test_photos_that_are_not_stored_are_not_shown(opened: Opened) -> None:
    _, store = opened
    with store.begin() as session:
        session.execute(text("UPDATE photo SET sha256 = NULL WHERE source_id IN ('0', '1')"))
    screen = Labeling(*opened, "ann").next_screen()

    assert screen is not None
    assert [photo.task for photo in screen.photos] == [f"{TENCH}/flickr:{k}" for k in (2, 3, 4)]
    with pytest.raises(BadInput, match="is not stored"):
        Labeling(*opened, "ann").screen_of(f"{TENCH}/flickr:0")


def test_without_photos_there_is_nothing_to_show(tmp_path: Path) -> None:
    labeling = Labeling(*labeled_workspace(tmp_path, classes=[]), "ann")

    assert labeling.next_screen() is None
    assert labeling.last_screen() is None
    assert labeling.progress() == Progress(0, 0)


def test_a_changed_mind_is_a_new_label_and_the_newest_counts(opened: Opened) -> None:
    _, store = opened
    labeling = Labeling(*opened, "ann")
    task = f"{TENCH}/flickr:0"
    for verdict in (Verdict.CORRECT, Verdict.INCORRECT, Verdict.CORRECT):
        labeling.mark(task, verdict)

    assert labeling.screen_of(task).photos[0].verdict is Verdict.CORRECT
    assert [verdict for *_, verdict in stored(store)] == ["correct", "incorrect", "correct"]


def test_the_same_mark_again_adds_nothing(opened: Opened) -> None:
    _, store = opened
    for _ in range(3):
        Labeling(*opened, "ann").mark(f"{TENCH}/flickr:0", Verdict.CORRECT)

    assert stored(store) == [(f"{TENCH}/flickr:0", "ann", Verdict.CORRECT)]


def test_labelers_do_not_see_each_other_s_marks(opened: Opened) -> None:
    ann, bob = Labeling(*opened, "ann"), Labeling(*opened, "bob")
    task = f"{TENCH}/flickr:0"
    ann.mark(task, Verdict.CORRECT)

    assert bob.screen_of(task).photos[0].verdict is None
    bob.mark(task, Verdict.INCORRECT)
    assert ann.screen_of(task).photos[0].verdict is Verdict.CORRECT


@pytest.mark.parametrize(
    ("task", "complaint"),
    [
        (f"{TENCH}/flickr:777", "there is no candidate"),
        (f"{GOLDFISH}/flickr:0", "there is no candidate"),
        (f"{TENCH}/flickr:", "a task is named like"),
        ("0", "a task is named like"),
        ("", "a task is named like"),
    ],
)
def test_a_mark_on_no_candidate_is_refused(opened: Opened, task: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        Labeling(*opened, "ann").mark(task, Verdict.CORRECT)


@pytest.mark.parametrize("name", ["", "  ", "a" * 65, "a\nb", "a\x00b", "\u202eann"])
def test_a_labeler_s_name_is_short_and_printable(opened: Opened, name: str) -> None:
    with pytest.raises(BadInput, match="1 to 64 printable"):
        Labeling(*opened, name)


def test_a_labeler_s_name_loses_its_surrounding_blanks(opened: Opened) -> None:
    assert Labeling(*opened, " Ann-Kristin Ö. ").worker == "Ann-Kristin Ö."


def test_a_database_that_fails_is_told_in_one_line(opened: Opened) -> None:
    _, store = opened
    labeling = Labeling(*opened, "ann")
    with store.begin() as session:
        session.execute(text(f"ALTER TABLE {Photo.__tablename__} RENAME TO gone"))

    for action in (
        labeling.progress,
        labeling.next_screen,
        lambda: labeling.mark(f"{TENCH}/flickr:0", Verdict.CORRECT),
    ):
        with pytest.raises(GensetError, match=r"^the store does not answer: no such table[^\n]*$"):
            action()
