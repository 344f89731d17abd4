"""A classifier of a model that compares photos with texts, by open_clip's functions.

The features of each class's sentences are computed once, and kept by a hash of all they depend on.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from genset.core.errors import BadInput, GensetError, ModelError, first_line
from genset.core.files import one_at_a_time, written_whole
from genset.core.progress import progress
from genset.models.load import LoadedModel, assembled, hash_of_weights
from genset.models.spec import ModelSpec
from genset.models.zeroshot.words import PLACE, Texts, open_clip_for

# In the folder of runs.
_FEATURES = ".zeroshot"

# Sentences that are read at once.
_BATCH, _BATCH_OF_GPU = 128, 2048

# A folder of a tokenizer in Hugging Face's form has one of these. Where none is there, transformers
# may make a tokenizer that knows no words at all, without a complaint.
_VOCABULARIES = (
    *("tokenizer.json", "vocab.json", "vocab.txt"),
    *("spiece.model", "tokenizer.model", "sentencepiece.bpe.model"),
)

Features = NDArray[np.float32]
Tokenizer = Callable[[list[str]], Any]
"""Sentences to what a model's `encode_text` takes; that can be moved to a GPU by its `to`."""


class ZeroShot(nn.Module):
    """N x 3 x H x W in, N x classes logits out: scale x (image . text) + bias."""

    def __init__(self, model: Any, texts: Features) -> None:
        """Take a model that keeps its `logit_scale`, as a logarithm, and a `logit_bias`.

        Models that have been trained with a softmax have no bias, or None.

        Args:
            model: one of open_clip's, or with its `encode_image`.
            texts: classes x D, each of length 1.
        """
        super().__init__()
        self.model = model
        self.texts: Tensor
        self.register_buffer("texts", torch.from_numpy(texts))
        bias = getattr(model, "logit_bias", None)
        self.scale = float(model.logit_scale.detach().exp())
        self.bias = 0.0 if bias is None else float(bias)

    def forward(self, pixels: Tensor) -> Tensor:
        """Logits for normalized pixels."""
        features = self.model.encode_image(pixels, normalize=True)
        logits: Tensor = self.scale * features @ self.texts.T + self.bias
        return logits


def zero_shot(
    encoder: LoadedModel,
    texts: Texts,
    tokenizer: Tokenizer,
    tokenizer_hash: str,
    runs: Path | None,
) -> LoadedModel:
    """The model that chooses among texts.

    Args:
        encoder: its network is one of open_clip's, or has its `encode_image` and `encode_text`.
        texts: names and prompts.
        tokenizer: what cuts sentences into tokens.
        tokenizer_hash: a hash, or words, for that.
        runs: the folder of runs, where features are kept too; None: they are not.

    Raises:
        ModelError: the model cannot read them.
        GensetError: they cannot be kept.
        MissingExtra: open_clip is not installed.
    """
    network = encoder.network
    model = replace(
        encoder,
        weights_hash=encoder.weights_hash or hash_of_weights(network.state_dict()),
        notes=[texts.note, *encoder.notes],
        identity={**texts.identity, "tokenizer": tokenizer_hash},
        words=texts.words,
    )
    compute = partial(_computed, model.spec, network, tokenizer, texts)
    features = compute() if runs is None else _stored(runs / _FEATURES, model, compute)
    return assembled(replace(model, network=ZeroShot(network, features)))


def _stored(folder: Path, model: LoadedModel, compute: Callable[[], Features]) -> Features:
    identity = {"weights": model.weights_hash, **model.identity}
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
    file = folder / f"{digest[:32]}.npy"
    try:
        # Processes that score together need the same: one computes, the others wait and read.
        with one_at_a_time(folder):
            if (found := _read(file, len(model.order))) is not None:
                return found
            features = compute()
            with written_whole(file) as out:
                np.save(out, features)
            return features
    except OSError as error:
        raise GensetError(f"{folder} cannot be written: {error.strerror}") from None


def _read(file: Path, classes: int) -> Features | None:
    """Features that are kept; None where there are none, or something else is there."""
    try:
        found: Any = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    usable = isinstance(found, np.ndarray) and found.dtype == np.float32 and found.ndim == 2
    return found if usable and len(found) == classes and np.isfinite(found).all() else None


def _computed(spec: ModelSpec, model: Any, tokenizer: Tokenizer, texts: Texts) -> Features:
    """Classes x D float32, each of length 1."""
    build = open_clip_for(f"model {spec.text!r}").build_zero_shot_classifier
    device, batch = ("cuda", _BATCH_OF_GPU) if torch.cuda.is_available() else ("cpu", _BATCH)
    templates = [partial(prompt.replace, PLACE) for prompt in texts.prompts.texts]
    names, size = texts.names.texts, max(1, batch // len(templates))
    batches = [names[start : start + size] for start in range(0, len(names), size)]
    what = f"{spec.name} reads its prompts"
    model.eval().to(device)
    try:
        features = np.concatenate(
            [
                build(model, tokenizer, some, templates, None, device).T.float().cpu().numpy()
                for some in progress(batches, total=len(batches), what=what, unit="batch")
            ]
        )
    except Exception as error:  # noqa: BLE001 - tokenizers and networks raise what they like
        raise ModelError(f"cannot read its prompts: {first_line(error)}") from None
    finally:
        model.to("cpu")
    if not np.isfinite(features).all():
        raise ModelError("gives texts NaN or infinity: broken weights?")
    return features


def tokenizer_in(folder: Path, read: Callable[..., Any], mend: str) -> Any:
    """A tokenizer in Hugging Face's form.

    Args:
        folder: where its files lie.
        read: the function that reads them.
        mend: what to do where there is none.

    Raises:
        BadInput: there is none, or it cannot be read.
    """
    if not any((folder / name).is_file() for name in _VOCABULARIES):
        raise BadInput(f"{folder} holds no tokenizer; {mend}")
    try:
        return read(str(folder), trust_remote_code=False, local_files_only=True)
    except Exception as error:  # noqa: BLE001 - transformers raises what it likes
        raise BadInput(f"the tokenizer in {folder} cannot be read: {first_line(error)}") from None


def hash_of_tokenizer(tokenizer: Any) -> str:
    """A sha256 over all that one of transformers' tokenizers does."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    content = backend.to_str() if backend is not None else json.dumps(tokenizer.get_vocab())
    return f"sha256:{hashlib.sha256(content.encode()).hexdigest()}"
