"""How long it takes to look 5,000 photos up among 1.3 million hashes.

    python benchmarks/duplicates.py

Both sides are random, which is the most work: what is looked up depends on their numbers alone.
Each photo is looked up in all its looks (mirrored, cropped).
"""

import resource
import statistics
import time

import numpy as np
from PIL import Image

from genset.core.hashes import near
from genset.core.pixels import variants

RUNS = 3


def main() -> None:
    """Print the seconds of each run, their median, and the peak memory."""
    random = np.random.default_rng(0)
    looks = len(variants(Image.new("L", (64, 64))))
    known = random.integers(0, 2**64, 1_300_000, dtype=np.uint64)
    for name, count in (("as they are", 5000), (f"in {looks} looks", 5000 * looks)):
        queries = random.integers(0, 2**64, count, dtype=np.uint64)
        seconds = []
        for _ in range(RUNS):
            started = time.perf_counter()
            near(queries, known)
            seconds.append(time.perf_counter() - started)
        each = ", ".join(f"{second:.1f}" for second in seconds)
        print(f"5,000 photos {name}: {statistics.median(seconds):.1f} s (runs: {each})")
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
