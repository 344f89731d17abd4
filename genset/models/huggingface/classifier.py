"""transformers' image classifiers: a folder to a network that gives logits."""

from typing import Any

from torch import Tensor, nn

from genset.classes import Taxonomy
from genset.core.errors import BadInput, ModelError, first_line
from genset.core.numbers import count
from genset.core.safe import clean
from genset.models.checkpoints.read import why_unread
from genset.models.huggingface.folder import ModelFolder
from genset.models.huggingface.labels import Matched, match_labels
from genset.models.huggingface.own_labels import order_on
from genset.models.huggingface.processor import preprocessing_of, processor_of
from genset.models.parts import Parts
from genset.models.spec import ModelSpec


class Classifier(nn.Module):
    """One of transformers' classifiers: N x 3 x H x W in, N x outputs logits out."""

    def __init__(self, classifier: Any, kept: tuple[int, ...] | None = None) -> None:
        """Take a classifier.

        Args:
            classifier: transformers' own.
            kept: the outputs that are given, by number; None: all.
        """
        super().__init__()
        self.classifier = classifier
        self.kept = kept

    def forward(self, pixels: Tensor) -> Tensor:
        """Logits for normalized pixels."""
        logits: Tensor = self.classifier(pixel_values=pixels).logits
        return logits if self.kept is None else logits[:, list(self.kept)]


def load_classifier(
    spec: ModelSpec,
    folder: ModelFolder,
    order: tuple[str, ...] | None,
    own: Taxonomy | None,
    transformers: Any,
) -> Parts:
    """The parts of an image classifier.

    Args:
        spec: the model's.
        folder: where it lies.
        order: what its outputs are, if the spec says so; None: its labels say it.
        own: the classes of the set, where they are not ImageNet's.
        transformers: the package.

    Raises:
        BadInput: it is none, or its labels do not say what the outputs are.
        ModelError: the weights are not there or do not fit.
    """
    if spec.texts:
        raise BadInput(
            f"model {spec.text!r}: it is a classifier, with classes of its own: "
            f"{', '.join(spec.texts)} is for models that compare photos with texts"
        )
    matched = Matched(order) if order is not None else _by_labels(spec, folder, own)
    auto = transformers.AutoModelForImageClassification
    classifier, notes = load_weights(spec, folder, auto)
    return Parts(
        network=Classifier(classifier, matched.kept),
        preprocessing=preprocessing_of(spec, processor_of(spec, folder, transformers)),
        order=matched.order,
        architecture=folder.architecture,
        notes=[*notes, *filter(None, [matched.note])],
        packages=("transformers",),
    )


def load_weights(spec: ModelSpec, folder: ModelFolder, auto: Any) -> tuple[Any, list[str]]:
    """The folder's network with its weights, in float32; and what to note of it.

    Args:
        spec: the model's.
        folder: where it lies.
        auto: the class of transformers' that opens it.

    Raises:
        BadInput: it is no such model.
        ModelError: weights are missing, of another shape, or no weights alone.
    """
    try:
        network, info = auto.from_pretrained(
            str(folder.path),
            trust_remote_code=False,
            local_files_only=True,
            use_safetensors=folder.is_safe,
            weights_only=True,  # a pickle that wants more than weights is refused
            dtype="float32",
            ignore_mismatched_sizes=True,  # they are named, and refused, below
            output_loading_info=True,
        )
    except Exception as error:  # noqa: BLE001 - transformers raises what it likes
        reason = clean(first_line(error), 300)
        if reason.startswith("Unrecognized configuration class"):
            kind = folder.kind or "model of no kind that transformers knows"
            raise BadInput(f"model {spec.text!r}: a {kind} classifies no photos") from None
        # Of a pickle torch says how to run it all the same, which a stranger's file should not get.
        reason = (not folder.is_safe and why_unread(folder.path)) or reason
        raise ModelError(f"model {spec.text!r} cannot be loaded: {reason}") from None
    missing, wrong = sorted(info["missing_keys"]), [key[0] for key in info["mismatched_keys"]]
    if missing or wrong:  # transformers would put random ones in their place
        named = ", ".join((missing or wrong)[:3]) + (", ..." if len(missing or wrong) > 3 else "")
        what = "missing" if missing else "of another shape"
        weights = count(len(missing or wrong), "of its weights is", "of its weights are")
        raise ModelError(f"model {spec.text!r}: {weights} {what} ({named})")
    notes = []
    if unused := sorted(info["unexpected_keys"]):
        weights = count(len(unused), "weight of its folder has", "weights of its folder have")
        notes.append(f"{weights} no place in it ({unused[0]}).")
    return network, notes


def _by_labels(spec: ModelSpec, folder: ModelFolder, own: Taxonomy | None) -> Matched:
    labels = folder.config.get("id2label")
    if not isinstance(labels, dict) or not labels:
        raise BadInput(
            f"model {spec.text!r}: its config.json has no id2label; say what its outputs stand for "
            "with classes=FILE, or classes=imagenet1k for ImageNet's 1,000 in sorted order"
        )
    try:
        by_number = {int(number): str(label) for number, label in labels.items()}
        if sorted(by_number) != list(range(len(by_number))):
            raise ValueError
    except ValueError:
        raise BadInput(f"model {spec.text!r}: id2label does not count from 0") from None
    ordered = [by_number[number] for number in range(len(by_number))]
    background = spec.background
    if background is not None:
        if background >= len(ordered):
            raise BadInput(f"model {spec.text!r}: it has no output {background}")
        ordered[background] = "background"
    try:
        return match_labels(ordered) if own is None else Matched(order_on(ordered, own))
    except BadInput as error:
        raise BadInput(f"model {spec.text!r}: {error}") from None
