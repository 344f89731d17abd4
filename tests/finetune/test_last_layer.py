"""The last linear layer of any classifier: found, taken off, replaced, and fitted on features."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import timm
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import Tensor, nn

from genset.core.errors import BadInput, ModelError
from genset.finetune.heads import Head, find_head, trunk, with_head
from genset.finetune.probe import DEFAULT_STRENGTH, Floats, Labels, fit_probe, scores, unit
from genset.models.load import LoadedModel, hash_of_weights
from genset.models.preprocessing import Preprocessing
from genset.models.spec import parse_spec


def loaded(network: nn.Module, side: int = 64, kind: str = "file:net.pth?arch=x:y") -> LoadedModel:
    """A network as `load_model` gives it."""
    network = network.float().eval()
    return LoadedModel(
        spec=parse_spec(kind),
        network=network,
        preprocessing=Preprocessing.usual(side),
        weights_hash=hash_of_weights(network.state_dict()),
        order=("",) * 1000,
        is_program=not kind.startswith("file:"),
    )


def noise(side: int, photos: int = 3, seed: int = 1) -> Tensor:
    return torch.randn((photos, 3, side, side), generator=torch.Generator().manual_seed(seed))


def a_head(classes: int, inputs: int, seed: int = 0) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    weights = random.normal(0, 0.1, (classes, inputs)).astype(np.float32)
    return weights, random.normal(0, 1, classes).astype(np.float32)


class Net(nn.Module):
    """A convolution, then whatever comes at the end."""

    def __init__(self, end: Callable[[Tensor], Tensor], *layers: nn.Module) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3)
        self.layers = nn.ModuleList(layers)
        self.end = end

    def forward(self, pixels: Tensor) -> Tensor:
        return self.end(self.stem(pixels))


def linear(outputs: int = 5, **options: Any) -> nn.Linear:
    return nn.Linear(8, outputs, **options)


def pooled(maps: Tensor) -> Tensor:
    return maps.mean((2, 3))


def no_head() -> nn.Module:
    return Net(pooled)


def ending(end: Callable[..., Tensor], *layers: nn.Module) -> Callable[[], nn.Module]:
    """A network whose end is given its maps and its layers."""
    return lambda: Net(lambda maps: end(maps, *layers), *layers)


NOT_LINEAR = {
    "softmax": ending(lambda maps, one: one(pooled(maps)).softmax(1), linear()),
    "two heads": ending(
        lambda maps, one, other: one(pooled(maps)) + other(maps.amax((2, 3))), linear(), linear()
    ),
    "no head": no_head,
    "distilled": partial(timm.create_model, "deit_tiny_distilled_patch16_224", img_size=32),
}


@pytest.mark.parametrize("network", NOT_LINEAR.values(), ids=NOT_LINEAR)
def test_a_head_that_is_not_one_linear_layer_is_refused(network: Callable[[], nn.Module]) -> None:
    model = loaded(network(), 32)
    with pytest.raises(ModelError, match="not what one linear layer gives") as refused:
        find_head(model)
    assert str(refused.value).startswith("model 'file:net.pth?arch=x:y': ")
    assert "\n" not in str(refused.value)


def test_a_linear_layer_whose_answers_are_averaged_is_found() -> None:
    layer = linear(bias=False)
    model = loaded(Net(lambda maps: layer(maps.flatten(2).mT).mean(1), layer), 16)
    head = find_head(model)
    assert head == Head("layers.0", 8)
    with torch.inference_mode():
        answers = trunk(model, head).network(noise(16)) @ layer.weight.T
        torch.testing.assert_close(answers, model.network(noise(16)))


@pytest.mark.parametrize("kind", ["onnx:a.onnx", "export:a.pt2", "torchscript:a.pt"])
def test_a_program_has_no_head_to_take_off(kind: str) -> None:
    with pytest.raises(ModelError, match="a program has no last layer that can be taken off"):
        find_head(loaded(no_head(), 16, kind))
    network = Net(lambda maps: maps @ torch.zeros(3, 3))
    with pytest.raises(ModelError, match=r"model 'file:.*' cannot be run: "):
        find_head(loaded(network, 16))


def test_features_are_the_same_whatever_the_head_is() -> None:
    layer = linear()
    model = loaded(Net(lambda maps: layer(pooled(maps)), layer), 16)
    one = trunk(model, find_head(model))
    layer.weight.data += 1
    assert trunk(model, find_head(model)).weights_hash == one.weights_hash
    model.network.get_parameter("stem.bias").data += 1
    assert trunk(model, find_head(model)).weights_hash != one.weights_hash
    assert one.weights_hash != hash_of_weights(model.network.state_dict())


class Squeezed(nn.Module):
    """Ends as SqueezeNet does; its maps are the pixels themselves, which are not negative."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.head = nn.Conv2d(inputs, 4, 1)

    def forward(self, maps: Tensor) -> Tensor:
        return pooled(self.head(maps).relu())


numbers = st.floats(-1e3, 1e3, width=32)


@given(
    weights=st.lists(st.lists(numbers, min_size=3, max_size=3), min_size=2, max_size=6),
    bias=st.lists(numbers, min_size=6, max_size=6),
    places=st.lists(st.floats(0, 1e3, width=32), min_size=12, max_size=12),
)
def test_no_relu_clips_a_new_head_whatever_its_weights_and_its_photos(
    weights: list[list[float]], bias: list[float], places: list[float]
) -> None:
    model = loaded(Squeezed(3), 2)
    given_weights = np.array(weights, np.float32)
    given_bias = np.array(bias[: len(weights)], np.float32)
    maps = torch.tensor(places).reshape(1, 3, 2, 2)
    changed = with_head(model, Head("head", 3, clipped=True), given_weights, given_bias)
    with torch.inference_mode():
        said = changed(maps)[0].double().numpy()
    expected = given_weights.astype(float) @ pooled(maps)[0].double().numpy() + given_bias
    # All answers are shifted by one number, which softmax does not see.
    rounding = 1e-5 * (1 + np.abs(given_weights).max() * max(places) * 3 + np.abs(given_bias).max())
    assert np.ptp(said - expected) <= rounding


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
