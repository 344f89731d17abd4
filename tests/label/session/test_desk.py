"""What one labeler is shown, and what is stored of what they say."""

import logging
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from genset.core.errors import BadInput
from genset.db import Candidate, Label, Ruling, Store, find_candidate, now
from genset.label import Verdict
from genset.label.comments import comments, export_comments
from genset.label.labelers import Labelers
from genset.label.session.pictures import picture_path
from genset.label.session.shown import LoadedScreen, NewComment
from genset.scrape.removal import remove
from genset.workspace import Workspace
from tests.label.desks import (
    CORRECT,
    INCORRECT,
    UNSURE,
    decided,
    desk_of,
    do,
    do_all,
    let_expire,
    owners,
    reasons,
    under,
)
from tests.labeled_workspace import (
    CRANE,
    GOLDFISH,
    TABBY,
    TENCH,
    add_candidate,
    labeled_workspace,
    vote,
)

Opened = tuple[Workspace, Store]


def stored(store: Store) -> list[tuple[str, str, Verdict]]:
    with store.session() as session:
        labels = session.scalars(select(Label).order_by(Label.number))
        return [(label.candidate.task, label.worker, label.verdict) for label in labels]


# What is shown


def test_a_screen_shows_what_a_labeler_and_flickr_s_terms_need(opened: Opened) -> None:
    screen = desk_of(opened, "ann").screens()[0]

    assert (screen.cls.wnid, screen.cls.name) == (TENCH, "tench")
    assert owners(screen) == [f"owner {number}" for number in range(5)]
    photo = screen.photos[1]
    assert picture_path(*opened, photo.id).is_file()
    assert photo.source == "flickr"
    assert photo.license == "CC BY 2.0"
    assert photo.license_url == "https://creativecommons.org/licenses/by/2.0/"
    assert photo.page_url == "https://www.flickr.com/photos/1@N00/1"
    assert (photo.verdict, photo.label_id) == (None, None)
    assert not screen.submitted


def test_by_itself_each_labeler_has_an_order_of_their_own(opened: Opened) -> None:
    randomly = under(opened, votes=9, order="random")
    for name in ("ann", "bob"):
        do_all(desk_of(randomly, name))
    orders = [[task for task, by, _ in stored(opened[1]) if by == name] for name in ("ann", "bob")]
    assert sorted(orders[0]) == sorted(orders[1])
    classes = [list(dict.fromkeys(task[:9] for task in order)) for order in orders]
    assert classes[0] != classes[1]
    of_tench = [[task for task in order if task.startswith(TENCH)] for order in orders]
    assert of_tench[0] != of_tench[1]


def test_a_class_with_many_photos_takes_screens_of_about_the_same_size(tmp_path: Path) -> None:
    opened = labeled_workspace(tmp_path, [TENCH, TABBY], photos=7)
    screens = do_all(desk_of(opened, "ann"))

    assert [(screen.cls.wnid, len(screen.photos)) for screen in screens] == [
        (TENCH, 4),
        (TENCH, 3),
        (TABBY, 4),
        (TABBY, 3),
    ]
    assert len(set(owners(*screens))) == 14


def test_open_screens_come_again_and_are_topped_up(anywhere: Opened) -> None:
    desk = desk_of(anywhere, "ann")
    first = desk.screens(count=2)
    again = desk.screens(count=3)

    assert [screen.id for screen in again[:2]] == [screen.id for screen in first]
    assert owners(*again) == [f"owner {100 * c + k}" for c in range(3) for k in range(5)]
    assert [screen.id for screen in desk.screens(count=1)] == [first[0].id]
    held = [screen.id for screen in again]
    assert [screen.id for screen in desk.next(1, held)[0]] == held


def test_a_removed_photo_vanishes_and_its_screen_goes_on_without_it(opened: Opened) -> None:
    desk = desk_of(opened, "ann")
    shown, kept = desk.screens(count=2)
    remove(*opened, "flickr:2", "its owner asked")
    assert owners(*desk.screens(count=1)) == ["owner 0", "owner 1", "owner 3", "owner 4"]
    with pytest.raises(BadInput, match="no such picture"):
        picture_path(*opened, shown.photos[2].id)
    for number in (0, 1, 3, 4):  # with the last one the screen is over
        remove(*opened, f"flickr:{number}", "its owner asked")
    assert [screen.id for screen in desk.screens(count=1)] == [kept.id]
    assert desk.beat([shown.id]) == [shown.id]
    told, _ = desk.next(2, [shown.id, kept.id])
    assert shown.id not in [screen.id for screen in told]
    assert told[0] == LoadedScreen(kept.id, kept.expires_at)
    assert len(owners(*do_all(desk))) == 15


