"""Two commands on one run: one waits, or both score; none fails, and the files are right."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from torch import Tensor

from genset.score.results.runs import find_runs
from genset.sets.open import open_set
from tests.conftest import ROOT
from tests.score.colours import Colours, colours, hundred_photos
from tests.score.scoring import evaluate

# Put first on a command's path, its disks have no locks; or pretend to, as networks' do.
REFUSED = "import errno, fcntl\ndef flock(*_): raise OSError(errno.ENOLCK, 'No locks')"
IGNORED = "import fcntl\ndef flock(*_): pass"


class Gated(Colours):
    """Stops at its third batch until the file is there that the environment names."""

    batches = 0

    def forward(self, pixels: Tensor) -> Tensor:
        self.batches += 1
        while self.batches > 2 and not Path(os.environ["GATE"]).exists():
            time.sleep(0.01)
        return super().forward(pixels)


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    hundred_photos(tmp_path / "photos")
    monkeypatch.setenv("GATE", str(tmp_path / "gate"))
    return colours(tmp_path, network=f"{__name__}:Gated")


def start(folder: Path, spec: str, *words: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "genset", "evaluate", str(folder / "photos"), "--model", spec]
    return subprocess.Popen(
        [*command, "--runs", str(folder / "runs"), "--workers", "1", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": f"{folder / 'locks'}:{ROOT}"},
    )


def shards(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in (folder / "runs").rglob("*.npz")}


def undisturbed(folder: Path, spec: str) -> None:
    """See that the run is what one command alone makes, with nothing beside it."""
    evaluate(open_set(str(folder / "photos")), [spec], folder / "alone")
    found: list[Any] = []
    for runs in ("runs", "alone"):
        ((place, run),) = find_runs(folder / runs, "photos")
        assert {"predictions.csv", "run.json"} <= {path.name for path in place.iterdir()}
        found.append(((place / "predictions.csv").read_bytes(), run.key, run.top1, run.excluded))
    assert found[0] == found[1]


@pytest.mark.soak
def test_the_second_waits_and_goes_on_where_the_first_is_killed(tmp_path: Path, spec: str) -> None:
    first = start(tmp_path, spec)
    while len(shards(tmp_path)) < 2:
        assert first.poll() is None
        time.sleep(0.01)
    second = start(tmp_path, spec, "--engine", "torch")
    assert second.stderr is not None
    told = second.stderr.readline()
    assert told == "another command scores colours on photos: waiting\n"
    before = shards(tmp_path)
    first.kill()
    first.communicate()
    while not shards(tmp_path).keys() - before.keys():
        assert second.poll() is None, second.communicate()
        time.sleep(0.01)
    assert before.items() < shards(tmp_path).items()  # what was finished is not made again
    (tmp_path / "gate").touch()
    _, problem = second.communicate()
    assert second.returncode == 0, problem
    undisturbed(tmp_path, spec)


@pytest.mark.parametrize("locks", ["", REFUSED, IGNORED], ids=["locks", "refused", "ignored"])
@pytest.mark.soak
def test_commands_that_start_together_all_end_well(tmp_path: Path, spec: str, locks: str) -> None:
    if locks:
        (tmp_path / "locks").mkdir()
        (tmp_path / "locks" / "sitecustomize.py").write_text(f"{locks}\nfcntl.flock = flock")
    (tmp_path / "gate").touch()
    commands = [start(tmp_path, spec), start(tmp_path, spec), start(tmp_path, spec, "--logits")]
    for command in commands:
        output, problem = command.communicate()
        assert command.returncode == 0, problem
        assert "33.3" in output
    undisturbed(tmp_path, spec)
