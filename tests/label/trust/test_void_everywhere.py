"""No count, aggregate, gold question or release has a labeler's votes while they are void."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from genset.core.errors import BadInput
from genset.db import (
    GoldQuestion,
    Label,
    LabelerAct,
    Screen,
    ScreenPhoto,
    Store,
    Verdict,
    find_candidate,
    now,
)
from genset.label.ballots import votes_table
from genset.label.decisions import clear, effect_of_void, suspensions, void
from genset.label.gold import list_gold_questions
from genset.label.queue.boards import boards_of
from genset.label.review import rule
from genset.label.session.desk import Desk
from genset.label.stats import collect
from genset.release.freeze import create
from genset.scrape.estimate import labeled_candidates
from genset.workspace import Workspace
from tests.commands import as_json
from tests.label.desks import CORRECT, INCORRECT, desk_of, do, do_all, hold, owners, under
from tests.labeled_workspace import TENCH, add_candidate, vote

Opened = tuple[Workspace, Store]


FIRST, SECOND = f"{TENCH}/flickr:0", f"{TENCH}/flickr:1"


def counted(opened: Opened, folder: Path) -> dict[str, Any]:
    """Whatever anybody counts, but what only a labeler sees of their own work."""
    workspace, store = opened

    def answer(*words: object) -> Any:
        return as_json("-w", workspace.root, *words)

    board = boards_of(store, workspace.label).candidates
    board.read_all(store)
    with store.session() as session:
        board.catch_up(session, "somebody new")
        yields = list(labeled_candidates(session))
        right = {wnid: board.known_right(session, wnid) for wnid in board.classes}
        examples = {wnid: board.examples(session, "somebody new", wnid, 3) for wnid in right}
    stats = answer("labels", "stats")
    del stats["suspended"]
    answer("labels", "export", folder / "labels.csv")
    return {
        "stats": stats,
        "exported": sorted((folder / "labels.csv").read_text("utf-8").splitlines()),
        "status": answer("status"),
        "release": answer("release", "create", "next", "--dry-run"),
        "aggregate": answer("labels", "aggregate", "--method", "majority"),
        "gold": answer("labelers", "gold", "list"),
        "board": (board.remaining_for("somebody new"), right, examples, yields),
    }


@pytest.mark.soak
def test_a_void_leaves_nothing_and_its_end_brings_everything_back(
    anywhere: Opened, tmp_path: Path
) -> None:
    opened = under(anywhere, votes=2, grow_to=(3,))
    workspace, store = opened
    do_all(desk_of(opened, "ann"), lambda owner: CORRECT if int(owner[6:]) % 3 else INCORRECT)
    rule(store, FIRST, Verdict.CORRECT, "mia", "a tench")
    without = counted(opened, tmp_path)
    do_all(desk_of(opened, "spam"))
    vote(store, SECOND, "spam", Verdict.CORRECT, panel="fresh")
    with_them = counted(opened, tmp_path)
    assert with_them != without

    for take_out, let_in in ((void, clear), (hold, clear)):
        take_out(store, workspace, "spam", by="mia", reason="0 s a photo")
        assert counted(opened, tmp_path) == without
        let_in(store, workspace, "spam", by="mia", reason="it was a bug")
        assert counted(opened, tmp_path) == with_them


def test_only_votes_since_a_time_go_and_an_older_one_is_in_force_again(opened: Opened) -> None:
    workspace, store = opened
    with store.begin() as session:
        said = ((FIRST, 9, INCORRECT), (FIRST, 1, CORRECT), (SECOND, 1, CORRECT))
        for task, days, verdict in said:
            session.add(
                Label(
                    candidate_id=find_candidate(session, task).id,
                    worker="ann",
                    verdict=verdict,
                    decided_at=now() - timedelta(days=days),
                )
            )
    effect = void(
        store, workspace, "ann", by="mia", reason="sold the link", since=now() - timedelta(days=3)
    )
    assert (effect.votes, effect.opened) == (2, 1)
    assert [(vote.task, vote.label) for vote in votes_table(store)] == [(FIRST, "incorrect")]
    board = boards_of(store, workspace.label).candidates
    with store.session() as session:
        board.catch_up(session, "ann")
        assert not board.is_open(find_candidate(session, FIRST).id)
        assert board.is_open(find_candidate(session, SECOND).id)
    void(store, workspace, "ann", by="mia", reason="all of it, after all")
    assert votes_table(store) == []


def test_open_screens_end_and_their_photos_go_to_others_at_once(anywhere: Opened) -> None:
    workspace, store = anywhere
    spam = desk_of(anywhere, "spam")
    first, *ahead = spam.screens(4)
    assert desk_of(anywhere, "next").screens() == []
    do(spam, first)
    assert effect_of_void(store, workspace, "spam").screens == len(ahead) == 3
    assert spam.beat([screen.id for screen in ahead]) == []
    assert void(store, workspace, "spam", by="mia", reason="spam").screens == 3
    assert len(owners(*do_all(desk_of(anywhere, "next")))) == 20
    assert spam.beat([screen.id for screen in ahead]) == [screen.id for screen in ahead]


def test_what_somebody_void_has_before_them_keeps_no_photo_from_others(anywhere: Opened) -> None:
    workspace, store = anywhere
    spam = desk_of(anywhere, "spam")
    do(spam, spam.screens(1)[0])
    for take_out in (hold, void):
        take_out(store, workspace, "spam", by="mia", reason="spam")
        theirs = spam.screens(4)
        assert theirs, "they are not told"
        assert not {"owner 0", "owner 1"} & set(owners(*theirs)), "never the same photo twice"
    assert len(owners(*desk_of(anywhere, "next").screens(12))) == 20


def settled_by_two(opened: Opened) -> Desk:
    """Two labelers settle five tench; gold questions are made of these for a third."""
    store = opened[1]
    for name in ("ann", "ben"):
        for number in range(5):
            vote(store, f"{TENCH}/flickr:{number}", name, Verdict.CORRECT)
    for number in range(5, 15):  # to hide them among
        add_candidate(*opened, TENCH, 1000 + number, number + 1)
    return desk_of(under(opened, votes=2, gold=0.4), "cleo")


@pytest.mark.soak
def test_a_gold_question_holds_while_the_votes_that_made_it_do(anywhere: Opened) -> None:
    asked = settled_by_two(anywhere)
    workspace, store = asked.workspace, asked.store
    do_all(asked, INCORRECT)
    with store.session() as session:
        made = session.query(GoldQuestion).all()
        assert made
        assert all(each.basis_id is not None for each in made)

    def score() -> int:
        [cleo] = [each for each in collect(store, workspace).by_labeler if each.name == "cleo"]
        return cleo.gold.of if cleo.gold else 0

    answered = score()
    assert answered == len(made)
    effect = void(store, workspace, "ben", by="mia", reason="spam")
    assert effect.gold == len(made)
    assert score() == 0
    assert {each.holds for each in list_gold_questions(store)} == {False}
    # Nor is it shown to anybody: nothing else of these classes is settled.
    assert len(owners(*desk_of((workspace, store), "dora").screens(12))) == 30
    assert gold_shown_to(store, "dora") == 0
    clear(store, workspace, "ben", by="mia", reason="a bug")
    assert score() == answered
    # A labeler who disagrees since takes the answer away as well; a ruling gives it back.
    for number in range(5):
        vote(store, f"{TENCH}/flickr:{number}", "ben", Verdict.INCORRECT)
    assert score() == 0
    for number in range(5):
        rule(store, f"{TENCH}/flickr:{number}", Verdict.CORRECT, "mia", "a tench")
    assert score() == answered


def gold_shown_to(store: Store, worker: str) -> int:
    with store.session() as session:
        shown = session.query(ScreenPhoto).join(Screen, Screen.id == ScreenPhoto.screen_id)
        return shown.filter(Screen.worker == worker, ScreenPhoto.gold_id.is_not(None)).count()


FIRST = f"{TENCH}/flickr:0"


def test_who_was_held_out_and_is_void_stands_in_releases_from_before(
    opened: tuple[Workspace, Store],
) -> None:
    workspace, store = opened
    vote(store, FIRST, "spam", Verdict.CORRECT)
    create(workspace, store, "before")
    for made in (
        hold(store, workspace, "spam", by="genset", reason="fast"),
        void(store, workspace, "spam", by="mia", reason="yes, fast"),
        void(store, workspace, "spam", by="mia", reason="all", since=now() - timedelta(days=1)),
    ):
        assert (made.votes, made.releases) == (1, ("before",))
    assert clear(store, workspace, "spam", by="mia", reason="no").votes == 1


def test_names_of_tables_can_be_void_and_others_not(opened: tuple[Workspace, Store]) -> None:
    workspace, store = opened
    vote(store, FIRST, "crowd:7", Verdict.CORRECT)
    assert void(store, workspace, "ＣROWD:7 ", by="mia", reason="spam").votes == 1
    suspension = suspensions(store)["crowd:7"]
    assert (suspension.what, suspension.by, suspension.reason) == (LabelerAct.VOID, "mia", "spam")
    assert votes_table(store) == []
    later = now() + timedelta(days=1)
    for words, refused in (
        ("nobody called 'bob'", lambda: void(store, workspace, "bob", by="mia", reason="x")),
        ("void already", lambda: void(store, workspace, "crowd:7", by="mia", reason="x")),
        ("a reason", lambda: clear(store, workspace, "crowd:7", by="mia", reason=" ")),
        ("has passed", lambda: void(store, workspace, "crowd:7", by="m", reason="x", since=later)),
    ):
        with pytest.raises(BadInput, match=words):
            refused()
    clear(store, workspace, "crowd:7", by="mia", reason="a mistake")
    with pytest.raises(BadInput, match="neither void nor held out"):
        clear(store, workspace, "crowd:7", by="mia", reason="again")
    hold(store, workspace, "crowd:7", by="genset", reason="too quick")
    assert suspensions(store)["crowd:7"].words == "held out"
    clear(store, workspace, "crowd:7", by="mia", reason="a quick one")
    assert suspensions(store) == {}
    assert len(votes_table(store)) == 1
