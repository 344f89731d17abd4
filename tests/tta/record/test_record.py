"""`genset tta record`: what a training program told is kept, whatever happens to either."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genset.core.errors import BadInput
from genset.tta import Recorder
from genset.tta.logs.dawnbench import read_run
from genset.tta.logs.reading import read_entries
from genset.tta.record.header import Header, hardware
from genset.tta.record.recorder import Line, read_line, write_line
from genset.tta.record.recording import Recording, reserved
from genset.tta.runs import TOP1, TOP5, Task, Training
from tests.killing import killed_at_each_change

BIRDS = Task("birds", TOP1, 30.0)
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


def command(folder: Path, *words: object, task: str = "birds") -> list[str]:
    folder.mkdir(exist_ok=True)
    program = folder / "train.py"
    program.write_text(PROGRAM)
    genset = [sys.executable, "-m", "genset", "tta", "record", "-o", str(folder / "run")]
    said = ["--model", "M", "--task", task, "--threshold", "30", "--cost-per-hour", "2"]
    return [*genset, *said, "--", sys.executable, str(program), *map(str, words)]


def record(folder: Path, *words: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command(folder, *words), capture_output=True, text=True, check=False)


def misc(path: Path) -> Any:
    return json.loads(path.with_suffix(".json").read_text())["misc"]


def epochs(path: Path) -> list[float]:
    return [epoch.epoch for epoch in read_run(path).epochs]


def test_epochs_that_came_at_once_are_said_to_have_no_times(tmp_path: Path) -> None:
    words = [*command(tmp_path)[:-1], "-c"]
    both = r"print('tta epoch=1 top1=10{0}\ntta epoch=2 top1=20{0}\n', end='')"
    for seconds, said in (("", True), (" seconds=1", False)):
        program = both.format(seconds)
        done = subprocess.run([*words, program], capture_output=True, text=True, check=True)
        assert ("several epochs came at once" in done.stderr) == said
    remarks = read_entries(tmp_path).trainings[0].about.remarks
    assert "several of its epochs came at once: their times are bounds" in remarks


PERL = 'for (1..3) { print "tta epoch=$_ top1=${_}0\n"; select(undef, undef, undef, .2) }'
PYTHON = "import time\nfor at in '123': print(f'tta epoch={at} top1={at}0'); time.sleep(0.2)"
UNTOLD = ["env", "-u", "PYTHONUNBUFFERED", sys.executable]


@pytest.mark.parametrize("program", [["perl", "-e", PERL], [*UNTOLD, "-c", PYTHON]])
def test_a_program_that_keeps_its_output_back_gives_each_epoch_its_time(
    tmp_path: Path, program: list[str]
) -> None:
    words = command(tmp_path)
    words = [*words[: words.index("--")], *program]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "came at once" not in done.stderr
    first, second, third = (epoch.hours for epoch in read_run(tmp_path / "run.tsv").epochs)
    assert first < second < third
    assert done.stdout.startswith("tta epoch=1 top1=10\ntta epoch=2")


def test_a_command_becomes_an_entry_that_table_reads(tmp_path: Path) -> None:
    done = record(tmp_path, 1, 4)
    assert done.returncode == 0, done.stderr
    assert "half a line\ntta epoch=1 top1=10 top5=11 seconds=" in done.stdout
    assert "run.tsv: 4 epochs; 30 % reached at epoch 3, after 0:" in done.stdout
    (entry,) = read_entries(tmp_path).trainings
    assert entry.about.task == BIRDS
    assert [e.scores for e in entry.epochs][-1] == {TOP1: 40, TOP5: 41}
    assert entry.about.cost_per_hour == 2
    assert "CPU" in entry.about.hardware
    assert entry.about.submitted is not None
    assert misc(tmp_path / "run.tsv")["recording"]["finished"] is True
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.json", "run.tsv", "train.py"]


def test_colours_and_fractions_are_no_false_record(tmp_path: Path) -> None:
    coloured = read_line("\x1b[1;32mtta epoch=1 top1=0.95\x1b[0m")
    assert coloured is not None
    assert coloured.scores == {TOP1: 0.95}
    recording = Recording(tmp_path / "run", HEADER, {})
    recording.add(coloured, 60)
    recording.write(60, finished=True, stopped=False)
    (entry,) = read_entries(tmp_path).trainings
    assert any("fractions of 1 must be recorded a hundredfold" in r for r in entry.about.remarks)


def test_the_same_command_again_is_a_further_run(tmp_path: Path) -> None:
    record(tmp_path, 1, 4)
    before = (tmp_path / "run.tsv").read_bytes()
    assert "run-2.tsv: 3 epochs" in record(tmp_path, 1, 3).stdout
    assert (tmp_path / "run.tsv").read_bytes() == before
    assert len(read_entries(tmp_path).trainings) == 2


def interrupted(folder: Path, how: signal.Signals) -> int:
    """Signal `genset tta record` when its command has told three epochs."""
    told = folder / "told"
    with subprocess.Popen(
        command(folder, 1, 3, told), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as running:
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
    # It goes on from a checkpoint: epoch 3 is trained again, and all time counts.
    assert record(tmp_path, 3, 5).returncode == 0
    again = read_run(path)
    assert [epoch.epoch for epoch in again.epochs] == [1, 2, 3, 4, 5]
    assert again.epochs[2].hours > entry.epochs[2].hours
    assert "its training was interrupted and went on" in again.about.remarks
    assert misc(path)["recording"] | {"hours": 0} == {
        "finished": True,
        "interruptions": 1,
        "hours": 0,
        "refusedLines": 0,
        "stopped": False,
        "setAside": 0,
        "setAsideHours": 0.0,
    }


def test_a_program_that_begins_anew_leaves_what_was_recorded_as_it_is(tmp_path: Path) -> None:
    interrupted(tmp_path, signal.SIGKILL)
    before = (tmp_path / "run.tsv").read_bytes()
    assert record(tmp_path, 1, 4).returncode == 0
    assert (tmp_path / "run.tsv").read_bytes() == before
    assert epochs(tmp_path / "run-2.tsv") == [1, 2, 3, 4]
    assert misc(tmp_path / "run.tsv")["recording"]["finished"] is False


def test_the_interrupt_reaches_the_command_once(tmp_path: Path) -> None:
    program = tmp_path / "save.py"
    program.write_text(
        "import time\n"
        "try:\n    print('tta epoch=1 top1=5', flush=True)\n    time.sleep(60)\n"
        "except KeyboardInterrupt:\n    time.sleep(0.3)\n    print('tta epoch=2 top1=6')\n"
    )
    words = [*command(tmp_path)[:-1], str(program)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert b"epoch=1" in running.stdout.readline()
        running.send_signal(signal.SIGINT)
        rest, _ = running.communicate(timeout=30)
    assert b"2 epochs" in rest
    assert running.returncode == 0


def test_a_command_that_fails_keeps_what_it_told_and_fails(tmp_path: Path) -> None:
    words = command(tmp_path)[:-1]
    told = "print('tta epoch=1 top1=50'); raise SystemExit(3)"
    done = subprocess.run([*words, "-c", told], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "the command ended with exit code 3" in done.stderr
    assert epochs(tmp_path / "run.tsv") == [1]


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ("print('hello')", "no line such as tta epoch=1 top1=71.2\n"),
        ("exit(3)", "no line such as tta epoch=1 top1=71.2, and ended with exit code 3"),
        ("print('tta epoch=1 top1=101')", "not recorded: top1Accuracy is over 100"),
        ("print('tta epoch=1 top5=50')", "not recorded: no top1Accuracy"),
    ],
)
def test_a_command_that_tells_nothing_right_fails(tmp_path: Path, told: str, message: str) -> None:
    words = [*command(tmp_path)[:-1], "-c", told]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.glob("run*"))


def test_a_command_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    words = [*command(tmp_path)[:-2], str(tmp_path / "nosuch")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot run" in done.stderr


def test_json_stands_alone_on_the_output(tmp_path: Path) -> None:
    words = command(tmp_path, 1, 2)
    words.insert(5, "--json")
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["epochs"] == 2
    assert "tta epoch=1" in done.stderr


def test_an_output_that_takes_nothing_does_not_end_the_recording(tmp_path: Path) -> None:
    for at, broken in enumerate((">/dev/full", ">&-")):
        words = shlex.join(command(tmp_path / str(at), 1, 4))
        shell = ["sh", "-c", f"{words} {broken}"]
        done = subprocess.run(shell, capture_output=True, text=True, check=False)
        assert epochs(tmp_path / str(at) / "run.tsv") == [1, 2, 3, 4]
        assert misc(tmp_path / str(at) / "run.tsv")["recording"]["finished"] is True
        assert "Traceback" not in done.stderr
        assert ("the output is passed on no more: No space left" in done.stderr) is (at == 0)


def test_a_task_of_ones_own_needs_a_threshold(tmp_path: Path) -> None:
    words = [word for word in command(tmp_path, 1, 2) if word not in ("--threshold", "30")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "birds has no threshold of its own: give one with --threshold" in done.stderr


def record_three(moment: int, output: Path) -> None:
    """Three epochs, in a process of its own."""
    recording = Recording(output / "run", HEADER)
    with reserved(output / "run"):
        for epoch in range(1, 4):
            recording.add(Line(epoch, {TOP1: 10.0 * epoch}), 60.0 * epoch)
        recording.write(200.0, finished=True)


@pytest.mark.soak
def test_killed_at_any_moment_the_files_are_whole_and_it_goes_on(tmp_path: Path) -> None:
    kept = set()
    for moment in killed_at_each_change(record_three, tmp_path):
        found: list[Training] = []
        if list(tmp_path.glob("run.*")):
            entries = read_entries(tmp_path)
            found = entries.trainings
            for refused in entries.refused:
                assert refused.reason == "its recording was cut off before the first epoch"
        had = [epoch.epoch for epoch in found[0].epochs] if found else []
        kept.add(len(had))
        assert had == [1, 2, 3][: len(had)]
        again = Recording(tmp_path / "run", HEADER)
        with reserved(tmp_path / "run"):
            again.add(Line(4, {TOP1: 40.0}), 30.0)
        assert [epoch.epoch for epoch in again.epochs][-1:] == [4]
        if found and found[0].about.remarks[:1] == ("its training did not end by itself",):
            assert [epoch.epoch for epoch in again.epochs] == [*had, 4]
        for path in tmp_path.iterdir():
            path.unlink()
        assert moment < 100
    assert kept == {0, 1, 2, 3}


def test_two_recordings_of_one_name_are_not_made_at_once(tmp_path: Path) -> None:
    with reserved(tmp_path / "run"):
        with reserved(tmp_path / "other"):
            pass
        with (
            pytest.raises(BadInput, match="another recording is writing"),
            reserved(tmp_path / "run"),
        ):
            pass
    with reserved(tmp_path / "run"):
        pass
    with pytest.raises(BadInput, match="is a folder: name an entry in it"), reserved(tmp_path):
        pass


def test_what_cannot_be_written_now_is_written_with_the_next(tmp_path: Path) -> None:
    recording = Recording(tmp_path / "folder" / "run", HEADER)
    (tmp_path / "folder").write_text("in the way")
    with pytest.raises(OSError, match="folder"):
        recording.add(Line(1, {TOP1: 10.0}), 60)
    (tmp_path / "folder").unlink()
    recording.add(Line(2, {TOP1: 20.0}), 120)
    assert epochs(tmp_path / "folder" / "run.tsv") == [1, 2]


def test_small_per_cents_are_not_taken_for_fractions(tmp_path: Path) -> None:
    recording = Recording(tmp_path / "run", HEADER)
    recording.add(Line(1, {TOP1: 0.5}), 60)
    assert read_run(tmp_path / "run.tsv").epochs[0].scores == {TOP1: 0.5}
    # A TSV alone has no such word on what it means.


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (Line(1, {TOP1: 50.0}), "comes before the last one"),
        (Line(3, {TOP1: 50.0}, seconds=1), "comes before the last one"),
        (Line(3, {TOP5: 50.0}), "no top1Accuracy"),
    ],
)
def test_an_epoch_that_cannot_be_is_refused_and_the_log_stays_right(
    tmp_path: Path, line: Line, message: str
) -> None:
    recording = Recording(tmp_path / "run", HEADER)
    recording.add(Line(2, {TOP1: 10.0}), 60)
    with pytest.raises(ValueError, match=message):
        recording.add(line, 120)
    assert epochs(tmp_path / "run.tsv") == [2]


LINES = st.builds(
    Line,
    epoch=st.integers(0, 10**6).map(float),
    scores=st.fixed_dictionaries({TOP1: st.integers(0, 50)}, optional={TOP5: st.integers(50, 100)}),
    seconds=st.none() | st.integers(0, 10**6).map(float),
    framework=st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=9),
)


@given(LINES)
def test_a_line_is_read_as_it_was_written(line: Line) -> None:
    assert read_line(write_line(line)) == line


@given(st.text() | st.text("ta epochs=1.5 '\"").map(lambda text: f"tta {text}"))
def test_any_output_is_a_line_or_not_or_wrong_in_one_line(text: str) -> None:
    try:
        read_line(text)
    except ValueError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize("text", ["", "epoch 3: 71 %", "tta is time to accuracy", "ttaepoch=1"])
def test_other_output_is_not_meant(text: str) -> None:
    assert read_line(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "tta epoch=1",
        "tta top1=5",
        "tta epoch=one top1=5",
        "tta epoch=1 top1=nan",
        "tta epoch=1 top1=-1",
        "tta epoch=1 top1=50 top5=40",
        "tta epoch=1 top1=5 loss=3",
        "tta epoch=1 top1=5 'open",
    ],
)
def test_a_line_that_is_meant_and_wrong_is_no_epoch(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_line(text)


def test_the_recorder_counts_epochs_and_tells_its_framework(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RANK", raising=False)
    recorder = Recorder()
    recorder.epoch(top1=10, top5=30)
    recorder.epoch(top1=20)
    lines = [line for text in capsys.readouterr().out.splitlines() if (line := read_line(text))]
    assert [(line.epoch, line.scores) for line in lines] == [
        (1, {TOP1: 10, TOP5: 30}),
        (2, {TOP1: 20}),
    ]
    assert all(line.seconds is not None for line in lines)
    with pytest.raises(ValueError, match="needs a score"):
        recorder.epoch()


def test_of_a_distributed_run_only_the_first_process_tells(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANK", "3")
    Recorder().epoch(top1=10)
    assert capsys.readouterr().out == ""


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
