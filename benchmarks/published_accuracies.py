"""Write the table of published accuracies, ``published.csv``.

    python -m benchmarks.published_accuracies TIMM-RESULTS --taken 2026-08

TIMM-RESULTS is the folder ``results`` of timm's repository: the tables of ImageNet's validation
set, of ReaL's labels for it, of ImageNetV2 (matched frequency), of ImageNet-Sketch, -A and -R.
--taken is when it was copied. torchvision's figures, for ImageNet alone, are in each of its
weights' `meta`. Only this needs timm and torchvision; the table that it writes is committed.
Nothing is measured here.
"""

import argparse
import csv
import io
from collections.abc import Iterator
from datetime import date
from math import isfinite
from pathlib import Path

from genset.comparison.references.published import COLUMNS, SETS, TABLE
from genset.core.files import write_text

_IMAGENET = "ImageNet-1K"  # as torchvision calls it
_TIMM_FILES = {
    "imagenet": "results-imagenet.csv",
    "real": "results-imagenet-real.csv",
    "imagenetv2": "results-imagenetv2-matched-frequency.csv",
    "sketch": "results-sketch.csv",
    "imagenet_a": "results-imagenet-a.csv",
    "imagenet_r": "results-imagenet-r.csv",
}

Row = dict[str, object]


def build(timm_results: Path, taken: str) -> str:
    """The table as CSV, after a line for each source.

    Args:
        timm_results: timm's folder of results.
        taken: when that was copied, such as 2026-08.
    """
    import torchvision

    version = torchvision.__version__.partition("+")[0]
    text = io.StringIO(newline="")
    text.write(
        f"# timm: huggingface/pytorch-image-models, results/, Apache-2.0, as of {taken}\n"
        f"# torchvision: the weights' own figures in torchvision {version}, BSD-3-Clause, as of "
        f"{date.today():%Y-%m}\n"
    )
    table = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    table.writeheader()
    rows = [*of_timm(timm_results), *of_torchvision()]
    table.writerows(sorted(rows, key=lambda row: (str(row["weights"]), int(str(row["pixels"])))))
    return text.getvalue()


def of_timm(results: Path) -> Iterator[Row]:
    """A row for each weights of timm's and each image size that they were measured at."""
    from timm.models import get_pretrained_cfg

    tables = {name: _read(results / file) for name, file in _TIMM_FILES.items()}
    defaults = {}
    for weights, pixels in tables["imagenet"]:
        architecture = weights.partition(".")[0]
        if architecture not in defaults:
            config = get_pretrained_cfg(architecture)
            defaults[architecture] = f"{architecture}.{config.tag}" if config else ""
        yield {
            "weights": f"timm:{weights}",
            "pixels": pixels,
            "default": int(defaults[architecture] == weights),
            "imagenet_top5": tables["imagenet"][weights, pixels]["top5"],
            **{name: tables[name].get((weights, pixels), {}).get("top1", "") for name in SETS},
        }


def of_torchvision() -> Iterator[Row]:
    """A row for each weights of torchvision's classifiers."""
    from torchvision import models as zoo

    for name in zoo.list_models(module=zoo):
        weights_of = zoo.get_model_weights(name)
        for weights in weights_of:
            metrics = weights.meta["_metrics"][_IMAGENET]
            if not all(map(isfinite, metrics.values())):  # it has a NaN where it measured nothing
                continue
            yield {
                "weights": f"torchvision:{name}@{weights.name}",
                "pixels": weights.transforms().crop_size[0],
                "default": int(weights == weights_of.DEFAULT),
                "imagenet": metrics["acc@1"],
                "imagenet_top5": metrics["acc@5"],
            }


def _read(path: Path) -> dict[tuple[str, str], dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return {(row["model"], row["img_size"]): row for row in csv.DictReader(file)}


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("timm_results", type=Path)
    parser.add_argument("--taken", required=True)
    parser.add_argument("--output", type=Path, default=TABLE)
    arguments = parser.parse_args()
    write_text(arguments.output, build(arguments.timm_results, arguments.taken))


if __name__ == "__main__":
    _main()