def test_a_photo_that_two_classes_claim_is_shown_only_when_somebody_ruled(opened: Opened) -> None:
    _, store = opened
    with store.begin() as session:
        photo = find_candidate(session, f"{TENCH}/flickr:0").photo
        session.add(Candidate(wnid=GOLDFISH, photo=photo, keyword="fish", rank=9))
    assert "owner 0" not in owners(*do_all(desk_of(opened, "ann")))

    with store.begin() as session:
        candidate = find_candidate(session, f"{TENCH}/flickr:0")
        session.add(Ruling(candidate_id=candidate.id, verdict=CORRECT, by="eve", reason="a tench"))

    [screen] = do_all(desk_of(opened, "ann"))
    assert (screen.cls.wnid, owners(screen)) == (TENCH, ["owner 0"])


def test_examples_are_photos_known_to_be_right_that_one_will_not_be_asked_about(
    opened: Opened,
) -> None:
    opened = under(opened, votes=2)
    for name in ("ann", "bob"):
        do_all(desk_of(opened, name), lambda owner: INCORRECT if owner == "owner 0" else CORRECT)
    add_candidate(*opened, TENCH, 50, rank=9)
    add_candidate(*opened, TENCH, 51, rank=10)
    vote(opened[1], f"{TENCH}/flickr:51", "ann", CORRECT)

    [screen] = desk_of(opened, "cid").screens()

    assert owners(screen) == ["owner 50", "owner 51"]
    assert [each.owner_name for each in screen.examples] == ["owner 1", "owner 2", "owner 3"]
    assert all(picture_path(*opened, each.id).is_file() for each in screen.examples)
    assert len(screen.confusable) == 3
    like = {each.cls.wnid: each.photo and each.photo.owner_name for each in screen.confusable}
    assert like[GOLDFISH] == "owner 100"


# What is stored


def test_everything_about_a_label_is_stored(anywhere: Opened) -> None:
    anywhere = under(anywhere, panel="fresh", guideline="2b")
    desk = desk_of(anywhere, "ann")
    screen = desk.screens()[0]
    given = decided(screen, lambda owner: UNSURE if owner == "owner 1" else CORRECT)
    assert reasons(desk.submit(given)) == [""] * 5

    with anywhere[1].session() as session:
        labels = session.scalars(select(Label).order_by(Label.number)).all()
        assert [label.id for label in labels] == [each.id for each in given.labels]
        label = labels[1]
        assert label.candidate.task == f"{TENCH}/flickr:1"
        assert (label.worker, label.verdict, label.via) == ("ann", UNSURE, "page")
        assert (label.panel, label.guideline, label.screen_id) == ("fresh", "2b", screen.id)
        assert (label.decided_order, label.supersedes) == (2, None)
        assert label.shown_at is not None
        assert label.shown_at <= label.decided_at <= now()


def test_times_from_a_browser_whose_clock_is_wrong_stay_within_the_lease(opened: Opened) -> None:
    desk = desk_of(opened, "ann")
    started = now()
    early, late, *_ = desk.screens()
    desk.submit(decided(early, at=started - timedelta(days=900)))
    desk.submit(decided(late, at=started + timedelta(days=900)))

    with opened[1].session() as session:
        for label in session.scalars(select(Label)):
            assert label.shown_at is not None
            assert started <= label.shown_at <= label.decided_at <= now()


def test_a_screen_is_stored_whole_and_once(anywhere: Opened) -> None:
    desk = desk_of(anywhere, "ann")
    given = decided(desk.screens()[0])
    half = replace(given, labels=given.labels[:4])
    assert reasons(desk.submit(half)) == ["not every photo of the screen is decided"] * 4
    assert stored(anywhere[1]) == []
    first = desk.submit(given)
    assert [receipt.id for receipt in first] == [label.id for label in given.labels]
    assert desk.submit(given) == first
    assert len(stored(anywhere[1])) == 5


def test_a_changed_mind_supersedes_and_nothing_is_changed_blindly(anywhere: Opened) -> None:
    desk, tab = desk_of(anywhere, "ann"), desk_of(anywhere, "ann")
    here, there = desk.screens()[0], tab.screens()[0]
    assert here.id == there.id
    do(desk, here)
    assert reasons(do(tab, there, INCORRECT)) == ["you have decided this photo already"] * 5
    back = desk.earlier(None)
    assert back is not None and back.submitted
    assert [photo.verdict for photo in back.photos] == [CORRECT] * 5
    given = decided(back, INCORRECT)
    one = replace(given, labels=given.labels[2:3])
    assert reasons(desk.submit(one)) == [""]
    late = "you have changed this verdict elsewhere meanwhile"
    assert reasons(do(tab, back, UNSURE))[2] == late

    again = desk.earlier(None)
    assert again is not None
    assert [photo.verdict for photo in again.photos][2] is INCORRECT
    assert again.photos[2].label_id == one.labels[0].id
    assert desk.progress().photos == 5


