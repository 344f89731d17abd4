"""A small form of each benchmark, with a ceiling on the work it does: counts, no times.

    python -m benchmarks.check              # all; it ends with 1 where a ceiling is exceeded
    python -m benchmarks.check pool scrape

The counts do not depend on the machine: `statements` of SQL; `steps` of SQLite's machine, in
thousands, which grow with the rows that are read; `requests` by HTTP; `passes`, photos that went
through a network; `calls` of genset's functions. A ceiling is about 1.3 times what
came out when it was set, so it is a regression, and no chance, that exceeds it.

Photos, answers and votes are made up. `gpu.py` and `trial.py` measure the networks of `evaluate`,
`label_page.py` a browser before the server of `label_service`, `missed.py` a part of `report`.
"""

import argparse
import contextlib
import io
import json
import os
import random
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from PIL import Image
from sqlalchemy import Engine, event

Counts = dict[str, int]
Case = Callable[[Path], Iterator[tuple[str, Counts]]]

_GENSET = f"{Path(__file__).parent.parent / 'genset'}{os.sep}"
_CASES: dict[str, tuple[Case, dict[str, Counts]]] = {}


def case(**ceilings: Counts) -> Callable[[Case], Case]:
    """A benchmark's small form, with the ceilings of its parts."""

    def add(small_form: Case) -> Case:
        _CASES[small_form.__name__] = small_form, ceilings
        return small_form

    return add


