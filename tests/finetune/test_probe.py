"""The last layer fitted on features: scikit-learn's own, with a strength chosen without a test."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from genset.core.errors import BadInput, ModelError
from genset.finetune.probe import DEFAULT_STRENGTH, Floats, Labels, fit_probe, scores, unit


def drawn(
    photos: int, inputs: int, classes: int, noise: float = 2.0, seed: int = 0
) -> tuple[Floats, Labels]:
    """Features around a middle for each class, each feature with a scale of its own."""
    rng = np.random.default_rng(seed)
    middles = rng.normal(size=(classes, inputs))
    labels = np.arange(photos) % classes
    scale, offset = np.exp(rng.normal(size=inputs)), 3 * rng.normal(size=inputs)
    features = (middles[labels] + noise * rng.normal(size=(photos, inputs))) * scale + offset
    return features.astype(np.float32), labels


def scikit_learns(features: Floats, labels: Labels, strength: float) -> Pipeline:
    """Its layer, on features with variances that are shrunk as ours are."""
    wide, scaler = features.astype(np.float64), StandardScaler().fit(features.astype(np.float64))
    squares, variance = (wide - wide.mean(axis=0)) ** 2, scaler.var_
    unsure = (squares.var(axis=0) / (len(wide) - 1)).sum()
    share = min(1.0, unsure / ((variance - variance.mean()) ** 2).sum())
    scaler.scale_ = np.sqrt(share * variance.mean() + (1 - share) * variance)
    fitted = LogisticRegression(C=strength, max_iter=10_000, tol=1e-8)
    return make_pipeline(scaler, fitted.fit(scaler.transform(wide), labels))


def right(answers: Floats, labels: Labels) -> float:
    return float((answers.argmax(axis=1) == labels).mean())


@pytest.mark.parametrize("strength", [1e-3, 1e-1, 1.0])
@pytest.mark.parametrize(("photos", "inputs", "classes"), [(300, 40, 6), (60, 200, 6), (90, 30, 2)])
@pytest.mark.soak
def test_the_layer_is_scikit_learns(
    photos: int, inputs: int, classes: int, strength: float
) -> None:
    features, labels = drawn(photos, inputs, classes)
    features[:, 3] = 7  # a channel that never fires
    fit = fit_probe(features, labels, classes, strengths=[strength])
    theirs = scikit_learns(features, labels, strength)
    others, _ = drawn(500, inputs, classes, seed=1)
    others[:, 3] = 7
    probabilities = torch.from_numpy(scores(fit, others)).softmax(dim=1).numpy()
    assert np.abs(probabilities - theirs.predict_proba(others)).max() < 5e-3
    weights = theirs[-1].coef_ / theirs[0].scale_
    ours = fit.weights if classes > 2 else fit.weights[1:] - fit.weights[:1]
    assert np.abs(ours - weights).max() < 2e-3 * np.abs(weights).max()
    assert fit.strength == strength
    assert fit.validation == {}


@pytest.mark.parametrize("shots", [1, 5])
def test_with_few_photos_it_is_as_good_as_the_best_of_plain_probes(shots: int) -> None:
    """As networks' features are: a few large ones tell a class, and many small ones nothing."""
    rng = np.random.default_rng(shots)
    means = 0.9 * (rng.random((8, 600)) < 0.02) + 0.05
    shares = []
    for _ in range(6):
        labels = np.repeat(np.arange(8), 60)
        length = np.exp(0.4 * rng.normal(size=(480, 1)))
        features = (length * rng.gamma(1.0, means[labels])).astype(np.float32)
        is_few = np.arange(480) % 60 < shots
        few, theirs, others = features[is_few], labels[is_few], features[~is_few]
        fit = fit_probe(few, theirs, 8, few=True)
        by_feature = make_pipeline(StandardScaler(), LogisticRegression()).fit(few, theirs)
        one = few.std(axis=0).mean()
        together = LogisticRegression().fit(few / one, theirs)
        found = [by_feature.score(others, labels[~is_few])]
        found.append(together.score(others / one, labels[~is_few]))
        middles = np.stack([unit(few[theirs == label]).mean(axis=0) for label in range(8)])
        nearest = 2 * unit(others) @ middles.T - np.square(middles).sum(axis=1)
        found += [right(nearest, labels[~is_few]), right(scores(fit, others), labels[~is_few])]
        shares.append(found)
    standardized, *rest, ours = np.mean(shares, axis=0)
    assert ours > max(standardized, *rest) - 0.01
    assert ours > standardized + 0.02  # or these features would not tell one probe from another


def test_the_strength_is_the_best_in_cross_validation() -> None:
    features, labels = drawn(2000, 100, 4, noise=5.0)
    fit = fit_probe(features[:200], labels[:200], 4)
    again, other = (fit_probe(features[:200], labels[:200], 4, seed=seed) for seed in (0, 2))
    assert np.array_equal(fit.weights, again.weights) and fit.validation == again.validation
    assert fit.validation != other.validation
    best = max(fit.validation.values())
    assert fit.validation[fit.strength] > best - 0.03  # as good, but for a few photos
    assert min(fit.validation.values()) < best - 0.02  # so there was something to choose
    found = {}
    for strength in fit.validation:
        one = fit_probe(features[:200], labels[:200], 4, strengths=[strength])
        found[strength] = right(scores(one, features[200:]), labels[200:])
    assert found[fit.strength] >= max(found.values()) - 0.03
    # Larger ones are tried while they are better, unless some are named.
    line = np.linspace(-1, 1, 60, dtype=np.float32)[:, None]
    halves = (line[:, 0] > 0).astype(np.int64)
    assert fit_probe(line, halves, 2).strength > 10
    assert list(fit_probe(line, halves, 2, strengths=[1e-3, 1e-2]).validation) == [1e-3, 1e-2]


def test_copies_are_held_out_together() -> None:
    """Else a photo's copy would give its answer away, and labels at random seem to be learnt."""
    features, _ = drawn(120, 300, 4)
    labels = np.random.default_rng(0).permutation(120) % 4
    features, labels = np.repeat(features, 2, axis=0), np.repeat(labels, 2)
    seen = fit_probe(features, labels, 4, strengths=[0.1, 1.0])
    held_out = fit_probe(features, labels, 4, strengths=[0.1, 1.0], copies=np.arange(240) // 2)
    assert seen.validation[1.0] > 0.7
    assert held_out.validation[1.0] < 0.4


def test_one_photo_of_a_class_leaves_the_usual_strength_and_none_is_refused() -> None:
    features, labels = drawn(6, 30, 6, noise=0.1)
    fit = fit_probe(features, labels, 6)
    assert (fit.strength, fit.validation) == (DEFAULT_STRENGTH, {})
    assert fit.note == (
        f"A class has one photo, which leaves none to choose by: strength {DEFAULT_STRENGTH:g}."
    )
    assert right(scores(fit, features), labels) == 1
    # Copies of a photo are one.
    features, labels = np.append(features, features[:6], axis=0), np.append(labels, labels)
    assert fit_probe(features, labels, 6, copies=np.arange(12) % 6).validation == {}
    with pytest.raises(BadInput, match="class 6 has no photo to train on"):
        fit_probe(features, labels, 7)
    features[3, 2] = np.nan
    with pytest.raises(ModelError, match="NaN or infinity"):
        fit_probe(features, labels, 6)
