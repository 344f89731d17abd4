"""Logs as people bring them: read right, refused, or "cannot tell"; never a false "never"."""

from pathlib import Path

import pytest

from tests.tta.answers import answer, tta

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


CUT = ["35,62,71\n36,121,73\n37,180,76.2\n", "1,60,40.2\n2,121,52.7\n3,182,91.8"]


@pytest.mark.parametrize("cut", CUT)
def test_what_a_log_lacks_is_no_failure(tmp_path: Path, cut: str) -> None:
    head = "epoch,seconds,val_acc\n"
    (tmp_path / "whole.csv").write_text(f"{head}1,60,40\n2,121,55\n3,182,95\n")
    (tmp_path / "cut.csv").write_text(f"{head}{cut}")
    found = answer("table", tmp_path, "--threshold", 90)["tasks"][0]
    assert [row["name"] for row in found["doubtful"]] == ["cut"]
    assert [row["name"] for row in found["trainings"]] == ["whole"] and not found["never"]
    text = tta("table", tmp_path, "--threshold", 90).stdout
    assert "1 of 1 entry reaches 90 % val_acc; cannot tell: 1" in text
    (tmp_path / "other.csv").write_text(f"{head}1,61,41\n2,122,54\n3,183,96\n")
    several = answer("stability", tmp_path, "--threshold", 90)
    assert (several["reached"], len(several["runs"])) == (2, 2)
    assert any("cannot tell, not counted: cut" in line for line in several["remarks"])


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
