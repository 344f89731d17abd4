"""How long it takes to score models, beside timm's own validate.py.

    python benchmarks/evaluate.py --photos DIR --validate timm/validate.py --runs 3

`validate.py` is the script of timm's repository (github.com/huggingface/pytorch-image-models), with
the timm that is installed here. Each run is a whole process, start-up included, on the same photos
and the same random weights, measured from outside; the contenders take turns. Start-up is the time
of the same command on eight photos. "limit" is the time that the same processes take to decode
alone and to run the network alone, added up. The CPU is what is measured.
"""

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

# Makes validate.py's process as genset's own: then runs it.
TUNED = (
    "from genset.score.allocator import tune_allocator; tune_allocator(); "
    "import runpy, sys; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
)
# One stream of a limit: decodes all its photos (with a model, runs that on their pixels), and
# prints the seconds that only this took.
LIMIT = """
import sys, time
from pathlib import Path
from genset.score.allocator import tune_allocator
tune_allocator()
import numpy, torch
torch.set_num_threads(1)
from genset.score.engines.engine import EngineOptions, open_engine
from genset.score.engines.onnx import onnx_file, write_onnx
from genset.models.load import load_model
from genset.models.spec import parse_spec
from genset.score.pixels import crops
what, engine, spec, decoding, folder, part, parts = sys.argv[1:]
model = load_model(parse_spec(spec))
paths = sorted(Path(folder).rglob("*.*"))[int(part)::int(parts)]
geometry = [model.preprocessing.geometry]
if what == "decode":
    started = time.perf_counter()
    for path in paths:
        crops(path, geometry, decoding)
else:
    probe = numpy.stack([crops(path, geometry)[0] for path in paths[:8]])
    file = onnx_file(model, Path(folder).parent / "exports")
    write_onnx(model, file) if engine != "torch" else None
    network = open_engine(engine, model, EngineOptions(onnx=file))
    network(probe)
    started = time.perf_counter()
    for start in range(0, len(paths), 8):
        network(probe[: len(paths) - start])
print(time.perf_counter() - started)
"""


@dataclass(frozen=True)
class Cost:
    """What one run took: seconds, and the most memory of its processes together, in MB."""

    seconds: float
    megabytes: float


Contender = Callable[[], Cost]


