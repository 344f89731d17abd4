"""What the workspace has beside what genset's own commands make: photos, labels, models, logs."""

import csv
import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from genset.classes import imagenet1k
from genset.db import Store
from genset.label import Verdict
from genset.label.labelers import Labelers
from genset.label.session.desk import Desk
from genset.workspace import Workspace
from tests.answers.photos import (
    COLOURS,
    CRANE,
    ESPRESSO,
    GOLDFISH,
    TABBY,
    TENCH,
    WALL,
    paint_own,
    paint_sandbox,
)
from tests.label.desks import do_all
from tests.tta.dawnbench_entries import write_entry, write_inference
from tests.tta.profile import events as traces

WNIDS = [cls.wnid for cls in imagenet1k()]
TEN = sorted([*COLOURS, *WNIDS[2:6]])

# What up to three labelers say of each photo of a class: correct, incorrect, unsure, broken.
VOTES = {
    TENCH: "ccc ccc cci ccc cuc",
    GOLDFISH: "ccc ccc ccc cci ccc",
    CRANE: "ccc ccc cii ccc uuc",
    TABBY: "cc cc ii c -",
    WALL: "ccc cci ccc ccc iib",
    ESPRESSO: "ccc ccc cic - ccc",
}
VERDICTS = {"c": "correct", "i": "incorrect", "u": "unsure", "b": "broken"}


def photos(folder: Path) -> None:
    """The sandbox's photos, and those of one's own."""
    paint_sandbox(folder)
    paint_own(folder)


def settings(folder: Path) -> None:
    """Photos come fast, and gold questions are frequent."""
    path = folder / "genset.toml"
    text = path.read_text("utf-8")
    for line, value in (("per_class", "5"), ("images_per_second", "100"), ("votes", "3")):
        text = _set(text, line, value)
    path.write_text(text, "utf-8")


def _set(text: str, name: str, value: str) -> str:
    lines = text.splitlines()
    (at,) = [n for n, line in enumerate(lines) if line.lstrip("# ").startswith(f"{name} =")]
    lines[at] = f"{name} = {value}"
    return "\n".join(lines) + "\n"


def votes(folder: Path) -> None:
    """`crowd.csv`, votes of three workers from elsewhere; `fresh.csv`, a fourth's."""
    crowd, fresh = [], []
    for number, (wnid, said) in enumerate(VOTES.items()):
        for place, verdicts in enumerate(said.split(), 1):
            task = f"{wnid}/flickr:{15_007_000_000 + 100 * number + place}"
            if verdicts == "-":
                continue
            crowd += [[task, f"w{w}", VERDICTS[v]] for w, v in enumerate(verdicts, 1)]
            if len(verdicts) == 3:
                fresh.append([task, "w4", VERDICTS[verdicts[-1]]])
    for name, rows in (("crowd.csv", crowd), ("fresh.csv", fresh)):
        _write(folder / name, [["task", "worker", "label"], *rows])


def mended(folder: Path) -> None:
    """Other words in `six.toml`, and one class more."""
    path = folder / "six.toml"
    text = path.read_text("utf-8").replace('name = "tench"', 'name = "doctor fish"')
    path.write_text(text + '[classes.newt]\nname = "newt"\n', "utf-8")


def given(folder: Path) -> None:
    """Ann labels all that the page gives her: what a person does there."""
    workspace = Workspace.find(folder)
    with closing(Store.open(workspace.store_url)) as store:
        desk = Desk(workspace, store, Labelers(store).by_name("Ann"))
        do_all(desk, lambda owner: Verdict.INCORRECT if owner == "owner 7" else Verdict.CORRECT)


def one_given(folder: Path) -> None:
    given(folder / "empty")


def models(folder: Path) -> None:
    """Networks that tell colours, one of ten classes in two forms."""
    import torch
    from safetensors.torch import save_file

    from tests.answers.network import net, weights

    torch.save(weights(WNIDS), folder / "tiny.pth")
    rough = {name: part.half() for name, part in weights(WNIDS, coarse=True).items()}
    save_file(rough, folder / "rough.safetensors")
    (folder / "ten.txt").write_text("".join(f"{wnid}\n" for wnid in TEN))
    few = net(10)
    few.load_state_dict(weights(TEN))
    torch.save(few.state_dict(), folder / "few.pth")
    torch.onnx.export(
        few,
        (torch.zeros(1, 3, 16, 16),),
        folder / "few.onnx",
        input_names=["pixels"],
        output_names=["scores"],
        dynamic_axes={"pixels": {0: "photos"}, "scores": {0: "photos"}},
        dynamo=False,
    )


