"""`genset tta record`: what a training program told is kept, whatever happens to either."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from genset.cli import cli
from genset.core.errors import GensetError
from genset.tta import Recorder
from genset.tta.logs.dawnbench import read_run
from genset.tta.logs.reading import read_entries
from genset.tta.record.header import Header, hardware
from genset.tta.record.recorder import Line, read_line
from genset.tta.record.recording import Recording
from genset.tta.runs import TOP1, TOP5, Task

BIRDS = Task("birds", TOP1, 30.0)
GENSET = [sys.executable, "-m", "genset"]
HEADER = Header(BIRDS, author="Ann", author_email="", model="M", hardware="1 CPU")

# Tells of epochs; then it makes a file and waits until that is gone, for a test to do what it will.
PROGRAM = """
import sys, time
from pathlib import Path
from genset.tta import Recorder
first, last, wait = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
recorder = Recorder()
for epoch in range(first, last + 1):
    print("half a line", end="")
    recorder.epoch(epoch, top1=10 * epoch, top5=10 * epoch + 1)
if wait:
    Path(wait[0]).touch()
    while Path(wait[0]).exists():
        time.sleep(0.05)
"""


def command(folder: Path, *words: object) -> list[str]:
    folder.mkdir(exist_ok=True)
    program = folder / "train.py"
    program.write_text(PROGRAM)
    said = ["--model", "M", "--task", "birds", "--threshold", "30", "--cost-per-hour", "2"]
    genset = ["tta", "record", "-o", str(folder / "run"), *said]
    return [*genset, "--", sys.executable, str(program), *map(str, words)]


def record(folder: Path, *words: object) -> Result:
    return CliRunner().invoke(cli, command(folder, *words))


def misc(path: Path) -> Any:
    return json.loads(path.with_suffix(".json").read_text())["misc"]


def epochs(path: Path) -> list[float]:
    return [epoch.epoch for epoch in read_run(path).epochs]


def interrupted(folder: Path, how: signal.Signals) -> int:
    """Signal `genset tta record` when its command has told three epochs."""
    told = folder / "told"
    words = [*GENSET, *command(folder, 1, 3, told)]
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(words, stdout=nowhere, stderr=nowhere) as running:
        while not told.exists():
            assert running.poll() is None
            time.sleep(0.02)
        deadline = time.monotonic() + 30
        while not (folder / "run.tsv").exists() or len(epochs(folder / "run.tsv")) < 3:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        running.send_signal(how)
        code = running.wait(30)
    told.unlink()
    return code


def test_the_interrupt_reaches_the_command_once(tmp_path: Path) -> None:
    program = tmp_path / "save.py"
    program.write_text(
        "import time\n"
        "try:\n    print('tta epoch=1 top1=5', flush=True)\n    time.sleep(60)\n"
        "except KeyboardInterrupt:\n    time.sleep(0.3)\n    print('tta epoch=2 top1=6')\n"
    )
    words = [*GENSET, *command(tmp_path)[:-1], str(program)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert b"epoch=1" in running.stdout.readline()
        running.send_signal(signal.SIGINT)
        rest, _ = running.communicate(timeout=30)
    assert b"2 epochs" in rest
    assert running.returncode == 0


def test_importing_the_recorder_costs_a_training_program_nothing() -> None:
    heavy = ["numpy", "torch", "matplotlib", "sqlalchemy", "click", "PIL", "genset.db"]
    code = f"import sys, genset.tta; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_hardware_names_the_gpus_that_a_program_may_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "nvidia-smi"
    lines = ("GPU-a, NVIDIA Tesla V100", "GPU-b, NVIDIA Tesla V100", "GPU-c, K80")
    fake.write_text("#!/bin/sh\n" + "".join(f"echo '{line}'\n" for line in lines))
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert hardware().startswith("2 Tesla V100 / 1 K80 / ")
    for chosen in ("0,2", "GPU-b,2", "MIG-x,GPU-c"):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", chosen)
        assert hardware().startswith("1 Tesla V100 / 1 K80 / ")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert "V100" not in hardware()
    fake.write_text("#!/bin/sh\nexit 9\n")
    assert " CPU (" in hardware()


def test_a_command_becomes_an_entry_and_a_further_one_where_it_is_run_again(tmp_path: Path) -> None:
    done = record(tmp_path, 1, 4)
    assert done.exit_code == 0, done.output
    assert "half a line\ntta epoch=1 top1=10 top5=11 seconds=" in done.stdout
    assert "run.tsv: 4 epochs; 30 % reached at epoch 3, after 0:" in done.stdout
    (entry,) = read_entries(tmp_path).trainings
    assert entry.about.task == BIRDS
    assert [e.scores for e in entry.epochs][-1] == {TOP1: 40, TOP5: 41}
    assert entry.about.cost_per_hour == 2
    assert "CPU" in entry.about.hardware
    assert entry.about.submitted is not None
    assert misc(tmp_path / "run.tsv")["recording"]["finished"] is True
    before = (tmp_path / "run.tsv").read_bytes()
    words = command(tmp_path, 1, 3)
    words.insert(2, "--json")
    again = CliRunner().invoke(cli, words)
    assert json.loads(again.stdout)["epochs"] == 3
    assert "tta epoch=1" in again.stderr
    assert (tmp_path / "run.tsv").read_bytes() == before
    assert len(read_entries(tmp_path).trainings) == 2
    names = ["run-2.json", "run-2.tsv", "run.json", "run.tsv", "train.py"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names


PERL = 'for (1..3) { print "tta epoch=$_ top1=${_}0\n"; select(undef, undef, undef, .2) }'
PYTHON = "import time\nfor at in '123': print(f'tta epoch={at} top1={at}0'); time.sleep(0.2)"


def test_epochs_have_their_times_also_of_a_program_that_keeps_its_output_back(
    tmp_path: Path,
) -> None:
    words = command(tmp_path)[:-2]
    buffered = ["env", "-u", "PYTHONUNBUFFERED", sys.executable, "-c", PYTHON]
    for at, program in ((1, ["perl", "-e", PERL]), (2, buffered)):
        done = CliRunner().invoke(cli, [*words, *program])
        assert "came at once" not in done.stderr
        path = tmp_path / ("run.tsv" if at == 1 else "run-2.tsv")
        first, second, third = (epoch.hours for epoch in read_run(path).epochs)
        assert first < second < third
    both = [sys.executable, "-c", r"print('tta epoch=1 top1=10\ntta epoch=2 top1=20\n', end='')"]
    done = CliRunner().invoke(cli, [*words, *both])
    assert "several epochs came at once" in done.stderr
    remarks = read_run(tmp_path / "run-3.tsv").about.remarks
    assert "several of its epochs came at once: their times are bounds" in remarks


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_recording_is_kept_marked_and_gone_on_with(
    tmp_path: Path, how: signal.Signals
) -> None:
    code = interrupted(tmp_path, how)
    assert code == (-signal.SIGKILL if how == signal.SIGKILL else 1)
    path = tmp_path / "run.tsv"
    (entry,) = read_entries(tmp_path).trainings
    assert [epoch.epoch for epoch in entry.epochs] == [1, 2, 3]
    assert "its training did not end by itself" in entry.about.remarks
    if how == signal.SIGKILL:  # a program that begins from the start leaves it as it is
        before = path.read_bytes()
        assert record(tmp_path, 1, 4).exit_code == 0
        assert path.read_bytes() == before
        assert epochs(tmp_path / "run-2.tsv") == [1, 2, 3, 4]
        assert misc(path)["recording"]["finished"] is False
        return
    # It goes on from a checkpoint: epoch 3 is trained again, and all time counts.
    assert record(tmp_path, 3, 5).exit_code == 0
    again = read_run(path)
    assert [epoch.epoch for epoch in again.epochs] == [1, 2, 3, 4, 5]
    assert again.epochs[2].hours > entry.epochs[2].hours
    assert "its training was interrupted and went on" in again.about.remarks
    recording = misc(path)["recording"]
    assert (recording["finished"], recording["interruptions"]) == (True, 1)


@pytest.mark.parametrize(
    ("program", "code", "message"),
    [
        ("print('hello')", 1, "no line such as tta epoch=1 top1=71.2"),
        ("exit(3)", 1, "no line such as tta epoch=1 top1=71.2, and ended with exit code 3"),
        ("print('tta epoch=1 top1=101')", 1, "not recorded: top1Accuracy is over 100"),
        ("print('tta epoch=1 top5=50')", 1, "not recorded: no top1Accuracy"),
        (None, 2, "cannot run"),
    ],
)
def test_a_command_that_reports_nothing_right_fails(
    tmp_path: Path, program: str | None, code: int, message: str
) -> None:
    words = command(tmp_path)
    words = [*words[:-2], "./nosuch"] if program is None else [*words[:-1], "-c", program]
    done = CliRunner().invoke(cli, words)
    assert isinstance(done.exception, GensetError) and done.exception.exit_code == code
    assert message in f"{done.stderr}{done.exception}"
    assert not list(tmp_path.glob("run*"))


def test_lines_are_of_percents_in_order_and_with_the_score_of_the_task(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    recording = Recording(folder / "run", HEADER, {})
    coloured = read_line("\x1b[1;32mtta epoch=2 top1=0.95\x1b[0m")
    assert coloured is not None
    folder.write_text("in the way")
    with pytest.raises(OSError, match="folder"):
        recording.add(coloured, 60)
    folder.unlink()  # what could not be written is written with the next
    recording.add(Line(2.5, {TOP1: 0.96}), 70)
    assert [epoch.scores[TOP1] for epoch in read_run(folder / "run.tsv").epochs] == [0.95, 0.96]
    for line, message in (
        (Line(1, {TOP1: 50.0}), "comes before the last one"),
        (Line(3, {TOP1: 50.0}, seconds=1), "comes before the last one"),
        (Line(3, {TOP5: 50.0}), "no top1Accuracy"),
    ):
        with pytest.raises(ValueError, match=message):
            recording.add(line, 120)
    recording.write(120, finished=True, stopped=False)
    (entry,) = read_entries(tmp_path).trainings
    assert [epoch.epoch for epoch in entry.epochs] == [2, 2.5]
    assert any("fractions of 1 must be recorded a hundredfold" in r for r in entry.about.remarks)


def test_the_recorder_counts_epochs_and_only_the_first_process_reports(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RANK", raising=False)
    recorder = Recorder()
    recorder.epoch(top1=10, top5=30)
    recorder.epoch(top1=20)
    lines = [line for text in capsys.readouterr().out.splitlines() if (line := read_line(text))]
    measured = [(line.epoch, line.scores) for line in lines]
    assert measured == [(1, {TOP1: 10, TOP5: 30}), (2, {TOP1: 20})]
    assert all(line.seconds is not None for line in lines)
    with pytest.raises(ValueError, match="needs a score"):
        recorder.epoch()
    monkeypatch.setenv("RANK", "3")
    Recorder().epoch(top1=10)
    assert capsys.readouterr().out == ""
