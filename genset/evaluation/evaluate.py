"""Score models on a set: load, predict, count, keep."""

import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy

from genset import __version__
from genset.errors import BadInput, GensetError, ModelError
from genset.evaluation.data.photos import PhotoSet
from genset.evaluation.models.spec import ModelSpec, parse_spec
from genset.evaluation.results.predictions import GivenPredictions, read_predictions
from genset.evaluation.results.runs import (
    Accuracy,
    Prediction,
    Run,
    load_run,
    run_folder,
    run_key,
    save_run,
)
from genset.evaluation.results.sanity_checks import hits_by_rank, oddities
from genset.evaluation.run.options import Options
from genset.files import sha256_of


class SomeModelsFailed(ModelError):
    """Some models could not be scored, and the others were.

    `failed` says by spec why; `runs` has those of the others, in the order of their specs.
    """

    def __init__(self, failed: Mapping[str, GensetError], runs: list[Run]) -> None:
        super().__init__("; ".join(map(str, failed.values())))
        self.failed, self.runs = failed, runs


def evaluate(
    photos: PhotoSet, specs: Sequence[str], runs: Path, options: Options | None = None
) -> list[Run]:
    """Score models on the set in one pass over its photos, and keep their predictions in `runs`.

    A model that was scored on this set before, with the same weights and preprocessing, is not
    scored again; one whose scoring was cut off goes on. Started by torchrun, processes share the
    photos, and each returns all runs.

    Raises:
        BadInput: a spec is wrong. All are read before any is scored.
        SomeModelsFailed: some cannot be loaded or run; the others were scored.
        GensetError: none can, or no photo can be read, or answers cannot be written.
    """
    parsed = [parse_spec(spec) for spec in specs]
    for spec in parsed:
        if photos.listed and spec.kind != "predictions":
            raise BadInput(
                f"model {spec.text!r}: {photos.name} lists photos that are not here: only "
                "predictions:PATH can be scored on it"
            )
    found: dict[str, Run | GensetError] = {}
    for spec in parsed:
        if spec.kind == "predictions":
            try:
                found[spec.text] = _count_given(photos, spec, runs)
            except GensetError as error:
                found[spec.text] = error
    # Predictions are counted where PyTorch is not installed, so what needs it is imported here.
    if networks := [spec for spec in parsed if spec.kind != "predictions"]:
        from genset.evaluation.run.networks import score_networks

        found |= score_networks(photos, networks, runs, options or Options())
    made = [run for spec in parsed if isinstance(run := found[spec.text], Run)]
    failed = {spec: error for spec, error in found.items() if isinstance(error, GensetError)}
    if failed and not made and len(failed) == 1:
        raise next(iter(failed.values()))
    if failed:
        raise SomeModelsFailed(failed, made)
    return made


def _count_given(photos: PhotoSet, spec: ModelSpec, runs: Path) -> Run:
    given = read_predictions(spec, photos)
    if not given.predictions:
        raise GensetError(f"model {spec.text!r}: not one photo of {photos.name} can be counted")
    weights_hash = f"sha256:{sha256_of(Path(spec.target))}"
    key = run_key(
        set=photos.content_hash,
        predictions=weights_hash,
        classes=sha256_of(Path(spec.classes)) if spec.classes else "",
        background=spec.background,
    )
    folder = run_folder(runs, photos.name, spec.name, key)
    if (kept := load_run(folder)) is not None:
        return kept
    run = Run(
        key=key,
        model=spec.name,
        spec=spec.text,
        set_name=photos.name,
        set_hash=photos.content_hash,
        weights_hash=weights_hash,
        preprocessing={},
        precision="unknown",
        versions=_versions(),
        device="elsewhere",
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=0.0,
        unreadable=dict.fromkeys(given.missing, "no prediction"),
        top1=_accuracy(given.predictions, 1),
        top5=_accuracy(given.predictions, 5) if len(given.predictions[0].top) >= 5 else None,
        classes=given.classes,
        masked=given.masked,
        hits=hits_by_rank(given.predictions),
        notes=[*photos.notes, *_strangers(given), *oddities(given.predictions, given.classes)],
    )
    save_run(folder, run, given.predictions)
    return run


def _strangers(given: GivenPredictions) -> list[str]:
    if not given.strangers:
        return []
    photos = "photo that is" if given.strangers == 1 else "photos that are"
    return [f"The file also speaks of {given.strangers:,} {photos} not in the set."]


def _accuracy(answers: Sequence[Prediction], k: int) -> Accuracy:
    return Accuracy.of(sum(a.wnid in a.top[:k] for a in answers), len(answers))


def _versions() -> dict[str, str]:
    return {
        "genset": __version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
    }
