"""A workspace with a release that models were scored on, for proposals."""

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from sqlalchemy import select

from genset.classes import imagenet1k
from genset.cli import cli
from genset.db import Candidate, Claim, Question, Store, Verdict
from genset.release.reader import Release
from genset.workspace import Workspace
from tests.labeled_workspace import CLASSES, labeled_workspace, vote

ALL = [each.wnid for each in imagenet1k()]


def genset(workspace: Workspace, *words: str) -> Result:
    return CliRunner().invoke(cli, ["-w", str(workspace.root), *words])


def done(workspace: Workspace, *words: str) -> Result:
    """The same, where it has to go well."""
    result = genset(workspace, *words)
    assert result.exit_code == 0, result.output
    return result


def released(root: Path, classes: Sequence[str] = CLASSES, photos: int = 5) -> Any:
    """A workspace, its open store, and its release v1 of all photos, which "ann" calls correct."""
    workspace, store = labeled_workspace(root, classes, photos)
    with store.session() as session:
        tasks = [each.task for each in session.scalars(select(Candidate))]
    for task in tasks:
        vote(store, task, "ann", Verdict.CORRECT)
    done(workspace, "release", "create", "v1")
    return workspace, store, Release(workspace.releases / "v1")


def score(
    workspace: Workspace,
    name: str,
    answers: Callable[[str, str], Sequence[str]],
    release: str = "v1",
) -> None:
    """Score a model that gives these answers to a class's photo, by class and file."""
    table = workspace.root / f"{name}.csv"
    with table.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["image", *(f"top{n}" for n in range(1, 6))])
        for photo in Release(workspace.releases / release).photos:
            rows.writerow([photo.file, *answers(photo.wnid, photo.file)])
    done(workspace, "evaluate", release, "--model", f"predictions:{table}")


def shifted(by: int) -> Callable[[str, str], list[str]]:
    """Right, and then the four classes from so many places after the photo's own on."""

    def answers(wnid: str, _: str) -> list[str]:
        home = ALL.index(wnid)
        return [wnid, *(ALL[(home + by + step) % len(ALL)] for step in range(4))]

    return answers


def asked(store: Store) -> dict[str, Question]:
    """All questions, by the name of what they ask about."""
    with store.session() as session:
        return {each.claim.task: each for each in session.scalars(select(Question))}


def claims(store: Store) -> set[str]:
    with store.session() as session:
        return {each.task for each in session.scalars(select(Claim))}
