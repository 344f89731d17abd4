"""`genset tta` prints and draws what it is asked for, also of a part of the logs."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image

from genset.core.errors import BadInput
from tests.tta.answers import answer, partly, printed, refusal, tta
from tests.tta.dawnbench_entries import write_entry, write_inference, write_tsv


@pytest.fixture
def entries(tmp_path: Path) -> Path:
    """Two that reach 93 %, one that does not, one malformed, and inference."""
    train = tmp_path / "ImageNet" / "train"
    write_entry(train / "fast", [80, 92, 93.0, 92.8], hour=0.1)
    write_entry(train / "cheap", [85, 93.5], costPerHour=0.5, timestamp="2018-9-30")
    write_entry(train / "short", [91, 92.9], author="Eve | [x](javascript:y) \x1b[31m")
    write_tsv(write_entry(train / "broken", [93.5]), [93.5]).write_text("epoch\thours\n1\t2\n")
    inference = tmp_path / "ImageNet" / "inference"
    write_inference(inference / "ok.json", latency=9.96, cost=1.64e-6, top5Accuracy=93.07)
    write_inference(inference / "weak.json", latency=2, top5Accuracy=92.5)
    return tmp_path


def test_markdown_keeps_strangers_words_in_their_cells(entries: Path) -> None:
    write_entry(entries / "train" / "odd", [95], model="a|b\n[x](http://y) `z` \x1b[2J")
    text = tta("table", entries, "--format", "markdown").stdout
    row = next(line for line in text.splitlines() if line.startswith("| odd"))
    assert "\x1b" not in text
    assert "a\\|b \\[x\\](http://y) \\`z\\`" in row
    assert row.replace("\\|", "").count("|") == 12


def test_inference_what_ends_below_and_what_has_no_day_are_named(entries: Path) -> None:
    lines = tta("table", entries).stdout.splitlines()
    assert "fast: ends at 92.80 %, below the threshold that it had reached" in lines
    assert "ImageNet, inference: 1 of 2 entries reaches 93 % top-5" in lines
    assert "weak is below 93 %" in lines
    latency = next(line for line in lines if "9.96 ms" in line)
    assert latency.split()[-5:-2] == ["9.96", "ms", "$0.0164"]
    write_entry(entries / "ImageNet" / "train" / "undated", [95], timestamp=None)
    found = partly("table", entries, "--until", "2018-09-29")
    assert [row["name"] for row in found["tasks"][0]["trainings"]] == ["fast"]
    assert found["undated"] == ["undated"]


def test_thresholds_are_for_one_task_or_for_all(entries: Path) -> None:
    assert len(partly("table", entries, "--threshold", 92)["tasks"][0]["trainings"]) == 3
    write_entry(entries / "own" / "mine", [95], misc={"task": "birds"})
    found = partly("table", entries)
    assert len(found["tasks"]) == 1
    assert "birds has no threshold" in found["refused"][1]["reason"]
    found = partly("table", entries, "--threshold", "birds=40")
    assert [task["task"] for task in found["tasks"]] == ["birds", "ImageNet"]
    found = partly("table", entries, "--threshold", "imagenet=93.2", "--threshold", "CIFAR10=1")
    (task,) = (task for task in found["tasks"] if task["task"] == "ImageNet")
    assert [row["name"] for row in task["trainings"]] == ["cheap"]


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Five runs of one recipe; the last stays below 93 %."""
    folder = tmp_path / "runs"
    hours = (1.0, 1.1, 0.9, 1.05)
    paths = [
        write_tsv(folder / f"_run${at}.tsv", [60, 92, 93.2, 93.1 + at / 100], hour=hour)
        for at, hour in enumerate(hours)
    ]
    return [*paths, write_tsv(folder / "last.tsv", [60, 91, 92.9, 92.5])]


def test_stability_needs_two_runs_of_one_task(runs: list[Path], tmp_path: Path) -> None:
    assert "at least two runs" in str(tta("stability", runs[0]).exception)
    other = tmp_path / "squad.tsv"
    other.write_text("epoch\thours\tf1Score\n1\t1\t0.76\n")
    result = tta("stability", runs[0], other)
    assert isinstance(result.exception, BadInput)
    assert "ImageNet (top5Accuracy, 93 %), SQuAD (f1Score, 75 %)" in str(result.exception)


