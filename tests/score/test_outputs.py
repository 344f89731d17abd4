"""What a network's numbers are, and which class counts where two are equally good."""

from pathlib import Path

import pytest
import torch
from torch import Tensor

from genset.score.options import ScoringOptions
from genset.score.results.runs import Run, find_runs, load_predictions
from genset.sets.open import open_set
from tests.score.colours import WNIDS, Colours, colours, hundred_photos
from tests.score.scoring import evaluate
from tests.score.test_own_classes import evaluated, here

__all__ = ["here"]

FORMS = {
    "Probabilities": "Its outputs are probabilities: no softmax is taken of them.",
    "Rounded": "Its outputs are probabilities: no softmax is taken of them.",
    "Percents": "Its outputs are probabilities in percent: no softmax is taken of them.",
    "LogProbabilities": "Its outputs are logarithms of probabilities.",
    "Sigmoid": "Its outputs are from 0 to 1 and do not sum to 1: each is taken for the probability "
    "of its class alone (sigmoid).",
}


class Probabilities(Colours):
    """The same network with a softmax at its end, as Keras writes most."""

    def forward(self, pixels: Tensor) -> Tensor:
        return super().forward(pixels).softmax(dim=1)


class Rounded(Colours):
    """The same in bfloat16, whose rows sum to 1 by chance alone."""

    def forward(self, pixels: Tensor) -> Tensor:
        return super().forward(pixels).softmax(dim=1).bfloat16().float()


class Percents(Probabilities):
    """The same in percent."""

    def forward(self, pixels: Tensor) -> Tensor:
        return 100 * super().forward(pixels)


class Sigmoid(Colours):
    """The same network with a sigmoid at its end."""

    def forward(self, pixels: Tensor) -> Tensor:
        return super().forward(pixels).sub(8).sigmoid()


class LogProbabilities(Colours):
    """The same network with a log-softmax at its end."""

    def forward(self, pixels: Tensor) -> Tensor:
        return super().forward(pixels).log_softmax(dim=1)


class Coarse(Colours):
    """The same network in whole numbers, as of int8: most classes are equally good."""

    def forward(self, pixels: Tensor) -> Tensor:
        return torch.round(super().forward(pixels) / 8)


class Turned(Coarse):
    """The same with its outputs in another order."""

    def forward(self, pixels: Tensor) -> Tensor:
        return super().forward(pixels).flip(1)


def spec_of(folder: Path, network: str) -> str:
    return colours(folder).replace("tests.score.colours:Colours", f"{__name__}:{network}")


@pytest.mark.parametrize("network", FORMS)
def test_probabilities_get_no_second_softmax(tmp_path: Path, network: str) -> None:
    photos = open_set(str(hundred_photos(tmp_path / "photos")))
    answers = []
    for spec, runs in ((colours(tmp_path), "logits"), (spec_of(tmp_path, network), network)):
        (run,) = evaluate(photos, [spec], tmp_path / runs)
        ((folder, _),) = find_runs(tmp_path / runs, photos.name)
        answers.append(load_predictions(folder))
        assert [note for note in run.notes if note in FORMS.values()] == (
            [] if runs == "logits" else [FORMS[network]]
        )
    for expected, found in zip(*answers, strict=True):
        assert found.top == expected.top
        nearly = 0.01 if network == "Rounded" else 1e-4
        assert found.probabilities == pytest.approx(expected.probabilities, rel=nearly)


@pytest.mark.parametrize("network", FORMS)
def test_on_own_classes_too(here: Path, network: str) -> None:
    expected, found = evaluated(here), evaluated(here, spec=spec_of(here, network))
    assert (found["top1"], found["mapping"]) == (expected["top1"], expected["mapping"])


def test_ties_are_decided_alike_for_every_k_and_batch_and_said(tmp_path: Path) -> None:
    photos = open_set(str(hundred_photos(tmp_path / "photos")))
    found: list[Run] = []
    (tmp_path / "turned.txt").write_text("\n".join(reversed(WNIDS)))
    for keep in (5, 10, 20, 1000):
        options = ScoringOptions(keep=keep, workers=1 + keep % 3)
        turned = f"{spec_of(tmp_path, 'Turned')}&classes={tmp_path / 'turned.txt'}"
        specs = [spec_of(tmp_path, "Coarse"), turned]
        found += evaluate(photos, specs, tmp_path / f"{keep}", options)
    assert len({(run.top1, run.top5, tuple(run.hits[:5])) for run in found}) == 1
    tied = "33 photos with equal best classes: the first by its id counts."
    assert [tied in run.notes for run in found] == [True] * 8, [run.notes for run in found]
    # Of several models too, each one's speed is kept: that of a command without the other.
    assert all(run.cost["photos_per_second"] > 0 for run in found)