class Work:
    """What is done while it is counted."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        event.listen(Engine, "connect", self._watch)
        event.listen(Engine, "before_cursor_execute", self._note)

    def _watch(self, connection: Any, _record: object) -> None:
        if hasattr(connection, "set_progress_handler"):
            connection.set_progress_handler(self._step, 1000)

    def _step(self) -> int:
        self.counts["steps"] += 1
        return 0

    def _note(self, *_: object) -> None:
        self.counts["statements"] += 1

    def _call(self, frame: FrameType, what: str, _argument: object) -> None:
        if what == "call" and frame.f_code.co_filename.startswith(_GENSET):
            self.counts["calls"] += 1

    def of(self, act: Callable[[], object], *names: str) -> Counts:
        """What an act takes, of these counts."""
        self.counts.clear()
        if "calls" in names:
            threading.setprofile(self._call)
            sys.setprofile(self._call)
        try:
            act()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)  # type: ignore[arg-type]  # typeshed forbids what docs allow
        return {name: self.counts[name] for name in names}


WORK = Work()
SQL = ("statements", "steps")


def genset(folder: Path, *words: str) -> Callable[[], None]:
    """A command in a folder, in this process."""

    def run() -> None:
        from genset.cli import cli

        out = io.StringIO()
        streams = contextlib.redirect_stdout(out), contextlib.redirect_stderr(out)
        with contextlib.chdir(folder), streams[0], streams[1]:
            try:
                cli(list(words), standalone_mode=False)
            except SystemExit as end:
                if end.code:
                    raise SystemExit(
                        f"genset {' '.join(words)} failed:\n{out.getvalue()}"
                    ) from None

    return run


def paint(folder: Path, classes: Sequence[str], count: int) -> Path:
    """Photos of these classes, so many of each."""
    for place, wnid in enumerate(classes):
        (folder / wnid).mkdir(parents=True)
        for number in range(count):
            noise = random.Random(place * count + number).randbytes(8 * 6 * 3)
            image = Image.frombytes("RGB", (8, 6), noise).resize((320, 240))
            image.save(folder / wnid / f"{number}.jpg")
    return folder


# The small forms


@case(
    status={"statements": 32, "steps": 16_500},
    failed={"statements": 13, "steps": 940},
    dry_run={"statements": 1_400, "steps": 7_100},
    dry_run_full={"statements": 1_400, "steps": 6_800},
    nothing_to_do={"statements": 1_400, "steps": 6_200},
    start={"statements": 15, "steps": 2_000},
)
def pool(folder: Path) -> Iterator[tuple[str, Counts]]:
    """1,000 classes of 52 candidates."""
    from benchmarks.pool import RIVAL, make_pool
    from genset.classes import imagenet1k

    make_pool(folder / "pool", 1000, 52)
    root = folder / "pool"
    wnids = [cls.wnid for cls in imagenet1k().select(())]
    full = ",".join(wnid for wnid in wnids[:-1] if wnid != wnids[RIVAL])
    dry = ["scrape", "--dry-run", "--per-class"]
    yield "status", WORK.of(genset(root, "status"), *SQL)
    yield "failed", WORK.of(genset(root, "status", "--failed"), *SQL)
    yield "dry_run", WORK.of(genset(root, *dry, "1000"), *SQL)
    yield "dry_run_full", WORK.of(genset(root, *dry, "12"), *SQL)
    done = genset(root, "scrape", "--per-class", "12", "--classes", full)
    yield "nothing_to_do", WORK.of(done, *SQL)
    yield "start", WORK.of(lambda: _start(root), *SQL)


def _start(root: Path) -> None:
    """What a scrape of all classes reads before its first request, failures forgotten."""
    from datetime import UTC, datetime

    from genset.classes import imagenet1k
    from genset.db import Store
    from genset.scrape.plan import ScrapePlan
    from genset.scrape.state import forget_refusals, lacking_and_others
    from genset.sources.flickr import Flickr
    from genset.workspace import Workspace

    classes, since = tuple(imagenet1k().select(())), datetime(2014, 1, 1, tzinfo=UTC)
    plan = ScrapePlan(classes=classes, per_class=1000, posted_after=since, source=Flickr)
    store = Store.open(Workspace.find(root).store_url)
    forget_refusals(store, plan)
    lacking_and_others(store, plan)
    store.close()


@case(
    first={"statements": 520, "steps": 35, "requests": 65},
    again={"statements": 60, "steps": 6, "requests": 0},
)
def scrape(folder: Path) -> Iterator[tuple[str, Counts]]:
    """60 photos of three classes from the sandbox: the searches, each photo once, no more."""
    from genset.sandbox import Sandbox

    photos = paint(folder / "photos", ("n01440764", "n01443537", "n02123045"), 20)
    genset(folder, "init", "work")()
    words = "scrape", "--classes", "n01440764,n01443537,n02123045", "--per-class", "20"
    with Sandbox(photos) as sandbox:
        os.environ |= sandbox.environment | {"GENSET_PAUSE_FACTOR": "0.0002"}
        for name in ("first", "again"):
            sandbox.requests.clear()
            counts = WORK.of(genset(folder / "work", *words), *SQL)
            yield name, counts | {"requests": len(sandbox.requests)}


@case(
    near={"calls": 770},
    find={"statements": 40, "steps": 11, "calls": 3_000},
    again={"statements": 23, "steps": 3, "calls": 98},
)
def duplicates(folder: Path) -> Iterator[tuple[str, Counts]]:
    """200 photos in all their looks against 20,000 hashes, and a workspace's 60."""
    from genset.core.hashes import near

    draw = np.random.default_rng(0)
    known = draw.integers(0, 2**64, 20_000, dtype=np.uint64)
    queries = draw.integers(0, 2**64, 200 * 22, dtype=np.uint64)
    yield "near", WORK.of(lambda: near(queries, known), "calls")
    paint(folder / "photos", ("n01440764",), 60)
    genset(folder, "init", "work")()
    genset(folder / "work", "add", str(folder / "photos"), "--license", "CC BY 4.0")()
    yield "find", WORK.of(genset(folder / "work", "duplicates", "find"), *SQL, "calls")
    yield "again", WORK.of(genset(folder / "work", "duplicates", "find"), *SQL, "calls")


