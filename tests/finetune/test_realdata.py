"""The command on real photos with real weights."""

from pathlib import Path

import pytest

from genset.finetune.compare import table, worst_pairs
from genset.finetune.fitting import FinetuneOptions
from genset.finetune.runs import load_predictions
from genset.score.options import ScoringOptions
from tests.finetune.fitting import finetune

pytestmark = pytest.mark.realdata


@pytest.fixture
def some_cats_and_dogs(realdata: Path, tmp_path: Path) -> Path:
    """Links to 40 cats and 40 dogs."""
    folder = tmp_path / "data" / "train"
    folder.mkdir(parents=True)
    for kind in ("cat", "dog"):
        for path in sorted((realdata / "cats_dogs" / "train").glob(f"{kind}.*.jpg"))[:40]:
            (folder / path.name).symlink_to(path)
    return folder.parent


@pytest.mark.soak
def test_squeezenet_tells_cats_from_dogs_and_worse_where_photos_are_darkened(
    realdata: Path, some_cats_and_dogs: Path, tmp_path: Path
) -> None:
    checkpoint = realdata / "checkpoints" / "squeezenet1_0.pth"
    spec = f"file:{checkpoint}?arch=torchvision:squeezenet1_0"
    options = FinetuneOptions(
        seeds=2, shots=(1, 8), strengths=(1e-3, 1e-1), scoring=ScoringOptions(engine="torch")
    )
    specs = [spec, f"{spec}&name=dark&mean=5"]
    done = finetune([("cats-dogs", some_cats_and_dogs)], specs, tmp_path / "runs", options)
    good, dark = (kept.record for kept in done.runs)
    assert (good.train, good.test) == (64, 16)
    assert good.accuracy.correct >= 13
    one, eight = (good.of_shots(number) for number in (1, 8))
    assert sum(each.correct for each in one) <= sum(each.correct for each in eight)
    (row,) = table(done.runs)
    assert row.differences[0].difference == dark.accuracy.share - good.accuracy.share <= 0
    (wrong, *_) = worst_pairs(dark, load_predictions(done.runs[1]))
    assert {wrong.name, wrong.other} == {"cat", "dog"}
