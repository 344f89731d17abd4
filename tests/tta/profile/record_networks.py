"""Record networks on the CPU, and what torch.utils.flop_counter says of each of their operators;
and what it has no formula for, or sees otherwise.

    python -m tests.tta.profile.record_networks FOLDER [NAME ...]

A process of its own, so that the tests' has no PyTorch in it. Writes a trace, NAME.json, and the
operators that have FLOPs in the order they ran, NAME.flops.json; of the others flops.json.
"""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode, flop_registry


class Counter(TorchDispatchMode):
    """What flop_counter's formulas say of each operator, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.counted: list[tuple[str, int]] = []

    def __torch_dispatch__(self, operator: Any, types: Any, args: Any = (), kwargs: Any = None):
        out = operator(*args, **(kwargs or {}))
        formula = flop_registry.get(operator.overloadpacket)
        if formula is not None:
            flops = int(formula(*args, **(kwargs or {}), out_val=out))
            self.counted.append((str(operator.overloadpacket).replace(".", "::"), flops))
        return out


def resnet() -> Callable[[], None]:
    from torchvision.models import resnet50

    network, photos = resnet50(), torch.randn(2, 3, 32, 32)
    optimizer = torch.optim.SGD(network.parameters(), 0.1, momentum=0.9)

    def step() -> None:
        nn.functional.cross_entropy(network(photos), torch.tensor([0, 1])).backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


def attention() -> Callable[[], None]:
    block = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
    words = torch.randn(3, 10, 64)
    query = torch.randn(2, 4, 16, 32, requires_grad=True)
    key = torch.randn(2, 4, 24, 32, requires_grad=True)
    value = torch.randn(2, 4, 24, 32, requires_grad=True)

    def step() -> None:
        block(words).sum().backward()
        nn.functional.scaled_dot_product_attention(query, key, value).sum().backward()
        nn.functional.scaled_dot_product_attention(key, key, value, is_causal=True).sum().backward()

    return step


def convolutions() -> Callable[[], None]:
    """Of one to three dimensions, strided, padded, dilated, transposed; and batches of matrices."""
    layers = [
        (nn.Conv1d(8, 12, 3, padding=1), (2, 8, 9)),
        (nn.Conv2d(8, 12, (3, 5), stride=(2, 1), padding=(1, 2), dilation=2), (2, 8, 19, 23)),
        (nn.Conv2d(8, 12, 3, padding="same", bias=False), (2, 8, 9, 9)),
        (nn.Conv3d(4, 6, 3, stride=2), (2, 4, 9, 8, 7)),
        (nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1), (2, 4, 8, 7)),
        (nn.ConvTranspose1d(4, 6, 3, dilation=2), (2, 4, 8)),
    ]
    inputs = [torch.randn(shape, requires_grad=True) for _, shape in layers]
    unwanted = torch.randn(2, 8, 9)
    one, other = torch.randn(3, 4, 5, requires_grad=True), torch.randn(3, 5, 6, requires_grad=True)
    added = torch.randn(3, 4, 6)

    def step() -> None:
        for (layer, _), x in zip(layers, inputs, strict=True):
            layer(x).sum().backward()
        layers[0][0](unwanted).sum().backward()  # no gradient of its input
        torch.matmul(one, other).sum().backward()
        torch.baddbmm(added, one, other)
        torch.einsum("bij,bjk->bik", one, other)

    return step


def unseen() -> dict[str, Callable[[], object]]:
    batch = torch.randn(4, 5, 6)
    whole = torch.ones(32, 32, dtype=torch.int8)
    bilinear = nn.Bilinear(6, 7, 8)
    encoder = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True).eval()
    words, few, many = torch.randn(2, 10, 32), torch.randn(40, 8), torch.randn(50, 8)
    photos = torch.randn(2, 3, 16, 16, requires_grad=True)
    layers = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3))
    return {
        "_int_mm": lambda: torch._int_mm(whole, whole),
        "addbmm": lambda: torch.addbmm(torch.randn(5, 7), batch, torch.randn(4, 6, 7)),
        "Bilinear": lambda: bilinear(torch.randn(4, 6), torch.randn(4, 7)),
        "cdist": lambda: torch.cdist(few, many),
        "TransformerEncoderLayer": partial(_without_gradients, encoder, words),
        "checkpoint": lambda: checkpoint(layers, photos, use_reentrant=False).sum().backward(),
    }


def _without_gradients(layer: nn.Module, words: torch.Tensor) -> None:
    with torch.no_grad():
        layer(words)


def main(folder: Path, *names: str) -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)  # many threads wait for each other where other tests run too
    for make in (each for each in (resnet, attention, convolutions) if each.__name__ in names):
        step = make()
        _record(step, folder / f"{make.__name__}.json")
        with FlopCounterMode(display=False) as whole, Counter() as counter:
            step()
        assert whole.get_total_flops() == sum(flops for _, flops in counter.counted)
        (folder / f"{make.__name__}.flops.json").write_text(json.dumps(counter.counted))
    counts = {}
    for name, unseen_step in unseen().items():
        unseen_step()
        _record(unseen_step, folder / f"{name}.json")
        with FlopCounterMode(display=False) as whole:
            unseen_step()
        counts[name] = whole.get_total_flops()
    (folder / "flops.json").write_text(json.dumps(counts))


def _record(step: Callable[[], object], path: Path) -> None:
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as recorded:
        step()
    recorded.export_chrome_trace(str(path))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
