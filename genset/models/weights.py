"""What tells weights apart: a hash over them, whatever file they came in."""

import hashlib
from collections.abc import Mapping

import torch
from torch import Tensor


def hash_of_weights(weights: Mapping[str, Tensor]) -> str:
    """A sha256 over names, kinds, shapes and values, in the order of the names."""
    digest = hashlib.sha256()
    for key, value in sorted(weights.items()):
        digest.update(f"{key} {value.dtype} {list(value.shape)}\n".encode())
        if value.is_quantized:
            value = value.dequantize()
        values = value.detach().cpu().contiguous().reshape(-1)
        digest.update(values.view(torch.uint8).numpy().tobytes())  # numpy knows no bfloat16
    return f"sha256:{digest.hexdigest()}"
