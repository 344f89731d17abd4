"""timm's models in Hugging Face's form: what timm pushes to the hub, and transformers' TimmWrapper.

Their ``config.json`` names an architecture of timm's, and ``pretrained_cfg`` how it wants photos.
"""

from dataclasses import replace
from typing import Any

from genset.classes import Taxonomy
from genset.core.errors import BadInput, ModelError
from genset.core.numbers import count
from genset.models.architectures import create_timm, timm_preprocessing
from genset.models.checkpoints.put import put_weights
from genset.models.classes import class_order, timm_list
from genset.models.huggingface.folder import ModelFolder
from genset.models.huggingface.labels import Matched, match_labels
from genset.models.huggingface.own_labels import order_on
from genset.models.parts import Parts
from genset.models.spec import ModelSpec

# Arguments of timm's create_model that read files or fetch weights.
_NOT_ARGUMENTS = ("checkpoint_path", "cache_dir", "model_name")


def load_timm_folder(
    spec: ModelSpec,
    folder: ModelFolder,
    order: tuple[str, ...] | None,
    own: Taxonomy | None = None,
) -> Parts:
    """The parts of a model of timm's; `order` if the spec says what its outputs are.

    `own` are the classes of the set, where they are not ImageNet's.

    Raises:
        BadInput: timm has no such model, or its labels do not say what the outputs are.
        ModelError: the weights are not there or do not fit.
    """
    config = folder.config
    name, arguments = config["architecture"], config.get("model_args") or {}
    says = config.get("pretrained_cfg")
    if not isinstance(arguments, dict) or (says is not None and not isinstance(says, dict)):
        raise BadInput(f"model {spec.text!r}: its config.json is none of timm's")
    if bad := [key for key in arguments if key in _NOT_ARGUMENTS or key.startswith("pretrained")]:
        raise BadInput(f"model {spec.text!r}: its config.json sets {bad[0]}, which is not used")
    # timm itself believes them in this order, and its `save_for_hf` writes all three.
    outputs = config.get("num_classes", (says or {}).get("num_classes", 1000))
    outputs = arguments.get("num_classes", outputs)
    if not isinstance(outputs, int) or outputs < 1:
        raise BadInput(f"model {spec.text!r}: it has no classifier (num_classes is {outputs!r})")
    matched = Matched(order) if order is not None else _matched(spec, config, outputs, own)
    network, _ = create_timm(spec, name, **{**arguments, "num_classes": outputs})
    file = folder.weights_file()
    if file is None:
        raise ModelError(f"model {spec.text!r}: {folder.path} has no model.safetensors")
    as_file = replace(spec, kind="file", target=str(file), arch=f"timm:{name}")
    notes = put_weights(as_file, network)
    network.pretrained_cfg = _settings(network, says or {})
    try:
        preprocessing = timm_preprocessing(network)
    except BadInput as error:
        raise BadInput(f"model {spec.text!r}: {error}") from None
    return Parts(
        network=network,
        preprocessing=preprocessing,
        order=matched.order,
        architecture=f"timm:{name}",
        notes=[*notes, *filter(None, [matched.note])],
        packages=("timm",),
    )


def timm_order(network: Any, own: Taxonomy | None) -> tuple[str, ...] | None:
    """What the outputs of one of timm's own models stand for, where these are not ImageNet's 1,000.

    By timm's lists; on a set of other classes by the names that timm notes of the weights.
    """
    outputs = getattr(network, "num_classes", 0)
    config = getattr(network, "pretrained_cfg", None) or {}
    config = config if isinstance(config, dict) else config.to_dict()
    names = config.get("label_names")
    if own is not None and names and len(names) == outputs:
        return order_on([str(name) for name in names], own)
    return timm_list(outputs)


def _matched(
    spec: ModelSpec, config: dict[str, Any], outputs: int, own: Taxonomy | None
) -> Matched:
    """By the labels that the configuration has; without any, as timm numbers ImageNet's classes."""
    labels = config.get("label_names")
    if isinstance(labels, list) and all(isinstance(label, str) for label in labels):
        if len(labels) != outputs:
            raise BadInput(
                f"model {spec.text!r}: {count(len(labels), 'label')} for {count(outputs, 'output')}"
            )
        try:
            if own is not None:
                return Matched(order_on(labels, own))
            matched = match_labels(labels)
        except BadInput as error:
            raise BadInput(f"model {spec.text!r}: {error}") from None
        if matched.kept is not None:
            raise BadInput(
                f"model {spec.text!r}: its {outputs:,} outputs are more than ImageNet-1k's; list "
                "them with classes=FILE"
            )
        return matched
    if own is not None and (known := timm_list(outputs)):
        return Matched(known)
    if outputs != 1000:
        raise BadInput(
            f"model {spec.text!r}: its config.json does not name its {outputs:,} outputs; say what "
            "they stand for with classes=FILE"
        )
    return Matched(class_order())


def _settings(network: Any, says: dict[str, Any]) -> Any:
    """timm's settings of the network, with those of the folder in their place."""
    own = network.pretrained_cfg
    own = own if isinstance(own, dict) else own.to_dict()
    return {**own, **{key: value for key, value in says.items() if value is not None}}