@pytest.mark.parametrize("words", [["--from", 94], ["--step", 0], ["--step", 1e-9], ["--to", 101]])
def test_thresholds_that_make_no_steps_are_refused(runs: list[Path], words: list[object]) -> None:
    assert isinstance(tta("thresholds", *runs, *words).exception, BadInput)


def scaled(tmp_path: Path) -> list[str]:
    """Four times the workers make an epoch three times as fast, but take one more."""
    small = write_tsv(tmp_path / "small.tsv", [50, 92, 93], hour=3)
    large = tmp_path / "large.tsv"
    rows = [f"{at}\t{at}\t{score}" for at, score in enumerate((50, 91, 92, 93), 1)]
    large.write_text("\n".join(["epoch\thours\ttop5Accuracy", *rows]))
    return [f"8={large}", f"2={small}"]


def test_scaling_says_what_it_takes(tmp_path: Path) -> None:
    log = write_tsv(tmp_path / "log.tsv", [50, 93])
    copy = write_tsv(tmp_path / "copy.tsv", [50, 93])
    for words, message in (
        ([f"4={log}"], "two or more sizes"),
        ([f"0={log}", f"4={log}"], "write the number of workers before the log"),
        ([f"1={log}", f"4={copy}"], f"for 1 worker and {copy} for 4 have the same epochs"),
        (["4=missing.tsv"], "there is no file missing.tsv"),
    ):
        result = tta("scaling", *words)
        assert isinstance(result.exception, BadInput)
        assert message in str(result.exception)


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_every_comparison_has_a_figure(runs: list[Path], tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"a.{kind}"
    for command, words in (
        ("stability", [runs[0].parent]),
        ("thresholds", [*runs, "--to", 93.2]),
        ("scaling", scaled(tmp_path)),
    ):
        assert tta(command, *words, "-o", path).exit_code == 0
        if kind == "png":
            with Image.open(path) as picture:
                assert picture.size[0] > 800
    if kind == "svg":
        first = path.read_bytes()
        tta("scaling", *scaled(tmp_path), "-o", path)
        assert path.read_bytes() == first


def test_a_figure_that_cannot_be_drawn_is_refused_in_one_line(
    runs: list[Path], tmp_path: Path
) -> None:
    result = tta("stability", *runs, "-o", tmp_path / "runs.gif")
    assert "written as .png or .svg" in str(result.exception)
    result = tta("thresholds", *runs, "--from", 99, "--to", 99.5, "-o", tmp_path / "a.png")
    assert "no entry reaches 99 %" in str(result.exception)
    assert not (tmp_path / "a.png").exists()
    many = [write_tsv(tmp_path / "many" / f"{at}.tsv", [at, 93 + at / 10]) for at in range(30)]
    text = tta("stability", *many, "-o", tmp_path / "a.svg").stdout
    assert "30 of 30 runs reach 93 %" in text
    assert "and 10 more runs, see --json" in text
    drawn = (tmp_path / "a.svg").read_text()
    assert "of 30 runs reach" in drawn
    assert "<!--  0 -->" not in drawn  # more than can be told apart have no names


def _runs(folder: Path, *hours: float) -> Path:
    for at, hour in enumerate(hours, 1):
        write_tsv(folder / f"run-{at}.tsv", [90, 93.5], hour=hour)
    return folder


def _csv(path: Path, scores: Sequence[float], minute: float = 1, head: str = "val_acc") -> Path:
    rows = [f"{at},{60 * minute * at},{score}" for at, score in enumerate(scores, 1)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([f"epoch,seconds,{head}", *rows, ""]))
    return path


def test_a_fraction_is_no_threshold_in_per_cent_but_of_an_error(tmp_path: Path) -> None:
    for at in (1, 2):
        _csv(tmp_path / "runs" / f"{at}.csv", [80, 95], minute=at)
    for words in (
        ("table", "--threshold", "val_acc=0.94"),
        ("stability", "--threshold", "0.94"),
        ("thresholds", "--from", "0", "--to", "0.94"),
    ):
        command, *options = words
        assert "0.94 means 0.94 %; for 94 %" in refusal(command, tmp_path / "runs", *options)
    error = _csv(tmp_path / "error.csv", [4, 0.6, 0.4], head="val_error")
    assert "1 of 1 entry reaches" in printed("table", error, "--threshold", "0.5")


@pytest.mark.parametrize("command", ["stability", "thresholds", "scaling"])
def test_an_answer_of_a_part_of_the_logs_ends_with_exit_code_1(
    tmp_path: Path, command: str
) -> None:
    runs = _runs(tmp_path / "runs", 1, 1.1)
    (runs / "run-3.tsv").write_text("epoch\thours\ttop5Accuracy\n1\t1\t95%\n")
    words = [runs]
    if command == "scaling":
        words = [f"1={runs}", f"2={_runs(tmp_path / 'two', 0.5)}"]  # type: ignore[list-item]
    result = tta(command, *words)
    assert "Not counted: 1 file\n" in result.stdout
    assert "run-3.tsv, line 2" in result.stdout
    count = 4 if command == "scaling" else 3
    assert str(result.exception) == f"1 of {count} logs cannot be counted"
    assert not isinstance(result.exception, BadInput)  # of exit code 2
    assert len(partly(command, *words)["refused"]) == 1
    (runs / "run-2.tsv").unlink()  # what is left is too little
    if command == "stability":
        said = refusal(command, runs)
        assert said.startswith("stability needs at least two runs")
        assert f"Not counted: {runs / 'run-3.tsv'}, line 2" in said


def test_a_copy_is_no_further_run_for_any_command(tmp_path: Path) -> None:
    runs = _runs(tmp_path / "ImageNet", 1, 1.1, 1.2)
    (runs / "run-4.tsv").write_bytes((runs / "run-3.tsv").read_bytes())
    for words in (("stability", runs), ("thresholds", runs)):
        (refused,) = partly(*words)["refused"]
        assert refused["reason"] == (
            f"it holds the same epochs as {runs / 'run-3.tsv'}, so it is no further run"
        )
        assert refused["file"].endswith("run-4.tsv")
    assert partly("stability", runs)["reached"] == 3
    for name, minute in (("a", 1), ("b", 2), ("copy", 1)):
        _csv(tmp_path / "csv" / f"{name}.csv", [80, 95], minute=minute)
    assert refusal("table", tmp_path / "csv", "--threshold", 94).startswith("1 of 3 logs")


def test_a_table_takes_a_log_by_its_name_and_one_training_at_two_prices(tmp_path: Path) -> None:
    for name, price in (("dear", 10.0), ("cheap", 3.0)):
        write_entry(tmp_path / "prices" / "ImageNet" / name, [80, 93.5], costPerHour=price)
    (task,) = answer("table", tmp_path / "prices", "--by", "cost")["tasks"]
    assert [row["name"] for row in task["trainings"]] == ["cheap", "dear"]
    assert len(answer("thresholds", tmp_path / "prices")["rows"]) == 2
    log = _csv(tmp_path / "log.csv", [80, 95])
    assert "1 of 1 entry reaches 94 % val_acc" in printed("table", log, "--threshold", 94)
    tsv = write_entry(tmp_path / "ImageNet" / "one", [93.5])
    write_entry(tmp_path / "ImageNet" / "two", [93.6])
    for path in (tsv, tsv.with_suffix(".json")):
        assert [row["name"] for row in answer("table", path)["tasks"][0]["trainings"]] == ["one"]


def test_a_wide_way_has_few_columns(tmp_path: Path) -> None:
    log = _csv(tmp_path / "log.csv", [80, 95])
    found = answer("thresholds", log, "--from", 80, "--to", 94)
    assert found["thresholds"] == [80, 82, 84, 86, 88, 90, 92, 94]
    assert answer("thresholds", log, "--to", 94)["thresholds"] == [91 + at / 2 for at in range(7)]
    text = printed("thresholds", log, "--to", 94)
    assert text.startswith("val_acc: time to each threshold\n")
    error = _csv(tmp_path / "error.csv", [9, 4], head="val_error")
    assert answer("thresholds", error, "--to", 5)["thresholds"][0] == 8


@pytest.fixture
def rivals(tmp_path: Path) -> Path:
    """Two seed entries, two that are better, one that is later and worse."""
    train = tmp_path / "ImageNet" / "train"
    seed = {"author": "Stanford DAWN", "timestamp": "2017-10-27"}
    write_entry(train / "seed-slow", [93], hour=100, **seed)
    write_entry(train / "seed", [93], hour=50, framework="MXNet", **seed)
    write_entry(train / "better", [93], hour=10, author="Ann  Ko", timestamp="2018-01-01")
    write_entry(train / "best", [93], hour=0.1, costPerHour=None, timestamp="2018-04-01")
    write_entry(train / "later", [93], hour=20, timestamp="2018-05-01", costPerHour=1.0)
    write_inference(tmp_path / "ImageNet" / "inference" / "one.json", latency=10, top5Accuracy=93.5)
    return tmp_path


@pytest.mark.parametrize("author", ["stanford  dawn", "*DAWN*"])
def test_an_authors_entries_are_left_out_and_named(rivals: Path, author: str) -> None:
    options = ["--exclude-author", author]
    found = answer("table", rivals, *options)
    assert [row["name"] for row in found["tasks"][0]["trainings"]] == ["best", "better", "later"]
    assert found["tasks"][0]["frameworks"]["training"] == {"PyTorch": 3}
    assert found["excluded"] == ["seed", "seed-slow"]
    assert "Left out: excluded authors" in printed("table", rivals, *options)
    left = answer("table", rivals, *options, "--exclude-author", "ann ko")["tasks"][0]["trainings"]
    assert [row["name"] for row in left] == ["best", "later"]


def test_what_names_no_author_or_entry_or_several_is_refused(tmp_path: Path, rivals: Path) -> None:
    said = refusal("table", rivals, "--exclude-author", "Stanford")  # not whole
    assert "no entry is by this author" in said
    assert "Stanford DAWN" in said
    said = refusal("table", rivals, "--baseline", "beter")
    assert "no entry has this name: did you mean better" in said
    for hour, folder in enumerate(("a", "b"), 1):
        write_entry(tmp_path / "own" / folder / "run", [93], hour, misc={"task": "ImageNet"})
    own = tmp_path / "own"
    assert "2 entries of one task have this name" in refusal("table", own, "--baseline", "run")
    bare = tmp_path / "bare" / "ImageNet"
    write_tsv(bare / "train" / "bare.tsv", [93])
    write_entry(bare / "train" / "unsigned", [93], author=None)
    assert "no entry names its author" in refusal("table", bare, "--exclude-author", "Ann")


def test_entries_are_held_against_a_baseline_that_is_left_out_itself(rivals: Path) -> None:
    words = ["--baseline", "SEED", "--exclude-author", "Stanford DAWN"]
    (task,) = answer("table", rivals, *words)["tasks"]
    ratios = {row["name"]: (row["faster"], row["cheaper"]) for row in task["trainings"]}
    # 50 hours at 10 dollars; "best" has no price, "later" costs 20 dollars.
    assert ratios == {"best": (500, None), "better": (5, 5), "later": (2.5, 25)}
    assert task["training_baseline"]["name"] == "seed"
    text = printed("table", rivals, *words)
    row = next(line for line in text.splitlines() if line.startswith("best"))
    assert row.split()[-2:] == ["500×", "–"]
    assert "faster and cheaper: compared with seed (50:00:00, $500.00)" in text
    # The seed entry is the fastest of the first day, whatever its name.
    for log in (rivals / "ImageNet" / "train").glob("seed.*"):
        log.rename(log.with_stem("a"))
    (task,) = answer("table", rivals, "--baseline", "seed")["tasks"]
    assert task["training_baseline"] == {"name": "a", "time": 50.0, "cost": 500.0}


@pytest.mark.realdata
def test_table_1_of_the_paper_without_the_seed_entries(realdata: Path) -> None:
    # Coleman et al., table 1: submissions by hardware (GPU, TPU, CPU) and by framework.
    words = ["--until", "2018-09-15", "--exclude-author", "Stanford DAWN"]
    (task,) = answer("table", realdata / "dawnbench", *words)["tasks"]
    assert task["hardware"]["training"] == {"GPU": 6, "TPU": 6, "CPU": 3}
    assert task["frameworks"]["training"] == {"TensorFlow": 8, "PyTorch": 4, "Caffe": 3}


@pytest.mark.realdata
def test_the_v1_deadline_is_477_times_faster_and_19_times_cheaper(realdata: Path) -> None:
    words = ["--until", "2018-04-20", "--exclude-author", "Stanford DAWN"]
    for baseline in ("seed", "dawn_resnet152_b_8k80_ec2_mxnet"):
        found = answer("table", realdata / "dawnbench", *words, "--baseline", baseline)
        (task,) = found["tasks"]
        assert round(task["trainings"][0]["faster"]) == 477
        rows = {row["name"]: row for row in task["trainings"]}
        assert round(rows["google_resnet50_tpu_tensorflow18"]["cheaper"]) == 19
