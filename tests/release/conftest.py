"""A pool of labeled candidates to make releases of."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from genset.cli import cli
from genset.core.errors import GensetError
from genset.db import Candidate, Photo, Store, Verdict
from genset.release.choose import ReleasePlan
from genset.release.freeze import create
from genset.release.reader import Release
from genset.workspace import Workspace
from tests.labeled_workspace import CLASSES, labeled_workspace, vote

Genset = Callable[..., str]


@dataclass(frozen=True)
class Pool:
    """A workspace with two candidates of each of `CLASSES`: tasks WNID/flickr:0, :1, :100, ..."""

    workspace: Workspace
    store: Store

    def label(self, task: str, panel: str = "main", **verdicts: str) -> None:
        """Let each named labeler say their verdict of a task."""
        for worker, verdict in verdicts.items():
            vote(self.store, task, worker, Verdict(verdict), panel)

    def label_all_correct(self) -> None:
        for place, wnid in enumerate(CLASSES):
            for number in (100 * place, 100 * place + 1):
                self.label(f"{wnid}/flickr:{number}", ann="correct")

    def also_found_for(self, wnid: str, number: int) -> str:
        """Make a photo of the pool a candidate of a second class; return the task."""
        with self.store.begin() as session:
            photo = session.query(Photo).filter_by(source_id=str(number)).one()
            session.add(candidate := Candidate(wnid=wnid, photo=photo, keyword="other", rank=9))
            session.flush()
            return candidate.task

    def original(self, number: int) -> Path:
        """Where a photo of the pool lies under images/."""
        with self.store.session() as session:
            photo = session.query(Photo).filter_by(source_id=str(number)).one()
            return self.workspace.images / photo.file

    def create(self, name: str = "v1", panel: str | None = None) -> Release:
        return create(self.workspace, self.store, name, ReleasePlan(panel=panel))

    def files(self) -> list[str]:
        """Everything under releases/, hidden or not."""
        folder = self.workspace.releases
        return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[Pool]:
    workspace, store = labeled_workspace(tmp_path / "workspace", photos=2)
    yield Pool(workspace, store)
    store.close()


@pytest.fixture
def release(pool: Pool) -> Release:
    """All eight photos of the pool."""
    pool.label_all_correct()
    return pool.create()


def genset_in(root: Path) -> Genset:
    """Call a command in a workspace; return what it prints, or its exit code and error."""

    def call(*words: object) -> str:
        done = CliRunner().invoke(cli, ["-w", str(root), *map(str, words)])
        if isinstance(done.exception, GensetError):
            return f"{done.exception.exit_code}: {done.exception}"
        assert done.exit_code == 0, done.output
        return done.stdout

    return call


@pytest.fixture
def genset(pool: Pool) -> Genset:
    return genset_in(pool.workspace.root)
