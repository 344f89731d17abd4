"""The last linear layer of a network: find it, stop before it, replace it.

The layer is found by trial, not by architecture: whatever replaces its output must come out as the
network's output, at most averaged over positions, as that of SqueezeNet's convolution is. And the
layer must be linear for any input.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from genset.core.errors import ModelError, first_line
from genset.models.classes import BACKGROUND
from genset.models.load import LoadedModel, hash_of_weights

# Values are equal where they differ by less than this share of the largest.
_TOLERANCE = 1e-3


@dataclass(frozen=True, slots=True)
class Head:
    """The last linear layer of a network.

    Attributes:
        path: its dotted name in the network.
        inputs: the number of its inputs: the features, D.
        clipped: whether a ReLU follows it, as in SqueezeNet.
    """

    path: str
    inputs: int
    clipped: bool = False


def find_head(model: LoadedModel) -> Head:
    """Find the linear layer whose output is the network's output.

    This is a linear layer, or a 1 x 1 convolution, whose output is the network's: as it is, or
    averaged over positions, or clipped by a ReLU and then averaged. The network is run a few times
    on noise.

    Raises:
        ModelError: there is no such layer, the model is a program (export, onnx, torchscript), or
            it does not run.
    """
    what = f"model {model.spec.text!r}"
    if model.is_program:
        raise ModelError(
            f"{what}: a program has no last layer that can be taken off; name its checkpoint, as "
            "in file:PATH?arch=torchvision:NAME"
        )
    try:
        with torch.inference_mode():
            head = _Trial(model).head()
    except Exception as error:  # noqa: BLE001 - the network may be the user's own code
        raise ModelError(f"{what} cannot be run: {first_line(error)}") from None
    if head is None:
        raise ModelError(
            f"{what}: its answers are not what one linear layer gives (two heads, or a softmax at "
            "the end?), so there is none to train"
        )
    return head


@dataclass(frozen=True, slots=True)
class _Call:
    """A layer's call: the shapes of its input and output, and whether no input is negative."""

    inputs: torch.Size
    output: torch.Size
    positive: bool
    first: bool


class _Trial:
    """A network run on noise, in inference mode."""

    def __init__(self, model: LoadedModel) -> None:
        self.network = model.network
        self.random = torch.Generator().manual_seed(0)
        parameter = next(self.network.parameters(), None)
        self.device = None if parameter is None else parameter.device
        side = model.preprocessing.geometry.crop
        self.pixels = self._noise(torch.Size((2, 3, side, side)))

    def head(self) -> Head | None:
        """The layer whose output is the network's, if there is one."""
        calls: dict[str, _Call] = {}
        hooks = [
            layer.register_forward_hook(_noting(path, calls))
            for path, layer in self.network.named_modules()
            if isinstance(layer, (nn.Linear, nn.Conv2d))
        ]
        outputs = self._answer(hooks).shape[1]
        for path, call in reversed(calls.items()):
            layer = self.network.get_submodule(path)
            if not call.first or not self._is_linear(layer, call, outputs):
                continue
            put = self._noise(call.output)
            answer = self._answer([layer.register_forward_hook(lambda *_, put=put: put.clone())])
            values = _by_position(layer, put)
            inputs = layer.get_parameter("weight").shape[1]
            if nearly_same(answer, values.mean(1)):
                return Head(path, inputs)
            # Its inputs must come out of a ReLU too, or new weights could be clipped.
            if call.positive and nearly_same(answer, values.relu().mean(1)):
                return Head(path, inputs, clipped=True)
        return None

    def _is_linear(self, layer: nn.Module, call: _Call, outputs: int) -> bool:
        """Whether its output is weight @ input + bias at each position, for any input."""
        parameters = dict(layer.named_parameters())
        if "weight" not in parameters or not parameters.keys() <= {"weight", "bias"}:
            return False  # computed from other parameters, as in weight normalization
        weight = parameters["weight"].flatten(1)
        noise = self._noise(call.inputs)
        inputs = _by_position(layer, noise)
        if weight.shape != (outputs, inputs.shape[-1]):
            return False
        expected = inputs @ weight.T + parameters.get("bias", torch.zeros(()))
        return nearly_same(_by_position(layer, layer(noise)), expected)

    def _answer(self, hooks: list[RemovableHandle]) -> Tensor:
        try:
            answer = self.network(self.pixels)
        finally:
            for hook in hooks:
                hook.remove()
        if not isinstance(answer, Tensor) or answer.ndim != 2:
            raise ModelError("its output is not one row of numbers per photo")
        return answer

    def _noise(self, shape: torch.Size) -> Tensor:
        return torch.randn(shape, generator=self.random).to(self.device)


