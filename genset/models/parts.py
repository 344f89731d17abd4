"""What a loader of another library's models finds."""

from dataclasses import dataclass, field

from torch import nn

from genset.models.preprocessing import Preprocessing


@dataclass(frozen=True, slots=True)
class Parts:
    """What a model is made of.

    Attributes:
        network: N x 3 x H x W in, N x outputs logits out.
        preprocessing: how a photo becomes such an input.
        order: the wnid of each output, "" for one that is no class.
        architecture: what the network is, wherever its folder lies.
        weights_hash: a sha256 over the weights; "" where the network's own are all of them.
        notes: what to say of it beside its results.
        identity: what else its answers depend on, as plain values: part of a run's key.
        words: what each class is called in sentences, where they are not ImageNet's.
        packages: those beside PyTorch that its answers depend on.
    """

    network: nn.Module
    preprocessing: Preprocessing
    order: tuple[str, ...]
    architecture: str
    weights_hash: str = ""
    notes: list[str] = field(default_factory=list)
    identity: dict[str, object] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    packages: tuple[str, ...] = ()
