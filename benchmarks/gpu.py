"""Photos a second on a GPU: the network alone, timm's loader before it, and genset.

    python benchmarks/gpu.py --photos DIR --count 20000 --runs 2

The photos of DIR are repeated up to that count. Weights are random: only time is measured. Rates
are without start-up: of what a run on all photos takes longer than one on a fifth of them.

network         the network alone, on pixels that are on the card, in the memory format that is
                faster there, batches of 256
timm            timm's own loader (its transform, one worker a core, prefetched to the card) before
                the same network
exact, fast     genset, with either way of decoding
cached          genset, the pixels kept by an earlier run (``--cache``)
"""

import argparse
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import timm
import torch
from timm.data.dataset import ImageDataset
from timm.data.loader import create_loader
from torch import nn

from genset.models.spec import parse_spec
from genset.score.evaluate import evaluate
from genset.score.options import ScoringOptions
from genset.sets.open import open_set
from genset.sets.photos import PhotoSet

BATCH = 256
MODELS = ("resnet50", "vit_base_patch16_224")
PRECISIONS = {"float32": torch.float32, "bf16": torch.bfloat16}


def main() -> None:
    """Take turns, and print a table of the medians."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--photos", type=Path, required=True, help="folders of photos, by wnid")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--models", nargs="+", default=MODELS, help="of timm")
    args = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    print(
        f"{torch.cuda.get_device_name()}, {os.cpu_count()} cores, torch {torch.__version__}, "
        f"timm {timm.__version__}, {args.count:,} photos, {args.runs} runs",
        flush=True,
    )
    print("\n| | network | timm | exact | fast | cached |\n|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        repeat(args.photos, root / "all", args.count)
        repeat(args.photos, root / "fifth", args.count // 5)
        for name in args.models:
            torch.save(timm.create_model(name).state_dict(), root / f"{name}.pth")
            for precision in PRECISIONS:
                row = measure(root, name, precision, args.runs)
                cells = " | ".join(f"{rate:,.0f}" for rate in row)
                print(f"| {name}, {precision} | {cells} |", flush=True)


def repeat(photos: Path, folder: Path, count: int) -> None:
    """Copy so many photos into folders by class."""
    found = sorted(photos.glob("*/*"))
    for number in range(count):
        path = found[number % len(found)]
        target = folder / path.parent.name / f"{number:06}{path.suffix}"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)


def measure(root: Path, name: str, precision: str, runs: int) -> list[float]:
    """The medians of each contender's rates, in the table's order."""
    sets = [open_set(str(root / part)) for part in ("all", "fifth")]
    network = timm.create_model(name).eval().cuda()
    cache = root / "cache"
    contenders: list[Callable[[], float]] = [
        lambda: network_alone(network, precision),
        lambda: rate(lambda photos: by_timm(root, photos, network, precision), sets),
        *(
            lambda options=options: rate(
                lambda photos: by_genset(root, photos, name, options), sets
            )
            for options in (
                ScoringOptions(engine="torch", precision=precision),
                ScoringOptions(engine="torch", precision=precision, decoding="fast"),
                ScoringOptions(engine="torch", precision=precision, decoding="fast", cache=cache),
            )
        ),
    ]
    for photos in sets:
        by_genset(root, photos, name, ScoringOptions(engine="torch", decoding="fast", cache=cache))
    rates = [[contender() for contender in contenders] for _ in range(runs)]
    shutil.rmtree(cache)
    return [statistics.median(column) for column in zip(*rates, strict=True)]


def rate(work: Callable[[PhotoSet], None], sets: list[PhotoSet]) -> float:
    """Photos a second, without what both sets take."""
    seconds = []
    for photos in sets:
        started = time.perf_counter()
        work(photos)
        seconds.append(time.perf_counter() - started)
    more = len(sets[0].photos) - len(sets[1].photos)
    return more / (seconds[0] - seconds[1])


def network_alone(network: nn.Module, precision: str) -> float:
    """Photos a second in the faster memory format."""
    pixels = torch.randint(0, 256, (BATCH, 3, 224, 224), dtype=torch.uint8, device="cuda")
    rates = []
    for form in (torch.contiguous_format, torch.channels_last):
        network = network.to(memory_format=form)
        values = pixels.to(memory_format=form)
        for seconds in (0.5, 2.0):  # to warm up, and to measure
            torch.cuda.synchronize()
            started, count = time.perf_counter(), 0
            while time.perf_counter() - started < seconds:
                for _ in range(4):
                    forward(network, values.float().div_(255), precision)
                torch.cuda.synchronize()
                count += 4 * BATCH
            measured = count / (time.perf_counter() - started)
        rates.append(measured)
    return max(rates)


def by_timm(root: Path, photos: PhotoSet, network: nn.Module, precision: str) -> None:
    """Score with timm's loader, as its validate.py does."""
    folder = root / ("fifth" if "fifth" in str(photos.photos[0].path) else "all")
    loader = create_loader(
        ImageDataset(str(folder)),
        input_size=(3, 224, 224),
        batch_size=BATCH,
        use_prefetcher=True,
        interpolation="bicubic",
        num_workers=os.cpu_count() or 1,
        crop_pct=0.875,
        pin_memory=True,
        device=torch.device("cuda"),
    )
    form = torch.contiguous_format if precision == "float32" else torch.channels_last
    network = network.to(memory_format=form)
    for values, _ in loader:
        forward(network, values.contiguous(memory_format=form), precision).topk(5)
    torch.cuda.synchronize()


def by_genset(root: Path, photos: PhotoSet, name: str, options: ScoringOptions) -> None:
    """Score as ``genset evaluate`` does."""
    runs = root / "runs"
    evaluate(photos, [parse_spec(f"file:{root}/{name}.pth?arch=timm:{name}")], runs, options)
    shutil.rmtree(runs)


def forward(network: nn.Module, values: torch.Tensor, precision: str) -> torch.Tensor:
    """The logits of a batch."""
    kind = PRECISIONS[precision]
    reduced = kind != torch.float32
    with torch.inference_mode(), torch.autocast("cuda", kind, enabled=reduced):
        logits: torch.Tensor = network(values)
        return logits


if __name__ == "__main__":
    main()
