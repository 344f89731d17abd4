"""What a network's numbers are, and which class counts where two are equally good."""

from pathlib import Path

import pytest
import torch
from torch import Tensor

from genset.score.options import ScoringOptions
from genset.score.results.runs import Run, find_runs, load_predictions
from genset.sets.open import open_set
from tests.score.colours import WNIDS, colours, formed, hundred_photos
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


def in_bfloat16(scores: Tensor) -> Tensor:
    """Probabilities whose rows sum to 1 by chance alone."""
    return scores.softmax(dim=1).bfloat16().float()


def in_whole_numbers(scores: Tensor) -> Tensor:
    """As of int8: most classes are equally good."""
    return torch.round(scores / 8)


Probabilities = formed(lambda scores: scores.softmax(dim=1))  # as Keras writes most networks
Rounded = formed(in_bfloat16)
Percents = formed(lambda scores: 100 * scores.softmax(dim=1))
Sigmoid = formed(lambda scores: scores.sub(8).sigmoid())
LogProbabilities = formed(lambda scores: scores.log_softmax(dim=1))
Coarse = formed(in_whole_numbers)
Turned = formed(lambda scores: in_whole_numbers(scores).flip(1))  # outputs in another order


def spec_of(folder: Path, network: str) -> str:
    return colours(folder, network=f"{__name__}:{network}")


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
