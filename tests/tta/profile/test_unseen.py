"""Where FLOPs are not those of torch.utils.flop_counter: counted by hand, and named."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tta.answers import answer

ROOT = Path(__file__).parents[3]
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


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unseen")
    command = [sys.executable, "-m", "tests.tta.profile.record_unseen", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def flops(folder: Path, name: str) -> tuple[float, int]:
    """Ours and flop_counter's."""
    (run,) = answer("profile", folder / f"{name}.json")["runs"]
    return run["roofline"]["run"]["flops"], json.loads((folder / "flops.json").read_text())[name]


@pytest.mark.parametrize("name", BY_HAND)
def test_what_flop_counter_does_not_see_is_counted_and_named(recorded: Path, name: str) -> None:
    assert flops(recorded, name) == (BY_HAND[name], 0)
    assert f"`{name}`" in TEXT


def test_a_bilinear_layers_products_are_counted(recorded: Path) -> None:
    """PyTorch's own way to it, which is not the shortest."""
    ours, theirs = flops(recorded, "Bilinear")
    assert ours > 0 == theirs
    assert "`Bilinear`" in TEXT


def test_a_recomputation_that_is_cut_short_counts_what_it_had_begun(recorded: Path) -> None:
    """Forward, the first again, both backward; the first's input has a gradient too."""
    done = FIRST + SECOND + FIRST + 2 * (FIRST + SECOND)
    assert flops(recorded, "checkpoint") == (done + SECOND, done)
    assert "`checkpoint`" in TEXT
