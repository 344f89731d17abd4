"""A `hf:` spec to its model: a classifier of timm's or transformers', or one that reads texts."""

from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from genset.classes import Taxonomy
from genset.core.errors import BadInput, ModelError, first_line
from genset.core.numbers import count
from genset.core.safe import clean
from genset.models.checkpoints.put import put_weights
from genset.models.checkpoints.read import why_unread
from genset.models.classes import class_order, timm_list
from genset.models.huggingface.folder import ModelFolder, open_folder, transformers_for
from genset.models.huggingface.labels import LabelMatch, match_outputs
from genset.models.huggingface.processor import preprocessing_of, processor_of
from genset.models.kinds.architectures import create_timm, size_notes, timm_preprocessing
from genset.models.load import LoadedModel, Loading, assembled, hash_of_weights
from genset.models.spec import ModelSpec
from genset.models.zeroshot.features import hash_of_tokenizer, tokenizer_in, zero_shot
from genset.models.zeroshot.words import Texts

# Arguments of timm's create_model that read files or fetch weights.
_NOT_ARGUMENTS = ("checkpoint_path", "cache_dir", "model_name")

# Kinds whose answer is a scaled cosine of a photo's and a text's features.
KINDS = ("clip", "metaclip_2", "siglip", "altclip", "chinese_clip")

# Kinds that were trained with sentences filled up to full length.
_FILLED_UP = ("siglip",)


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
    folder = open_folder(spec)
    listed = LabelMatch(order) if spec.classes else None
    if folder.is_of_timm:
        return assembled(_of_timm(spec, folder, listed, how.custom))
    if "size" in spec.preprocessing:
        raise BadInput("size is for timm's models")
    with transformers_for(spec.text) as transformers:
        made = folder.config.get("architectures") or []
        if folder.kind in KINDS and not any("ForImageClassification" in str(name) for name in made):
            return _zero_shot(spec, folder, order, how, transformers)
        matched = listed or _matched(spec, folder, how.custom)
        if spec.texts:
            raise BadInput(
                f"it is a classifier, with classes of its own: "
                f"{', '.join(spec.texts)} is for models that compare photos with texts"
            )
        auto = transformers.AutoModelForImageClassification
        classifier, notes = _with_weights(folder, auto)
        return assembled(
            LoadedModel(
                spec=replace(spec, arch=folder.architecture),
                network=Classifier(classifier, matched.selected),
                preprocessing=preprocessing_of(processor_of(folder, transformers)),
                order=matched.order,
                notes=[*notes, *filter(None, [matched.note])],
                versions={"transformers": transformers.__version__},
            )
        )


def _matched(spec: ModelSpec, folder: ModelFolder, custom: Taxonomy | None) -> LabelMatch:
    """What the labels of the configuration say."""
    labels = folder.labels()
    if not labels:
        raise BadInput(
            "its config.json has no id2label; say what its outputs stand for with classes=FILE, or "
            "classes=imagenet1k for ImageNet's 1,000 in sorted order"
        )
    if spec.background is not None:
        if spec.background >= len(labels):
            raise BadInput(f"it has no output {spec.background}")
        labels[spec.background] = "background"
    return match_outputs(labels, custom)


# timm's


def _of_timm(
    spec: ModelSpec, folder: ModelFolder, listed: LabelMatch | None, custom: Taxonomy | None
) -> LoadedModel:
    """A model of timm's; `listed` if the spec says what its outputs are."""
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
    matched = listed or _matched_of_timm(spec, folder, outputs, custom)
    network, _ = create_timm(name, **{**arguments, "num_classes": outputs})
    as_file = replace(spec, kind="file", target=str(folder.path), arch=f"timm:{name}")
    notes = put_weights(as_file, network)
    settings = {key: value for key, value in (says or {}).items() if value is not None}
    network.pretrained_cfg |= settings  # type: ignore[operator]
    preprocessing = timm_preprocessing(network, spec.at_train_size)
    notes += [*size_notes(as_file, network, preprocessing), *filter(None, [matched.note])]
    versions = {"timm": version("timm")}
    spec = replace(spec, arch=as_file.arch)
    return LoadedModel(spec, network, preprocessing, matched.order, notes=notes, versions=versions)


def _matched_of_timm(
    spec: ModelSpec, folder: ModelFolder, outputs: int, custom: Taxonomy | None
) -> LabelMatch:
    """By the labels that the configuration has; without any, as timm numbers ImageNet's classes."""
    if labels := folder.labels():
        if len(labels) != outputs:
            raise BadInput(f"{count(len(labels), 'label')} for {count(outputs, 'output')}")
        matched = _matched(spec, folder, custom)
        if matched.selected is not None:
            raise BadInput(
                f"its {outputs:,} outputs are more than ImageNet-1k's; list them with classes=FILE"
            )
        return matched
    if outputs == 1000:
        return LabelMatch(class_order())
    if custom is not None and (known := timm_list(outputs)):
        return LabelMatch(known)
    raise BadInput(
        f"its config.json does not name its {outputs:,} outputs; say what "
        "they stand for with classes=FILE"
    )


