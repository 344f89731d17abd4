"""A workspace moves from SQLite to PostgreSQL by one command."""

import json
from pathlib import Path

from genset.label.labelers import Labelers
from genset.label.server import alone_with
from genset.label.session.desk import Desk
from genset.workspace import Workspace
from tests.label.desks import do_all
from tests.labeled_workspace import GOLDFISH, TENCH, labeled_workspace
from tests.test_cli import error_of, genset


def test_a_workspace_goes_on_in_postgresql(
    tmp_path: Path, postgresql_without_encoding: str
) -> None:
    postgresql = postgresql_without_encoding
    workspace, store = labeled_workspace(tmp_path, [TENCH, GOLDFISH])
    do_all(Desk(workspace, store, Labelers(store).by_name("Ann")))
    store.close()

    def shown() -> tuple[str, str]:
        genset("labels", "export", "labels.csv", cwd=tmp_path)
        status = genset("status", "--json", cwd=tmp_path).stdout
        return status, (tmp_path / "labels.csv").read_text("utf-8")

    before = shown()
    with alone_with(workspace.store_url):
        assert "end that one first" in error_of(genset("move", postgresql, cwd=tmp_path), 1)
    assert "genset.db\n" in genset("move", postgresql, cwd=tmp_path).stdout
    assert Workspace.find(tmp_path).store_url == postgresql
    assert shown() == before
    # New rows get numbers of their own.
    assert genset("labelers", "invite", "Bób", cwd=tmp_path).returncode == 0
    names = [
        row["name"] for row in json.loads(genset("labelers", "list", "--json", cwd=tmp_path).stdout)
    ]
    assert names == ["Ann", "Bób"]
    assert "store.url must be a database" in error_of(genset("move", "nonsense", cwd=tmp_path), 2)
    assert "not empty" in error_of(genset("move", postgresql, cwd=tmp_path), 2)
