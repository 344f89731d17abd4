"""Managers' links: made, known again, replaced, taken back."""

import re
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import select

from genset.core.errors import BadInput
from genset.db import Manager, Store
from genset.label.access import Managers, workspace_key
from genset.workspace import Workspace

Opened = tuple[Workspace, Store]


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


def test_the_store_holds_no_token(anywhere: Opened) -> None:
    _, store = anywhere
    token = Managers(store).invite("Mia")
    with store.session() as session:
        (row,) = session.scalars(select(Manager))
        assert token not in repr(vars(row))
        assert len(row.subject) == 64


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
