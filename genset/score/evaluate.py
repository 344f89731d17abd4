"""Score models on a set: the door to the rest."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from genset.core.errors import BadInput, GensetError, MissingExtra, ModelError
from genset.core.files import sha256_of
from genset.core.numbers import count
from genset.core.progress import say
from genset.core.safe import visible
from genset.models.classes import list_identity
from genset.models.spec import ModelSpec, errors_of
from genset.score.options import ScoringOptions
from genset.score.predictions.arrays import BEST, holds_scores, keep_scores
from genset.score.predictions.mapped import check_convention, read_predictions
from genset.score.predictions.names import NAMES_VERSION
from genset.score.results.count import make_run, record_of_answers
from genset.score.results.runs import (
    LOGITS,
    Run,
    load_run,
    run_folder,
    run_key,
    save_run,
    update_run,
)
from genset.sets.photos import PhotoSet

_SUFFIXES = (".safetensors", ".bin", ".pt", ".pth")  # of weights in a folder of Hugging Face's form


def _hashes(before: Mapping[Path, tuple[int, ...] | None]) -> list[str]:
    """The sha256 of each file of weights, 64 hexadecimal digits.

    None of one that has changed since (a training may be under way), or cannot be read: what the
    weights were read from is not known then.
    """
    found = []
    for path, state in before.items():
        with suppress(OSError):
            digest = sha256_of(path)
            if state is not None and _state(path) == state:
                found.append(digest)
    return found


def _state(path: Path) -> tuple[int, ...] | None:
    """What tells that a file was written again; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


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
        """How many failed: the command prints `by_name` as a table."""
        return [f"{len(self.failed)} of {count(len(self.failed) + len(self.runs), 'model')} failed"]


def evaluate(
    photos: PhotoSet,
    specs: Sequence[ModelSpec],
    runs: Path,
    options: ScoringOptions | None = None,
) -> list[Run]:
    """Score models on the set in one pass over its photos, and keep their predictions in `runs`.

    A model that was scored on this set before, with the same weights and preprocessing, is not
    scored again; one whose scoring was cut off goes on.

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
                "predictions:PATH can be scored on it"
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
    before = {spec: {path: _state(path) for path in _paths(spec)} for spec in specs}
    if networks := [spec for spec in specs if not spec.is_predictions]:
        found |= _score_networks(photos, networks, runs, options)
    made = []
    for spec in specs:
        if isinstance(run := found[spec], Run):
            folder = run_folder(runs, photos.name, spec.name, run.key)
            hashes = _hashes(before[spec])
            made.append(update_run(folder, run, spec, hashes, photos.notes))
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
    from genset.score.plan import ScoringPlan
    from genset.score.score import score_models
    from genset.score.workers.executor import open_executor

    # Workers are sent the set, and have no use for what is right beside each photo's own class.
    photos = replace(photos, truth=None)
    plan = ScoringPlan(photos, runs, options, open_executor(options))
    return dict(zip(specs, score_models(plan, specs), strict=True))


def _count_predictions(
    photos: PhotoSet, spec: ModelSpec, runs: Path, options: ScoringOptions
) -> Run:
    keep = options.keep or BEST
    with errors_of(spec.text):
        counted, mapping = read_predictions(spec, photos, keep, options.convention)
    weights_hash = f"sha256:{sha256_of(Path(spec.target))}"
    have_scores = holds_scores(spec)
    if options.logits and not have_scores:
        say(visible(f"{spec.name}: classes are given and no scores, so that no logits are kept"))
    key = run_key(
        set=photos.list_hash or photos.content_hash,  # that of answers to the table alone
        predictions=weights_hash,
        classes=list_identity(spec.classes),
        background=spec.background,
        names=NAMES_VERSION,
        keep=keep if have_scores or mapping else 0,
        mapping=mapping.identity if mapping else None,
    )
    folder = run_folder(runs, photos.name, spec.name, key)
    if options.logits and have_scores and not (folder / LOGITS).is_file():
        keep_scores(spec, photos, folder, mapping.known if mapping else ())
    if (stored := load_run(folder)) is not None:
        return stored
    run = make_run(photos, counted, record_of_answers(spec, key, weights_hash))
    save_run(folder, run, counted.predictions)
    return run
