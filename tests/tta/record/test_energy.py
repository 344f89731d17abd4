"""`genset tta record --energy`: watt hours beside each epoch's time, by stand-ins of both ways."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from genset.cli import cli
from genset.tta.logs.dawnbench import read_run
from tests.tta.answers import answer, printed

# Stands for NVIDIA's module: GPUs are lines of a file, "UUID name millijoules".
NVML = """
import os
from pathlib import Path
class NVMLError(Exception): pass
def nvmlInit():
    if not os.path.exists("gpus"): raise NVMLError("Driver Not Loaded")
def _gpus(): return [line.split() for line in Path("gpus").read_text().splitlines()]
def nvmlDeviceGetCount(): return len(_gpus())
def nvmlDeviceGetHandleByIndex(at): return at
def nvmlDeviceGetUUID(at): return _gpus()[at][0]
def nvmlDeviceGetName(at): return _gpus()[at][1]
def nvmlDeviceGetTotalEnergyConsumption(at):
    if _gpus()[at][2] == "none": raise NVMLError("Not Supported")
    return int(_gpus()[at][2])
"""
# Writes files by epoch, says that it is over, and waits until that is recorded.
TRAIN = """
import json, sys, time
from pathlib import Path
tsv = Path("run.tsv")
for epoch, files in json.loads(sys.argv[1]).items():
    for path, text in files.items():
        Path("new").write_text(text)  # whole at once: the recorder may read it just then
        Path("new").replace(path) if text else Path(path).unlink()
    print(f"tta epoch={epoch} top1={epoch}0", flush=True)
    while not tsv.exists() or f"\\n{epoch}\\t" not in tsv.read_text():
        time.sleep(0.02)
while "cut off" in sys.argv:
    print(flush=True)
    time.sleep(0.05)
