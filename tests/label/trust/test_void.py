"""A labeler's votes go out of all that counts, and come back as they were."""

from datetime import UTC, datetime, timedelta

import pytest

from genset.core.errors import BadInput
from genset.db import LabelerAct, Store, Verdict, now
from genset.label.ballots import votes_table
from genset.label.decisions import clear, effect_of_void, suspensions, void
from genset.release.freeze import create
from genset.release.reader import Release
from genset.workspace import Workspace
from tests.label.desks import desk_of, do_all, hold, owners
from tests.labeled_workspace import TENCH, vote

FIRST = f"{TENCH}/flickr:0"
START = datetime(2020, 1, 1, tzinfo=UTC)


def test_a_spammers_story(anywhere: tuple[Workspace, Store]) -> None:
    workspace, store = anywhere
    do_all(desk_of(anywhere, "spam"))
    desk = desk_of(anywhere, "next")
    assert desk.screens() == []
    assert desk.progress().done is not None
    before = create(workspace, store, "before")
    assert len(before) == 20
    manifest = (before.root / "manifest.json").read_bytes()

    would = effect_of_void(store, workspace, "spam")
    assert desk.screens() == []
    effect = void(store, workspace, "spam", by="mia", reason="0 s a photo")
    assert effect == would
    assert (effect.votes, effect.opened) == (20, 20)
    assert effect.releases == ("before",)

    assert desk.progress().done is None
    done = do_all(desk, lambda owner: Verdict.CORRECT if owner == "owner 0" else Verdict.INCORRECT)
    assert len(owners(*done)) == 20
    after = create(workspace, store, "after")
    assert [photo.source_id for photo in after.photos] == ["0"]
    assert after.photos[0].labels == {"correct": 1}
    assert (before.root / "manifest.json").read_bytes() == manifest
    Release(before.root).verify()

    back = clear(store, workspace, "spam", by="mia", reason="it was a bug")
    assert (back.votes, back.opened, back.releases) == (20, 0, ())
    assert len(votes_table(store)) == 40


def test_who_was_held_out_and_is_void_stands_in_releases_from_before(
    opened: tuple[Workspace, Store],
) -> None:
    workspace, store = opened
    vote(store, FIRST, "spam", Verdict.CORRECT)
    create(workspace, store, "before")
    for made in (
        hold(store, workspace, "spam", by="genset", reason="fast"),
        void(store, workspace, "spam", by="mia", reason="yes, fast"),
        void(store, workspace, "spam", by="mia", reason="all of it", since=START),
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
        ("nobody called 'bob'", lambda: effect_of_void(store, workspace, "bob")),
        ("void already", lambda: void(store, workspace, "crowd:7", by="mia", reason="x")),
        ("do not count already", lambda: hold(store, workspace, "crowd:7", by="m", reason="x")),
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
