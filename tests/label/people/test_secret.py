"""What the workspace's secret makes."""

from dataclasses import replace
from pathlib import Path

import pytest

from genset.label import workspace_key
from genset.workspace import Workspace


def test_a_workspace_is_known_by_its_secret_and_its_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GENSET_LABEL_SECRET", "s" * 32)
    one, two = (Workspace.create(tmp_path / name) for name in ("one", "two"))
    key = workspace_key(one)
    assert key == workspace_key(Workspace.find(one.root))
    assert key != workspace_key(two)  # though the secret is the same
    assert len(key) == 32 and str(tmp_path) not in key

    server = "postgresql+psycopg://{}@db.example:5432/labels"
    keys = {
        workspace_key(replace(one, store_url=server.format(who))) for who in ("ann:old", "bob:new")
    }
    assert len(keys) == 1 and key not in keys

    monkeypatch.setenv("GENSET_LABEL_SECRET", "t" * 32)
    assert workspace_key(one) != key
