"""What is kept of a run that is not finished: its answers, shard by shard.

A shard is a stretch of the set's photos. Its file is written whole when all of them are scored, so
a killed run goes on after the last of its shards. It names its run and its photos: one that is
damaged, or of another run, is never counted.
"""

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genset.core.errors import GensetError, first_line
from genset.core.files import written_whole
from genset.core.numbers import count

# Folders of shards begin so.
SHARDS = "shards-"

# How often a file is written whose folder is deleted meanwhile.
_ATTEMPTS = 3

# Enough for every worker to have work until the end, and not so many that files cost time.
_MOST = 64
_SMALLEST, _LARGEST = 16, 512

# Photos that a GPU is given at once: from here on it is hardly faster.
BATCH_OF_GPU = 256


@dataclass(frozen=True, slots=True)
class Answers:
    """A model's answers to some photos of a set.

    Attributes:
        indices: n int64, of the photos in the set, ascending.
        classes: n x k int32, the outputs with the highest logits, the best first.
        probabilities: n x k float32, the softmax of the logits at these.
        losses: n float32, minus the logarithm of the true class's probability; NaN where the model
            does not have that class.
        logits: n x outputs float32, where they are kept.
        unreadable: why, for each photo that cannot be decoded, by its index.
        notes: what to say beside the run's numbers.
    """

    indices: NDArray[np.int64]
    classes: NDArray[np.int32]
    probabilities: NDArray[np.float32]
    losses: NDArray[np.float32]
    logits: NDArray[np.float32] | None
    unreadable: dict[int, str]
    notes: tuple[str, ...] = ()


def shards_of(photos: int) -> list[range]:
    """The indices of each shard's photos; the same for a set however many processes score it."""
    size = min(max(photos // _MOST, _SMALLEST), _LARGEST)
    if size > BATCH_OF_GPU:
        size -= size % BATCH_OF_GPU  # whole batches
    return [range(start, min(start + size, photos)) for start in range(0, photos, size)]


def shard_file(folder: Path, shard: int) -> Path:
    """Where a shard's answers lie."""
    return folder / f"{shard:05}.npz"


@dataclass(frozen=True, slots=True)
class ShardLabel:
    """Which shard it is.

    Attributes:
        key: of its run.
        photos: a hash over its photos' ids and bytes.
        indices: of these in the set.
        logits: how many a photo has, where they are kept; else 0.
    """

    key: str
    photos: str
    indices: range
    logits: int = 0


class BadShard(GensetError):
    """A shard's file is not there, damaged, or of another run: it must be scored again."""


def save_shard(path: Path, answers: Answers, label: ShardLabel) -> None:
    """Write a shard's answers, whole or not at all."""
    arrays: dict[str, Any] = {
        "run": np.array([label.key, label.photos]),
        "places": answers.indices,
        "classes": answers.classes,
        "probabilities": answers.probabilities,
        "losses": answers.losses,
        "unreadable": np.array(json.dumps(answers.unreadable)),
        "notes": np.array(json.dumps(answers.notes)),
    }
    if answers.logits is not None:
        arrays["logits"] = answers.logits
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    for attempt in range(_ATTEMPTS):
        try:
            with written_whole(path) as file:
                file.write(buffer.getbuffer())
            return
        except FileNotFoundError:  # another command that finished the run deletes the folder
            if attempt == _ATTEMPTS - 1:
                raise


def load_shard(path: Path, label: ShardLabel) -> Answers:
    """Read a shard's answers.

    Raises:
        BadShard: the file is not there, or not what was written, or of another run.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            if arrays["run"].tolist() != [label.key, label.photos]:
                raise ValueError("of another run")
            why = json.loads(str(arrays["unreadable"]))
            answers = Answers(
                indices=arrays["places"],
                classes=arrays["classes"],
                probabilities=arrays["probabilities"],
                losses=arrays["losses"],
                logits=arrays.get("logits"),
                unreadable={int(index): reason for index, reason in why.items()},
                notes=tuple(json.loads(str(arrays["notes"]))),
            )
        if sorted([*answers.indices.tolist(), *answers.unreadable]) != list(label.indices):
            raise ValueError("of other photos")
        numbers, others = [answers.probabilities], [answers.classes, answers.losses]
        if label.logits:
            if answers.logits is None or answers.logits.shape[1:] != (label.logits,):
                raise ValueError("without its logits")
            numbers.append(answers.logits)
        if any(len(array) != len(answers.indices) for array in (*others, *numbers)):
            raise ValueError("not of one length")
        if not all(np.isfinite(number).all() for number in numbers):
            raise ValueError("NaN or infinity")
    except Exception as error:  # noqa: BLE001 - a damaged file raises whatever it likes
        raise BadShard(f"{path} is not a shard of this run: {first_line(error)}") from None
    return answers


def merged(shards: Sequence[Answers], photos: int) -> Answers:
    """All answers to a set of so many photos, in its order.

    Raises:
        GensetError: a photo is not there exactly once.
    """
    indices = np.concatenate([shard.indices for shard in shards])
    unreadable = {index: why for shard in shards for index, why in shard.unreadable.items()}
    seen = np.bincount([*indices, *unreadable], minlength=photos)
    if len(seen) != photos or (seen != 1).any():
        raise GensetError(
            f"{count(int((seen != 1).sum()), 'photo was', 'photos were')} not scored exactly once; "
            "run the command again"
        )
    order = np.argsort(indices)
    logits = [shard.logits for shard in shards if shard.logits is not None]
    return Answers(
        indices=indices[order],
        classes=np.concatenate([shard.classes for shard in shards])[order],
        probabilities=np.concatenate([shard.probabilities for shard in shards])[order],
        losses=np.concatenate([shard.losses for shard in shards])[order],
        logits=np.concatenate(logits)[order] if len(logits) == len(shards) else None,
        unreadable=dict(sorted(unreadable.items())),
        notes=tuple(dict.fromkeys(note for shard in shards for note in shard.notes)),
    )
