"""One photo at a time: what is timed, what it is said of, and that it is read back."""

import errno
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner
from torch import Tensor

from genset.cli import cli
from genset.core.errors import GensetError
from genset.score import latency
from genset.score.results.runs import find_runs
from genset.sets.open import open_set
from genset.tta.record import header
from tests.commands import as_json
from tests.score.colours import Colours, colours, painted_set
from tests.score.listed import write_npy
from tests.score.scoring import evaluate


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not as many timings as make a median steady."""
    monkeypatch.setattr(latency, "_ROUND", 10)
    monkeypatch.setattr(latency, "WARM_UP", 2)


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    return painted_set(tmp_path / "photos")


def timed(photos: Path, *words: object, runs: str = "runs") -> Any:
    """`evaluate` with a folder for entries beside the photos."""
    where = ["--runs", photos.parent / runs, "--latency", photos.parent / "entries"]
    return as_json("evaluate", photos, *where, *words)


def entry(photos: Path, name: str) -> Any:
    return json.loads((photos.parent / "entries" / name).read_text())


def right_times(times: dict[str, Any]) -> bool:
    return bool(
        0 < times["median"] <= times["p90"] <= times["p99"] and 20 <= times["timings"] <= 100
    )


def test_times_stand_beside_the_accuracy_and_table_reads_the_entry(photos: Path) -> None:
    spec = colours(photos.parent) + "&name=my model"
    found = timed(photos, "--model", spec, "--price-per-hour", 0.36, "--latency-batch", 8)
    (run,), (times,) = found["runs"], found["latency"]
    assert (run["top1"]["correct"], times["model"]) == (2, "my model")
    assert right_times(times["network"])
    assert right_times(times["from_file"])
    assert times["network"]["median"] < times["from_file"]["median"]
    assert (times["photos"], times["same"], times["compared"]) == (4, 4, 4)
    assert times["cost_10k"] == pytest.approx(times["network"]["mean"] * 0.36 / 360)
    assert (right_times(times["many"]), times["many_photos"]) == (True, 8)
    assert times["photos_a_second"] == pytest.approx(8000 / times["many"]["mean"])
    assert times["cost_10k_many"] == pytest.approx(1e4 / times["photos_a_second"] * 0.36 / 3600)

    written = entry(photos, "my-model.json")
    assert written["latency"] == times["network"]["mean"]
    assert written["misc"]["median"] == times["network"]["median"]
    assert (written["top1Accuracy"], written["top5Accuracy"]) == (50, 75)
    assert written["framework"] == f"PyTorch {torch.__version__.partition('+')[0]}"
    assert written["misc"]["threads"] == times["threads"]
    assert {"version", "author", "hardware", "timestamp"} <= written.keys()

    (task,) = as_json("tta", "table", photos.parent / "entries")["tasks"]
    (row,) = task["inferences"]
    assert (task["task"], row["model"], row["score"]) == ("ImageNet", "my model", 75)
    assert row["latency"] == times["network"]["mean"]
    assert row["cost_10k"] == pytest.approx(times["cost_10k"])
    assert row["remarks"] == []


def test_the_run_stays_what_it_was_and_a_kept_one_is_timed_too(photos: Path) -> None:
    spec = colours(photos.parent)
    (kept,) = evaluate(open_set(str(photos)), [spec], photos.parent / "runs")
    # The same weights under another name of their file: the run is not made again.
    (photos.parent / "colours.pth").rename(photos.parent / "moved.pth")
    moved = spec.replace("colours.pth", "moved.pth") + "&name=colours"
    for number in (1, 2):
        found = timed(photos, "--model", moved)
        assert len(found["latency"]) == 1
        assert len(list((photos.parent / "entries").iterdir())) == number
    ((_, run),) = find_runs(photos.parent / "runs", "photos")
    assert run == kept
    assert "cost" not in entry(photos, "colours.json")
    assert entry(photos, "colours-2.json")["model"] == "colours"  # none is written over
    # Another engine than the run's can be timed.
    assert found["latency"][0]["engine"] == "torch"
    pytest.importorskip("openvino")
    (times,) = timed(photos, "--model", moved, "--engine", "openvino")["latency"]
    assert times["engine"] == "openvino"
    assert entry(photos, "colours-3.json")["framework"].startswith("OpenVINO 20")


def test_what_is_printed_says_what_is_inside_the_time(photos: Path) -> None:
    answers = write_npy(photos.parent / "given.npy", [[0, 1, 2, 3, 4]] * 4)
    words = ["--latency", str(photos.parent / "entries"), "--runs", str(photos.parent / "runs")]
    models = ["--model", colours(photos.parent), "--model", answers]
    command = ["evaluate", str(photos), *models, *words, "--price-per-hour", "1"]
    done = CliRunner().invoke(cli, [*command, "--channels-last"])
    assert ", float32, channels last, " in done.stdout
    done = CliRunner().invoke(cli, command)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    (head,) = [line for line in lines if line.startswith("one photo at a time")]
    assert head.split("  ")[-1] == "10,000 photos"
    row = lines[lines.index(head) + 1].split()
    assert row[:3] == ["colours", "50.0", "75.0"]
    assert row[6].startswith("$")
    assert "given: not timed, its answers come from elsewhere" in lines
    assert any(line.startswith("network: from pixels in memory to scores") for line in lines)
    (said,) = [line for line in lines if "timings of 4 photos after 2 of warm-up" in line]
    assert "channels last" not in said  # as it is written


def test_a_model_that_takes_several_photos_at_once_says_so(photos: Path) -> None:
    program = torch.export.export(Colours().eval(), (torch.zeros(3, 3, 32, 32),))
    torch.export.save(program, photos.parent / "three.pt2")
    (times,) = timed(photos, "--model", f"export:{photos.parent}/three.pt2")["latency"]
    assert times["batch"] == 3
    assert times["same"] == 4


class Moody(Colours):
    """Fails once it is given one photo alone."""

    def forward(self, pixels: Tensor) -> Tensor:
        if len(pixels) == 1:
            raise ValueError("I want company")
        return super().forward(pixels)


def test_a_model_that_cannot_be_timed_leaves_the_others(photos: Path) -> None:
    good = colours(photos.parent)
    moody = colours(photos.parent, network=f"{__name__}:Moody") + "&name=moody"
    with pytest.raises(GensetError, match=r"moody' cannot be timed: I want company$"):
        timed(photos, "--model", moody, "--model", good)
    assert [path.name for path in (photos.parent / "entries").iterdir()] == ["colours.json"]
    assert len(find_runs(photos.parent / "runs", "photos")) == 2


def test_what_cannot_work_is_said_before_any_model_is_scored(
    photos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, entries = colours(photos.parent), photos.parent / "entries"
    entries.write_text("I am a file.")
    with pytest.raises(GensetError, match=r"--latency .*entries: File exists"):
        timed(photos, "--model", spec)
    with pytest.raises(GensetError, match="--price-per-hour is for --latency FOLDER"):
        as_json("evaluate", photos, "--model", spec, "--price-per-hour", 1)
    assert not (photos.parent / "runs").exists()
    entries.unlink()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(header, "write_text", full)
    with pytest.raises(GensetError, match=r"no entry can be written to .*: No space left"):
        timed(photos, "--model", spec)
    assert len(find_runs(photos.parent / "runs", "photos")) == 1  # which is kept
