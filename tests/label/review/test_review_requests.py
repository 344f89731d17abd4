"""What is sent to review waits for a ruling, and goes to more labelers meanwhile."""

from genset.db import find_candidate
from genset.label import Store, Verdict
from genset.label.gold import decided
from genset.label.quality import missing
from genset.label.review import queue, rule, send_to_review
from genset.label.stats import collect
from genset.settings import LabelRules
from genset.workspace import Workspace
from tests.label.desks import desk_of, do_all, owners, under
from tests.labeled_workspace import TENCH, vote

ONE, TWO = f"{TENCH}/flickr:0", f"{TENCH}/flickr:1"
ONCE = LabelRules(votes=1, gold=0)

Opened = tuple[Workspace, Store]


def waiting(store: Store) -> list[tuple[str, str]]:
    return [(case.task, case.why) for case in queue(store, rules=ONCE)]


def test_what_is_sent_to_review_waits_there_until_a_later_ruling(store: Store) -> None:
    for worker in ("ann", "ben", "cleo"):  # of one mind, and a ruling says so, too
        vote(store, ONE, worker, Verdict.CORRECT)
    rule(store, ONE, Verdict.CORRECT, "mia", "a tench")
    vote(store, TWO, "ann", Verdict.CORRECT)
    vote(store, TWO, "ben", Verdict.INCORRECT)
    assert waiting(store) == [(TWO, "labelers disagree")]

    send_to_review(store, ONE, ONCE, "noa", "every model says teapot")
    assert waiting(store) == [(ONE, "sent to review"), (TWO, "labelers disagree")]
    case = queue(store)[0]
    assert case.detail == "sent to review by noa: every model says teapot; labelers: 3 correct"
    assert not {"noa", "teapot", "correct"} & set(str(case.blind()).split())

    rule(store, ONE, Verdict.INCORRECT, "mia", "a teapot")
    assert waiting(store) == [(TWO, "labelers disagree")]
    send_to_review(store, ONE, ONCE, "noa", "now they say tench")
    assert waiting(store)[0] == (ONE, "sent to review")


def test_it_goes_to_more_labelers_also_after_a_ruling(anywhere: Opened) -> None:
    opened = under(anywhere, votes=1, gold=0)
    workspace, store = opened
    assert len(owners(*do_all(desk_of(opened, "Ann")))) == 20
    rule(store, ONE, Verdict.CORRECT, "mia", "a tench")
    ben, cleo = desk_of(opened, "Ben"), desk_of(opened, "Cleo")
    assert ben.screens() == []
    assert (missing(store, workspace.label).votes, collect(store, workspace).done) == (0, 20)

    assert send_to_review(store, ONE, workspace.label, "noa", "every model says teapot") == 2
    assert (missing(store, workspace.label).votes, collect(store, workspace).done) == (1, 19)
    assert owners(*do_all(ben, Verdict.INCORRECT)) == ["owner 0"]
    assert cleo.screens() == []
    assert collect(store, workspace).done == 20
    # A ruling ends the asking, too.
    send_to_review(store, TWO, workspace.label, "noa", "every model says teapot")
    rule(store, TWO, Verdict.CORRECT, "mia", "a tench")
    assert cleo.screens() == []


def test_nobody_is_tested_by_a_photo_that_is_in_review(store: Store) -> None:
    with store.session() as session:
        number = find_candidate(session, ONE).id
    vote(store, ONE, "ann", Verdict.CORRECT)
    vote(store, ONE, "ben", Verdict.CORRECT)

    def is_known() -> bool:
        with store.session() as session:
            return number in decided(session, [number])

    assert is_known()
    send_to_review(store, ONE, ONCE, "noa", "every model says teapot")
    assert not is_known()
    rule(store, ONE, Verdict.CORRECT, "mia", "a tench")
    assert is_known()
