"""The files of a tokenizer, and what tells tokenizers apart."""

import hashlib
import json
from pathlib import Path
from typing import Any

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
