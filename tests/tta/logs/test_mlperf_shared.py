"""MLPerf's own result files of round v0.5: the facts that follow from their lines."""

from pathlib import Path

import pytest

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