@case(
    make={"calls": 1_200_000},
    show={"calls": 390_000},
    init={"statements": 220, "steps": 3, "calls": 140_000},
    status={"statements": 39, "steps": 3, "calls": 36_000},
)
def classes(folder: Path) -> Iterator[tuple[str, Counts]]:
    """1,500 classes of one's own, made of WordNet where this machine has it."""
    from benchmarks.classes import from_synsets, kinds
    from genset.core.errors import GensetError

    try:
        (folder / "wnids.txt").write_text("\n".join(kinds(1500)))
    except (GensetError, LookupError) as error:
        print(f"classes: left out: {error}")
        return
    make = genset(folder, *from_synsets(folder, "classes.toml"))
    yield "make", WORK.of(make, "calls")
    yield "show", WORK.of(genset(folder, "classes", "show", "classes.toml"), "calls")
    yield (
        "init",
        WORK.of(genset(folder, "init", "work", "--taxonomy", "classes.toml"), *SQL, "calls"),
    )
    yield "status", WORK.of(genset(folder / "work", "status"), *SQL, "calls")


@case(
    beginner={"statements": 20, "steps": 8},
    all={"statements": 24, "steps": 8},
    answer={"statements": 22, "steps": 5},
)
def label_service(folder: Path) -> Iterator[tuple[str, Counts]]:
    """Screens for who begins, and for who has labeled 4,900 of 5,000 candidates; an answer."""
    from benchmarks.label_service import VETERAN, label_nearly_all
    from genset.db import Store
    from genset.label.labelers import Labelers
    from genset.label.session.desk import Desk
    from genset.workspace import Workspace
    from tests.label.desks import decided
    from tests.labeled_workspace import add_pool

    workspace = Workspace.create(folder / "work")
    store = Store.open(workspace.store_url)
    add_pool(store, 5000, 5)
    label_nearly_all(store, 5000)
    for name in ("beginner", VETERAN):
        desk = Desk(workspace, store, Labelers(store).by_name(name))
        desk.screens(6)
        yield name.split()[-1], WORK.of(lambda desk=desk: desk.screens(12), *SQL)  # type: ignore[misc]
    first, *others = desk.screens(6)
    loaded = [screen.id for screen in others]
    yield "answer", WORK.of(lambda: desk.take([decided(first)], 12, loaded), *SQL)
    store.close()


@case(
    create={"statements": 49, "steps": 5_000, "calls": 700_000},
    verify={"statements": 16, "steps": 120, "calls": 85_000},
    export={"statements": 3, "steps": 3, "calls": 570_000},
)
def release(folder: Path) -> Iterator[tuple[str, Counts]]:
    """2,000 photos."""
    from benchmarks.release import make_pool

    root = folder / "work"
    make_pool(root, 2000)
    command = "release", "create", "v1", "--strategy", "majority", "--no-refresh"
    yield "create", WORK.of(genset(root, *command), *SQL, "calls")
    yield "verify", WORK.of(genset(root, "release", "verify", "v1"), *SQL, "calls")
    export = "release", "export", "v1", "--format", "webdataset", "--to", str(folder / "out")
    yield "export", WORK.of(genset(root, *export), *SQL, "calls")


@case(
    json={"calls": 55_000},
    page={"calls": 58_000},
)
def report(folder: Path) -> Iterator[tuple[str, Counts]]:
    """Ten models on 300 photos of 50 classes."""
    from tests.reporting.many import many_made_up

    many_made_up(folder, 10, 300, classes=50)
    yield "json", WORK.of(genset(folder, "report", "photos.csv", "--json"), "calls")
    yield "page", WORK.of(genset(folder, "report", "photos.csv", "-o", "page.html"), "calls")


@case(
    votes={"calls": 42},
    names={"calls": 56},
)
def aggregate(folder: Path) -> Iterator[tuple[str, Counts]]:
    """20,000 votes of 20 labelers on 4,000 questions: Dawid-Skene does not loop over votes."""
    import pandas as pd

    from genset.label.aggregate.dawid_skene import dawid_skene, estimate

    draw = np.random.default_rng(0)
    task, worker = np.repeat(np.arange(4000), 5), draw.integers(0, 20, 20_000)
    label = np.where(draw.random(20_000) < 0.8, task % 3, draw.integers(0, 3, 20_000))
    yield "votes", WORK.of(lambda: estimate(task, worker, label, (4000, 20, 3)), "calls")
    table = pd.DataFrame({"task": task, "worker": worker, "label": label}).astype(str)
    yield "names", WORK.of(lambda: dawid_skene(table), "calls")