def main() -> None:
    """Take turns, print each run and a table of the medians."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--photos", type=Path, required=True, help="a folder of wnid folders")
    parser.add_argument("--validate", type=Path, required=True, help="timm's validate.py")
    parser.add_argument("--count", type=int, default=1000, help="photos, some of them repeated")
    parser.add_argument("--model", action="append", help="of timm (default: lite0 and resnet50)")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", action="append", help="contenders whose name has this")
    args = parser.parse_args()
    if not args.validate.is_file() or not args.photos.is_dir():
        parser.error("--validate is the file validate.py, --photos a folder")
    models = args.model or ["tf_efficientnet_lite0", "resnet50"]
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory(prefix="genset-benchmark-") as name:
        work = Path(name)
        photos = collect(args.photos, work / "photos", args.count)
        few = collect(args.photos, work / "few", 8)
        specs = {model: random_weights(model, work) for model in models}
        for model, spec in specs.items():
            print(f"\n{model}, {args.count} photos")
            compare(
                contenders(work, photos, args.validate, model, spec),
                contenders(work, few, args.validate, model, spec),
                args,
            )
        if len(models) > 1:
            print(f"\n{len(models)} models and again the first, in one pass and one by one")
            several = [*specs.values(), other(next(iter(specs.values())))]
            compare(passes(work, photos, several), passes(work, few, several), args)


def collect(source: Path, folder: Path, count: int) -> Path:
    """Copy so many photos, by turns as they come, each to a file of its own."""
    found = sorted(path for path in source.rglob("*.*") if path.is_file())
    for number in range(count):
        path = found[number % len(found)]
        place = folder / path.parent.name / f"{number}{path.suffix}"
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)
    return folder


def random_weights(model: str, work: Path) -> str:
    """Save a network with random weights; its spec."""
    import timm
    import torch

    torch.manual_seed(0)
    path = work / f"{model}.pth"
    torch.save(timm.create_model(model).state_dict(), path)
    return f"file:{path}?arch=timm:{model}"


def other(spec: str) -> str:
    """The same network under another name, with another normalization."""
    return f"{spec}&name=other&mean=0.4&std=0.3"


def contenders(
    work: Path, photos: Path, validate: Path, model: str, spec: str
) -> dict[str, Contender]:
    """Each way to score one model, by name."""
    script = [str(validate), str(photos), "--model", model, "--device", "cpu"]
    script += ["--checkpoint", str(work / f"{model}.pth")]
    tuned = [sys.executable, "-c", TUNED, *script, "-b", "32", "--channels-last"]

    def genset(*how: str) -> Contender:
        return lambda: score(work, photos, [spec], *how)

    def limit(engine: str, decoding: str) -> Contender:
        def both() -> Cost:
            parts = [alone(what, engine, spec, decoding, photos) for what in ("decode", "forward")]
            return Cost(sum(parts), 0)

        return both

    return {
        "validate.py": lambda: measure([sys.executable, *script]),
        "validate.py -b 32": lambda: measure([sys.executable, *script, "-b", "32"]),
        "validate.py -b 32, tuned": lambda: measure(tuned),
        "genset torch": genset("--engine", "torch"),
        "genset torch, fast": genset("--engine", "torch", "--decode", "fast"),
        "genset onnxruntime": genset("--engine", "onnxruntime"),
        "genset onnxruntime, fast": genset("--engine", "onnxruntime", "--decode", "fast"),
        "genset openvino": genset("--engine", "openvino"),
        "genset openvino, fast": genset("--engine", "openvino", "--decode", "fast"),
        "genset openvino bf16, fast": genset(
            "--engine", "openvino", "--precision", "bf16", "--decode", "fast"
        ),
        "genset auto": genset(),
        "limit of torch, fast": limit("torch", "fast"),
        "limit of onnxruntime, fast": limit("onnxruntime", "fast"),
        "limit of openvino, fast": limit("openvino", "fast"),
    }


def passes(work: Path, photos: Path, specs: Sequence[str]) -> dict[str, Contender]:
    """Several models at once, and each alone."""

    def one_by_one() -> Cost:
        costs = [score(work, photos, [spec], "--engine", "onnxruntime") for spec in specs]
        return Cost(sum(cost.seconds for cost in costs), max(cost.megabytes for cost in costs))

    return {
        "one pass": lambda: score(work, photos, specs, "--engine", "onnxruntime"),
        "one by one": one_by_one,
    }


def score(work: Path, photos: Path, specs: Sequence[str], *how: str) -> Cost:
    """Run genset evaluate on no runs of before; exports of an earlier one stay."""
    runs = work / "runs"
    shutil.rmtree(runs / photos.name, ignore_errors=True)
    models = [part for spec in specs for part in ("--model", spec)]
    command = [sys.executable, "-m", "genset", "evaluate", str(photos), *models]
    return measure([*command, "--runs", str(runs), *how])


def alone(what: str, engine: str, spec: str, decoding: str, photos: Path) -> float:
    """Seconds that one process a core takes for its share, at the same time; the slowest counts."""
    cores = os.cpu_count() or 1

    def part(number: int) -> float:
        arguments = [what, engine, spec, decoding, str(photos), str(number), str(cores)]
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", LIMIT, *arguments],
            capture_output=True,
            text=True,
            check=True,
        )
        return float(done.stdout.split()[-1])

    with ThreadPoolExecutor(cores) as pool:
        return max(pool.map(part, range(cores)))


def measure(command: list[str]) -> Cost:
    """Run a command; the memory is looked at once a second: to look takes a while."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    most = 0.0
    ended = threading.Event()

    def watch() -> None:
        nonlocal most
        while not ended.wait(1):
            most = max(most, memory(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    said, _ = process.communicate()
    seconds = time.perf_counter() - started
    ended.set()
    watcher.join()
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command, said)
    return Cost(seconds, most)


def memory(pid: int) -> float:
    """MB of a process and all it started; memory that they share is counted once."""
    total = 0.0
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        total = next(int(line.split()[1]) for line in rollup.splitlines() if "Pss:" in line) / 1024
        for task in Path(f"/proc/{pid}/task").iterdir():
            total += sum(memory(int(child)) for child in (task / "children").read_text().split())
    except (OSError, StopIteration):
        pass  # it has just ended
    return total


def compare(
    contenders: dict[str, Contender], started: dict[str, Contender], args: argparse.Namespace
) -> None:
    """Run each in turn, several times; what this machine cannot run is left out, by name.

    `started` are the same contenders on few photos. The medians are of whole commands, of their
    start-up, and of what is left without it.
    """
    chosen = [name for name in contenders if any(part in name for part in args.only or [""])]
    costs: dict[str, list[Cost]] = {name: [] for name in chosen}
    starts: dict[str, list[Cost]] = {name: [] for name in chosen}
    for _ in range(args.runs):
        for name in [*costs]:
            try:
                starts[name].append(started[name]())
                costs[name].append(last := contenders[name]())
            except subprocess.CalledProcessError as error:
                print(f"{name} is left out: {(error.stdout or error.stderr).strip()[-300:]}")
                del costs[name], starts[name]
                continue
            print(f"{name:28} {last.seconds:7.2f} s {last.megabytes:6.0f} MB", flush=True)
    wholes = {name: statistics.median(c.seconds for c in runs) for name, runs in costs.items()}
    first = next(iter(wholes), "")
    print(
        f"\n| medians of {args.runs} runs | seconds | of them start-up | photos/s | "
        f"times as fast as {first} | without start-up | peak MB |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|")
    rests: dict[str, float] = {}
    for name, whole in wholes.items():
        start = 0.0 if "limit" in name else statistics.median(c.seconds for c in starts[name])
        rests[name] = whole - start
        print(
            f"| {name} | {whole:.1f} | {start:.1f} | {args.count / whole:.0f} | "
            f"{wholes[first] / whole:.1f} | {rests[first] / rests[name]:.1f} | "
            f"{max(cost.megabytes for cost in costs[name]):.0f} |"
        )


if __name__ == "__main__":
    main()
