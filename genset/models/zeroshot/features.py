"""The features of each class's sentences: computed once, and kept by a hash of all they depend on.

The features of a class are the mean over its sentences' features, each of length 1, brought to
length 1 again: as in CLIP's and open_clip's own zero-shot classifiers.
"""

import hashlib
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from genset.classes import Taxonomy
from genset.core.errors import GensetError, ModelError, first_line
from genset.core.files import one_at_a_time, written_whole
from genset.core.progress import progress
from genset.models.spec import ModelSpec
from genset.models.zeroshot.words import PLACE, TextList, class_names, prompt_templates

# Sentences that are read at once.
_BATCH, _BATCH_OF_GPU = 128, 2048

Features = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TextModel:
    """The half of a model that reads.

    Attributes:
        network: what is moved to a GPU to read there.
        encode: sentences to N x D features, on the network's device.
        weights_hash: a sha256 over the weights of the whole model.
        tokenizer: a hash, or words, for what cuts sentences into tokens.
    """

    network: nn.Module
    encode: Callable[[list[str]], Tensor]
    weights_hash: str
    tokenizer: str


@dataclass(frozen=True, slots=True)
class Texts:
    """What classes are called, and in which sentences.

    Attributes:
        order: the classes.
        names: what each is called.
        prompts: the sentences.
        taxonomy: the name of the set's, where its classes are not ImageNet's.
    """

    order: tuple[str, ...]
    names: TextList
    prompts: TextList
    taxonomy: str = ""

    @classmethod
    def of(cls, spec: ModelSpec, order: tuple[str, ...], custom: Taxonomy | None = None) -> "Texts":
        """What a spec says of them.

        Args:
            spec: the model's.
            order: the classes that it says, or ImageNet's.
            custom: the classes of the set, where they are not ImageNet's: taken where the spec says
                none.

        Raises:
            BadInput: a file cannot be read, or a class has no name.
            MissingExtra: open_clip's lists are asked for, and it is not installed.
        """
        options = spec.texts
        if custom is not None and not spec.classes:
            order = tuple(cls.wnid for cls in custom)
        names = class_names(options.get("names", ""), order, custom)
        prompts = prompt_templates(options.get("prompts", ""))
        return cls(order, names, prompts, custom.name if custom is not None else "")

    @property
    def words(self) -> dict[str, str]:
        """By class, what it is called in the sentences; none for ImageNet's, which a hash tells."""
        return dict(zip(self.order, self.names.texts, strict=True)) if self.taxonomy else {}

    @property
    def identity(self) -> dict[str, object]:
        """The hashes that are a part of a run's key."""
        return {"names": _hash(self.names.texts), "prompts": _hash(self.prompts.texts)}

    @property
    def note(self) -> str:
        """What stands beside the results: how much there is of each, and the hashes."""
        of = f" of {self.taxonomy}" if self.taxonomy else ""
        return (
            f"Zero-shot: {len(self.names.texts):,} names{of} ({self.names.source}, sha256 "
            f"{_hash(self.names.texts)[:12]}) in {len(self.prompts.texts):,} prompts "
            f"({self.prompts.source}, sha256 {_hash(self.prompts.texts)[:12]}); others move "
            "accuracy by points."
        )


def class_features(spec: ModelSpec, model: TextModel, texts: Texts, cache: Path | None) -> Features:
    """Classes x D float32, each of length 1.

    Args:
        spec: the model's.
        model: what reads.
        texts: names and prompts.
        cache: the folder where features are kept; None: they are not.

    Raises:
        ModelError: the model cannot read them.
        GensetError: they cannot be kept.
    """
    if cache is None:
        return _computed(spec, model, texts)
    identity = {"weights": model.weights_hash, "tokenizer": model.tokenizer, **texts.identity}
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
    file = cache / f"{digest[:32]}.npy"
    try:
        # Processes that score together need the same: one computes, the others wait and read.
        with one_at_a_time(cache):
            if (found := _read(file, len(texts.names.texts))) is not None:
                return found
            features = _computed(spec, model, texts)
            buffer = io.BytesIO()
            np.save(buffer, features)
            with written_whole(file) as out:
                out.write(buffer.getbuffer())
            return features
    except OSError as error:
        raise GensetError(f"{cache} cannot be written: {error.strerror}") from None


