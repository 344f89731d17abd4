"""Well-known models from weak to strong, that make a line on a set where none is known.

All are torchvision's but the strongest: each is of another architecture, and small enough for a
CPU. Their accuracies are in the published table.
"""

from collections.abc import Collection

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