@case(
    read={"calls": 790_000},
)
def trace(folder: Path) -> Iterator[tuple[str, Counts]]:
    """20,000 events of a profiler."""
    from genset.tta.profile.kineto import read_trace

    events = [
        {
            "ph": "X",
            "cat": "cpu_op",
            "name": f"aten::op{number % 50}",
            "pid": 1,
            "tid": 1,
            "ts": number * 10.0,
            "dur": 5.0,
            "args": {"External id": number},
        }
        for number in range(20_000)
    ]
    path = folder / "trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    yield "read", WORK.of(lambda: read_trace(path), "calls")


@case(
    first={"passes": 20},
    again={"passes": 0},
)
def evaluate(folder: Path) -> Iterator[tuple[str, Counts]]:
    """Each photo goes through the network once, and not again where its answers are kept."""
    photos = paint(folder / "photos", ("n01440764", "n01443537"), 10)
    spec = _weights(folder)
    words = "evaluate", str(photos), "--model", spec, "--engine", "torch", "--runs", "runs"
    for name in ("first", "again"):
        yield name, _passes(genset(folder, *words))


@case(
    first={"passes": 44},
    another={"passes": 8},
)
def finetune(folder: Path) -> Iterator[tuple[str, Counts]]:
    """Features are computed once, whatever is fitted on them."""
    for part, count in (("train", 12), ("test", 6)):
        paint(folder / "data" / part, ("n01440764", "n01443537"), count)
    spec = _weights(folder)
    data = "--data", str(folder / "data"), "--runs", str(folder / "runs")
    words = "finetune", "folder", *data, "--model", spec, "--seeds", "1", "--engine", "torch"
    yield "first", _passes(genset(folder, *words))
    yield "another", _passes(genset(folder, *words, "--strengths", "0.01"))


def _weights(folder: Path) -> str:
    """Random weights of a small network."""
    import torch
    from torchvision.models import squeezenet1_1

    torch.manual_seed(0)
    torch.save(squeezenet1_1().state_dict(), folder / "weights.pth")
    return f"file:{folder / 'weights.pth'}?arch=torchvision:squeezenet1_1"


def _passes(act: Callable[[], None]) -> Counts:
    """How many photos go through a network's first convolution."""
    from torch import Tensor, nn
    from torch.nn.modules.module import register_module_forward_pre_hook

    passes = 0

    def count(module: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        nonlocal passes
        of_photos = isinstance(module, nn.Conv2d) and module.in_channels == 3
        if of_photos and not inputs[0].is_meta:  # FLOPs are counted without numbers
            passes += len(inputs[0])

    hook = register_module_forward_pre_hook(count)
    try:
        act()
    finally:
        hook.remove()
    return {"passes": passes}


def main() -> int:
    """Run the cases that are named, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("cases", nargs="*", choices=[*_CASES, []], help="default: all")
    over = 0
    os.environ |= {"FLICKR_API_KEY": "key", "GENSET_FLICKR_ENDPOINT": "http://127.0.0.1:9"}
    for name in parser.parse_args().cases or _CASES:
        small_form, ceilings = _CASES[name]
        with tempfile.TemporaryDirectory(prefix="genset-benchmark-") as folder:
            for part, counts in small_form(Path(folder)):
                ceiling = ceilings.get(part, {})
                line = ", ".join(f"{count:,} {what}" for what, count in counts.items())
                print(f"{name} {part}: {line}", flush=True)
                for what, count in counts.items():
                    if count > ceiling.get(what, 0):
                        over += 1
                        print(f"  over the ceiling of {ceiling.get(what, 0):,} {what}", flush=True)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
