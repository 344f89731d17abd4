"""How many labels a second the labeling service takes, and how long a labeler waits for it.

    python benchmarks/label_service.py
    python benchmarks/label_service.py --store postgresql+psycopg://user@host/empty_database
    python benchmarks/label_service.py --candidates 300000 --labelers 1
    python benchmarks/label_service.py --threads

Labelers are processes (or threads of one) that submit a screen and ask for the next at once,
without a browser, on a new pool of photos. Each photo goes to three labelers, a tenth of the photos
shown are gold questions. The database must be empty; without --store it is a new SQLite file.
"""

import argparse
import multiprocessing
import statistics
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from genset.label import Desk, Labelers
from genset.store import Store
from genset.workspace import LabelRules, Workspace
from tests.label.simulated import add_pool, decided

RULES = LabelRules(votes=3, gold=0.1)
CALLS = "screens", "submit", "progress"

Times = tuple[int, dict[str, list[float]]]


def main() -> None:
    """Print labels a second, and the milliseconds of each call."""
    words = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    words.add_argument("--store", help="the URL of an empty database")
    words.add_argument("--candidates", type=int, default=5000)
    words.add_argument("--labelers", type=int, default=20)
    words.add_argument("--threads", action="store_true", help="one process, as the server is")
    words.add_argument("--seconds", type=float, default=20)
    asked = words.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Workspace.create(Path(folder)).root
        url = asked.store or f"sqlite:///{root / 'genset.db'}"
        store = Store.open(url)
        add_pool(store, asked.candidates, max(5, asked.candidates // 1000))
        names = [f"labeler {number}" for number in range(asked.labelers)]
        if asked.threads:
            go = threading.Barrier(asked.labelers)
            with ThreadPoolExecutor(asked.labelers) as threads:
                found = list(
                    threads.map(lambda name: label(root, store, go, name, asked.seconds), names)
                )
        else:
            spawned = multiprocessing.get_context("spawn")
            shared = spawned.Manager().Barrier(asked.labelers)
            with spawned.Pool(asked.labelers) as labelers:
                tasks = [(root, url, shared, name, asked.seconds) for name in names]
                found = labelers.starmap(label_alone, tasks, chunksize=1)
        store.close()
        show(asked.seconds, found)


def label_alone(root: Path, url: str, go: threading.Barrier, name: str, seconds: float) -> Times:
    """`label` in a process of its own."""
    store = Store.open(url)
    found = label(root, store, go, name, seconds)
    store.close()
    return found


def label(root: Path, store: Store, go: threading.Barrier, name: str, seconds: float) -> Times:
    """One labeler's labels, and the milliseconds of each of their calls after the first."""
    workspace = replace(Workspace.find(root), label=RULES)
    desk = Desk(workspace, store, Labelers(store).by_name(name))
    desk.screens()
    go.wait()
    labels = 0
    times: dict[str, list[float]] = {call: [] for call in CALLS}
    until = time.perf_counter() + seconds
    while (started := time.perf_counter()) < until:
        screens = desk.screens()
        shown = time.perf_counter()
        if not screens:
            break
        given = decided(screens[0], name)
        begun = time.perf_counter()
        labels += sum(receipt.ok for receipt in desk.submit(given))
        submitted = time.perf_counter()
        desk.progress()
        ended = time.perf_counter()
        spans = shown - started, submitted - begun, ended - submitted
        for call, span in zip(CALLS, spans, strict=True):
            times[call].append(1000 * span)
    return labels, times


def show(seconds: float, found: Sequence[Times]) -> None:
    """Print the table."""
    print(f"{sum(labels for labels, _ in found) / seconds:.0f} labels/s")
    print("call      calls   median ms   p95 ms   max ms")
    for call in CALLS:
        spans = sorted(span for _, times in found for span in times[call])
        p95 = spans[int(0.95 * (len(spans) - 1))]
        middle = statistics.median(spans)
        print(f"{call:8}  {len(spans):5}   {middle:9.1f}   {p95:6.1f}   {spans[-1]:6.1f}")


if __name__ == "__main__":
    main()