def _noting(path: str, calls: dict[str, _Call]) -> Callable[..., None]:
    def note(_: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        if len(inputs) == 1:
            first = calls.pop(path, None) is None  # removed, so that the last call comes last
            calls[path] = _Call(inputs[0].shape, output.shape, bool((inputs[0] >= 0).all()), first)

    return note


def _by_position(layer: nn.Module, values: Tensor) -> Tensor:
    """A layer's input or output, as N x positions x channels."""
    last = values.movedim(1, -1) if isinstance(layer, nn.Conv2d) else values
    return last.unsqueeze(1).flatten(1, -2)


def nearly_same(found: Tensor, expected: Tensor) -> bool:
    """Whether two tensors differ by no more than rounding."""
    if found.shape != expected.shape:
        return False
    return bool((found - expected).abs().max() <= _TOLERANCE * expected.abs().max())


class _ReachedError(Exception):
    """The network called its head, with this input."""

    def __init__(self, inputs: Tensor) -> None:
        super().__init__()
        self.inputs = inputs


def _stop(_: nn.Module, inputs: tuple[Tensor, ...]) -> None:
    raise _ReachedError(inputs[0])


class Trunk(nn.Module):
    """A network up to its head: from shape (N, 3, H, W) to (N, D), float32."""

    def __init__(self, network: nn.Module, path: str) -> None:
        super().__init__()
        self.network = network
        self.path = path

    def forward(self, pixels: Tensor) -> Tensor:
        """Run the network until its head is called, and return the head's input."""
        head = self.network.get_submodule(self.path)
        hook = head.register_forward_pre_hook(_stop)
        try:
            self.network(pixels)
        except _ReachedError as reached:
            return _by_position(head, reached.inputs.float()).mean(1)
        finally:
            hook.remove()
        raise ModelError(f"it did not call its head {self.path}")


def trunk(model: LoadedModel, head: Head) -> LoadedModel:
    """The model up to its head: its network's outputs are the features, shape (N, D), float32.

    Features are averaged over positions if the head is applied to several. The network is the
    model's own, not a copy; the head is not run. The hash is over all weights except the head's,
    so a model with another head has the same features.
    """
    weights = model.network.state_dict()
    return replace(
        model,
        network=Trunk(model.network, head.path).eval(),
        weights_hash=hash_of_weights(
            {key: value for key, value in weights.items() if not key.startswith(f"{head.path}.")}
        ),
        order=(BACKGROUND,) * head.inputs,
    )


def with_head(
    model: LoadedModel, head: Head, weights: NDArray[np.float32], bias: NDArray[np.float32]
) -> nn.Module:
    """A copy of the network, on the CPU, with a new head.

    Its outputs are features @ weights.T + bias, up to rounding. With a clipped head they may also
    differ by a number that is the same for all classes of a photo, which softmax ignores.

    Args:
        model: the model whose network is copied.
        head: its last linear layer.
        weights: of the new head, shape (C, D), float32.
        bias: of the new head, shape (C,), float32.

    Raises:
        ModelError: the network cannot be copied.
    """
    if head.clipped:
        # The ReLU after the head must never clip: then the output is linear in the head's input,
        # and the mean over positions can be taken before or after the head. The inputs are never
        # negative, so it is enough that no weight is: subtract the minimum of each column (an
        # input's weights for all classes). This subtracts the same number, sum of minimum * x,
        # from the outputs of all classes.
        weights, bias = weights - weights.min(axis=0), bias - bias.min()
    try:
        network = copy.deepcopy(model.network).to("cpu").eval()
    except Exception as error:  # noqa: BLE001 - the network may be the user's own code
        raise ModelError(
            f"model {model.spec.text!r} cannot be copied: {first_line(error)}"
        ) from None
    old = network.get_submodule(head.path)
    new: Any = (
        nn.Conv2d(head.inputs, len(weights), 1)
        if isinstance(old, nn.Conv2d)
        else nn.Linear(head.inputs, len(weights))
    )
    with torch.no_grad():
        new.weight.copy_(torch.from_numpy(weights).view_as(new.weight))
        new.bias.copy_(torch.from_numpy(bias))
    parent, _, name = head.path.rpartition(".")
    setattr(network.get_submodule(parent), name, new.eval())
    return network
