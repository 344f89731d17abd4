"""FLOPs and bytes of operators: against PyTorch's own count, and by hand where it is wrong."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from genset.tta.profile.kineto import read_trace
from genset.tta.profile.work import count_work
from tests.tta.answers import answer
from tests.tta.profile.made import HOST, called, floats, halves, launched, on_device, only, trace

ROOT = Path(__file__).parents[3]

# A convolution's arguments after image, weights and bias: stride, padding, dilation, transposed,
# output padding, groups.
PLAIN = ("[1, 1]", "[0, 0]", "[1, 1]", "False", "[0, 0]", "1")


def recorded(folder: Path, *networks: str) -> Path:
    command = [sys.executable, "-m", "tests.tta.profile.record_networks", str(folder), *networks]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("network", ["resnet", "attention", "convolutions"])
@pytest.mark.soak
def test_flops_are_those_of_pytorch_operator_by_operator(tmp_path: Path, network: str) -> None:
    found = count_work(read_trace(recorded(tmp_path, network) / f"{network}.json"))
    counted = [[call.name, call.work.flops] for call in found.calls]
    expected = json.loads((tmp_path / f"{network}.flops.json").read_text())
    assert len(expected) > 10
    assert counted == expected
    assert all(work.recorded for work in found.others)


def test_groups_divide_the_work_of_a_convolution_and_of_both_its_gradients() -> None:
    """By hand: each of 2 × 12 × 5 × 5 outputs is a sum of 3 × 3 × (8 / 4) products."""
    image, weights, out = floats(2, 8, 7, 7), floats(12, 2, 3, 3), floats(2, 12, 5, 5)
    by_hand = 2 * (2 * 12 * 5 * 5) * (3 * 3 * 2)
    forward = called("aten::convolution", image, weights, None, *PLAIN[:-1], "4")
    assert only(forward).work.flops == by_hand
    masks = {"[True, True, False]": 2, "[False, True, True]": 1, "[False, False, True]": 0}
    for mask, gradients in masks.items():
        backward = called(
            "aten::convolution_backward", out, image, weights, "[0]", *PLAIN[:-1], "4", mask
        )
        assert only(backward).work.flops == gradients * by_hand


def test_of_calls_of_one_name_in_each_other_the_innermost_counts() -> None:
    """As autocast calls a product again in half precision, after it has copied what goes in."""
    operators = [
        called("aten::mm", floats(4, 6), floats(6, 7)),
        called("aten::copy_", halves(4, 6), floats(4, 6), "False", parent=0),
        called("aten::matmul", halves(20, 6), halves(6, 7), parent=0),
        called("aten::mm", halves(20, 6), halves(6, 7), parent=2),
        called("aten::mm", halves(20, 6), halves(6, 7), parent=3),
        called("aten::fill_", halves(20, 7), "0", parent=4),
    ]
    times = launched(1, 0, 1.0), launched(4, 10, 4.0), launched(5, 20, 2.0), launched(0, 30, 0.5)
    found = on_device(operators, *times)
    (product,) = found.calls
    assert (product.work.flops, product.work.precision) == (2 * 20 * 6 * 7, "float16")
    assert product.seconds == pytest.approx(6.5e-6)
    (copied,) = found.others
    assert (copied.name, copied.seconds) == ("aten::copy_", pytest.approx(1e-6))
    host = count_work(trace(operators=operators, device=HOST))
    assert [done.work.flops for done in host.calls if done.name == "aten::mm"] == [1680]
    assert host.seconds == pytest.approx(60e-6)


@pytest.mark.parametrize(
    ("name", "gradients", "heads", "products"),
    [
        # Scores and their sum of values; backward the scores again and four gradients.
        ("flash_attention", 0, 4, 2),
        ("efficient_attention", 0, 2, 2),
        ("cudnn_attention_backward", 1, 4, 5),
    ],
)
def test_attention_counts_its_products(
    name: str, gradients: int, heads: int, products: int
) -> None:
    query, key = halves(2, 4, 16, 32), halves(2, heads, 24, 32)
    inputs = [*[query] * gradients, query, key, key, None, None, None]
    work = only(called(f"aten::_scaled_dot_product_{name}", *inputs)).work
    assert work.flops == products * 2 * (2 * 4) * 16 * 24 * 32


# Where FLOPs are not those of flop_counter: counted by hand, and named in the docs.

TEXT = (ROOT / "docs" / "profiling.md").read_text("utf-8")

# A layer's attention: queries, keys, values and the output's projection of 20 words, the scores and
# their sum; then two linear layers.
ENCODER = 2 * 20 * 32 * (3 * 32 + 32) + 2 * 2 * (2 * 4) * 10 * 10 * 8 + 2 * 2 * 20 * 32 * 64
FIRST, SECOND = 2 * 2 * 8 * 16 * 16 * 3 * 9, 2 * 2 * 8 * 14 * 14 * 8 * 9

BY_HAND = {
    "_int_mm": 2 * 32**3,
    "addbmm": 2 * 4 * 5 * 6 * 7,
    "cdist": 2 * 40 * 50 * (8 + 2),  # with a column for each one's square
    "TransformerEncoderLayer": ENCODER,
}


def test_what_flop_counter_does_not_see_is_counted_and_named(tmp_path: Path) -> None:
    counted = json.loads((recorded(tmp_path) / "flops.json").read_text())
    found = {}
    for name in counted:
        assert f"`{name}`" in TEXT
        (run,) = answer("profile", tmp_path / f"{name}.json")["runs"]
        found[name] = run["roofline"]["run"]["flops"]
    assert found.pop("Bilinear") > 0 == counted.pop("Bilinear")  # PyTorch's own way to it
    # Forward, the first again, both backward; the first's input has a gradient too.
    done = FIRST + SECOND + FIRST + 2 * (FIRST + SECOND)
    assert (found.pop("checkpoint"), counted.pop("checkpoint")) == (done + SECOND, done)
    assert found == BY_HAND
    assert counted == dict.fromkeys(BY_HAND, 0)
