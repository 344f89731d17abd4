"""Whatever is reported done outlasts a power cut."""

from pathlib import Path

from click.testing import CliRunner

from genset.cli import cli
from tests.power import Disk
from tests.release.conftest import Pool


def run(pool: Pool, *words: object) -> None:
    done = CliRunner().invoke(cli, ["-w", str(pool.workspace.root), *map(str, words)])
    assert done.exit_code == 0, done.output


def test_a_release_that_is_said_to_be_made_is_all_on_the_disk(pool: Pool) -> None:
    pool.label_all_correct()
    disk = Disk()
    with disk.watched():
        run(pool, "release", "create", "v1")
    made = pool.workspace.releases / "v1"
    assert len(list(made.rglob("*.jpg"))) == 8
    assert disk.lost(made) == []


def test_a_table_that_is_said_to_be_written_is_all_on_the_disk(pool: Pool, tmp_path: Path) -> None:
    pool.label_all_correct()
    table, disk = tmp_path / "all.csv", Disk()
    with disk.watched():
        run(pool, "labels", "export", table)
    assert table.stat().st_size > 0
    assert disk.lost(table) == []
