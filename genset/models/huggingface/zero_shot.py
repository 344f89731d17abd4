"""transformers' models that compare photos with texts: CLIP, SigLIP and their like."""

from pathlib import Path
from typing import Any

from torch import Tensor

from genset.core.errors import BadInput, first_line
from genset.models.huggingface.classifier import load_weights, preprocessing_of, processor_of
from genset.models.huggingface.folder import ModelFolder
from genset.models.load import Parts, hash_of_weights
from genset.models.spec import ModelSpec
from genset.models.zeroshot.features import (
    TextModel,
    Texts,
    ZeroShot,
    class_features,
    holds_tokenizer,
    identity_of_tokenizer,
)

# Kinds whose answer is a scaled cosine of a photo's and a text's features.
KINDS = ("clip", "metaclip_2", "siglip", "altclip", "chinese_clip")

# Kinds that were trained with sentences filled up to full length.
_FILLED_UP = ("siglip",)


def compares_with_texts(folder: ModelFolder) -> bool:
    """Whether the folder holds such a model, and no classifier that was made of one."""
    made = folder.config.get("architectures") or []
    return folder.kind in KINDS and not any("ForImageClassification" in str(name) for name in made)


def load_zero_shot(
    spec: ModelSpec,
    folder: ModelFolder,
    texts: Texts,
    cache: Path | None,
    transformers: Any,
) -> Parts:
    """The parts of such a model.

    Args:
        spec: the model's.
        folder: where it lies.
        texts: its classes, in which sentences.
        cache: a folder for the features of texts; None: they are computed each time.
        transformers: the package.

    Raises:
        BadInput: it has no tokenizer or processor, or the texts cannot be used.
        ModelError: the weights are not there or do not fit.
        MissingExtra: the texts are open_clip's, which is not installed.
    """
    if spec.background is not None:
        raise BadInput("a model that reads its classes has no background")
    place = Path(spec.texts.get("tokenizer", "") or folder.path)
    tokenizer = _tokenizer(place, transformers)
    preprocessing = preprocessing_of(processor_of(folder, transformers))
    model, notes = load_weights(spec, folder, transformers.AutoModel)
    model.eval()
    weights_hash = hash_of_weights(model.state_dict())
    length = model.config.text_config.max_position_embeddings
    filled_up = "max_length" if folder.kind in _FILLED_UP else True

    def encode(sentences: list[str]) -> Tensor:
        tokens = tokenizer(
            sentences, padding=filled_up, max_length=length, truncation=True, return_tensors="pt"
        )
        return _pooled(model.get_text_features(**tokens.to(model.device)))

    identity = f"{identity_of_tokenizer(tokenizer)} {length}"
    reader = TextModel(model, encode, weights_hash, identity)
    features = class_features(spec, reader, texts, cache)
    return Parts(
        network=ZeroShot(model, _image_features, features),
        preprocessing=preprocessing,
        order=texts.order,
        architecture=folder.architecture,
        weights_hash=weights_hash,
        notes=[texts.note, *notes],
        identity={**texts.identity, "tokenizer": identity},
        words=texts.words,
        packages=("transformers",),
    )


def _image_features(model: Any, pixels: Tensor) -> Tensor:
    return _pooled(model.get_image_features(pixel_values=pixels))


def _pooled(answer: Any) -> Tensor:
    """The features, which transformers gives alone, or since its version 5 among others."""
    features: Tensor = answer if isinstance(answer, Tensor) else answer.pooler_output
    return features


def _tokenizer(place: Path, transformers: Any) -> Any:
    if not holds_tokenizer(place):
        raise BadInput(f"{place} holds no tokenizer; name its folder with tokenizer=FOLDER")
    try:
        return transformers.AutoTokenizer.from_pretrained(
            str(place), trust_remote_code=False, local_files_only=True
        )
    except Exception as error:  # noqa: BLE001 - transformers raises what it likes
        raise BadInput(f"the tokenizer in {place} cannot be read: {first_line(error)}") from None
