"""The last linear layer of any classifier: found, taken off, replaced."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import timm
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from genset.core.errors import ModelError
from genset.finetune.heads import Head, find_head, trunk, with_head
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
