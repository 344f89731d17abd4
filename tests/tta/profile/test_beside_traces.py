"""Points given by hand: what is printed of them."""

import pytest

from tests.tta.answers import answer, printed


@pytest.mark.parametrize(
    ("numbers", "says"),
    [
        ("2.1e20,3.2e13,60", "big: the point is above the roof, 76,086.96 times: a part was"),
        ("2.1e14,3.2e15,60", "big: the point is above the roof, 76.19 times: its data was in"),
        ("2.1e14,3.2e13,60", ""),
    ],
)
def test_a_point_above_the_roof_is_said(numbers: str, says: str) -> None:
    words = ["profile", "--point", f"big={numbers}", "--device", "TPUv2"]
    assert ("above the roof" in printed(*words)) == bool(says)
    assert says in printed(*words)
    (point,) = answer(*words)["points"]
    assert bool(point["remarks"]) == bool(says)


def test_a_peak_is_quoted_as_the_table_has_it() -> None:
    words = ["profile", "--point", "a=1e15,1e13,30", "--device"]
    assert "memory 2,039 GB/s" in printed(*words, "NVIDIA A100-SXM4-80GB")
    text = printed(*words, "H100 SXM")
    assert "tf32 494.7 TFLOP/s, float16 989.4 TFLOP/s" in text
    assert "whitepaper (matrix units, dense), NVIDIA H100 datasheet (float32, memory))" in text
