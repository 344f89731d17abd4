"""The models of open_clip: `openclip:ARCH?weights=FILE`."""

import hashlib
import json
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import torch

from genset.core.errors import BadInput, MissingExtra, ModelError, first_line
from genset.models.checkpoints.put import why_not_loaded
from genset.models.checkpoints.read import stand_ins_of, why_unread
from genset.models.huggingface.folder import read_json
from genset.models.kinds.architectures import quick_hub, quiet
from genset.models.load import LoadedModel, Loading, Parts, assembled, hash_of_weights
from genset.models.preprocessing import Geometry, Preprocessing, as_geometry
from genset.models.spec import ModelSpec
from genset.models.zeroshot.features import (
    TextModel,
    Texts,
    ZeroShot,
    class_features,
    holds_tokenizer,
    identity_of_tokenizer,
)

# What open_clip's own folders have beside their weights.
_CONFIG = "open_clip_config.json"

_SETTINGS = ("mean", "std", "interpolation", "resize_mode")


def open_clip_model(spec: ModelSpec, order: tuple[str, ...], how: Loading) -> LoadedModel:
    """Load an `openclip:` model.

    Args:
        spec: the model's.
        order: its classes, on a set of ImageNet's and where the spec says them.
        how: how models are loaded.

    Raises:
        BadInput: there is no such architecture, no such file, or the texts cannot be used.
        ModelError: the weights do not fit, or what lies on the hub does not come.
        MissingExtra: open_clip is not installed.
    """
    try:
        import open_clip
    except ModuleNotFoundError:
        raise MissingExtra(f"model {spec.text!r}", "zeroshot") from None
    name = spec.target.replace("/", "-")
    if ":" in name or name not in open_clip.list_models():
        near = ", ".join(get_close_matches(name, open_clip.list_models())) or "ViT-B-32, ..."
        raise BadInput(f"open_clip has no model {spec.target!r}; try {near}")
    file = Path(spec.texts["weights"])
    if not file.is_file():
        raise BadInput(f"there is no file {file}")
    texts = Texts.of(spec, order, how.custom)
    model = _with_weights(name, file, open_clip)
    tokenizer, identity = _tokenizer(spec, name, file.parent, open_clip)
    preprocessing = _preprocessing(name, model, file.parent, open_clip)
    weights_hash = hash_of_weights(model.state_dict())
    reader = TextModel(
        network=model,
        encode=lambda sentences: model.encode_text(
            tokenizer(sentences).to(model.logit_scale.device)
        ),
        weights_hash=weights_hash,
        tokenizer=identity,
    )
    features = class_features(spec, reader, texts, how.cache)
    parts = Parts(
        network=ZeroShot(model, lambda model, pixels: model.encode_image(pixels), features),
        preprocessing=preprocessing,
        order=texts.order,
        architecture=name,
        weights_hash=weights_hash,
        notes=[texts.note],
        identity={**texts.identity, "tokenizer": identity},
        words=texts.words,
        packages=("open_clip_torch",),
    )
    return assembled(spec, parts)


def _with_weights(name: str, file: Path, open_clip: Any) -> Any:
    """The model, with the weights of the file: none missing, none unexpected."""
    if file.suffix in (".npz", ".npy"):
        raise BadInput(f"{file} is of big_vision; take the same weights as safetensors")
    with quiet(""):  # open_clip talks through the root's logger
        try:
            with quick_hub():
                model = open_clip.create_model(name, load_weights=False, pretrained_text=False)
        except Exception as error:  # noqa: BLE001 - open_clip raises what it likes
            raise ModelError(f"open_clip cannot make it here ({first_line(error)})") from None
        try:
            with torch.serialization.safe_globals([*stand_ins_of(file)]):
                open_clip.load_checkpoint(model, str(file), strict=True, weights_only=True)
        except Exception as error:  # noqa: BLE001 - torch raises what it likes on a bad file
            reason = why_not_loaded(error) or type(error).__name__
            raise ModelError(
                why_unread(file) or f"{file} does not hold the weights of {name}: {reason}"
            ) from None
    return model.float().eval()


def _tokenizer(spec: ModelSpec, name: str, folder: Path, open_clip: Any) -> tuple[Any, str]:
    """What cuts sentences into tokens, and what to know it by.

    CLIP's own is a part of open_clip; of others, the files lie in a folder.
    """
    config = open_clip.get_model_config(name)["text_cfg"]
    length = config.get("context_length", 77)
    on_hub = config.get("hf_tokenizer_name", "")
    named = spec.texts.get("tokenizer", "")
    if not on_hub and not named:
        tokenizer = open_clip.get_tokenizer(name)
        return tokenizer, f"{type(tokenizer).__name__} {length}"
    place = Path(named) if named else folder
    if not holds_tokenizer(place):
        raise BadInput(
            f"{place} holds no tokenizer; {name} wants that of "
            f"{on_hub or 'a folder'}: copy its files to a folder, and name it with "
            "tokenizer=FOLDER"
        )
    options = dict(config.get("tokenizer_kwargs", {}))
    mode = config.get("tokenizer_mode")
    try:
        tokenizer = open_clip.tokenizer.HFTokenizer(
            str(place),
            context_length=length,
            tokenizer_mode=mode,
            trust_remote_code=False,
            local_files_only=True,
            **options,
        )
    except Exception as error:  # noqa: BLE001 - transformers raises what it likes
        raise BadInput(f"the tokenizer in {place} cannot be read: {first_line(error)}") from None
    settings = json.dumps([length, mode, options], sort_keys=True)
    return tokenizer, f"{identity_of_tokenizer(tokenizer.tokenizer)} {settings}"


def _preprocessing(name: str, model: Any, folder: Path, open_clip: Any) -> Preprocessing:
    """How it wants photos.

    As the configuration beside its weights says; else as all weights of this architecture want it
    that open_clip knows; else open_clip's default.
    """
    known = [
        {key: config.get(key) for key in _SETTINGS}
        for tag in open_clip.list_pretrained_tags_by_model(name)
        if (config := open_clip.get_pretrained_cfg(name, tag))
    ]
    agreed = known[0] if known and all(config == known[0] for config in known) else {}
    settings = {**model.visual.preprocess_cfg, **agreed, **_settings_beside(folder)}
    merged = open_clip.transform.merge_preprocess_dict(
        open_clip.transform.PreprocessCfg(), settings
    )
    config = open_clip.transform.PreprocessCfg(**merged)
    try:
        transform = open_clip.transform.image_transform_v2(config, is_train=False)
        identity = json.dumps(merged, sort_keys=True, default=str)
        digest = hashlib.sha256(identity.encode()).hexdigest()
        return as_geometry(transform, f"sha256:{digest}", _candidates(config))
    except (BadInput, TypeError, ValueError, AssertionError) as error:
        raise BadInput(first_line(error)) from None


def _candidates(config: Any) -> list[Preprocessing]:
    side = config.size if isinstance(config.size, int) else config.size[0]
    fit = {"squash": "both", "longest": "longer"}.get(config.resize_mode, "shorter")
    fill = (config.fill_color,) * 3
    geometry = Geometry(side, side, config.interpolation, fit, fill)
    return [Preprocessing(geometry, tuple(config.mean), tuple(config.std))]


def _settings_beside(folder: Path) -> dict[str, Any]:
    """What open_clip's own configuration in the folder of the weights says of photos."""
    settings = (read_json(folder / _CONFIG) or {}).get("preprocess_cfg", {})
    if not isinstance(settings, dict):
        raise BadInput(f"{folder / _CONFIG}: its preprocess_cfg is no JSON object")
    return {key: value for key, value in settings.items() if value is not None}