def test_the_last_comment_on_a_photo_is_stored_and_none_on_another_s(anywhere: Opened) -> None:
    store = anywhere[1]
    ann, bob = desk_of(anywhere, "ann"), desk_of(anywhere, "bob")
    screen, foreign = ann.screens(1)[0], bob.screens()[0]
    at = screen.photos[1].id
    whole = replace(decided(screen), comments=(NewComment(at, "a\x00 carp\n?"),))
    there = replace(whole, comments=(*whole.comments, NewComment(foreign.photos[0].id, "mine?")))
    for _ in range(2):  # sent again, it is stored once
        assert all(receipt.ok for receipt in ann.submit(there))
    assert [(one.labeler, one.text) for one in comments(store)] == [("ann", "a carp ?")]
    assert export_comments(store, anywhere[0].root / "comments.csv") == 1
    ann.submit(replace(whole, comments=(NewComment(at, ""),)))
    assert [one.text for one in comments(store, f"{TENCH}/flickr:1")] == [""]
    ann.submit(replace(whole, comments=(NewComment(at, None),)))
    assert comments(store) == []


def test_back_leads_from_the_newest_screen_to_the_first_of_one_s_own(anywhere: Opened) -> None:
    ann, bob = desk_of(anywhere, "ann"), desk_of(anywhere, "bob")
    [his] = bob.screens(count=1)
    do(bob, his)
    first, second, *_ = ann.screens()
    do(ann, first)
    screen = ann.earlier(second.id)  # from a screen in work to the newest
    assert screen is not None and screen.id == first.id
    do_all(ann)
    seen, screen = [], ann.earlier(None)
    while screen is not None:
        seen.append(screen.cls.wnid)
        screen = ann.earlier(screen.id)
    assert seen == [TABBY, CRANE, GOLDFISH]
    theirs = bob.earlier(first.id)  # another's screen leads to one's own newest
    assert theirs is not None and theirs.id == his.id


# What is refused


def test_what_is_not_a_labeler_s_own_is_refused_and_logged(
    anywhere: Opened, caplog: pytest.LogCaptureFixture
) -> None:
    ann, bob = desk_of(anywhere, "ann"), desk_of(anywhere, "bob")
    [theirs] = ann.screens(count=1)
    [mine] = bob.screens(count=1)
    foreign = decided(theirs)
    nowhere = replace(foreign, screen="f" * 32)
    odd = replace(foreign, screen="x\x00' OR 1=1")
    wrong_photo = decided(mine)
    mixed = replace(wrong_photo, labels=(*wrong_photo.labels, foreign.labels[0]))

    with caplog.at_level(logging.WARNING, "genset.label"):
        for given in (foreign, nowhere, odd):
            assert reasons(bob.submit(given)) == ["no such screen or photo"] * 5
        assert reasons(bob.submit(mixed)) == [""] * 5 + ["no such screen or photo"]

    assert len(caplog.records) == 4
    assert all("labels of 'bob'" in record.getMessage() for record in caplog.records)
    assert bob.beat([theirs.id, "x\x00", mine.id]) == [theirs.id, "x\x00"]
    assert {worker for _, worker, _ in stored(anywhere[1])} == {"bob"}
    assert reasons(ann.submit(foreign)) == [""] * 5


def test_the_id_of_another_label_is_refused(opened: Opened) -> None:
    ann, bob = desk_of(opened, "ann"), desk_of(opened, "bob")
    taken = decided(ann.screens(count=1)[0])
    ann.submit(taken)
    given = decided(bob.screens()[0])
    pairs = zip(given.labels, taken.labels, strict=True)
    stolen = replace(given, labels=tuple(replace(mine, id=its.id) for mine, its in pairs))

    assert reasons(bob.submit(stolen)) == ["another label has this id"] * 5
    assert reasons(bob.submit(given)) == [""] * 5


def test_a_blocked_labeler_gets_nothing_and_gives_nothing(opened: Opened) -> None:
    desk = desk_of(opened, "ann")
    screen = desk.screens()[0]
    Labelers(opened[1]).block("ann")

    for action in (desk.screens, lambda: desk.beat([screen.id]), lambda: desk.earlier(None)):
        with pytest.raises(BadInput, match="may not label here any more"):
            action()
    assert reasons(do(desk, screen)) == ["you may not label here any more"] * 5
    assert stored(opened[1]) == []


# Studies


# Leases (those of several labelers: test_desk_votes.py)


def test_a_beat_extends_the_lease(opened: Opened) -> None:
    desk = desk_of(opened, "ann")
    [screen] = desk.screens(count=1)
    let_expire(opened[1], screen)

    assert desk.beat([screen.id, "0" * 32]) == ["0" * 32]
    [again] = desk.screens(count=1)
    assert (again.id, again.expires_at > now()) == (screen.id, True)
    do(desk, again)
    assert desk.beat([screen.id]) == []
