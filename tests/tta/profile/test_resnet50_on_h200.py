"""A training step of ResNet-50, recorded on an H200: two steps each of a batch of 128.

Names, shapes and times are the profiler's; what no analysis reads was taken out of the files.
"""

from pathlib import Path
from typing import Any

import pytest

from tests.tta.answers import answer

DATA = Path(__file__).parent / "data"

# Of a forward and a backward pass, two of 128 photos: the first convolution needs no gradient of
# the photos, and ResNet-50 has 4.09 billion multiplications a photo.
FLOPS = 2 * 128 * 2 * (3 * 4.09e9 - 0.118e9)


def run_of(name: str) -> dict[str, Any]:
    (run,) = answer("profile", f"run={DATA / name}.json.gz")["runs"]
    found: dict[str, Any] = run
    return found


@pytest.mark.parametrize(
    ("name", "units", "normalization"),
    [("plain", 0.0, 0.169), ("amp", 0.199, 0.459), ("channels_last", 0.336, 0.319)],
)
def test_shares_of_matrix_units_and_batch_norm(
    name: str, units: float, normalization: float
) -> None:
    found = run_of(name)
    matrix_units = found["matrix_units"]
    assert matrix_units["yes"] == pytest.approx(units, abs=0.0005)
    assert matrix_units["unclassified"] == pytest.approx(0, abs=0.0005)
    (batch_norm,) = (row for row in matrix_units["families"] if row["name"] == "batch norm")
    assert batch_norm["share"] == pytest.approx(normalization, abs=0.0005)
    assert found["roofline"]["run"]["flops"] == pytest.approx(FLOPS, rel=0.01)


def test_a_device_that_is_behind_its_host_begins_the_steps_late() -> None:
    """The clock said 127.04 ms a step; with the step before, which was still running, it is 233."""
    found = run_of("plain")
    (line,) = found["shares"]
    assert found["roofline"]["run"]["seconds"] / line["steps"] == pytest.approx(0.127, rel=0.002)
    assert found["outside"] == pytest.approx(0.454, abs=0.001)


def test_what_inductor_writes_is_no_product() -> None:
    families = run_of("compiled")["matrix_units"]["families"]
    assert families[0]["name"] == "Inductor's pointwise"
    assert families[0]["share"] == pytest.approx(0.565, abs=0.001)
