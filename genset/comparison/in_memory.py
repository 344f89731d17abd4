"""Score a network that a caller has in memory, in this process, and leave it as it was."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image
from torch import nn

from genset.comparison.evaluated import Evaluation
from genset.core.errors import BadInput, GensetError, PhotoRejected
from genset.models.kinds.memory import precision_of, preprocessing_of
from genset.models.load import LoadedModel
from genset.models.preprocessing import Preprocessing
from genset.score.options import ScoringOptions
from genset.score.pixels import opened
from genset.score.plan import ScoringPlan
from genset.score.results.runs import run_folder
from genset.score.score import score_models
from genset.score.workers.executor import InProcess
from genset.sets.photos import PhotoSet


def score_in_memory(
    photos: PhotoSet, model: LoadedModel, runs: Path | None, options: ScoringOptions
) -> Evaluation:
    """Score a network in memory.

    Args:
        photos: the set.
        model: of `genset.models.kinds.memory`.
        runs: the folder where its run is kept and looked for; None: it is not kept.
        options: how it is scored.

    Raises:
        BadInput: the options are for models that are loaded.
        ModelError: the network fails.
        GensetError: no photo can be read, or the run cannot be written.
    """
    if options.engine not in ("auto", "torch") or options.cluster:
        raise BadInput(
            "a network in memory is run by PyTorch in this process: leave out engine= and cluster="
        )
    native = precision_of(model.network)  # of half precision, it runs in that whatever is said
    precision = options.precision if native == "float32" else native
    options = replace(options, engine="torch", precision=precision)
    with _as_it_was(model.network):
        if runs is not None:
            return _score(photos, model, runs, options)
        with TemporaryDirectory(prefix="genset-") as folder:
            found = _score(photos, model, Path(folder), options)
            return Evaluation(found.record, photos, None, list(found.predictions))


def preprocessing_on(
    photos: PhotoSet, network: nn.Module, transform: Callable[[Any], Any] | None
) -> Preprocessing:
    """How a network wants photos; a transform is tried on the first that can be read.

    Args:
        photos: the set.
        network: the caller's.
        transform: the caller's, if there is one.

    Raises:
        BadInput: the set only lists photos, nothing says how, or the transform fails.
        GensetError: no photo can be read.
    """
    if photos.listed:
        raise BadInput(f"{photos.name} lists photos that are not here: only predictions= count")
    return preprocessing_of(network, transform, _first(photos))


def _first(photos: PhotoSet) -> Image.Image:
    for photo in photos.photos:
        try:
            return opened(photo)
        except PhotoRejected:
            continue
    raise GensetError(f"not one photo of {photos.name} can be read")


def _score(photos: PhotoSet, model: LoadedModel, runs: Path, options: ScoringOptions) -> Evaluation:
    plan = ScoringPlan(photos, runs, options, InProcess(options.workers))
    (found,) = score_models(plan, [model])
    if isinstance(found, GensetError):
        raise found
    folder = run_folder(runs, photos.name, found.model, found.key)
    return Evaluation(found, photos, folder)


@contextmanager
def _as_it_was(network: nn.Module) -> Iterator[None]:
    """Have the network in evaluation mode; put back what that changed."""
    modes = [(module, module.training) for module in network.modules()]
    network.eval()
    try:
        yield
    finally:
        for layer, training in modes:
            layer.training = training
