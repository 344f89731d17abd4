"""Other engines give PyTorch's answers, or are not used."""

from pathlib import Path

import pytest

from genset.core.errors import BadInput
from genset.score.options import ScoringOptions
from genset.sets.open import open_set
from tests.score.colours import colours, painted_set
from tests.score.scoring import evaluate


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_another_precision_is_named_and_is_another_run(tmp_path: Path, precision: str) -> None:
    photos = open_set(str(painted_set(tmp_path / "photos")))
    spec = colours(tmp_path)
    (full,) = evaluate(photos, [spec], tmp_path / "runs")
    (half,) = evaluate(photos, [spec], tmp_path / "runs", ScoringOptions(precision=precision))
    assert (half.precision, half.top1.correct) == (precision, full.top1.correct)
    assert half.key != full.key
    lacks = precision == "bf16" and "_bf16" not in Path("/proc/cpuinfo").read_text("utf-8")
    assert ("This processor has no bf16: float32 is faster." in half.notes) == lacks


@pytest.mark.parametrize(
    ("how", "named"),
    [
        ({"decoding": "quick"}, "decoding is one of exact, fast"),
        ({"engine": "onnxruntime", "precision": "bf16"}, "engine onnxruntime has no bf16"),
        ({"workers": -1}, "0 to 1024 workers can score, not -1"),
        ({"keep": 4}, "5 to 1000 classes of each photo can be kept, not 4"),
    ],
)
def test_what_is_not_possible_is_named(how: dict[str, object], named: str) -> None:
    with pytest.raises(BadInput, match=named):
        ScoringOptions(**how)  # type: ignore[arg-type]
