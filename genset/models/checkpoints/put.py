"""Put the weights of a checkpoint into a network: none missing, none unexpected."""

from collections.abc import Mapping
from pathlib import Path

from torch import Tensor, nn

from genset.core.errors import BadInput, ModelError, first_line
from genset.core.safe import clean
from genset.models.checkpoints.find import Found, find_weights
from genset.models.checkpoints.held import tensors_in
from genset.models.checkpoints.read import read_checkpoint
from genset.models.checkpoints.translate import translated
from genset.models.spec import ModelSpec


def put_weights(spec: ModelSpec, network: nn.Module) -> list[str]:
    """Read the checkpoint that a `file:` spec names into a network; return what to note of it.

    The weights may lie in any dictionary of the checkpoint, with anything before their names.
    Numbers of half precision become float32. Nothing in the file is executed.

    Raises:
        BadInput: there is no such file.
        ModelError: it holds no weights, several that fit, or weights are missing, unexpected or of
            another shape.
    """
    path = Path(spec.target)
    try:
        content = read_checkpoint(path)
    except (BadInput, ModelError) as error:
        raise type(error)(f"model {spec.text!r}: {error}") from None
    wanted = network.state_dict()
    try:
        held = tensors_in(content)
        found = find_weights(held, wanted, spec.ema, spec.prefix)
        if found.missing and spec.is_of_timm:
            found = translated(held, network, spec.ema, spec.prefix) or found
    except ModelError as error:
        raise ModelError(f"model {spec.text!r}: {path} {error}") from None
    if found.missing or found.unexpected:
        raise ModelError(
            f"model {spec.text!r}: weights do not fit {spec.arch}: {_differences(found)}"
        )
    wrong = [key for key, value in found.weights.items() if value.shape != wanted[key].shape]
    if wrong:
        raise ModelError(f"model {spec.text!r}: {_shapes(spec, found.weights, wanted, wrong)}")
    try:
        network.load_state_dict(found.weights, strict=False)
    except RuntimeError as error:  # of kinds that cannot be copied: sparse, quantized
        said = clean(first_line(error))
        raise ModelError(f"model {spec.text!r}: its weights cannot be used: {said}") from None
    return found.notes


def _differences(found: Found) -> str:
    return "; ".join(
        f"{len(keys)} {what} ({', '.join(clean(key, 80) for key in keys[:3])}"
        f"{', ...' if len(keys) > 3 else ''})"
        for keys, what in ((found.missing, "missing"), (found.unexpected, "unexpected"))
        if keys
    )


def _shapes(
    spec: ModelSpec, weights: Mapping[str, Tensor], wanted: Mapping[str, Tensor], wrong: list[str]
) -> str:
    """Which weight has another shape, and what that may mean."""
    shapes = [(list(weights[key].shape), list(wanted[key].shape)) for key in wrong]
    given, own = shapes[0]
    said = f"{wrong[0]} is {given}, not {own}: "
    # Weights and bias of the last layer, whose first side is the number of outputs.
    outputs = {(each[0], other[0]) for each, other in shapes if each[1:] == other[1:] and other}
    if len(outputs) != 1 or len(wrong) > 2 or any(a[1:] != b[1:] for a, b in shapes):
        return f"{said}another {spec.arch}?"
    ((more, fewer),) = outputs
    if more == fewer + 1 and spec.background is None:
        return f"{said}one output more; if output 0 is a background class, say &background=0"
    return f"{said}another {spec.arch}? If its classes are others, list them with &classes=FILE"
