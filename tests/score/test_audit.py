"""``--audit-preprocessing``: a wrong preprocessing is noticed, and a right one is left alone."""

from pathlib import Path

import pytest
import torch

from genset.core.errors import ModelError
from genset.score.audit import audit
from genset.sets.open import open_set
from tests.score.colours import BLUE, GREEN, RED, Colours, colours, paint
from tests.score.scoring import load_model


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    for number in range(60):
        paint(tmp_path / "photos", number % 3, f"{number:02}.png", (RED, GREEN, BLUE)[number % 3])
    (tmp_path / "photos" / "n01440764" / "text.jpg").write_text("I am no photo.")
    return tmp_path / "photos"


class OnlyOfHalf(Colours):
    """Right where a photo's values are from -1 to 1, as mean = std = 0.5 makes them."""

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        as_trained = pixels.amin(dim=(1, 2, 3)) == -1
        return super().forward(pixels) * torch.where(as_trained, 1.0, -1.0)[:, None]


def test_a_wrong_normalization_is_named_with_the_better_one(tmp_path: Path, photos: Path) -> None:
    spec = colours(tmp_path, network=f"{__name__}:OnlyOfHalf")
    right = audit(load_model(spec), open_set(str(photos)))
    assert (right.photos, right.correct, right.better) == (60, 60, None)
    assert "none of" in str(right)
    wrong = audit(load_model(spec.replace("&mean=0.5&std=0.5", "")), open_set(str(photos)))
    assert wrong.correct == 0
    assert wrong.better is not None
    assert (wrong.better.options, wrong.better.correct) == ("mean=0.5&std=0.5", 60)
    assert str(wrong).endswith("its preprocessing is probably wrong")


def test_a_network_that_fails_is_named(tmp_path: Path, photos: Path) -> None:
    spec = colours(tmp_path, network="tests.score.colours:Broken")
    with pytest.raises(ModelError, match="cannot be run: a bug of yours"):
        audit(load_model(spec), open_set(str(photos)))
