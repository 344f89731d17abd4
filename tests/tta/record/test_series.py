"""`genset tta record --runs`: several runs of one command, whatever becomes of each."""

import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from genset.cli import cli
from genset.core.errors import BadInput
from genset.tta.logs.reading import read_entries
from genset.tta.record.header import Header
from genset.tta.record.recording import reserved
from genset.tta.record.running import Job, Output
from genset.tta.record.series import Series, record_series
from genset.tta.runs import TOP1, Task
from tests.killing import killed_at_each_change

# A training: two epochs, and a checkpoint that says its seed. Seed 2 fails until a file is there.
TRAIN = """
echo tta epoch=1 top1=1$1 seconds=10
[ $1 = 2 ] && [ ! -e mended ] && exit 3
echo tta epoch=2 top1=9$1 seconds=2$1 'versions="sh 1.0"'
echo weights of $1 > w-$1
"""
SAID = ["--model", "M", "--task", "digits", "--threshold", "90", "--hardware", "1 CPU"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, which no git repository holds, with a training program."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (tmp_path / "train.sh").write_text(TRAIN)
    return tmp_path


def record(*words: str, command: str = "sh train.sh {seed}") -> Result:
    said = ["tta", "record", "-o", "runs", *SAID, *words, "--", *shlex.split(command)]
    return CliRunner().invoke(cli, said)


def misc(name: str) -> Any:
    return json.loads(Path("runs", f"{name}.json").read_text())["misc"]


def files() -> list[str]:
    return sorted(path.name for path in Path("runs").iterdir())


def git(*words: str) -> str:
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    done = subprocess.run(["git", *who, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_each_seed_is_a_run_with_what_it_was_made_of_and_what_it_left(here: Path) -> None:
    git("init", "--quiet")
    git("add", "train.sh")
    git("commit", "--quiet", "--message", "A training")
    (here / "mended").touch()
    done = record("--seeds", "0,1..2", "--checkpoint", "w-{seed}")
    assert done.exit_code == 0, done.output
    assert files() == [f"seed-{n}.{kind}" for n in range(3) for kind in ("json", "tsv")]
    assert "runs/seed-2.tsv: 2 epochs; 90 % reached at epoch 2, after 0:22.0" in done.output
    assert "runs: 3 of 3 runs are recorded" in done.output
    kept = misc("seed-1")
    assert (kept["seed"], kept["entry"], kept["versions"]) == (1, "runs", "sh 1.0")
    assert kept["code"] == {"commit": git("rev-parse", "HEAD"), "changed": False}
    weights = Path("w-1").read_bytes()
    sha256 = hashlib.sha256(weights).hexdigest()
    assert kept["checkpoint"] == {"file": "w-1", "sha256": sha256, "bytes": len(weights)}
    runs = read_entries(Path("runs")).trainings
    assert {run.about.entry for run in runs} == {"runs"}
    assert [run.about.checkpoint for run in runs][1] == sha256


def test_the_program_s_repository_counts_and_not_the_current_folder_s(here: Path) -> None:
    elsewhere = here / "elsewhere"
    elsewhere.mkdir()
    git("init", "--quiet", str(elsewhere))
    (elsewhere / "train.sh").write_text(TRAIN)
    git("-C", str(elsewhere), "add", "train.sh")
    git("-C", str(elsewhere), "commit", "--quiet", "--message", "Elsewhere")
    assert record("--seeds", "7", command="sh elsewhere/train.sh {seed}").exit_code == 0
    assert misc("seed-7")["code"]["commit"] == git("-C", str(elsewhere), "rev-parse", "HEAD")
    assert record("--seeds", "8").exit_code == 0
    assert "code" not in misc("seed-8")


def test_a_run_that_fails_does_not_end_the_others_and_is_run_again(here: Path) -> None:
    done = record("--runs", "4", "--checkpoint", "w-{seed}")
    assert done.exit_code == 1
    lines = done.exception.lines  # type: ignore[union-attr]
    assert lines[0].startswith("seed-2: the command ended with exit code 3; runs/seed-2.tsv holds")
    assert lines[1] == "missing in runs: seed-2; the same command again goes on with them"
    assert "runs: 3 of 4 runs are recorded" in done.output
    before = {path: path.read_bytes() for path in Path("runs").glob("seed-[013].*")}
    told = Path("runs", "seed-2.tsv").read_bytes()
    (here / "mended").touch()
    again = record("--runs", "4", "--checkpoint", "w-{seed}", "--json")
    assert again.exit_code == 0, again.output
    found = json.loads(again.stdout)
    assert found["before"] == ["seed-0", "seed-1", "seed-3"]
    assert list(found["recorded"]) == ["seed-2"]
    assert {path: path.read_bytes() for path in before} == before
    # What the failed attempt told is kept, and is no fifth run.
    assert Path("runs", ".attempts", "seed-2.tsv").read_bytes() == told
    runs = read_entries(Path("runs")).trainings
    assert [len(run.epochs) for run in runs] == [2, 2, 2, 2]
    odd = "an earlier attempt at it did not end, and it began anew: 0:10.0 of training are left out"
    assert [odd in run.about.remarks for run in runs] == [False, False, True, False]
    done = CliRunner().invoke(cli, ["tta", "stability", "runs"])
    assert "4 of 4 runs reach 90 %" in done.output


def test_an_attempt_that_goes_on_from_a_checkpoint_stays_in_its_place(here: Path) -> None:
    assert record("--seeds", "2").exit_code == 1
    done = record("--seeds", "2", command="sh -c 'echo tta epoch=2 top1=95 seconds=5; : {seed}'")
    assert done.exit_code == 0, done.output
    assert not Path("runs", ".attempts").exists()
    (run,) = read_entries(Path("runs")).trainings
    assert [epoch.epoch for epoch in run.epochs] == [1, 2]
    assert "its training was interrupted and went on" in run.about.remarks


def test_a_signal_ends_all_and_the_same_words_go_on_with_the_rest(here: Path) -> None:
    waits = "if [ $1 = 1 ] && [ ! -e mended ]; then touch at; exec sleep 60; fi"
    (here / "train.sh").write_text(TRAIN + waits)
    words = ["--runs", "3", "--", "sh", "train.sh", "{seed}"]
    genset = [sys.executable, "-m", "genset", "tta", "record", "-o", "runs", *SAID, *words]
    with subprocess.Popen(genset, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as running:
        deadline = time.monotonic() + 60
        while not (here / "at").exists():
            assert running.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=30)
    assert running.returncode == 1
    assert b"missing in runs: seed-1, seed-2; the same command again goes on with them" in said
    assert b"Traceback" not in said
    assert files() == ["seed-0.json", "seed-0.tsv", "seed-1.json", "seed-1.tsv"]
    (here / "mended").touch()
    assert "runs: 3 of 3 runs are recorded" in record("--runs", "3").output
    assert len(read_entries(Path("runs")).trainings) == 3


def test_one_that_ends_well_when_it_is_asked_to_end_is_not_done(here: Path) -> None:
    saving = "trap 'exit 0' INT; echo tta epoch=1 top1=95 seconds=1; : {seed}; kill -INT $PPID"
    waiting = f"{saving}; while :; do sleep 0.05; done"
    done = record("--seeds", "0..2", command=f"sh -c {shlex.quote(waiting)}")
    assert done.exit_code == 1
    assert "missing in runs: seed-0, seed-1, seed-2" in str(done.exception)
    assert misc("seed-0")["recording"]["finished"] is False


def run_two(output: Path, told: str) -> Series:
    """Two runs of a shell's words."""
    header = Header(Task("digits", TOP1, 90.0), "Ann", "", "M", "1 CPU")
    with Path(os.devnull).open("wb") as nowhere:
        told_to = Output(nowhere, lambda line: None)
        runs = {"seed-0": 0, "seed-1": 1}
        return record_series(Job(["sh", "-c", told], header), output / "runs", runs, told_to)


def two_runs(moment: int, output: Path) -> None:
    """The same with two epochs each, in a process of its own."""
    run_two(output, "for at in 1 2; do echo tta epoch=$at top1=9{seed} seconds=$at; done")


@pytest.mark.soak
def test_killed_at_any_moment_the_same_words_complete_the_runs(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    fails = "[ {seed} = 0 ] && echo tta epoch=1 top1=15 seconds=1; exit 3"
    run_two(tmp_path, fails)
    told = (folder / "seed-0.tsv").read_bytes()
    for _ in killed_at_each_change(two_runs, tmp_path):
        read = read_entries(folder)
        for refused in read.refused:
            assert refused.reason == "its recording was cut off before the first epoch"
        for run in read.trainings:  # whole, as far as it came
            assert [epoch.epoch for epoch in run.epochs] in ([1], [1, 2])
        # What the first attempt told is still there, wherever.
        assert told in [path.read_bytes() for path in folder.glob("**/seed-0*.tsv")]
        two_runs(0, tmp_path)
        read = read_entries(folder)
        assert [run.scores() for run in read.trainings] == [[90, 90], [91, 91]]
        assert read.refused == []
        for run in read.trainings:
            assert "its training did not end by itself" not in run.about.remarks
        assert told in [path.read_bytes() for path in (folder / ".attempts").glob("seed-0*.tsv")]
        # Nothing is left to do: no command is started.
        series = run_two(tmp_path, "exit 9")
        assert (series.before, series.missing) == (["seed-0", "seed-1"], [])
        shutil.rmtree(folder)
        run_two(tmp_path, fails)


def test_a_full_disk_ends_it_with_a_line_and_what_is_kept_is_whole(here: Path) -> None:
    loop = "i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo tta epoch=$i top1=50.$$ seconds=$i; done"
    (here / "train.sh").write_text(loop)
    words = ["--runs", "2", "--", "sh", "train.sh"]
    genset = [sys.executable, "-m", "genset", "tta", "record", "-o", "runs", *SAID, *words]
    # No file may be longer than 2 KB: the disk takes the JSON file, and a part of the epochs.
    script = f"ulimit -f 2; exec {shlex.join(genset)}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "genset: run-1: runs/run-1.tsv: File too large" in done.stderr
    assert "missing in runs: run-1, run-2; the same command again goes on" in done.stderr
    assert "the command has no {seed}: its 2 runs differ only as the program differs" in done.stderr
    assert "Traceback" not in done.stderr
    assert files() == ["run-1.json", "run-1.tsv"]
    (kept,) = read_entries(Path("runs")).trainings
    assert 10 < len(kept.epochs) < 200
    assert "its training did not end by itself" in kept.about.remarks
    again = subprocess.run(genset, capture_output=True, text=True, check=False)
    assert "runs: 2 of 2 runs are recorded" in again.stdout
    assert [len(run.epochs) for run in read_entries(Path("runs")).trainings] == [200, 200]


def test_a_checkpoint_that_is_not_this_run_s_is_said_and_the_run_is_kept(here: Path) -> None:
    for seed, (leave, says) in enumerate(
        (
            ("true", "no checkpoint at w-0: No such file or directory"),
            ("mkdir w-1", "w-1 is a folder: name the file of weights in it"),
            ("touch -d 2020-01-01 w-2", "w-2 is older than this run, and so of another one"),
        )
    ):
        told = f"echo tta epoch=1 top1=9{seed} seconds=1; {leave}; : {{seed}}"
        words = ["--seeds", str(seed), "--checkpoint", "w-{seed}"]
        done = record(*words, command=f"sh -c {shlex.quote(told)}")
        assert done.exit_code == 1
        assert done.exception.lines == [f"seed-{seed}: {says}"]  # type: ignore[union-attr]
        assert misc(f"seed-{seed}")["recording"]["finished"] is True
        assert "checkpoint" not in misc(f"seed-{seed}")


def test_seeds_that_cannot_be_are_refused_before_anything_runs(here: Path) -> None:
    for words, seed, says in (
        ("--runs 2 --seeds 0..2", "{seed}", "--runs 2, but --seeds 0..2 are 3: say one of the two"),
        ("--seeds one", "{seed}", "--seeds one: write them like 0..4 or 0,1,5"),
        ("--seeds 1,0..2", "{seed}", "--seeds 1,0..2: one is there twice"),
        ("--seeds 0..99999999", "{seed}", "--seeds 0..99999999: more than 1,000 runs"),
        ("--seeds 0..2", "", "--seeds 0..2: the command has no {seed}: write it where one belongs"),
        ("", "{seed}", "{seed} stands for the seed of a run: say --runs N or --seeds 0..4"),
    ):
        done = record(*words.split(), command=f"sh -c 'touch ran {seed}'")
        assert str(done.exception).startswith(says)
        assert isinstance(done.exception, BadInput)
    assert not Path("ran").exists()


def test_two_series_at_once_are_told_to_wait(here: Path) -> None:
    with reserved(Path("runs", "seed-0")):
        done = record("--runs", "2")
    assert str(done.exception) == (
        "another recording is writing runs/seed-0: wait for its end, or name another -o"
    )


def test_what_tables_would_not_take_for_one_entry_is_not_run(here: Path) -> None:
    assert record("--seeds", "0", "--framework", "sh 1").exit_code == 0
    for words, says in (
        (["--model", "N"], "model M, not N"),
        (["--threshold", "95"], "threshold 90.0, not 95.0"),
        (["--score", "top5"], "score top1Accuracy, not top5Accuracy"),
        (["--hardware", "2 CPU"], "hardware 1 CPU, not 2 CPU"),
        (["--framework", "sh 2"], "framework sh 1, not sh 2"),
    ):
        # Also by a seed that is not there yet.
        done = record("--seeds", "1", *words, command="sh -c 'touch ran {seed}'")
        assert str(done.exception) == (
            f"runs/seed-0.json is of {says}: say the same, or name another folder"
        )
    assert not Path("ran").exists()
    Path("runs", "seed-1.tsv").write_text("epoch\thours\ttop1Accuracy\n1\t1\t50\n")
    refused = record("--seeds", "0..1", "--framework", "sh 1").exception
    assert "seed-1.tsv is no recording: name another place" in str(refused)


def stability_of(folder: str) -> Result:
    return CliRunner().invoke(cli, ["tta", "stability", folder])


def test_runs_of_another_command_or_commit_are_no_repeats_without_a_word(here: Path) -> None:
    git("init", "--quiet")
    git("add", "train.sh")
    git("commit", "--quiet", "--message", "A training")
    assert record("--seeds", "0,1").exit_code == 0
    assert "runs are of" not in stability_of("runs").output
    (here / "train.sh").write_text(f"{TRAIN}# changed\n")
    assert record("--seeds", "4").exit_code == 0
    assert misc("seed-4")["code"]["changed"] is True
    done = record("--seeds", "1,3", command="sh train.sh {seed} --password hunter2")
    assert "seed-1 is of another command: if that trains otherwise, it is no repeat" in done.stderr
    said = stability_of("runs").output
    assert "the runs are of 2 commands: " in said
    commit = git("rev-parse", "HEAD")[:8]
    assert f"the runs are of 2 commits: {commit} and {commit} with changes" in said
    assert "hunter2" not in "".join(path.read_text() for path in Path("runs").glob("*.json"))
    assert len(misc("seed-3")["command"]) == 4  # too short to find the words by trying


def test_a_run_that_its_user_stopped_is_no_failure_and_tells_no_schedule(here: Path) -> None:
    stops = "[ $1 = 2 ] && kill -INT $PPID && exec sleep 60"
    later = "[ $1 = 4 ] && exit 9\necho tta epoch=9 top1=95 seconds=90"
    (here / "train.sh").write_text(f"echo tta epoch=1 top1=1$1 seconds=10\n{stops}\n{later}")
    assert record("--seeds", "2").exit_code == 1
    assert record("--seeds", "0").exit_code == 0
    assert str(stability_of("runs").exception).startswith(
        "fewer than two runs are left: cannot tell, not counted: seed-2: stopped before"
    )
    assert record("--seeds", "1").exit_code == 0
    done = stability_of("runs")
    assert "2 of 2 runs reach 90 %" in done.output
    assert "cannot tell, not counted: seed-2: stopped before the threshold" in done.output
    shown = CliRunner().invoke(cli, ["tta", "table", "runs"]).output
    assert "2 of 2" in shown
    assert "cannot tell, not counted: seed-2: stopped before the threshold" in shown
    # One that fails by itself counts, though it ends far from the others.
    assert record("--seeds", "4").exit_code == 1
    assert "2 of 3 runs reach 90 %" in stability_of("runs").output


def test_folders_of_one_name_are_entries_of_their_own(here: Path) -> None:
    (here / "mended").touch()
    for at, folder in enumerate(("a/fast", "b/fast")):
        words = ["tta", "record", "-o", folder, *SAID, "--seeds", f"{at}..2", "--"]
        assert CliRunner().invoke(cli, [*words, "sh", "train.sh", "{seed}"]).exit_code == 0
    shown = CliRunner().invoke(cli, ["tta", "table", "."]).output
    assert "a/fast" in shown
    assert "b/fast" in shown


def task_of(output: str, *words: str) -> str:
    """What a recording without `--task` is for, or why it is refused."""
    said = ["tta", "record", "-o", output, "--model", "M", *words, "--", "sh", "-c"]
    done = CliRunner().invoke(cli, [*said, "echo tta epoch=1 top1=91 top5=95"])
    if done.exception:
        return str(done.exception)
    kept = json.loads(Path(f"{output}.json").read_text())["misc"]
    return f"{kept['task']} {kept['score']} {kept['threshold']:g}"


def test_no_task_is_guessed(here: Path) -> None:
    assert task_of("own/run").startswith("which task is this? say one of your own with --task NAME")
    assert not Path("own").exists()
    assert task_of("own/run", "--threshold", "90").startswith("which task is this?")
    assert "has no threshold of its own: give one with --threshold" in task_of(
        "own/run", "--task", "digits"
    )
    assert task_of("own/run", "--task", "digits", "--threshold", "90") == "digits top1Accuracy 90"
    assert task_of("own/run") == "digits top1Accuracy 90"  # as it was recorded before
    assert task_of("ImageNet/train/run") == "ImageNet top5Accuracy 93"
    assert task_of("cifar10/run", "--threshold", "80") == "CIFAR10 top1Accuracy 80"
    assert task_of("a/run", "--task", "imagenet", "--score", "top1") == (
        "ImageNet is judged by top5Accuracy, not by top1Accuracy: leave --score out"
    )
