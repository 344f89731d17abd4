"""A workspace of the time before workspaces had classes of their own is on ImageNet's."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from genset.db import Store
from tests.scrape.commands import genset

HERE = Path(__file__).parent


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Settings and database of the kept workspace, whose tables are of the second version."""
    root = tmp_path / "workspace"
    root.mkdir()
    for name in ("genset.toml", "genset.db"):
        shutil.copyfile(HERE / "workspace" / name, root / name)
    with closing(sqlite3.connect(root / "genset.db")) as database:
        assert database.execute("SELECT version_num FROM alembic_version").fetchall() == [("0002",)]
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        assert ("taxonomy",) not in tables
    return root


def test_a_workspace_without_a_taxonomy_opens_as_imagenet(workspace: Path) -> None:
    store = Store.open(f"sqlite:///{workspace / 'genset.db'}")
    with closing(store):
        assert store.taxonomy.name == "imagenet1k" and len(store.taxonomy) == 1000
    shown = json.loads(genset("classes", "show", "--json", cwd=workspace))
    assert (len(shown), shown[0]["wnid"]) == (1000, "n01440764")
    assert json.loads(genset("status", "--json", cwd=workspace))["classes"] == 1000
    genset("init", ".", "--taxonomy", "imagenet1k", cwd=workspace)
    refused = genset("init", ".", "--taxonomy", "cifar10", cwd=workspace, code=2)
    assert "this workspace has photos of ImageNet's classes" in refused
    assert not (workspace / "taxonomy.toml").exists()
