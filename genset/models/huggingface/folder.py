"""A folder in Hugging Face's form: found or fetched, and its configuration read and checked."""

import hashlib
import json
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from genset.core.errors import BadInput, ModelError, first_line, needs_extra
from genset.core.validation import read_json
from genset.models.kinds.architectures import quick_hub, quiet
from genset.models.spec import ModelSpec

# A configuration is a few KB; with 21,000 labels, a MB or two.
MOST_BYTES = 20_000_000

# Where a configuration may name code of its own: none of it is ever run.
_CONFIGURATIONS = (
    "config.json",
    "preprocessor_config.json",
    "processor_config.json",
    "tokenizer_config.json",
)

# What says nothing of what the network computes.
_INCIDENTAL = {
    *("_name_or_path", "transformers_version", "dtype", "torch_dtype", "architectures"),
    *("id2label", "label2id", "label_names", "problem_type"),
}

_SAFETENSORS = "model.safetensors"
_FETCHED = ["*.json", "*.txt", "*.model", "*.safetensors"]


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder whose configuration was read.

    Attributes:
        path: where it lies.
        config: what ``config.json`` holds.
    """

    path: Path
    config: dict[str, Any]

    @property
    def kind(self) -> str:
        """transformers' name of the kind of model; "" where it is none of transformers'."""
        return str(self.config.get("model_type", ""))

    @property
    def is_of_timm(self) -> bool:
        """Whether timm makes the network."""
        named = isinstance(self.config.get("architecture"), str)
        return named and self.kind in ("", "timm_wrapper")

    @property
    def is_safe(self) -> bool:
        """Whether its weights come as safetensors, in one file or several."""
        return any((self.path / f"{_SAFETENSORS}{end}").is_file() for end in ("", ".index.json"))

    @property
    def architecture(self) -> str:
        """What the network is, without its weights, and wherever it lies."""
        says = {key: value for key, value in self.config.items() if key not in _INCIDENTAL}
        digest = hashlib.sha256(json.dumps(says, sort_keys=True).encode()).hexdigest()
        return f"{self.kind}-{digest[:16]}"

    def labels(self) -> list[str]:
        """What the outputs are called, in order; none where it is not said.

        Raises:
            BadInput: they are not numbered from 0.
        """
        labels, of_timm = self.config.get("id2label"), self.config.get("label_names")
        if self.is_of_timm and isinstance(of_timm, list):
            return [str(label) for label in of_timm]
        if not isinstance(labels, dict):
            return []
        try:
            by_number = {int(number): str(label) for number, label in labels.items()}
            return [by_number[number] for number in range(len(by_number))]
        except (ValueError, KeyError):
            raise BadInput("id2label does not count from 0") from None


def open_folder(spec: ModelSpec) -> ModelFolder:
    """The folder that a `hf:` spec names, or what the hub has under that name.

    Raises:
        BadInput: there is no such folder, it is no model, or it brings code of its own.
        ModelError: it cannot be fetched.
    """
    path = Path(spec.target)
    if not path.is_dir():
        if path.exists() or spec.target.count("/") != 1 or spec.target.startswith((".", "/")):
            raise BadInput(f"there is no folder {spec.target}")
        path = _fetched(spec)
    if not (path / "config.json").is_file():
        raise BadInput(f"{path} has no config.json: it is no model's folder")
    found = {
        name: read_json(path / name, dict[str, Any], MOST_BYTES)
        for name in _CONFIGURATIONS
        if (path / name).is_file()
    }
    for name, content in found.items():
        if content.get("auto_map"):
            raise BadInput(
                f"its {name} names code of its own (auto_map), which genset "
                "never runs; export it with torch.export, or name it in Python"
            )
    _only_plain(found["config.json"])
    return ModelFolder(path, found["config.json"])


def _only_plain(config: dict[str, Any]) -> None:
    """Refuse what would be fetched from elsewhere, or needs packages that nobody named."""
    if config.get("quantization_config"):
        raise BadInput("its weights are quantized; save them in float")
    named = [value for key, value in config.items() if "attn_implementation" in key]
    if any(isinstance(value, str) and "/" in value for value in named):
        raise BadInput("its config.json names a kernel to be fetched")


def _fetched(spec: ModelSpec) -> Path:
    with needs_extra(f"model {spec.text!r}", "transformers"):
        from huggingface_hub import snapshot_download
    try:
        with quick_hub():
            path = Path(snapshot_download(spec.target, allow_patterns=_FETCHED))
            if not any(path.glob("*.safetensors")):
                snapshot_download(spec.target, allow_patterns=[*_FETCHED, "pytorch_model*.bin"])
    except Exception as error:  # noqa: BLE001 - the hub's client raises what it likes
        raise ModelError(
            f"there is no folder {spec.target}, and it could not be fetched "
            f"from the hub ({first_line(error)}). Offline, name a folder: hf:FOLDER"
        ) from None
    return path


@contextmanager
def transformers_for(text: str) -> Iterator[Any]:
    """The package, for the model of a spec; its warnings and bars are not shown in the block.

    Raises:
        MissingExtra: it is not installed.
    """
    with needs_extra(f"model {text!r}", "transformers"):
        import transformers
    log: Any = transformers.utils.logging
    level, bars = log.get_verbosity(), log.is_progress_bar_enabled()
    log.set_verbosity(logging.CRITICAL)
    log.disable_progress_bar()
    try:
        with warnings.catch_warnings(), quiet("huggingface_hub"):
            warnings.simplefilter("ignore")
            yield transformers
    finally:
        log.set_verbosity(level)
        if bars:
            log.enable_progress_bar()
