"""From how many photos on `--engine auto` wins back the time of its trial.

    PYTHONPATH=. python benchmarks/trial.py --model tf_efficientnet_lite0 --model resnet50 --runs 3

The trial writes the network as ONNX and tries the installed engines on a few photos. Each engine is
then timed on one core, as in the processes that score. Weights and pixels are random. What counts
are seconds of the processor, which other work on the machine changes least; the trial's are those
of one process, and scoring is shared by all cores.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from genset.score.allocator import tune_allocator

tune_allocator()  # before PyTorch is there, as a command does

import numpy as np  # noqa: E402
import timm  # noqa: E402
import torch  # noqa: E402

from genset.models.load import LoadedModel, load_model  # noqa: E402
from genset.models.preprocessing import Pixels  # noqa: E402
from genset.models.processes import call_in_fork, cores  # noqa: E402
from genset.models.spec import parse_spec  # noqa: E402
from genset.score.engines.engine import EngineOptions, open_engine  # noqa: E402
from genset.score.engines.onnx import onnx_file  # noqa: E402
from genset.score.engines.select import candidates, select  # noqa: E402
from genset.score.plan import WORTH_A_TRIAL  # noqa: E402

_PHOTOS, _TIMED = 8, 24  # of the trial, and of a measurement


def main() -> None:
    """Measure each model; print a row of medians for each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", action="append", required=True, help="of timm")
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    print(f"{cores()} cores, load {os.getloadavg()[0]:.1f}; now from {WORTH_A_TRIAL} photos on")
    print("| | trial, s | PyTorch, ms | fastest, ms | | pays from |\n|---|---:|---:|---:|---|---:|")
    for name in args.model:
        rows = [measured(name) for _ in range(args.runs)]
        trial, eager, best = (statistics.median(row[n] for row in rows) for n in (0, 1, 2))
        saved = (eager - best) / cores()
        pays = f"{trial / saved:,.0f}" if saved > 0 else "never"
        engine = max(row[3] for row in rows)
        print(
            f"| {name} | {trial:.2f} | {1000 * eager:.1f} | {1000 * best:.1f} | {engine} | {pays} |"
        )
        sys.stdout.flush()


def measured(name: str) -> tuple[float, float, float, str]:
    """Seconds of a trial, of PyTorch and of the fastest engine for a photo, and which that is."""
    with tempfile.TemporaryDirectory(prefix="genset-benchmark-") as folder:
        torch.manual_seed(0)
        torch.save(timm.create_model(name).state_dict(), f"{folder}/weights.pth")
        model = load_model(parse_spec(f"file:{folder}/weights.pth?arch=timm:{name}"))
        side = model.preprocessing.geometry.crop
        pixels = np.random.default_rng(0).integers(0, 256, (_TIMED, side, side, 3), np.uint8)
        onnx = onnx_file(model, Path(folder))
        trial = call_in_fork(_trial, model, pixels[:_PHOTOS], onnx)
        names = candidates(model, "auto", worth_a_trial=True)
        seconds = {each: call_in_fork(_photo, each, model, pixels, onnx) for each in names}
        fastest = min(seconds, key=lambda each: seconds[each])
        return trial, seconds["torch"], seconds[fastest], fastest


def _trial(model: LoadedModel, probe: Pixels, onnx: Path) -> float:
    names = candidates(model, "auto", worth_a_trial=True)
    return _of_the_processor(lambda: select(model, names, "float32", probe, onnx))


def _photo(engine: str, model: LoadedModel, pixels: Pixels, onnx: Path) -> float:
    opened = open_engine(engine, model, EngineOptions(onnx=onnx))
    opened(pixels[:_PHOTOS])
    return _of_the_processor(lambda: opened(pixels)) / len(pixels)


def _of_the_processor(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


if __name__ == "__main__":
    main()
