"""The models of open_clip: `openclip:ARCH?weights=FILE`."""

import hashlib
import json
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any

import torch

from genset.core.errors import BadInput, ModelError, first_line
from genset.core.validation import Record, read_json
from genset.models.checkpoints.put import why_not_loaded
from genset.models.checkpoints.read import stand_ins_of, why_unread
from genset.models.huggingface.folder import MOST_BYTES
from genset.models.kinds.architectures import quick_hub, quiet
from genset.models.load import LoadedModel, Loading
from genset.models.preprocessing import Geometry, Preprocessing, as_geometry
from genset.models.spec import ModelSpec
from genset.models.zeroshot.features import hash_of_tokenizer, tokenizer_in, zero_shot
from genset.models.zeroshot.words import Texts, open_clip_for

# What open_clip's own folders have beside their weights.
_CONFIG = "open_clip_config.json"

_SETTINGS = ("mean", "std", "interpolation", "resize_mode")


class _Config(Record, frozen=True, forbid_unknown_fields=False):
    preprocess_cfg: dict[str, Any] | None = None


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
    open_clip = open_clip_for(f"model {spec.text!r}")
    name = spec.target.replace("/", "-")
    if ":" in name or name not in open_clip.list_models():
        near = ", ".join(get_close_matches(name, open_clip.list_models())) or "ViT-B-32, ..."
        raise BadInput(f"open_clip has no model {spec.target!r}; try {near}")
    file = Path(spec.texts["weights"])
    if not file.is_file():
        raise BadInput(f"there is no file {file}")
    texts = Texts.of(spec, order, how.custom)
    model = _with_weights(name, file, open_clip)
    tokenizer, tokenizer_hash = _tokenizer(spec, name, file.parent, open_clip)
    preprocessing = _preprocessing(name, model, file.parent, open_clip)
    versions = {"open_clip_torch": open_clip.__version__}
    spec = replace(spec, arch=name)
    encoder = LoadedModel(spec, model, preprocessing, texts.order, versions=versions)
    return zero_shot(encoder, texts, tokenizer, tokenizer_hash, how.runs)


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
    return model.float()


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
    options, mode = dict(config.get("tokenizer_kwargs", {})), config.get("tokenizer_mode")
    tokenizer = tokenizer_in(
        Path(named) if named else folder,
        partial(
            open_clip.tokenizer.HFTokenizer, context_length=length, tokenizer_mode=mode, **options
        ),
        f"{name} wants that of {on_hub or 'a folder'}: copy its files to a folder, and name it "
        "with tokenizer=FOLDER",
    )
    settings = json.dumps([length, mode, options], sort_keys=True)
    return tokenizer, f"{hash_of_tokenizer(tokenizer.tokenizer)} {settings}"


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
    settings = {**model.visual.preprocess_cfg, **agreed, **_settings_in(folder)}
    merged = open_clip.transform.merge_preprocess_dict(
        open_clip.transform.PreprocessCfg(), settings
    )
    config = open_clip.transform.PreprocessCfg(**merged)
    try:
        transform = open_clip.transform.image_transform_v2(config, is_train=False)
        side = config.size if isinstance(config.size, int) else config.size[0]
        fit = {"squash": "both", "longest": "longer"}.get(config.resize_mode, "shorter")
        geometry = Geometry(side, side, config.interpolation, fit, (config.fill_color,) * 3)
        candidate = Preprocessing(geometry, tuple(config.mean), tuple(config.std))
        identity = json.dumps(merged, sort_keys=True, default=str)
        digest = hashlib.sha256(identity.encode()).hexdigest()
        return as_geometry(transform, f"sha256:{digest}", [candidate])
    except (BadInput, TypeError, ValueError, AssertionError) as error:
        raise BadInput(first_line(error)) from None


def _settings_in(folder: Path) -> dict[str, Any]:
    """What open_clip's own configuration in the folder of the weights says of photos."""
    file = folder / _CONFIG
    settings = read_json(file, _Config, MOST_BYTES).preprocess_cfg if file.is_file() else None
    return {key: value for key, value in (settings or {}).items() if value is not None}