"""
# For a recording that is killed.
MAIN = """
from pathlib import Path
from genset.tta.record import energy
energy.POWERCAP = Path("powercap")
from genset.__main__ import main
main()
"""
PACKAGE, CORES, MEMORY = (Path(f"powercap/intel-rapl:{at}/energy_uj") for at in ("0", "0:0", "0:1"))


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The current folder has two GPUs, a package with cores and memory, and a training."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("genset.tta.record.energy.POWERCAP", Path("powercap"))
    sys.modules.pop("pynvml", None)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    Path("pynvml.py").write_text(NVML)
    Path("train.py").write_text(TRAIN)
    Path("gpus").write_text("GPU-aa H200 1000000\nGPU-bb H200 5000000\n")
    for path, name in ((PACKAGE, "package-0"), (CORES, "core"), (MEMORY, "dram")):
        path.parent.mkdir(parents=True)
        path.write_text("3000000000\n")
        path.with_name("name").write_text(f"{name}\n")
        path.with_name("max_energy_range_uj").write_text("4000000000\n")
    yield
    sys.modules.pop("pynvml", None)


def words(epochs: object, *more: str, energy: str = "--energy") -> list[str]:
    said = ["tta", "record", "-o", "run", "--model", "M", "--task", "birds", "--threshold", "20"]
    train = [sys.executable, "train.py", json.dumps(epochs), *more]
    return [*said, *[energy] * bool(energy), "--", *train]


def record(epochs: object, energy: str = "--energy") -> Result:
    return CliRunner().invoke(cli, words(epochs, energy=energy))


def watt_hours() -> list[float | None]:
    return [epoch.watt_hours for epoch in read_run(Path("run.tsv")).epochs]


def gpus(one: float, two: float) -> dict[str, str]:
    """They have used so many watt hours."""
    used = [int(1e6 + 3.6e6 * one), int(5e6 + 3.6e6 * two)]
    return {"gpus": f"GPU-aa H200 {used[0]}\nGPU-bb H200 {used[1]}\n"}


def test_watt_hours_stand_beside_the_time_and_in_the_tables() -> None:
    """Cores are in their package, whose counter begins again at 0 in the second epoch."""
    second = {str(PACKAGE): "2600000000", str(MEMORY): "3360000000"}
    done = record({1: {**gpus(1, 1), str(CORES): "3900000000"}, 2: second})
    assert done.stdout.endswith(" and 3.1 Wh\n"), done.output
    assert Path("run.tsv").read_text().startswith("epoch\thours\ttop1Accuracy\twattHours\n1\t")
    assert watt_hours() == pytest.approx([2.0, 3.1])
    table = printed("table", ".")
    assert "3.1 Wh" in table
    assert "run: energy of 2 GPUs, 1 CPU package, memory" in table
    assert answer("table", ".")["tasks"][0]["trainings"][0]["watt_hours"] == pytest.approx(3.1)
    record({1: {}, 2: gpus(1, 2)})
    assert all(energy in printed("stability", ".") for energy in ("3.1 Wh", "1 Wh"))
    assert "(1 Wh)" in printed("thresholds", ".", "--from", "5", "--to", "20")
    # Of a copy that is cut off within the last number, that number does not count.
    Path("run.tsv").write_text(Path("run.tsv").read_text().rstrip("\n")[:-8])
    assert watt_hours() == [pytest.approx(2.0), None]


@pytest.mark.parametrize(("chosen", "used"), [("GPU-bb", 1.0), ("0", 0.0), ("1,7,0", 1.0)])
def test_only_the_gpus_that_cuda_may_use_count(
    chosen: str, used: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("powercap").rename("none")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", chosen)
    done = record({1: gpus(0, 1)})
    assert "energy is not measured of all: no CPU package is counted in " in done.stderr
    assert watt_hours() == pytest.approx([used])
    assert "energy of 1 GPU" in read_run(Path("run.tsv")).about.remarks


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ("", "no NVIDIA GPU: Driver Not Loaded; "),
        ("GPU-aa P100 none\n", "GPU 0: Not Supported (NVIDIA's count from Volta on); "),
        ("GPU-aa H200 5\nGPU-bb T4 5\n", "which of different GPUs is 0, CUDA_DEVICE_ORDER="),
    ],
)
def test_a_machine_that_cannot_be_measured_is_refused_before_the_start(
    lines: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("gpus").write_text(lines) if lines else Path("gpus").unlink()
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    read = Path.read_text

    def as_others_do(path: Path, *words: Any) -> str:
        if path == PACKAGE:  # which root may read
            raise PermissionError(13, "Permission denied", str(path))
        return read(path, *words)

    monkeypatch.setattr(Path, "read_text", as_others_do)
    said = str(record({1: {}}).exception)
    assert said.startswith(f"--energy: nothing can be measured: {why}")
    assert said.endswith(f"only root reads RAPL: sudo chmod a+r {PACKAGE}")
    assert "\n" not in said
    assert not list(Path().glob("run*"))
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert "need pip install 'genset[energy]'" in str(record({1: {}}).exception)


def test_a_reading_that_fails_ends_the_energy_and_not_the_recording() -> None:
    done = record({1: {}, 2: {str(PACKAGE): ""}, 3: {}})
    assert done.exit_code == 0
    assert "energy is recorded no more: [Errno 2] No such file or directory" in done.stderr
    assert watt_hours() == [0.0, None, None]
    remark = "energy of 2 GPUs, 1 CPU package, memory, not measured to the end"
    assert remark in read_run(Path("run.tsv")).about.remarks


BOTH, ONE, OTHER = ("--energy", "--energy"), ("--energy", ""), ("", "--energy")


@pytest.mark.parametrize(("energy", "then"), [BOTH, ONE, OTHER])
def test_an_interrupted_run_goes_on_and_a_part_without_energy_leaves_none(
    energy: str, then: str
) -> None:
    said = words({1: {}, 2: gpus(1, 0)}, "cut off", energy=energy)
    command = [sys.executable, "-c", MAIN, *said]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as running:
        while not Path("run.tsv").exists() or "\n2\t" not in Path("run.tsv").read_text():
            assert running.poll() is None
            time.sleep(0.02)
        running.send_signal(signal.SIGKILL)
    assert watt_hours() == ([0.0, 1.0] if energy else [None, None])
    done = record({2: gpus(2, 0), 3: {}}, then)  # epoch 2 is trained again
    if energy and then:
        assert watt_hours() == pytest.approx([0.0, 2.0, 2.0])
    else:
        assert watt_hours() == [0.0 if energy else None, None, None]
    assert ("was begun without that of 2 GPUs" in done.stderr) is bool(then and not energy)
