"""Write the accuracies on ImageNet's validation set that torchvision publishes with its weights.

    python -m genset.evaluation.results.references.build

Only this needs torchvision; the table that it writes is committed. The numbers are torchvision's
own, out of each weights' `meta`; nothing is downloaded or measured.
"""

import csv
import io
import sys
from math import isfinite
from pathlib import Path

import torchvision
from torchvision import models as zoo

from genset.evaluation.results.references.find import TABLE
from genset.files import write_text

IMAGENET = "ImageNet-1K"


def build() -> str:
    """The table as CSV: the model spec, top-1 and top-5 in per cent, and the source."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["model", "top1", "top5", "source"])
    source = f"torchvision {torchvision.__version__.partition('+')[0]}"
    for name in sorted(zoo.list_models(module=zoo)):
        weights_of = zoo.get_model_weights(name)
        for weights in weights_of:
            metrics = weights.meta["_metrics"][IMAGENET]
            if not all(map(isfinite, metrics.values())):  # it has a NaN where it measured nothing
                continue
            names = [f"torchvision:{name}@{weights.name}"]
            if weights == weights_of.DEFAULT:
                names.append(f"torchvision:{name}")
            for spec in names:
                table.writerow([spec, metrics["acc@1"], metrics["acc@5"], source])
    return text.getvalue()


if __name__ == "__main__":
    write_text(Path(sys.argv[1]) if len(sys.argv) > 1 else TABLE, build())
