"""What is suggested, while what is known of leases and classes is a moment old, or not all."""

from pathlib import Path

from genset.db import Store
from genset.label.decisions import clear, void
from genset.label.gold import add_gold_question
from genset.label.labelers import Labelers
from genset.workspace import Workspace
from tests.label.desks import desk_of, owners, under
from tests.labeled_workspace import TENCH, Verdict, labeled_workspace

Opened = tuple[Workspace, Store]


def test_what_another_server_leases_meanwhile_is_not_given_again(anywhere: Opened) -> None:
    other = Store.open(anywhere[0].store_url)
    ann, bob = desk_of(anywhere, "ann"), desk_of((anywhere[0], other), "bob")
    (hers,) = ann.screens(count=1)  # this server knows the leases of all four classes now
    his = bob.screens(count=2)
    both = ann.screens(count=4)

    assert len(set(owners(*both, *his))) == len(owners(*both, *his)) == 20
    assert both[0].id == hers.id
    other.close()


def test_screens_that_are_given_back_go_to_others_or_back(anywhere: Opened) -> None:
    ann, bob = desk_of(anywhere, "ann"), desk_of(anywhere, "bob")
    hers = [screen.id for screen in ann.screens(count=4)]
    assert bob.next(1)[1].screens_of_others == 4
    bob.leave(hers)  # not bob's: nothing happens
    assert bob.screens() == []
    ann.leave(hers)
    (his,) = bob.screens(count=1)

    # Of those that are left she gets no more than she asks for, and the others stay free.
    (again,) = ann.screens(count=1)
    assert again.id in hers and owners(again) != owners(his)
    assert len(bob.screens(count=4)) == 3
    assert ann.next(4, [again.id])[1].screens_of_others == 3
    assert set(ann.beat(hers)) == {*hers} - {again.id}
    Labelers(anywhere[1]).block("ann")
    assert len(bob.screens(count=4)) == 4


def test_a_void_that_is_taken_back_leaves_gold_questions_where_they_were(tmp_path: Path) -> None:
    opened = under(labeled_workspace(tmp_path / "pool", [TENCH], photos=4), gold=0.3)
    add_gold_question(opened[1], f"{TENCH}/flickr:0", Verdict.CORRECT, "seen")
    ann = desk_of(opened, "ann")
    before = owners(*ann.screens())
    for decide in (void, clear):
        decide(opened[1], opened[0], "ann", by="mia", reason="x")
    assert "owner 0" in before and owners(*ann.screens()) == before
    opened[1].close()
