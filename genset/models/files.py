"""The files that a model's weights are read from, told apart by their bytes.

A run's `weights_hash` is over the weights, whatever file they came in. A training log knows the
file alone, by its sha256 (`genset tta record --checkpoint`): so a run notes that of its file too.
"""

from pathlib import Path

from genset.core.files import sha256_of
from genset.models.spec import ModelSpec

_SUFFIXES = (".safetensors", ".bin", ".pt", ".pth")  # of weights in a folder of Hugging Face's form


class CheckpointFiles:
    """The files of a spec as they are now, before they are read."""

    def __init__(self, spec: ModelSpec) -> None:
        """Look at the files."""
        self._seen = {path: _state(path) for path in _paths(spec)}

    def hashes(self) -> list[str]:
        """The sha256 of each file, 64 hexadecimal digits.

        None of one that has changed since it was looked at, or cannot be read: what the weights
        were read from is not known then.
        """
        found = []
        for path, before in self._seen.items():
            try:
                digest = sha256_of(path)
            except OSError:
                continue
            if before is not None and _state(path) == before:
                found.append(digest)
        return found


def _paths(spec: ModelSpec) -> list[Path]:
    """The files that hold a spec's weights; none where a library has them, or their hash is kept.

    Of a program (``onnx:``, ``torchscript:``, ``export:``), the run's `weights_hash` is the file's.
    """
    if spec.kind == "file":
        return [Path(spec.target)]
    if spec.kind == "openclip" and "weights" in spec.texts:
        return [Path(spec.texts["weights"])]
    if spec.kind == "hf" and (folder := Path(spec.target)).is_dir():
        return sorted(path for path in folder.iterdir() if path.suffix in _SUFFIXES)
    return []


def _state(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino
