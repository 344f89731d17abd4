"""The kinds of models, by the word that a spec begins with.

::

    KINDS        the table of kinds: whatever is known of one by its name; it loads none of them
    ...          a module each, of those that do not need a room
"""

from dataclasses import dataclass

SAID = ("trained_until", "reference_top1")
OF_ALL = ("name", "classes", "background", *SAID)
PREPROCESSING = ("resize", "crop", "interpolation", "mean", "std")
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


_LOAD = "genset.models.load"

KINDS = {
    "torchvision": ModelKind("NAME", OF_NETWORKS, f"{_LOAD}:pretrained_model"),
    "timm": ModelKind("NAME", OF_NETWORKS, f"{_LOAD}:pretrained_model"),
    "file": ModelKind(
        "CHECKPOINT?arch=torchvision:NAME", (*OF_FILES, *OF_NETWORKS), f"{_LOAD}:checkpoint"
    ),
    "export": ModelKind("PATH", OF_NETWORKS, f"{_LOAD}:exported"),
    "onnx": ModelKind("PATH", OF_NETWORKS, f"{_LOAD}:exported"),
    "torchscript": ModelKind("PATH", OF_NETWORKS, f"{_LOAD}:exported"),
    "hf": ModelKind("FOLDER", (*OF_NETWORKS, *ZERO_SHOT), f"{_LOAD}:hugging_face"),
    "openclip": ModelKind(
        "NAME?weights=FILE",
        ("weights", *ZERO_SHOT, "name", "classes", *SAID, *PREPROCESSING),
        f"{_LOAD}:open_clip",
    ),
    "predictions": ModelKind("PATH", OF_ALL),
    "answers": ModelKind("PATH", ("name", "classes", "prompts", *SAID)),
}
