"""How fast photos come to something as fast as a GPU, beside torch's DataLoader.

    python benchmarks/loader.py --photos DIR --runs 3

What stands for the GPU only waits, as long as one of so many photos a second would take for each
batch; "none" takes no time, and shows how fast photos are read. All cores read ahead of it. The
DataLoader has timm's transform and batches of 128; genset reads the shards of a set of that size,
as when it scores. Contenders take turns.
"""

import argparse
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch
from PIL import Image
from timm.data.transforms_factory import create_transform
from torch.utils.data import DataLoader, Dataset

from genset.models.preprocessing import Geometry
from genset.models.processes import CAN_FORK
from genset.score.loader import Loader, PixelDataset, PrefetchLoader
from genset.score.pixels import opened
from genset.score.shards import shards_of
from genset.sets.photos import ScoredPhoto

BATCH = 128
GEOMETRY = Geometry(resize=256, crop=224, interpolation="bicubic")


class Photos(Dataset[Any]):
    """The photos as timm's own evaluation reads them for a GPU, in bytes."""

    def __init__(self, paths: list[Path]) -> None:
        self.paths = paths
        self.transform: Any = create_transform(
            224, interpolation="bicubic", crop_pct=0.875, use_prefetcher=True
        )

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, place: int) -> Any:
        return self.transform(Image.open(self.paths[place]).convert("RGB"))


def main() -> None:
    """Take turns, and print a table of the medians."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--photos", type=Path, required=True, help="a folder of photos")
    parser.add_argument("--count", type=int, default=2864, help="photos, some of them repeated")
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    cores = os.cpu_count() or 1
    torch.set_num_threads(1)
    found = sorted(path for path in args.photos.rglob("*.*") if is_readable(path))
    paths = [found[number % len(found)] for number in range(args.count)]
    contenders: dict[str, Callable[[], Iterator[int]]] = {
        "genset": partial(by_genset, paths, "exact", cores),
        "genset, fast decoding": partial(by_genset, paths, "fast", cores),
        "genset, fast decoding, not ahead": partial(by_genset, paths, "fast", 0),
        "DataLoader": partial(by_loader, paths, cores),
    }
    print(f"{platform.machine()}, {cores} cores, load {os.getloadavg()[0]:.1f}")
    rates = (400.0, 800.0, float("inf"))
    seconds: dict[tuple[str, float], list[float]] = {}
    for _ in range(args.runs):
        for name, batches in contenders.items():
            for rate in rates:
                seconds.setdefault((name, rate), []).append(taken(batches(), rate))
    print("\n| photos/s that the GPU could take | 400 | 800 | none |\n|---|---:|---:|---:|")
    for name in contenders:
        cells = [f"{args.count / statistics.median(seconds[name, rate]):.0f}" for rate in rates]
        print(f"| {name} | {' | '.join(cells)} |")


def is_readable(path: Path) -> bool:
    """Whether all contenders read it."""
    try:
        opened(path)
    except Exception:  # noqa: BLE001 - whatever is wrong with it
        return False
    return True


def by_genset(paths: list[Path], decoding: str, workers: int) -> Iterator[int]:
    """How many photos are in each batch."""
    dataset = PixelDataset([ScoredPhoto(str(path), path, "") for path in paths], decoding)
    loader = (
        PrefetchLoader(dataset, BATCH, [GEOMETRY], workers, CAN_FORK)
        if workers
        else Loader(dataset, BATCH)
    )
    for shard in shards_of(len(paths)):
        loader.expect(shard, [GEOMETRY])
    for shard in shards_of(len(paths)):
        for batch in loader.batches(shard, [GEOMETRY]):
            yield len(batch.indices)
    loader.close()


def by_loader(paths: list[Path], workers: int) -> Iterator[int]:
    """How many photos are in each batch."""
    for batch in DataLoader(Photos(paths), BATCH, num_workers=workers):
        yield len(batch)


def taken(batches: Iterator[int], rate: float) -> float:
    """Seconds until the last batch is through."""
    started = time.perf_counter()
    for photos in batches:
        time.sleep(photos / rate)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
