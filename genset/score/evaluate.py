"""Score models on a set: the door to the rest."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from genset.classes import hash_of
from genset.core.errors import BadInput, GensetError, MissingExtra, ModelError
from genset.core.files import sha256_of
from genset.models.classes import list_identity
from genset.models.files import CheckpointFiles
from genset.models.mapping.pooling import ClassMapping
from genset.models.spec import ModelSpec
from genset.score.options import ScoringOptions
from genset.score.predictions.answers.read import RULE, read_answers, save_answers
from genset.score.predictions.mapped import check_convention, count_mapped, read_mapped
from genset.score.predictions.own_tables import refuse_run_on_own_classes
from genset.score.predictions.predictions import KEPT, holds_scores, keep_scores, read_predictions
from genset.score.results.count import make_run, provenance_of_answers
from genset.score.results.runs import (
    LOGITS,
    Run,
    load_run,
    note_left_out,
    note_said,
    run_folder,
    run_key,
    save_run,
)
from genset.sets.photos import PhotoSet


class SomeModelsFailed(ModelError):
    """Some models could not be scored, and the others were.

    `failed` says by spec why; `runs` has those of the others, both in the order of the specs.
    """

    def __init__(self, failed: Mapping[ModelSpec, GensetError], runs: list[Run]) -> None:
        super().__init__("; ".join(map(str, failed.values())))
        self.failed, self.runs = failed, runs

    @property
    def by_name(self) -> list[tuple[str, str]]:
        """Each model that failed, by its name, and why; by its spec where two have one name."""
        named = Counter(spec.name for spec in self.failed)
        return [
            (
                spec.name if named[spec.name] == 1 else spec.text,
                str(error).removeprefix(f"model {spec.text!r}").lstrip(": "),
            )
            for spec, error in self.failed.items()
        ]

    @property
    def lines(self) -> list[str]:
        """A line for each model."""
        return [f"{name}: {why}" for name, why in self.by_name]


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
        BadInput: the set only lists photos, and a model is a network; or the options are for
            classes of one's own.
        SomeModelsFailed: some cannot be loaded or run; the others were scored.
        GensetError: none can, or no photo can be read, or answers cannot be written.
    """
    for spec in specs:
        if photos.listed and not spec.is_predictions:
            raise BadInput(
                f"model {spec.text!r}: {photos.name} lists photos that are not here: only "
                "predictions:PATH or answers:PATH can be scored on it"
            )
    options = options or ScoringOptions()
    check_convention(photos, options.convention)
    found: dict[ModelSpec, Run | GensetError] = {}
    for spec in specs:
        if spec.is_predictions:
            try:
                found[spec] = _count_predictions(photos, spec, runs, options)
            except GensetError as error:
                found[spec] = error
    files: dict[ModelSpec, CheckpointFiles] = {}
    if networks := [spec for spec in specs if not spec.is_predictions]:
        files = {spec: CheckpointFiles(spec) for spec in networks}
        found |= _score_networks(photos, networks, runs, options)
    made = []
    for spec in specs:
        if isinstance(run := found[spec], Run):
            folder = run_folder(runs, photos.name, spec.name, run.key)
            run = note_said(folder, run, spec, files[spec].hashes() if spec in files else ())
            made.append(note_left_out(folder, run, photos.notes))
    failed = {spec: why for spec in specs if isinstance(why := found[spec], GensetError)}
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
    from genset.score.executors.open import open_executor
    from genset.score.plan import ScoringPlan
    from genset.score.score import score_models

    # Workers are sent the set, and have no use for what is right beside each photo's own class.
    photos = replace(photos, truth=None)
    plan = ScoringPlan(photos, runs, options, open_executor(options))
    return dict(zip(specs, score_models(plan, specs), strict=True))


def _count_predictions(
    photos: PhotoSet, spec: ModelSpec, runs: Path, options: ScoringOptions
) -> Run:
    if spec.kind == "answers":
        return _count_answers(photos, spec, runs)
    keep = options.keep or KEPT
    mapping: ClassMapping | None = None
    if photos.own_taxonomy is None:
        refuse_run_on_own_classes(spec, photos)
        counted = read_predictions(spec, photos, keep)
    else:
        given = read_mapped(spec, photos, keep, options.convention)
        mapping, counted = given.mapping, count_mapped(spec, photos, given)
    weights_hash = f"sha256:{sha256_of(Path(spec.target))}"
    have_scores = holds_scores(spec)
    key = run_key(
        set=photos.list_hash or photos.content_hash,  # that of answers to the table alone
        predictions=weights_hash,
        classes=list_identity(spec.classes),
        background=spec.background,
        **({"keep": keep} if (have_scores or mapping) and keep != KEPT else {}),
        **({"mapping": mapping.identity} if mapping else {}),
    )
    folder = run_folder(runs, photos.name, spec.name, key)
    if options.logits and have_scores and not (folder / LOGITS).is_file():
        keep_scores(spec, photos, folder, mapping.known if mapping else ())
    if (kept := load_run(folder)) is not None:
        return kept
    run = make_run(photos, counted, provenance_of_answers(spec, key, weights_hash))
    save_run(folder, run, counted.predictions)
    return run


def _count_answers(photos: PhotoSet, spec: ModelSpec, runs: Path) -> Run:
    read = read_answers(spec, photos)
    answers_hash = f"sha256:{sha256_of(Path(spec.target))}"
    key = run_key(
        set=photos.content_hash,
        answers=answers_hash,
        classes=list_identity(spec.classes),
        prompts=sha256_of(Path(spec.prompts)) if spec.prompts else "",
        rule=RULE,
        # Which class an answer means hangs on what the classes are called.
        **({"taxonomy": hash_of(photos.own_taxonomy)} if photos.own_taxonomy else {}),
    )
    folder = run_folder(runs, photos.name, spec.name, key)
    if (kept := load_run(folder)) is not None:
        return kept
    run = make_run(photos, read.counted, provenance_of_answers(spec, key, answers_hash))
    save_answers(folder, read)
    save_run(folder, run, read.counted.predictions)
    return run
