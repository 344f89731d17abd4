"""Names of a network's first code, translated to timm's by timm itself."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from typing import Any

from torch import Tensor, nn

from genset.models.checkpoints.find import Found, find_weights
from genset.models.checkpoints.held import Held
from genset.models.checkpoints.places import likely_home


def translated(
    held: Held, network: nn.Module, ema: bool | None, prefix: str | None
) -> Found | None:
    """A checkpoint's weights by timm's names, from those of the code that a network comes from.

    timm has a `checkpoint_filter_fn` for most networks that others published before: ConvNeXt,
    Swin, DINO's. Weights that it had to stretch for another size of photos are not taken.

    Args:
        held: a checkpoint's tensors.
        network: one of timm's.
        ema: whether to take averaged weights.
        prefix: what stands before the names, where it was said.

    Returns:
        What was found; None where timm translates nothing, or not all.

    Raises:
        ModelError: there are no averaged weights.
    """
    function = getattr(sys.modules[type(network).__module__], "checkpoint_filter_fn", None)
    if function is None:
        return None
    wanted = network.state_dict()
    home = likely_home(held, ema) if prefix is None else f"{prefix.removesuffix('.')}."
    names = {
        name.removeprefix(home): value
        for name, value in held.tensors.items()
        if held.homes[name] == home or (prefix is not None and name.startswith(home))
    }
    for given in _without_wrappers(names):
        result = _call(function, given, network)
        if result is None or _is_stretched(given, result):
            continue
        found = find_weights(Held(result, dict.fromkeys(result, "")), wanted, prefix="")
        if not found.missing:
            said = f"timm translated the names of the weights, which lay at {home or 'the top'!r}."
            return Found(found.weights, [], found.unexpected, [said])
    return None


def _without_wrappers(names: dict[str, Tensor]) -> Iterator[dict[str, Tensor]]:
    """The names as they are, less what trainers put before them, one part after the other."""
    from timm.models import clean_state_dict

    names = clean_state_dict(names)
    yield names
    while len(starts := {name.partition(".")[0] for name in names}) == 1:
        start = f"{starts.pop()}."
        names = {name.removeprefix(start): value for name, value in names.items()}
        if start in names or "" in names:
            return
        yield names


def _call(
    function: Callable[..., Any], names: dict[str, Tensor], network: nn.Module
) -> dict[str, Tensor] | None:
    try:
        with redirect_stdout(sys.stderr):
            result = function(dict(names), network)
    except Exception:  # noqa: BLE001 - it expects the names of certain files
        return None
    return {key: value for key, value in dict(result).items() if isinstance(value, Tensor)}


def _is_stretched(given: Mapping[str, Tensor], result: Mapping[str, Tensor]) -> bool:
    """Whether weights, as those of positions, were made for another size of photos."""
    sizes = {value.numel() for value in given.values()}
    return any(
        value.numel() != given[key].numel()
        if key in given
        else "pos" in key and value.numel() not in sizes
        for key, value in result.items()
    )
