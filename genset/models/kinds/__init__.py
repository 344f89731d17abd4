"""The kinds of models, by the word that a spec begins with.

::

    KINDS           the table of kinds: whatever is known of one by its name; it loads none of them
    architectures   torchvision:, timm:, file:
    exported        export:, onnx:, torchscript:
    memory          a network that a caller has in memory
"""

from dataclasses import dataclass

SAID = ("trained_until", "reference_top1")
OF_ALL = ("name", "classes", "background", *SAID)
PREPROCESSING = ("size", "resize", "crop", "fit", "interpolation", "mean", "std")
OF_FILES = ("arch", "ema", "prefix")
ZERO_SHOT = ("prompts", "names", "tokenizer")
OF_NETWORKS = (*OF_ALL, *PREPROCESSING)


@dataclass(frozen=True, slots=True)
class ModelKind:
    """A kind of models.

    Attributes:
        target: what follows the kind in a spec, as an error shows it.
        options: those that a spec of it may have.
        loads: MODULE:FUNCTION, from a spec, the wnid of each output and a `load.Loading` to a
            `load.LoadedModel`; "" where it names answers that are there, and no network.
    """

    target: str
    options: tuple[str, ...]
    loads: str = ""


_PRETRAINED = "genset.models.kinds.architectures:pretrained_model"
_CHECKPOINT = "genset.models.kinds.architectures:checkpoint"
_EXPORTED = "genset.models.kinds.exported:exported"
_HUGGING_FACE = "genset.models.huggingface.load:hugging_face"
_OPEN_CLIP = "genset.models.zeroshot.openclip:open_clip_model"

KINDS = {
    "torchvision": ModelKind("NAME", OF_NETWORKS, _PRETRAINED),
    "timm": ModelKind("NAME", OF_NETWORKS, _PRETRAINED),
    "file": ModelKind("CHECKPOINT?arch=torchvision:NAME", (*OF_FILES, *OF_NETWORKS), _CHECKPOINT),
    "export": ModelKind("PATH", OF_NETWORKS, _EXPORTED),
    "onnx": ModelKind("PATH", OF_NETWORKS, _EXPORTED),
    "torchscript": ModelKind("PATH", OF_NETWORKS, _EXPORTED),
    "hf": ModelKind("FOLDER", (*OF_NETWORKS, *ZERO_SHOT), _HUGGING_FACE),
    "openclip": ModelKind(
        "NAME?weights=FILE",
        ("weights", *ZERO_SHOT, "name", "classes", *SAID, *PREPROCESSING),
        _OPEN_CLIP,
    ),
    "predictions": ModelKind("PATH", OF_ALL),
}