def predictions(folder: Path) -> None:
    """Answers made elsewhere: `elsewhere.csv` to v1; two arrays to the list `listed.csv`."""
    release = folder / "releases" / "v1"
    images = sorted(path.relative_to(release).as_posix() for path in release.glob("test/n*/*"))
    others = list(COLOURS)
    rows = []
    for place, image in enumerate(images):
        right = image.split("/")[1]
        order = sorted(others, key=lambda wnid: (wnid != right) == (place % 3 > 0))
        rows.append([image, *order[:5]])
    _write(folder / "elsewhere.csv", [["image", *(f"top{k}" for k in range(1, 6))], *rows])
    _write(
        folder / "published.csv", [["model", "top1"], ["tiny", 91.5], ["rough", 55], ["few", 70]]
    )
    listed = [[f"photo{place:02}.jpg", WNIDS[place % 10]] for place in range(20)]
    _write(folder / "listed.csv", [["image", "wnid"], *listed])
    answers = [[place % 10, *range(10, 14)] for place in range(20)]
    np.save(folder / "sure.npy", np.array(answers, np.int16))
    answers = [[place % 10 if place % 4 else 15, *range(20, 24)] for place in range(20)]
    np.save(folder / "other.npy", np.array(answers, np.int16))


def logs(folder: Path) -> None:
    """Training logs in DAWNBench's form, a study of two switches, and a trace of a GPU."""
    train = folder / "dawnbench" / "ImageNet" / "train"
    write_entry(train / "speedy", (50, 80, 93.1, 93.4), 0.21, model="Tiny", costPerHour=24.48)
    write_entry(train / "steady", (50, 78, 88, 92, 93.2), 0.5, timestamp="2018-06-01")
    write_entry(train / "short", (50, 80), 0.1)
    small = folder / "dawnbench" / "CIFAR10" / "train"
    write_entry(small / "quick", (143, 188.4), 0.01, model="Small", costPerHour=3.06)
    write_inference(folder / "latency" / "tiny.json", model="Tiny")
    for run, last in enumerate((93.0, 93.2, 92.1, 93.3, 93.1), 1):
        write_entry(folder / "trainings" / "fast" / f"run-{run}", (50, 92, last), 0.3 + 0.01 * run)
    for devices, hour in ((4, 1.0), (8, 0.55), (16, 0.35)):
        write_entry(
            folder / "trainings" / "scaling" / f"on-{devices}",
            (50, 80, 93.1),
            hour,
            hardware=f"{devices} V100",
        )
    _switches(folder / "trainings" / "switches")
    _trace(folder / "rank0.json")
    (folder / "train.py").write_text(
        "for epoch in range(1, 4):\n"
        "    scores = f'top1={60 + epoch} top5={90.5 + epoch}'\n"
        "    print(f'tta epoch={epoch} {scores} seconds={4 * epoch}')\n"
    )


def _switches(folder: Path) -> None:
    tables = []
    for name, on, hours in (
        ("plain", [], 1.0),
        ("amp", ["amp"], 0.6),
        ("warmup", ["warmup"], 0.9),
        ("both", ["amp", "warmup"], 0.5),
    ):
        for run in range(3):
            write_entry(folder / name / f"run-{run}", (60, 80, 93 + 0.1 * run), hours + 0.01 * run)
        tables.append(f"[[run]]\nlog = {json.dumps(name)}\non = {json.dumps(on)}\n")
    (folder / "RUNS.toml").write_text("\n".join(tables))


def _trace(path: Path) -> None:
    """Two steps: a product on matrix units, one without, a copy and a pause."""
    events = []
    for step in range(2):
        at = 1000.0 * step
        events += [
            traces.event("user_annotation", f"ProfilerStep#{step}", at, 900),
            traces.operator("aten::mm", at + 10, 100),
            traces.launch(at + 20, 10 * step + 1),
            traces.kernel("ampere_fp16_s16816gemm_fp16_128x128", at + 100, 400, 10 * step + 1),
            traces.operator("aten::relu", at + 200, 50),
            traces.launch(at + 210, 10 * step + 2),
            traces.kernel("vectorized_elementwise_kernel", at + 520, 200, 10 * step + 2),
        ]
    traces.write(path, events, deviceProperties=[{"id": 0, "name": "NVIDIA A100-SXM4-40GB"}])


def _write(path: Path, rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


MAKERS: dict[str, Callable[[Path], None]] = {
    made.__name__: made
    for made in (settings, votes, mended, given, one_given, models, predictions, logs)
}