def _read(file: Path, classes: int) -> Features | None:
    """Features that are kept; None where there are none, or something else is there."""
    try:
        found: Any = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    usable = isinstance(found, np.ndarray) and found.dtype == np.float32 and found.ndim == 2
    return found if usable and len(found) == classes and np.isfinite(found).all() else None


def _computed(spec: ModelSpec, model: TextModel, texts: Texts) -> Features:
    on_gpu = torch.cuda.is_available()
    batch = _BATCH_OF_GPU if on_gpu else _BATCH
    names, prompts = texts.names.texts, texts.prompts.texts
    at_once = max(1, batch // len(prompts))
    starts = range(0, len(names), at_once)
    model.network.to("cuda" if on_gpu else "cpu")
    try:
        shown = progress(
            starts, total=len(starts), what=f"{spec.name} reads its prompts", unit="batch"
        )
        parts = [
            _features(model, prompts, names[start : start + at_once], batch) for start in shown
        ]
    except ModelError as error:
        raise ModelError(f"cannot read its prompts: {error}") from None
    finally:
        model.network.to("cpu")
    features = np.concatenate(parts)
    if not np.isfinite(features).all():
        raise ModelError("gives texts NaN or infinity: broken weights?")
    return features


def _features(
    model: TextModel, prompts: Sequence[str], names: Sequence[str], batch: int
) -> Features:
    """Classes x D, each of length 1.

    Raises:
        ModelError: the tokenizer or the network fails.
    """
    sentences = [prompt.replace(PLACE, name) for name in names for prompt in prompts]
    try:
        with torch.inference_mode():
            found = [
                model.encode(sentences[place : place + batch])
                for place in range(0, len(sentences), batch)
            ]
            normalized = nn.functional.normalize(torch.cat(found).float(), dim=-1)
            mean = normalized.view(len(names), len(prompts), -1).mean(dim=1)
            features: Features = nn.functional.normalize(mean, dim=-1).cpu().numpy()
    except Exception as error:  # noqa: BLE001 - tokenizers and networks raise what they like
        raise ModelError(first_line(error)) from None
    return features


def _hash(texts: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


# A folder of a tokenizer in Hugging Face's form has one of these. Where none is there, transformers
# may make a tokenizer that knows no words at all, without a complaint.
_VOCABULARIES = (
    *("tokenizer.json", "vocab.json", "vocab.txt"),
    *("spiece.model", "tokenizer.model", "sentencepiece.bpe.model"),
)


def holds_tokenizer(folder: Path) -> bool:
    """Whether a folder has the vocabulary of a tokenizer."""
    return any((folder / name).is_file() for name in _VOCABULARIES)


def identity_of_tokenizer(tokenizer: Any) -> str:
    """A sha256 over all that one of transformers' tokenizers does."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    content = backend.to_str() if backend is not None else json.dumps(tokenizer.get_vocab())
    return f"sha256:{hashlib.sha256(content.encode()).hexdigest()}"


class ZeroShot(nn.Module):
    """N x 3 x H x W in, N x classes logits out: scale x (image . text) + bias."""

    def __init__(
        self,
        model: Any,
        encode: Callable[[Any, Tensor], Tensor],
        texts: Features,
    ) -> None:
        """Take a model that keeps its `logit_scale`, as a logarithm, and a `logit_bias`.

        Models that have been trained with a softmax have no bias, or None.

        Args:
            model: the whole one.
            encode: the model and normalized pixels to N x D features, of any length.
            texts: classes x D, each of length 1.
        """
        super().__init__()
        self.model, self.encode = model, encode
        self.texts: Tensor
        self.register_buffer("texts", torch.from_numpy(texts))
        bias = getattr(model, "logit_bias", None)
        self.scale = float(model.logit_scale.detach().exp())
        self.bias = 0.0 if bias is None else float(bias)

    def forward(self, pixels: Tensor) -> Tensor:
        """Logits for normalized pixels."""
        features = nn.functional.normalize(self.encode(self.model, pixels), dim=-1)
        return self.scale * features @ self.texts.T + self.bias
