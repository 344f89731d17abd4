"""How long a profiler's trace takes to be read, and how much memory.

    python -m benchmarks.trace --trace TRACE --gigabytes 1 --runs 3

A real trace is repeated, each time later and with numbers of its own, until it has that many GB of
text. Each reading is a process of its own; its peak memory is what the system says of it.
"""

import argparse
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

READ = """
import sys, time
from pathlib import Path
from genset.tta.profile.kineto import read_trace
started, spent = time.perf_counter(), time.process_time()
trace = read_trace(Path(sys.argv[1]))
print(time.perf_counter() - started, time.process_time() - spent)
print(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
print(f"{len(trace.operators):,} operators, {len(trace.kernels):,} kernels")
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trace", type=Path, required=True, help="a real one, gzipped")
    parser.add_argument("--gigabytes", type=float, default=1.0)
    parser.add_argument("--runs", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "long.json")
        repeat(asked.trace, path, int(asked.gigabytes * 1e9))
        print(f"load {os.getloadavg()[0]:.1f}, {path.stat().st_size / 1e9:.2f} GB")
        found = []
        for _ in range(asked.runs):
            done = subprocess.run(
                [sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True
            )
            times, kilobytes, held = done.stdout.splitlines()
            clock, processors = map(float, times.split())
            found.append(clock)
            print(
                f"{clock:.1f} s, {processors:.1f} s of processors, peak "
                f"{int(kilobytes) / 1000:.0f} MB: {held}"
            )
        print(f"median {statistics.median(found):.1f} s ({asked.runs} runs)")


def repeat(source: Path, path: Path, size: int) -> None:
    """Write a trace's events again and again until the file has `size` bytes."""
    whole = json.loads(gzip.decompress(source.read_bytes()))
    events = whole.pop("traceEvents")
    timed = [each for each in events if each.get("ph") == "X"]
    span = max(each["ts"] + each["dur"] for each in timed) - min(each["ts"] for each in timed)
    numbers = 1 + max(number for each in timed for number in _numbers(each))
    started = time.perf_counter()
    with path.open("w") as file:
        file.write(json.dumps(whole)[:-1] + ', "traceEvents": [\n')
        lap, between = 0, ""
        while file.tell() < size:
            for event in events:
                file.write(between + json.dumps(_later(event, lap, span, numbers), indent=2))
                between = ",\n"
            lap += 1
        file.write("]}\n")
    print(f"repeated {lap} times in {time.perf_counter() - started:.0f} s")


def _numbers(event: dict[str, Any]) -> list[int]:
    about = event.get("args", {})
    return [about[name] for name in ("External id", "correlation") if name in about]


def _later(event: dict[str, Any], lap: int, span: float, numbers: int) -> dict[str, Any]:
    later = {**event, "ts": event["ts"] + lap * span}
    if "args" in event:
        later["args"] = dict(event["args"])
        for name in ("External id", "correlation"):
            if name in later["args"]:
                later["args"][name] += lap * numbers
    return later


if __name__ == "__main__":
    main()
