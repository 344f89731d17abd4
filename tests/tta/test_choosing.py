"""`tta table` leaves authors out, holds entries against one, and shows the best by date."""

from pathlib import Path

import pytest

from tests.tta.answers import answer, printed, refusal
from tests.tta.dawnbench_entries import write_entry, write_inference, write_tsv


@pytest.fixture
def entries(tmp_path: Path) -> Path:
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
def test_an_authors_entries_are_left_out_and_named(entries: Path, author: str) -> None:
    options = ["--exclude-author", author]
    found = answer("table", entries, *options)
    assert [row["name"] for row in found["tasks"][0]["trainings"]] == ["best", "better", "later"]
    assert found["tasks"][0]["frameworks"]["training"] == {"PyTorch": 3}
    assert found["excluded"] == ["seed", "seed-slow"]
    assert "Left out: excluded authors" in printed("table", entries, *options)
    left = answer("table", entries, *options, "--exclude-author", "ann ko")["tasks"][0]["trainings"]
    assert [row["name"] for row in left] == ["best", "later"]


def test_what_names_no_author_or_entry_or_several_is_refused(tmp_path: Path, entries: Path) -> None:
    said = refusal("table", entries, "--exclude-author", "Stanford")  # not whole
    assert "no entry is by this author" in said
    assert "Stanford DAWN" in said
    said = refusal("table", entries, "--baseline", "beter")
    assert "no entry has this name: did you mean better" in said
    for hour, folder in enumerate(("a", "b"), 1):
        write_entry(tmp_path / "own" / folder / "run", [93], hour, misc={"task": "ImageNet"})
    own = tmp_path / "own"
    assert "2 entries of one task have this name" in refusal("table", own, "--baseline", "run")
    bare = tmp_path / "bare" / "ImageNet"
    write_tsv(bare / "train" / "bare.tsv", [93])
    write_entry(bare / "train" / "unsigned", [93], author=None)
    assert "no entry names its author" in refusal("table", bare, "--exclude-author", "Ann")


def test_entries_are_held_against_a_baseline_that_is_left_out_itself(entries: Path) -> None:
    words = ["--baseline", "SEED", "--exclude-author", "Stanford DAWN"]
    (task,) = answer("table", entries, *words)["tasks"]
    ratios = {row["name"]: (row["faster"], row["cheaper"]) for row in task["trainings"]}
    # 50 hours at 10 dollars; "best" has no price, "later" costs 20 dollars.
    assert ratios == {"best": (500, None), "better": (5, 5), "later": (2.5, 25)}
    assert task["training_baseline"]["name"] == "seed"
    text = printed("table", entries, *words)
    row = next(line for line in text.splitlines() if line.startswith("best"))
    assert row.split()[-2:] == ["500×", "–"]
    assert "faster and cheaper: compared with seed (50:00:00, $500.00)" in text
    # The seed entry is the fastest of the first day, whatever its name.
    for log in (entries / "ImageNet" / "train").glob("seed.*"):
        log.rename(log.with_stem("a"))
    (task,) = answer("table", entries, "--baseline", "seed")["tasks"]
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
