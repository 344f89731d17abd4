"""Published accuracies of well-known weights, in a table that genset ships.

``published.csv`` holds timm's figures (ImageNet's validation set, ReaL's labels for it, ImageNetV2,
ImageNet-Sketch, and ImageNet-A and -R among their own 200 classes) and torchvision's (ImageNet
alone), with their sources in its first lines; a row is one file of weights at one image size.
``benchmarks/published_accuracies.py`` makes it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from genset.core.files import packaged_rows

TABLE = Path(__file__).with_name("published.csv")
SETS = ("imagenet", "real", "imagenetv2", "sketch", "imagenet_a", "imagenet_r")
COLUMNS = ("weights", "pixels", "default", "imagenet", "imagenet_top5", *SETS[1:])


@dataclass(frozen=True, slots=True)
class PublishedWeights:
    """What is published of weights at an image size; accuracies from 0 to 1.

    Attributes:
        weights: "timm:resnet50.a1_in1k", "torchvision:resnet50@IMAGENET1K_V1".
        pixels: the side of the image.
        is_default: whether the bare name of the architecture means these weights.
        top1: by set, of `SETS`; those that are not published are missing.
        top5: on ImageNet.
    """

    weights: str
    pixels: int
    is_default: bool
    top1: dict[str, float]
    top5: float

    @property
    def architecture(self) -> str:
        """The network without its weights: "timm:resnet50"."""
        return architecture_of(self.weights)


@cache
def architecture_of(weights: str) -> str:
    """The architecture in a name of weights, with its library: "timm:resnet50"."""
    library, _, name = weights.partition(":")
    return f"{library}:{name.partition('@' if library == 'torchvision' else '.')[0]}"


@cache
def published() -> tuple[PublishedWeights, ...]:
    """The whole table, by weights and image size."""
    return tuple(
        PublishedWeights(
            weights=row["weights"],
            pixels=int(row["pixels"]),
            is_default=row["default"] == "1",
            top1={name: float(row[name]) / 100 for name in SETS if row[name]},
            top5=float(row["imagenet_top5"]) / 100,
        )
        for row in packaged_rows(TABLE)
    )


@cache
def sources() -> dict[str, str]:
    """Where the figures are from, with licence and date, by library."""
    with TABLE.open(encoding="utf-8") as file:
        first = [line[1:].strip() for line in file if line.startswith("#")]
    return {library: text for library, _, text in (line.partition(": ") for line in first)}


@cache
def one_a_weights(column: str = "sketch") -> tuple[PublishedWeights, ...]:
    """The weights that were measured on a set, of `SETS`, each once: at their smallest size.

    Of weights that were measured at several image sizes the smallest is mostly the one they were
    trained with; to count them twice would give them twice the weight.
    """
    found: dict[str, PublishedWeights] = {}
    for row in published():
        if column in row.top1 and "real" in row.top1:  # timm's
            first = found.setdefault(row.weights, row)
            if row.pixels < first.pixels:
                found[row.weights] = row
    return tuple(found.values())


def places(accuracies: Sequence[float], share: float) -> int:
    """The place that a share has among accuracies, 1 for the best; ties share the better place."""
    return 1 + sum(accuracy > share for accuracy in accuracies)


LADDER = (
    "torchvision:alexnet@IMAGENET1K_V1",
    "torchvision:mobilenet_v3_small@IMAGENET1K_V1",
    "torchvision:resnet18@IMAGENET1K_V1",
    "torchvision:mobilenet_v2@IMAGENET1K_V2",
    "torchvision:resnet50@IMAGENET1K_V1",
    "torchvision:efficientnet_b1@IMAGENET1K_V2",
    "torchvision:convnext_tiny@IMAGENET1K_V1",
    "timm:convnextv2_base.fcmae_ft_in22k_in1k",
)


def rungs(scored: Collection[str]) -> tuple[str, ...]:
    """The specs of the ladder that were not scored yet, the weakest first."""
    return tuple(spec for spec in LADDER if spec not in scored)
