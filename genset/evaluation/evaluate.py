"""Score models on a set: the door to the rest."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from genset.errors import BadInput, GensetError, MissingExtra, ModelError
from genset.evaluation.data.photos import PhotoSet
from genset.evaluation.models.spec import ModelSpec
from genset.evaluation.results.count import make_run, provenance_of_answers
from genset.evaluation.results.predictions import read_predictions
from genset.evaluation.results.runs import Run, load_run, run_folder, run_key, save_run
from genset.evaluation.run.options import ScoringOptions
from genset.files import sha256_of


class SomeModelsFailed(ModelError):
    """Some models could not be scored, and the others were.

    `failed` says by spec why; `runs` has those of the others, in the order of their specs.
    """

    def __init__(self, failed: Mapping[ModelSpec, GensetError], runs: list[Run]) -> None:
        super().__init__("; ".join(map(str, failed.values())))
        self.failed, self.runs = failed, runs


def evaluate(
    photos: PhotoSet,
    specs: Sequence[ModelSpec],
    runs: Path,
    options: ScoringOptions | None = None,
) -> list[Run]:
    """Score models on the set in one pass over its photos, and keep their predictions in `runs`.

    A model that was scored on this set before, with the same weights and preprocessing, is not
    scored again; one whose scoring was cut off goes on. Started by torchrun, processes share the
    photos, and each returns all runs.

    Args:
        photos: the set.
        specs: the models.
        runs: the folder of runs.
        options: how models are scored.

    Raises:
        BadInput: the set only lists photos, and a model is a network.
        SomeModelsFailed: some cannot be loaded or run; the others were scored.
        GensetError: none can, or no photo can be read, or answers cannot be written.
    """
    for spec in specs:
        if photos.listed and not spec.is_predictions:
            raise BadInput(
                f"model {spec.text!r}: {photos.name} lists photos that are not here: only "
                "predictions:PATH can be scored on it"
            )
    found: dict[ModelSpec, Run | GensetError] = {}
    for spec in specs:
        if spec.is_predictions:
            try:
                found[spec] = _count_predictions(photos, spec, runs)
            except GensetError as error:
                found[spec] = error
    if networks := [spec for spec in specs if not spec.is_predictions]:
        found |= _score_networks(photos, networks, runs, options or ScoringOptions())
    made = [run for spec in specs if isinstance(run := found[spec], Run)]
    failed = {spec: error for spec, error in found.items() if isinstance(error, GensetError)}
    if failed and not made and len(failed) == 1:
        raise next(iter(failed.values()))
    if failed:
        raise SomeModelsFailed(failed, made)
    return made


def _score_networks(
    photos: PhotoSet, specs: Sequence[ModelSpec], runs: Path, options: ScoringOptions
) -> dict[ModelSpec, Run | GensetError]:
    # Predictions are counted where PyTorch is not installed, so what needs it is imported here.
    if find_spec("torch") is None or find_spec("torchvision") is None:
        raise MissingExtra("evaluating models", "evaluate")
    from genset.evaluation.run.executors.open import open_executor
    from genset.evaluation.run.plan import ScoringPlan
    from genset.evaluation.run.score import score_models

    plan = ScoringPlan(photos, runs, options, open_executor(options))
    return dict(zip(specs, score_models(plan, specs), strict=True))


def _count_predictions(photos: PhotoSet, spec: ModelSpec, runs: Path) -> Run:
    counted = read_predictions(spec, photos)
    weights_hash = f"sha256:{sha256_of(Path(spec.target))}"
    key = run_key(
        set=photos.list_hash or photos.content_hash,  # that of answers to the table alone
        predictions=weights_hash,
        classes=sha256_of(Path(spec.classes)) if spec.classes else "",
        background=spec.background,
    )
    folder = run_folder(runs, photos.name, spec.name, key)
    if (kept := load_run(folder)) is not None:
        return kept
    run = make_run(photos, counted, provenance_of_answers(spec, key, weights_hash))
    save_run(folder, run, counted.predictions)
    return run
