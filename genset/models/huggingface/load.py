"""A `hf:` spec to its model."""

from dataclasses import replace
from typing import Any

from genset.classes import Taxonomy
from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.models.checkpoints.put import put_weights
from genset.models.classes import class_order, timm_list
from genset.models.huggingface.classifier import load_classifier
from genset.models.huggingface.folder import ModelFolder, open_folder, transformers_for
from genset.models.huggingface.labels import LabelMatch, match_labels, order_on
from genset.models.huggingface.zero_shot import compares_with_texts, load_zero_shot
from genset.models.kinds.architectures import create_timm, size_notes, timm_preprocessing
from genset.models.load import LoadedModel, Loading, Parts, assembled
from genset.models.spec import ModelSpec
from genset.models.zeroshot.features import Texts

# Arguments of timm's create_model that read files or fetch weights.
_NOT_ARGUMENTS = ("checkpoint_path", "cache_dir", "model_name")


def load_timm_folder(
    spec: ModelSpec,
    folder: ModelFolder,
    order: tuple[str, ...] | None,
    custom: Taxonomy | None = None,
) -> Parts:
    """The parts of a model of timm's; `order` if the spec says what its outputs are.

    `custom` are the classes of the set, where they are not ImageNet's.

    Raises:
        BadInput: timm has no such model, or its labels do not say what the outputs are.
        ModelError: the weights are not there or do not fit.
    """
    config = folder.config
    name, arguments = config["architecture"], config.get("model_args") or {}
    says = config.get("pretrained_cfg")
    if not isinstance(arguments, dict) or (says is not None and not isinstance(says, dict)):
        raise BadInput("its config.json is none of timm's")
    if bad := [key for key in arguments if key in _NOT_ARGUMENTS or key.startswith("pretrained")]:
        raise BadInput(f"its config.json sets {bad[0]}, which is not used")
    # timm itself believes them in this order, and its `save_for_hf` writes all three.
    outputs = config.get("num_classes", (says or {}).get("num_classes", 1000))
    outputs = arguments.get("num_classes", outputs)
    if not isinstance(outputs, int) or outputs < 1:
        raise BadInput(f"it has no classifier (num_classes is {outputs!r})")
    matched = LabelMatch(order) if order is not None else _matched(config, outputs, custom)
    network, _ = create_timm(name, **{**arguments, "num_classes": outputs})
    as_file = replace(spec, kind="file", target=str(folder.path), arch=f"timm:{name}")
    notes = put_weights(as_file, network)
    settings = {key: value for key, value in (says or {}).items() if value is not None}
    network.pretrained_cfg |= settings  # type: ignore[operator]
    preprocessing = timm_preprocessing(network, spec.at_train_size)
    return Parts(
        network=network,
        preprocessing=preprocessing,
        order=matched.order,
        architecture=f"timm:{name}",
        notes=[*notes, *size_notes(as_file, network, preprocessing), *filter(None, [matched.note])],
        packages=("timm",),
    )


def _matched(config: dict[str, Any], outputs: int, custom: Taxonomy | None) -> LabelMatch:
    """By the labels that the configuration has; without any, as timm numbers ImageNet's classes."""
    labels = config.get("label_names")
    if isinstance(labels, list) and all(isinstance(label, str) for label in labels):
        if len(labels) != outputs:
            raise BadInput(f"{count(len(labels), 'label')} for {count(outputs, 'output')}")
        if custom is not None:
            return LabelMatch(order_on(labels, custom))
        matched = match_labels(labels)
        if matched.selected is not None:
            raise BadInput(
                f"its {outputs:,} outputs are more than ImageNet-1k's; list them with classes=FILE"
            )
        return matched
    if custom is not None and (known := timm_list(outputs)):
        return LabelMatch(known)
    if outputs != 1000:
        raise BadInput(
            f"its config.json does not name its {outputs:,} outputs; say what "
            "they stand for with classes=FILE"
        )
    return LabelMatch(class_order())


def hugging_face(spec: ModelSpec, order: tuple[str, ...], how: Loading) -> LoadedModel:
    """Load the model that a `hf:` spec names.

    Args:
        spec: the model's.
        order: what its outputs stand for, if its spec says so; otherwise its labels do.
        how: how models are loaded.

    Raises:
        BadInput: there is no such folder, or it is no model that can be scored.
        ModelError: its weights do not come, or do not fit.
        MissingExtra: a package is missing.
    """
    folder, custom = open_folder(spec), how.custom
    listed = order if spec.classes else None
    if folder.is_of_timm:
        return assembled(spec, load_timm_folder(spec, folder, listed, custom))
    if "size" in spec.preprocessing:
        raise BadInput("size is for timm's models")
    with transformers_for(spec.text) as transformers:
        if compares_with_texts(folder):
            texts = Texts.of(spec, order, custom)
            return assembled(spec, load_zero_shot(spec, folder, texts, how.cache, transformers))
        return assembled(spec, load_classifier(spec, folder, listed, custom, transformers))
