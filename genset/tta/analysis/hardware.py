"""What kind of hardware and framework an entry's free text names.

A guess from well-known words, for counting; "other" where none is known, "not said" of no text.
"""

import re

# The first kind with a word in the text is its kind: a machine with GPUs names its CPUs too.
_HARDWARE = (
    ("TPU", r"tpu"),
    ("NPU", r"npu|ebman\d|hanguang|ascend"),
    (
        "GPU",
        r"gpus?\b|[kmptv]\d{1,3}\b|[agthl]\d{2,3}\b|gv100|gtx|rtx|titan|tesla|volta|dgx|"
        r"\bp[2345]d?\.|\bg[3456]\w*\.|gn[5-8]\w*|\bpi[12]\.|\bn[dc]\d+\w*|2080|1080|mi\d{3}",
    ),
    ("CPU", r"cpu|xeon|epyc|graviton|\bc\d\w*\.|n1-|n2-"),
)
_FRAMEWORK = (
    ("PyTorch", r"pytorch|fast\.?ai"),
    ("TensorFlow", r"tensorflow|tensorpack|keras"),
    ("MXNet", r"mxnet"),
    ("Caffe", r"caffe"),
    ("JAX", r"\bjax|\bflax"),
    ("PaddlePaddle", r"paddle"),
    ("TensorRT", r"tensorrt"),
)


def hardware_kind(text: str) -> str:
    """TPU, NPU, GPU, CPU, other, or not said."""
    return _kind(text, _HARDWARE)


def framework_kind(text: str) -> str:
    """PyTorch, TensorFlow, MXNet, Caffe, JAX, PaddlePaddle, TensorRT, other, or not said."""
    return _kind(text, _FRAMEWORK)


def _kind(text: str, kinds: tuple[tuple[str, str], ...]) -> str:
    if not text.strip():
        return "not said"
    return next((kind for kind, words in kinds if re.search(words, text, re.IGNORECASE)), "other")
