"""Make a run of its shards: counts, predictions, and what it takes to get it again."""

import importlib.metadata
import io
import platform
import shutil
from datetime import UTC, datetime

import numpy as np
import PIL
import torch
import torchvision
from numpy.typing import NDArray

from genset import __version__
from genset.errors import GensetError
from genset.evaluation.data.photos import PhotoSet
from genset.evaluation.results.runs import LOGITS, Accuracy, Prediction, Run, save_run
from genset.evaluation.results.sanity_checks import hits_by_rank, oddities
from genset.evaluation.run.options import Options
from genset.evaluation.run.plan import SHARDS, Entry
from genset.evaluation.run.score import this_device
from genset.evaluation.run.shards import Answers, load_shard, merged, shard_file, shards_of
from genset.files import written_whole


def finish(entry: Entry, photos: PhotoSet, options: Options, seconds: float) -> Run:
    """Put the shards together, write the run, and delete the shards.

    Photos of classes that the model does not have are left out of the counts.

    Raises:
        GensetError: no photo can be read, or one was not scored exactly once.
    """
    folder = entry.shards(options)
    shards = range(len(shards_of(len(photos.photos))))
    answers = merged(
        [load_shard(shard_file(folder, shard)) for shard in shards], len(photos.photos)
    )
    known = {wnid for wnid in entry.model.order if wnid}
    countable = np.array([photos.photos[place].wnid in known for place in answers.places], bool)
    if not countable.any():
        why = "can be read" if not len(answers.places) else "is of a class that it knows"
        raise GensetError(f"model {entry.model.spec.text!r}: not one photo of {photos.name} {why}")
    predictions = _predictions(entry, photos, answers, countable)
    unreadable = {
        photos.photos[place].id: why
        for place, why in answers.unreadable.items()
        if photos.photos[place].wnid in known
    }
    run = Run(
        key=entry.key,
        model=entry.model.spec.name,
        spec=entry.model.spec.text,
        set_name=photos.name,
        set_hash=photos.content_hash,
        weights_hash=entry.model.weights_hash,
        preprocessing=entry.preprocessing,
        precision=options.precision,
        versions=versions(entry.choice.engine),
        device=", ".join(sorted(entry.devices)) or device(entry.choice.engine),
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=round(seconds, 3),
        unreadable=unreadable,
        top1=_accuracy(predictions, 1),
        top5=_accuracy(predictions, 5) if len(predictions[0].top) >= 5 else None,
        classes=len(known),
        masked=sum(photo.wnid not in known for photo in photos.photos),
        hits=hits_by_rank(predictions),
        notes=[*photos.notes, *entry.notes, *oddities(predictions, len(known))],
        engine=entry.choice.engine,
    )
    if answers.logits is not None:
        buffer = io.BytesIO()
        np.save(buffer, answers.logits[countable])
        with written_whole(entry.folder / LOGITS) as file:
            file.write(buffer.getbuffer())
    save_run(entry.folder, run, predictions)
    for left in entry.folder.glob(f"{SHARDS}*"):
        shutil.rmtree(left)
    return run


def _predictions(
    entry: Entry,
    photos: PhotoSet,
    answers: Answers,
    countable: NDArray[np.bool_],
) -> list[Prediction]:
    wnids = np.array(entry.model.order, dtype=object)[answers.classes[countable]].tolist()
    shares = answers.probabilities[countable].tolist()
    scored = [photos.photos[place] for place in answers.places[countable]]
    return [
        Prediction(photo.id, photo.wnid, tuple(best), tuple(known))
        for photo, best, known in zip(scored, wnids, shares, strict=True)
    ]


def _accuracy(predictions: list[Prediction], k: int) -> Accuracy:
    return Accuracy.of(sum(said.wnid in said.top[:k] for said in predictions), len(predictions))


def device(engine: str) -> str:
    """What the engine runs on here: "cpu", or a GPU's name."""
    return this_device() if engine == "torch" else "cpu"


def versions(engine: str) -> dict[str, str]:
    """The versions of what answers depend on."""
    found = {
        "genset": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "torch": torch.__version__,
        "torchvision": torchvision.__version__,
        "pillow": PIL.__version__,
    }
    if engine != "torch":
        found[engine] = importlib.metadata.version(engine)
    return found
