"""Points given by hand: what is printed of them."""

from tests.tta.answers import printed


def test_a_peak_is_quoted_as_the_table_has_it() -> None:
    words = ["profile", "--point", "a=1e15,1e13,30", "--device"]
    assert "memory 2,039 GB/s" in printed(*words, "NVIDIA A100-SXM4-80GB")
    text = printed(*words, "H100 SXM")
    assert "tf32 494.7 TFLOP/s, float16 989.4 TFLOP/s" in text
    assert "whitepaper (matrix units, dense), NVIDIA H100 datasheet (float32, memory))" in text
