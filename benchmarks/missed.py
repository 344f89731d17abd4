"""How often the label is wrong where leading models all err: by severity, and by agreement.

    python benchmarks/missed.py DATA

DATA has `imagenetv2/imagenet-val/` (predictions on ImageNet's validation set) and `real/real.json`
(ReaL's labels). A label counts as wrong where ReaL has right classes and the photo's own is none.
"""

import csv
import json
import sys
import tempfile
from pathlib import Path

from genset.classes import imagenet1k
from genset.comparison.missed import ORDERS, CommonMiss, missed_by_all
from genset.models.spec import parse_spec
from genset.score.evaluate import evaluate
from genset.score.results.results import load_results
from genset.sets.open import open_set

MODELS = ("resnet152", "densenet161", "inception_v3")  # the best three of seven
SEVERITIES = ((1, 3), (3, 8), (8, 12), (12, 16), (16, 19))


def main(data: Path) -> None:
    folder = data / "imagenetv2" / "imagenet-val"
    photos = open_set(str(folder / "labels.csv"))
    specs = [parse_spec(f"predictions:{folder / name}.npy") for name in MODELS]
    with tempfile.TemporaryDirectory() as runs:
        evaluate(photos, specs, Path(runs))
        results = load_results(photos, Path(runs))
        orders = {name: missed_by_all(results, results.models, name).missed for name in ORDERS}
    real = json.loads((data / "real" / "real.json").read_text())
    with (folder / "labels.csv").open() as file:
        own = {image: imagenet1k()[wnid].index for image, wnid in list(csv.reader(file))[1:]}

    def is_wrong(each: CommonMiss) -> bool:
        right = real[int(each.image[-13:-5]) - 1]  # ILSVRC2012_val_00000001.JPEG is the first
        return bool(right) and own[each.image] not in right

    def tell(what: str, some: list[CommonMiss]) -> None:
        wrong = sum(map(is_wrong, some))
        print(f"{what:24} {wrong:5,} of {len(some):5,}  {100 * wrong / len(some):.1f} %")

    missed = list(orders["severity"])
    tell("all", missed)
    for low, high in SEVERITIES:
        tell(f"{low} to {high - 1} steps off", [e for e in missed if low <= e.severity < high])
    for agreeing in (1, 2, 3):
        tell(f"{agreeing} say the same", [e for e in missed if e.agreeing == agreeing])
    for name, found in orders.items():
        for first in (100, 300, 1000, 3000):
            tell(f"first {first:,} by {name}", list(found[:first]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