# transformers'


class Classifier(nn.Module):
    """One of transformers' classifiers: N x 3 x H x W in, N x outputs logits out."""

    def __init__(self, classifier: Any, outputs: tuple[int, ...] | None = None) -> None:
        """Take a classifier.

        Args:
            classifier: transformers' own.
            outputs: the outputs that are given, by number; None: all.
        """
        super().__init__()
        self.classifier = classifier
        self.selected = outputs

    def forward(self, pixels: Tensor) -> Tensor:
        """Logits for normalized pixels."""
        logits: Tensor = self.classifier(pixel_values=pixels).logits
        return logits if self.selected is None else logits[:, list(self.selected)]


def _with_weights(folder: ModelFolder, auto: Any) -> tuple[Any, list[str]]:
    """The folder's network with its weights, in float32; and what to note of it.

    Args:
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
            raise BadInput(f"a {kind} classifies no photos") from None
        # Of a pickle torch says how to run it all the same, which a stranger's file should not get.
        reason = (not folder.is_safe and why_unread(folder.path)) or reason
        raise ModelError(f"cannot be loaded: {reason}") from None
    missing, wrong = sorted(info["missing_keys"]), [key[0] for key in info["mismatched_keys"]]
    if missing or wrong:  # transformers would put random ones in their place
        named = ", ".join((missing or wrong)[:3]) + (", ..." if len(missing or wrong) > 3 else "")
        what = "missing" if missing else "of another shape"
        weights = count(len(missing or wrong), "of its weights is", "of its weights are")
        raise ModelError(f"{weights} {what} ({named})")
    notes = []
    if unused := sorted(info["unexpected_keys"]):
        weights = count(len(unused), "weight of its folder has", "weights of its folder have")
        notes.append(f"{weights} no place in it ({unused[0]}).")
    return network, notes


def _zero_shot(
    spec: ModelSpec, folder: ModelFolder, order: tuple[str, ...], how: Loading, transformers: Any
) -> LoadedModel:
    """Load such a model.

    Args:
        spec: the model's.
        folder: where it lies.
        order: its classes, on a set of ImageNet's and where the spec says them.
        how: how models are loaded.
        transformers: the package.

    Raises:
        BadInput: it has no tokenizer or processor, or the texts cannot be used.
        ModelError: the weights are not there or do not fit.
        MissingExtra: open_clip is not installed.
    """
    texts = Texts.of(spec, order, how.custom)
    if spec.background is not None:
        raise BadInput("a model that reads its classes has no background")
    tokenizer = tokenizer_in(
        Path(spec.texts.get("tokenizer", "") or folder.path),
        transformers.AutoTokenizer.from_pretrained,
        "name its folder with tokenizer=FOLDER",
    )
    preprocessing = preprocessing_of(processor_of(folder, transformers))
    model, notes = _with_weights(folder, transformers.AutoModel)
    length = model.config.text_config.max_position_embeddings
    filled_up = "max_length" if folder.kind in _FILLED_UP else True

    def tokens(sentences: list[str]) -> Any:
        return tokenizer(
            sentences, padding=filled_up, max_length=length, truncation=True, return_tensors="pt"
        )

    encoder = LoadedModel(
        spec=replace(spec, arch=folder.architecture),
        network=Encoder(model),
        preprocessing=preprocessing,
        order=texts.order,
        weights_hash=hash_of_weights(model.state_dict()),
        notes=notes,
        versions={"transformers": transformers.__version__},
    )
    return zero_shot(encoder, texts, tokens, f"{hash_of_tokenizer(tokenizer)} {length}", how.runs)


class Encoder(nn.Module):
    """One of transformers' models, with the methods of open_clip's."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model
        self.logit_scale, self.logit_bias = model.logit_scale, getattr(model, "logit_bias", None)

    def encode_image(self, pixels: Tensor, normalize: bool = False) -> Tensor:
        """N x D features of normalized pixels."""
        return _features(self.model.get_image_features(pixel_values=pixels), normalize)

    def encode_text(self, tokens: Any, normalize: bool = False) -> Tensor:
        """N x D features of what the tokenizer gives."""
        return _features(self.model.get_text_features(**tokens), normalize)


def _features(answer: Any, normalize: bool) -> Tensor:
    """Those that transformers gives alone, or since its version 5 among others."""
    features: Tensor = answer if isinstance(answer, Tensor) else answer.pooler_output
    return nn.functional.normalize(features, dim=-1) if normalize else features
