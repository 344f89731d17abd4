"""Machines that torchrun starts score together only if they are about to score the same."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from genset.score.results.runs import find_runs
from genset.sets.photos import open_set
from tests.score.colours import WNIDS, Colours, colours, hundred_photos, paint
from tests.score.executors.two_machines import (
    FIRST,
    SECOND,
    Ended,
    Machine,
    ended,
    kill,
    ranks,
    two_machines,
)
from tests.score.scoring import evaluate

Machines = tuple[Machine, Machine]

# Put first on a machine's path, it says another version of a package.
OTHER_VERSION = """
import importlib.metadata
whole = importlib.metadata.version
importlib.metadata.version = lambda name: "0.0.1" if name == "timm" else whole(name)
"""


@pytest.fixture(scope="module")
def both() -> Iterator[Machines]:
    with two_machines() as machines:
        yield machines


@pytest.fixture
def machines(both: Machines, tmp_path: Path) -> Machines:
    """Two machines that share the photos and weights, and have a folder of runs each."""
    hundred_photos(tmp_path / "photos")
    (tmp_path / "runs").mkdir()
    for machine in both:
        machine.over.clear()
        machine.environment.clear()
        its = tmp_path / machine.name
        its.mkdir()
        machine.over[tmp_path / "runs"] = its
    return both


def scored(machines: Machines, folder: Path, spec: str) -> list[Ended]:
    return ended(ranks(machines, *words(folder, spec)))


def words(folder: Path, spec: str) -> list[str]:
    return [str(folder / "photos"), "--model", spec, "--runs", str(folder / "runs"), "--json"]


def kept(runs: Path) -> dict[str, Any]:
    """What is kept of each run: the predictions' bytes, and the counts."""
    return {
        run.key: ((folder / "predictions.csv").read_bytes(), run.top1, run.unreadable)
        for folder, run in find_runs(runs, "photos")
    }


def refused(found: list[Ended], folder: Path) -> str:
    """The one line with which all ended, of whom none kept anything."""
    lines = [each.errors.strip() for each in found]
    assert [each.code for each in found] == [1, 1], lines
    assert lines[0] == lines[1]
    assert "\n" not in lines[0]
    assert not list(folder.rglob("*.npz"))
    return lines[0]


@pytest.mark.soak
def test_disks_of_their_own_change_nothing_and_a_second_run_is_found(
    machines: Machines, tmp_path: Path
) -> None:
    spec = colours(tmp_path)
    (alone,) = evaluate(open_set(str(tmp_path / "photos")), [spec], tmp_path / "alone")
    first, second = scored(machines, tmp_path, spec)
    assert (first.code, second.code, second.output) == (0, 0, ""), first.errors + second.errors
    (told,) = json.loads(first.output)["runs"]
    assert told["top1"]["correct"] == alone.top1.correct == 33
    on_first, on_second = (tmp_path / machine.name for machine in machines)
    assert kept(on_first) == kept(tmp_path / "alone")
    assert kept(on_second) == {}  # whose shards the first one has
    again, other = scored(machines, tmp_path, spec)
    assert (again.code, other.code) == (0, 0), again.errors + other.errors
    assert json.loads(again.output)["runs"] == [told]


@pytest.mark.soak
def test_other_weights_on_one_machine_are_named(machines: Machines, tmp_path: Path) -> None:
    spec = colours(tmp_path)
    weights = torch.load(tmp_path / "colours.pth")
    weights["scores.bias"] += 1
    torch.save(weights, tmp_path / "others.pth")
    machines[1].over[tmp_path / "colours.pth"] = tmp_path / "others.pth"
    line = refused(scored(machines, tmp_path, spec), tmp_path)
    assert f"({SECOND}) has other weights of model 'colours'; nothing was scored" in line


def test_an_empty_folder_of_a_class_on_one_machine_is_named(
    machines: Machines, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    machines[1].over[tmp_path / "photos" / WNIDS[2]] = tmp_path / "empty"
    line = refused(scored(machines, tmp_path, colours(tmp_path)), tmp_path)
    assert f"({SECOND}) has no photo {WNIDS[2]}/002.png (and 32 more); nothing was scored" in line


@pytest.mark.soak
def test_another_photo_of_the_same_name_and_size_and_another_version_are_named(
    machines: Machines, tmp_path: Path
) -> None:
    spec = colours(tmp_path)
    photo = tmp_path / "photos" / WNIDS[0] / "000.png"
    other = paint(tmp_path / "other", 0, "000.png", "lime")
    other.write_bytes(other.read_bytes().ljust(photo.stat().st_size, b"\0"))
    machines[1].over[photo] = other
    line = refused(scored(machines, tmp_path, spec), tmp_path)
    assert f"({SECOND}) has another photo {WNIDS[0]}/000.png; nothing was scored" in line
    (tmp_path / "faked").mkdir()
    (tmp_path / "faked" / "sitecustomize.py").write_text(OTHER_VERSION)
    machines[1].environment["PYTHONPATH"] = f"{tmp_path / 'faked'}:{Path.cwd()}"
    line = refused(scored(machines, tmp_path, spec), tmp_path)
    assert f"({SECOND}) has timm 0.0.1, and machine " in line
    assert f"({FIRST}) has " in line


def test_a_set_that_only_one_machine_has_ends_both(machines: Machines, tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    machines[1].over[tmp_path / "photos"] = tmp_path / "nothing"
    found = scored(machines, tmp_path, colours(tmp_path))
    assert [each.code for each in found] == [2, 2]
    assert f"({SECOND}): {tmp_path / 'photos'} holds no photos" in found[0].errors
    assert found[0].errors == found[1].errors


def slow() -> Colours:
    class Slow(Colours):
        def forward(self, pixels: Tensor) -> Tensor:
            time.sleep(0.3)
            return super().forward(pixels)

    return Slow()


@pytest.mark.soak
def test_where_one_machine_is_killed_the_other_ends_and_both_go_on(
    machines: Machines, tmp_path: Path
) -> None:
    spec = colours(tmp_path).replace("tests.score.colours:Colours", f"{__name__}:slow")
    on_first, on_second = (tmp_path / machine.name for machine in machines)
    started = ranks(machines, *words(tmp_path, spec))
    try:
        while not (list(on_first.rglob("*.npz")) and list(on_second.rglob("*.npz"))):
            assert [each.poll() for each in started] == [None, None]
            time.sleep(0.02)
        kill(started[1])
        (first,) = ended(started[:1])
    finally:
        for each in started:
            kill(each)
    assert first.code == 1
    (line,) = first.errors.strip().splitlines()
    assert f"a process of torchrun on {SECOND} was ended" in line
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.npz")}
    assert before
    cut, *_ = on_second.rglob("*.npz")
    cut.write_bytes(cut.read_bytes()[:1000])  # as by a disk that lost power
    found = scored(machines, tmp_path, spec)
    assert [each.code for each in found] == [0, 0], found[0].errors + found[1].errors
    assert (
        "1 kept shard damaged, or of another run or an older genset: scored again"
        in found[1].errors
    )
    (told,) = json.loads(found[0].output)["runs"]
    assert (told["top1"]["correct"], told["top1"]["photos"]) == (33, 99)
