"""Record on the CPU what torch.utils.flop_counter has no formula for, or sees otherwise.

    python -m tests.tta.profile.record_unseen FOLDER

A process of its own, so that the tests' has no PyTorch in it. Writes a trace of each, NAME.json,
and flop_counter's count by name, flops.json.
"""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode


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


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    counted = {}
    for name, step in unseen().items():
        step()
        with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as recorded:
            step()
        recorded.export_chrome_trace(str(folder / f"{name}.json"))
        with FlopCounterMode(display=False) as counter:
            step()
        counted[name] = counter.get_total_flops()
    (folder / "flops.json").write_text(json.dumps(counted))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
