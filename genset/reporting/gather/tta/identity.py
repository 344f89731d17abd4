"""Whether a log's training gave a model: by the hash of the weights, else by names.

Names are free text: "ResNet-50 v1.5" is resnet50. So what is compared are the families of networks
that both name, and the number behind them. Where a name has no known family, nothing is said.
"""

import re
from collections.abc import Sequence

from genset.core.errors import BadInput
from genset.models.spec import parse_spec
from genset.reporting.data.tta import WeightsJoin
from genset.score.results.runs import Run
from genset.tta.runs import Training

# Each before those that it contains; spellings, and what is meant.
_FAMILIES = {
    r"wide[ _-]?res[ _-]?net|\bwrn": "WideResNet",
    r"se[ _-]?res[ _-]?next|res[ _-]?next": "ResNeXt",
    r"res[ _-]?net": "ResNet",
    r"dense[ _-]?net": "DenseNet",
    r"efficient[ _-]?net|effnet": "EfficientNet",
    r"mobile[ _-]?net": "MobileNet",
    r"shuffle[ _-]?net": "ShuffleNet",
    r"squeeze[ _-]?net": "SqueezeNet",
    r"alex[ _-]?net": "AlexNet",
    r"amoeba[ _-]?net": "AmoebaNet",
    r"mnas[ _-]?net": "MNASNet",
    r"nas[ _-]?net": "NASNet",
    r"reg[ _-]?net": "RegNet",
    r"conv[ _-]?next": "ConvNeXt",
    r"inception|googlenet": "Inception",
    r"xception": "Xception",
    r"vgg": "VGG",
    r"swin": "Swin",
    r"deit": "DeiT",
    r"\bvit|vision[ _-]?transformer": "ViT",
}
_FAMILY = re.compile("|".join(f"(?:{words})" for words in _FAMILIES), re.IGNORECASE)
_VERSION = re.compile(r"[ _-]*v\d(?:\.\d)?(?!\d)", re.IGNORECASE)
_SIZE = re.compile(r"[ _-]*([a-z]?\d+)", re.IGNORECASE)
_SHOWN = 12  # digits of a hash


def names_differ(log: str, run: Run) -> str:
    """A remark where a log names another network than a run has; "" where they may be the same."""
    name, is_known = _network_of(run)
    theirs, ours = _network(log), _network(name)
    if ours is None or (theirs is None and not is_known):
        return ""
    if theirs is not None and theirs[0] == ours[0] and len({theirs[1], ours[1]} - {""}) < 2:
        return ""
    called = "the model" if run.model == name else f"the model {run.model}"
    return f"its log says {log}, but {called} is {name}"


def _network_of(run: Run) -> tuple[str, bool]:
    """What a run says that its network is, and whether it was built by that name."""
    try:
        spec = parse_spec(run.spec)
    except BadInput:
        return run.model, False
    if spec.arch:
        return spec.arch.rpartition(":")[2], True
    if spec.kind in ("torchvision", "timm", "openclip"):
        return spec.target.rpartition("/")[2], True
    return run.model, False


def _network(text: str) -> tuple[str, str] | None:
    """The family of networks that a name begins with, and the number behind it."""
    text = _VERSION.sub("", text)
    if (found := _FAMILY.search(text)) is None:
        return None
    family = next(name for words, name in _FAMILIES.items() if re.fullmatch(words, found[0], re.I))
    size = _SIZE.match(text, found.end())
    return family, size[1].casefold() if size else ""


def join_by_weights(runs: Sequence[Training], run: Run) -> WeightsJoin:
    """Whether a run of `genset evaluate` scored weights that one of these trainings left."""
    left = {run.about.checkpoint: run.about.name for run in runs if run.about.checkpoint}
    if not left:
        return WeightsJoin("word")
    scored = [*run.checkpoints, run.weights_hash.removeprefix("sha256:")]
    for digest in scored:
        if digest in left:
            return WeightsJoin("same", run=left[digest] if len(runs) > 1 else "")
    if not run.checkpoints and not _is_a_file_s(run):
        return WeightsJoin("unknown")
    theirs = (run.checkpoints or scored)[-1]
    return WeightsJoin("other", left=next(iter(left))[:_SHOWN], scored=theirs[:_SHOWN])


def _is_a_file_s(run: Run) -> bool:
    """Whether the hash of a run's weights is that of the file they lie in."""
    return run.spec.partition(":")[0] in ("onnx", "torchscript", "export")
