"""Who may label, and how they are known again."""

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from genset.core.errors import BadInput
from genset.db import Store, Verdict
from genset.label.access import Managers, workspace_key
from genset.label.labelers import Labelers
from genset.label.session.desk import Desk
from genset.workspace import Workspace
from tests.label.desks import do_all
from tests.labeled_workspace import TENCH, vote

Opened = tuple[Workspace, Store]


@pytest.fixture
def labelers(store: Store) -> Labelers:
    return Labelers(store)


def test_whoever_signs_in_by_name_is_the_same_labeler_again(labelers: Labelers) -> None:
    ann = labelers.by_name(" Ann-Kristin Ö. ")

    assert (ann.name, ann.kind, ann.blocked_at) == ("Ann-Kristin Ö.", "name", None)
    assert labelers.by_name("Ann-Kristin Ö.") == ann == labelers.get(ann.id)
    for spelled in ("ann-kristin ö.", "Ａnn-Kristin  O\u0308."):
        assert labelers.by_name(spelled) == ann
    vote(labelers.store, f"{TENCH}/flickr:0", "Rater 1", Verdict.CORRECT)
    assert "with 1 label: whoever comes" in labelers.before_invite("ＲATER 1")[1]
    assert labelers.before_invite(" Bo ") == ("Bo", "")
    assert labelers.by_name("rater 1").name == "Rater 1"  # as a table of labels has them
    labelers.invite("Bo")
    labelers.invite("ＢO")
    assert [labeler.name for labeler in labelers.all()] == ["Ann-Kristin Ö.", "Bo", "Rater 1"]


@pytest.mark.parametrize("name", ["", "  ", "a" * 65, "a\nb", "a\x00b", "\u202eann"])
def test_a_labeler_s_name_is_short_and_printable(labelers: Labelers, name: str) -> None:
    for sign_in in (labelers.by_name, labelers.invite):
        with pytest.raises(BadInput, match="1 to 64 printable"):
            sign_in(name)


def test_no_link_s_token_is_in_the_database(anywhere: Opened) -> None:
    store = anywhere[1]
    tokens = Labelers(store).invite("ann"), Managers(store).invite("Mia")
    with store.session() as session:
        for table, token in zip(("labeler", "manager"), tokens, strict=True):
            (row,) = session.execute(text(f"SELECT * FROM {table}"))
            assert token not in str(row)


def test_who_signed_in_by_name_keeps_their_work_when_invited(opened: Opened) -> None:
    workspace, store = opened
    labelers = Labelers(store)
    ann = labelers.by_name("ann")
    do_all(Desk(workspace, store, ann))
    again = labelers.by_invite(labelers.invite("ann"))
    assert (again.id, again.name, again.kind) == (ann.id, ann.name, "invite")
    with pytest.raises(BadInput, match="signs in another way"):
        labelers.by_name("ann")
    assert Desk(workspace, store, again).progress().photos == 20


def test_an_account_is_one_labeler_whatever_name_it_has(labelers: Labelers) -> None:
    ann = labelers.by_oidc("https://a.example", "1", "Ann")
    assert labelers.by_oidc("https://a.example", "1", "Ann Married") == ann
    others = [
        labelers.by_oidc("https://b.example", "1", "Ann"),
        labelers.by_oidc("https://a.example", "2", "Ann"),
        labelers.by_oidc("https://a.example", "3", "\u202e\x00" + "long" * 99),
        labelers.by_oidc("https://a.example", "4", ""),
        labelers.by_oidc("https://a.example", "5", "Zoë\u3000Ko\n"),
    ]
    assert [each.name for each in others] == ["Ann 2", "Ann 3", "long" * 14, "labeler", "Zoë Ko"]
    with pytest.raises(BadInput, match="needs no link"):
        labelers.invite("Ann")


def test_a_blocked_labeler_is_known_as_such_until_invited_again(labelers: Labelers) -> None:
    labelers.by_name("ann")
    labelers.by_name("Bob")
    labelers.block("ann")

    assert labelers.by_name("ann").blocked_at is not None
    assert [each.name for each in labelers.all() if each.blocked_at is None] == ["Bob"]
    assert labelers.by_invite(labelers.invite("ann")).blocked_at is None
    with pytest.raises(BadInput, match="no labeler 'cid'"):
        labelers.block("cid")
    with pytest.raises(BadInput, match="no labeler 99"):
        labelers.get(99)


def test_many_tabs_that_sign_one_person_in_at_once_make_one_labeler(anywhere: Opened) -> None:
    labelers = Labelers(anywhere[1])
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: labelers.by_name("ann"), range(16)))
    assert len({each.id for each in found}) == 1
    assert [each.name for each in labelers.all()] == ["ann"]


def names(managers: Managers, *tokens: str) -> list[str | None]:
    return [found and found.name for found in map(managers.by_token, tokens)]


def test_a_link_is_its_manager_s_until_it_is_replaced_or_taken_back(anywhere: Opened) -> None:
    managers = Managers(anywhere[1])
    mia, dana = managers.invite(" Mia "), managers.invite("Dana")
    assert names(managers, mia, dana, "", "x" * 5000) == ["Mia", "Dana", None, None]
    again = managers.invite("ＭＩＡ")  # however it is written
    assert names(managers, mia, again) == [None, "Mia"]
    managers.revoke("mia")
    assert names(managers, again, dana) == [None, "Dana"]
    assert [(each.name, each.revoked_at is not None) for each in managers.all()] == [
        ("Dana", False),
        ("Mia", True),
    ]
    # Whoever was let out is let in by a new link, and by that alone.
    assert names(managers, managers.invite("Mia"), again) == ["Mia", None]
    with pytest.raises(BadInput, match="no manager 'Eve'"):
        managers.revoke("Eve")
    with pytest.raises(BadInput, match="printable"):
        managers.invite("\u202e")


def test_browsers_know_a_workspace_by_its_database_wherever_that_is(
    anywhere: Opened, tmp_path: Path
) -> None:
    key = workspace_key(anywhere[1])
    assert re.fullmatch("[0-9a-f]{32}", key)
    assert key == workspace_key(anywhere[1])
    path = tmp_path / "other.db"
    with closing(Store.open(f"sqlite:///{path}")) as store:
        other = workspace_key(store)
    assert other != key
    with closing(Store.open(f"sqlite:///{path.rename(tmp_path / 'moved.db')}")) as store:
        assert workspace_key(store) == other
