"""Small random models, saved by transformers' own `save_pretrained`."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing
from transformers import (
    CLIPConfig,
    CLIPImageProcessor,
    CLIPModel,
    PreTrainedTokenizerFast,
    SiglipConfig,
    SiglipImageProcessor,
    SiglipModel,
    ViTConfig,
    ViTForImageClassification,
    ViTImageProcessor,
)

from genset.classes import imagenet1k

LABELS = [", ".join(each.lemmas) for each in imagenet1k()]
SIDE = 32
_SMALL: dict[str, Any] = {
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
}
_SEEING: dict[str, Any] = {**_SMALL, "image_size": SIDE, "patch_size": 8}
_WORDS = ["[PAD]", "[UNK]", "[EOS]", "a", "photo", "of", "the", "art", "fish", "bird", "dog"]


def vit(folder: Path, labels: Sequence[str] = LABELS, **settings: Any) -> Path:
    torch.manual_seed(0)
    id2label = dict(enumerate(labels))
    network = ViTForImageClassification(ViTConfig(**_SEEING, id2label=id2label, **settings))
    with torch.no_grad():  # else all photos look much the same to it
        for weight in network.parameters():
            weight.mul_(8)
    network.save_pretrained(folder)
    ViTImageProcessor(size={"height": SIDE, "width": SIDE}).save_pretrained(folder)
    return folder


def tokenizer(folder: Path) -> Path:
    """A tokenizer that knows a few words and the letters' first names."""
    words = [*_WORDS, *(f"{n}" for n in range(20))]
    names = {word for label in LABELS for word in label.replace(",", " ").split()}
    vocabulary = {word: n for n, word in enumerate([*words, *sorted(names - set(words))])}
    made = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = Whitespace()
    made.post_processor = TemplateProcessing(
        single="$A [EOS]", special_tokens=[("[EOS]", vocabulary["[EOS]"])]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="[PAD]", unk_token="[UNK]", eos_token="[EOS]"
    ).save_pretrained(folder)
    return folder


def _reading(folder: Path) -> dict[str, Any]:
    size = len(json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"])
    ids = {"pad_token_id": 0, "eos_token_id": 2, "bos_token_id": 1}
    return {**_SMALL, "vocab_size": size, "max_position_embeddings": 24, **ids}


def clip(folder: Path) -> Path:
    """A model of CLIP's kind, with its processor and tokenizer."""
    torch.manual_seed(1)
    tokenizer(folder)
    config = CLIPConfig(text_config=_reading(folder), vision_config=_SEEING, projection_dim=16)
    network = CLIPModel(config)
    _spread(network)
    network.save_pretrained(folder)
    CLIPImageProcessor(
        size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE}
    ).save_pretrained(folder)
    return folder


def siglip(folder: Path) -> Path:
    """A model of SigLIP's kind, with a bias."""
    torch.manual_seed(2)
    tokenizer(folder)
    config = SiglipConfig(
        text_config={**_reading(folder), "projection_size": 16}, vision_config=_SEEING
    )
    network = SiglipModel(config)
    _spread(network)
    with torch.no_grad():
        network.logit_scale.fill_(2.0)
        network.logit_bias.fill_(-7.0)
    network.save_pretrained(folder)
    SiglipImageProcessor(size={"height": SIDE, "width": SIDE}).save_pretrained(folder)
    return folder


def _spread(network: torch.nn.Module) -> None:
    with torch.no_grad():
        for name, weight in network.named_parameters():
            if weight.ndim > 1 and "logit" not in name:
                weight.normal_(0, 0.5)
