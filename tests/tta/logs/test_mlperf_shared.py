"""MLPerf's own result files of round v0.5: the facts that follow from their lines."""

from pathlib import Path
from statistics import fmean

import pytest

from genset.tta.logs.reading import read_runs
from genset.tta.runs import one_task
from tests.tta.answers import answer

pytestmark = pytest.mark.realdata


@pytest.mark.parametrize(
    ("entry", "threshold", "minutes", "variation"),
    [
        ("nvidia/dgx1_ngc18.11_mxnet/resnet", 74.9, 134.50, 0.46),
        ("google/8xV100/resnet", 74.9, 137.71, 0.23),
        ("intel/skx_8180_2s_1x/resnet", 74.9, 10367.26, 1.28),  # its clock has whole seconds
    ],
)
def test_five_runs_have_the_mean_and_the_variation_of_start_to_stop(
    realdata: Path, entry: str, threshold: float, minutes: float, variation: float
) -> None:
    found = answer("stability", realdata / "mlperf" / "v0.5" / entry)
    assert (len(found["runs"]), found["reached"]) == (5, 5)
    assert found["threshold"] == pytest.approx(threshold)
    assert 60 * found["hours"] == pytest.approx(minutes, abs=0.006)
    assert 100 * found["variation"] == pytest.approx(variation, abs=0.006)


def test_a_score_in_a_unit_of_its_own_keeps_it(realdata: Path) -> None:
    folder = realdata / "mlperf" / "v0.5" / "nvidia" / "dgx1_ngc18.11_pytorch" / "ssd"
    runs = read_runs([folder], [])
    task = one_task(runs)
    assert (task.score, task.threshold, task.percent) == ("mAP", 0.212, False)
    reached = [run.first_at(0.212) for run in runs]
    assert fmean(60 * epoch.hours for epoch in reached if epoch) == pytest.approx(26.87, abs=0.006)
    assert {run.about.entry for run in runs} == {"nvidia/dgx1_ngc18.11_pytorch/ssd"}
