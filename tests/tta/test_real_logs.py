"""Logs as people bring them: read right, refused, or "cannot tell"; never a false "never"."""

from pathlib import Path

import pytest

from genset.tta.logs.common import OPTIONS
from genset.tta.logs.reading import FORMATS
from tests.tta.answers import answer, tta
from tests.tta.dawnbench_entries import write_entry
from tests.tta.logs.mlperf_logs import lines, write

CASES = Path("cases") / "tta"
GPT3 = "mlperf/v4.0/Google/results/cloud-tpu-v5p-1024-maxtext/gpt3"
CONSOLE = "console_step_val_loss.txt"
STEPS = r"val_loss:(?P<score>[\d.]+) train_time:(?P<ms>\d+)ms"
LLAMA = "mlperf/v5.0/AMD/results/MI300X_EPYC_9575F_pytorch/llama2_70b_lora"


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("log", "words", "seconds"),
    [
        (GPT3, [], 6899),
        (LLAMA, [], 1718.2),
        ("no_line_end.csv", ["--threshold", 52], 121),
        ("ultralytics_results.csv", ["--threshold", 60], 191.279),
        ("composer.csv", ["--threshold", 78], 166),
        ("fractions_with_percent_threshold.csv", ["--threshold", 75], 120),
        ("resumed_tail.csv", ["--threshold", 76, "--starts-at", "1:00:00"], 3780),
        (CONSOLE, ["--pattern", "modded-nanogpt", "--threshold", 3.28], 137.567),
        (CONSOLE, ["--pattern", STEPS, "--threshold", 4], 30.405),
    ],
)
def test_a_log_gives_the_time_that_it_has(
    realdata: Path, log: str, words: list[object], seconds: float
) -> None:
    (task,) = answer("table", realdata / CASES / log, *words)["tasks"]
    (row,) = task["trainings"]
    assert 3600 * row["hours"] == pytest.approx(seconds, abs=0.6)
    assert not task["never"] and not task["doubtful"]


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("log", "words", "reason"),
    [
        ("header_twice.csv", ["--threshold", 80], "line 4: the line of names again"),
        ("ultralytics_results.csv", ["--metric", "val/loss", "--threshold", 900], "far from all"),
        (GPT3, ["--lower-is-better"], "--lower-is-better would change nothing: MLPerf's rules"),
        ("no_line_end.csv", ["--threshold", 60, "--starts-at", 9], "would change nothing"),
    ],
)
def test_what_cannot_be_meant_is_a_question(
    realdata: Path, log: str, words: list[object], reason: str
) -> None:
    result = tta("table", realdata / CASES / log, *words)
    assert reason in result.stdout + str(result.exception)
    assert result.exit_code == 1 or result.exception


CUT = {
    "resumed": "epoch,seconds,val_acc\n35,62,71\n36,121,73\n37,180,76.2\n",
    "last line": "epoch,seconds,val_acc\n1,60,40.2\n2,121,52.7\n3,182,91.8",
}


@pytest.mark.parametrize("name", CUT)
def test_what_a_log_lacks_is_no_failure(tmp_path: Path, name: str) -> None:
    whole = tmp_path / "whole.csv"
    whole.write_text("epoch,seconds,val_acc\n1,60,40\n2,121,55\n3,182,95\n")
    (tmp_path / "cut.csv").write_text(CUT[name])
    found = answer("table", tmp_path, "--threshold", 90)["tasks"][0]
    assert [row["name"] for row in found["doubtful"]] == ["cut"]
    assert [row["name"] for row in found["trainings"]] == ["whole"] and not found["never"]
    assert "1 of 1 entry reaches 90 % val_acc; cannot tell: 1" in tta(
        "table", tmp_path, "--threshold", 90
    ).stdout.replace("val_acc, training: ", "")
    other = tmp_path / "other.csv"
    other.write_text("epoch,seconds,val_acc\n1,61,41\n2,122,54\n3,183,96\n")
    several = answer("stability", tmp_path, "--threshold", 90)
    assert (several["reached"], len(several["runs"])) == (2, 2)
    assert any("cannot tell, not counted: cut" in line for line in several["remarks"])


VALUES = {
    "metric": "val_top5",
    "epoch": "turn",
    "time": "later",
    "run": "of",
    "pattern": r"top (?P<val_top1>\d+) at (?P<s>\d+)",
}
LOGS = {
    "mlperf": ":::MLLOG",
    "dawnbench": "",
    "table": "epoch,turn,time,later,val_acc,val_top5,of\n1,3,60,61,40,50,a\n2,5,120,130,60,70,b\n",
    "console": "top 50 at 60\ntop 70 at 120\n",
}


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("name", LOGS)
def test_every_option_changes_what_is_read_or_is_refused(
    tmp_path: Path, name: str, option: str
) -> None:
    (form,) = (form for form in FORMATS if form.name == name)
    path = tmp_path / {"mlperf": "result_0.txt", "console": "out.txt"}.get(name, "log.csv")
    if name == "mlperf":
        write(path, lines("v0.7", [0.5, 0.76]))
    elif name == "dawnbench":
        path = write_entry(tmp_path / "ImageNet" / "train" / "a", [90, 93]).with_suffix(".tsv")
    else:
        path.write_text(LOGS[name])
    words = ["table", path, "--threshold", 45, "--log-format", name]
    needed = ["--pattern", VALUES["pattern"]] if name == "console" and option != "pattern" else []
    value = VALUES.get(option)
    asked = [OPTIONS[option], *([value] if value else [])]
    if option not in form.heeds:
        result = tta(*words, *needed, *asked)
        assert f"{OPTIONS[option]} would change nothing: {form.ignores}" in result.stdout
    elif name == "table":
        plain, changed = answer(*words), answer(*words, *asked)
        assert plain != changed


def test_a_score_that_falls_short_by_little_is_shown_so(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("epoch,seconds,val_loss\n1,60,4\n2,120,3.2801\n")
    assert " 3.2801\n" in tta("table", log, "--threshold", 3.28).stdout


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("entry", "minutes", "variation"),
    [
        ("nvidia/dgx1_ngc18.11_mxnet/resnet", 134.50, 0.46),
        ("google/8xV100/resnet", 137.71, 0.23),
        ("intel/skx_8180_2s_1x/resnet", 10367.26, 1.28),  # its clock has whole seconds
    ],
)
def test_five_runs_of_mlperfs_have_the_mean_and_the_variation_of_start_to_stop(
    realdata: Path, entry: str, minutes: float, variation: float
) -> None:
    found = answer("stability", realdata / "mlperf" / "v0.5" / entry)
    assert (len(found["runs"]), found["reached"]) == (5, 5)
    assert found["threshold"] == pytest.approx(74.9)
    assert 60 * found["hours"] == pytest.approx(minutes, abs=0.006)
    assert 100 * found["variation"] == pytest.approx(variation, abs=0.006)
