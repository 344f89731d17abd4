"""What was shown and said, photo by photo, and what the filters let through."""

from genset.db import Candidate, Store, Verdict, find_candidate
from genset.label.decisions import void
from genset.label.gallery import (
    LabeledPhoto,
    Which,
    case_of,
    classes_with_photos,
    labelers_with_labels,
    photos_of_class,
    photos_of_labeler,
)
from genset.label.review import rule
from genset.workspace import Workspace
from tests.labeled_workspace import GOLDFISH, TENCH, vote
from tests.questions import BASSINET, ask_about

YES, NO = Verdict.CORRECT, Verdict.INCORRECT
Opened = tuple[Workspace, Store]


def task(number: int) -> str:
    return f"{TENCH}/flickr:{number}"


def shown(store: Store, which: Which, verdict: Verdict | None = None) -> list[str]:
    return [
        each.photo.task for each in photos_of_class(store, TENCH) if each.passes(which, verdict)
    ]


def said(
    store: Store, worker: str, which: Which = Which.ALL, verdict: Verdict | None = None
) -> list[LabeledPhoto]:
    return [each for each in photos_of_labeler(store, worker) if each.passes(which, verdict)]


def test_a_class_shows_what_was_said_of_each_photo_and_is_filtered(anywhere: Opened) -> None:
    workspace, store = anywhere
    for number in range(3):
        vote(store, task(number), "ann", YES)
    vote(store, task(0), "ben", NO)
    vote(store, task(1), "eve", NO)
    vote(store, task(2), "ann", NO)  # a changed mind
    rule(store, task(2), NO, "dana", "a carp")
    void(store, workspace, "eve", by="dana", reason="0 s a photo")
    with store.begin() as session:  # another class claims it too
        session.add(
            Candidate(
                wnid=GOLDFISH,
                photo_id=find_candidate(session, task(3)).photo_id,
                keyword="fish",
                rank=99,
            )
        )
    first, second, third = photos_of_class(store, TENCH)[:3]
    assert (first.counts, first.out, first.ruling) == ({YES: 1, NO: 1}, 0, None)
    assert (second.counts, second.out) == ({YES: 1}, 1)
    assert (third.counts, third.ruling) == ({NO: 1}, NO)
    assert shown(store, Which.ALL) == [task(number) for number in range(5)]
    assert shown(store, Which.DISAGREEMENT) == [task(0)]
    assert shown(store, Which.ALL, NO) == [task(0), task(2)]
    assert shown(store, Which.RULED) == [task(2)]
    assert shown(store, Which.OUT) == [task(1)]
    assert shown(store, Which.CONTESTED) == [task(3)]
    assert shown(store, Which.UNLABELED) == [task(3), task(4)]
    assert classes_with_photos(store)[TENCH] == 5
    assert labelers_with_labels(store) == {"ann": 4, "ben": 1, "eve": 1}


def test_a_question_about_a_further_class_is_opened_too(anywhere: Opened) -> None:
    _, store = anywhere
    ask_about(store, {task(0): (BASSINET,)})
    question = f"{BASSINET}/flickr:0"
    vote(store, question, "ann", NO)
    case = case_of(store, question)
    assert (case.candidate.photo.task, case.candidate.counts) == (question, {NO: 1})
    assert question not in [each.photo.task for each in photos_of_class(store, BASSINET)]
    assert [each.photo.task for each in said(store, "ann")] == [question]
