"""genset in Python: what the command line does, with a network in memory, an array, a table.

    >>> import genset
    >>> photos = genset.open_set("v1")
    >>> run = genset.evaluate(photos, model, transform=transform, name="mine")
    >>> run.top1.value, run.top1.low, run.top1.high
    >>> print(genset.compare(run, other))
    >>> genset.report([run, other], "report.html")

These are `genset.open_set`, `genset.evaluate` and so on; `docs/python.md` explains them.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from genset.classes import Taxonomy
from genset.classes.files import taxonomy_named
from genset.comparison.evaluated import Comparison, Estimate, Evaluation
from genset.comparison.given import count_array
from genset.comparison.pairs import compare as compare_models
from genset.comparison.unseen import notes_on_training, unseen
from genset.core.errors import BadInput, GensetError
from genset.core.safe import clean
from genset.models.mapping.pooling import Among, Pool
from genset.models.spec import parse_spec
from genset.release.reader import Release
from genset.score.evaluate import evaluate as evaluate_specs
from genset.score.options import ScoringOptions
from genset.score.predictions.mapped import check_convention
from genset.score.results.count import on_shared_photos
from genset.score.results.names import by_convention
from genset.score.results.results import Results, results_of
from genset.score.results.runs import run_folder
from genset.sets.layouts.layout import Classes
from genset.sets.memory import numbers_in, photos_in_memory
from genset.sets.open import locate_runs, locate_set
from genset.sets.photos import PhotoSet
from genset.sets.truths.store import give_truth, with_truth
from genset.sets.truths.truth import TRUTHS, By
from genset.statistics.bootstrap import Resampling

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from genset.reporting.report import ReportData

_LONGEST_NAME = 120

__all__ = ["Comparison", "Evaluation", "Release", "compare", "evaluate", "open_set", "report"]


class HowToScore(TypedDict, total=False):
    """How a model is scored.

    Attributes:
        keep: how many classes of each photo are kept, 5 to 1,000.
        logits: whether all logits are kept too.
        engine: "torch", "onnxruntime", "openvino", or "auto".
        precision: "float32", "bf16" or "fp16".
        decoding: "exact" or "fast".
        workers: processes that decode and score; 0: one a core.
        cluster: "ray", or "".
        cache: folder where pixels are kept for later runs.
        allow_code: load models that are code (TorchScript).
        pool: on classes of your own, what a class gets of the probabilities of a model's outputs
            that are below it: their "sum" (the default), or "max", the largest.
        among: there, what competes: "all" outputs (the default), or the "subset" of those of the
            set's classes.
    """

    keep: int
    logits: bool
    engine: str
    precision: str
    decoding: str
    workers: int
    cluster: str
    cache: str | PathLike[str] | None
    allow_code: bool
    pool: Pool
    among: Among


def open_set(
    named: Any,
    *,
    classes: Sequence[str] = (),
    taxonomy: Taxonomy | str | PathLike[str] | None = None,
) -> PhotoSet:
    """Open a set of photos.

    Args:
        named: a release of the workspace that the current folder lies in, a release's path, a
            folder of one folder of photos a class (``n02123045/photo.jpg``), a CSV file with the
            columns image and wnid, a ``.tar`` of these, WebDataset's shards, or a Hugging Face data
            set: ``docs/evaluating.md`` has all layouts. Or one in memory: a torchvision
            ``ImageFolder``, a Hugging Face ``Dataset``, a ``DataLoader`` of either, or any whose
            items are a photo and its class.
        classes: names of folders that are no classes of ImageNet, and count as classes.
        taxonomy: the classes of the photos, if they are your own: a file of them
            (``docs/your-classes.md``), or what `genset.classes.read_taxonomy` gave. A release says
            itself what its classes are.

    Returns:
        The set; `ids` says in which order its photos are.

    Raises:
        BadInput: there is none, or it holds no photo; or the taxonomy has mistakes, or is given to
            a release.
        ReleaseDamaged: it is a release, and not what its manifest says.
    """
    named_by = "" if isinstance(taxonomy, Taxonomy) else str(taxonomy or "")
    if not isinstance(taxonomy, Taxonomy | None):
        taxonomy = taxonomy_named(named_by)
    if isinstance(named, str | PathLike):
        found = locate_set(str(named), others=classes, taxonomy=taxonomy)
    else:
        found = photos_in_memory(named, Classes.of(taxonomy, classes), classes)
    return replace(found, classes_named=named_by)


def evaluate(
    photos: Any,
    model: Callable[..., Any] | str | None = None,
    *,
    predictions: "ArrayLike | None" = None,
    transform: Callable[[Any], Any] | None = None,
    name: str = "",
    classes: Sequence[str] | None = None,
    runs: str | PathLike[str] | None = None,
    multilabel: str | PathLike[str] | Mapping[str, Any] | None = None,
    taxonomy: Taxonomy | str | PathLike[str] | None = None,
    **how: Unpack[HowToScore],
) -> Evaluation:
    """Score one model on a set of photos.

    A network in memory is scored in this process, on the device where it is, and left as it was.
    With a `name` its run is kept, and found again where name, weights and transform are the same:
    then nothing is computed. Without one nothing is kept. A model that a spec names is scored as
    ``genset evaluate`` does it, and its run is always kept.

    Args:
        photos: the set, or what `open_set` takes: also a torch ``DataLoader``, a torchvision
            ``ImageFolder`` or a Hugging Face ``Dataset``, which is scored in its own order.
        model: a network that takes N x 3 x H x W float32 and gives N x classes scores; a pipeline
            of transformers' for image classification; a function from an RGB image of Pillow's to a
            score for each class; or a spec, as in "torchvision:resnet50".
        predictions: in place of a model, its answers, whose rows follow `photos.ids`: N x k class
            indices, the best first; or N x classes logits or probabilities; or N wnids; or a dict
            or a pandas table of these, whose rows are told by the photos' ids.
        transform: for a network: from an RGB image of Pillow's to 3 x H x W. A model of timm's
            brings its own.
        name: of the model in tables.
        classes: what each output stands for, if not ImageNet's 1,000 classes in the order of
            their wnids: wnids, or the names of the set's own classes. On a set with a taxonomy of
            its own, outputs meet the classes by their ids, by the classes' lists, or by WordNet
            (``docs/your-classes.md``): `Evaluation.record.mapping` says how.
        runs: the folder where runs are kept; by default the workspace's, or ``runs``.
        multilabel: a file with all classes that each photo shows, which is kept with the set in
            place of the one that it had: ReaL's ``real.json``, and other forms that
            ``docs/evaluating.md`` has; or a dict from photo ids to lists of wnids. Then
            `Evaluation.multilabel` has the model's numbers by it.
        taxonomy: whose classes the photos are of, where `photos` is a path: see `open_set`.
        how: how the model is scored, as in ``precision="bf16"``: see `HowToScore`.

    Raises:
        BadInput: an argument is wrong, or arguments do not go together.
        ModelError: the model cannot be loaded or run.
        GensetError: no photo can be read, or the run cannot be written.
    """
    if not isinstance(photos, PhotoSet):
        photos = open_set(photos, classes=classes or (), taxonomy=taxonomy)
    elif taxonomy is not None:
        raise BadInput("taxonomy= is for a path: give it to genset.open_set, which made this set")
    if photos.transform is numbers_in and (transform or isinstance(model, str)):
        raise BadInput(
            "the data set gives numbers, as a network takes them: a spec or a transform= needs one "
            "that gives photos"
        )
    if not isinstance(name, str) or len(name) > _LONGEST_NAME or not name.isprintable():
        raise BadInput(f"name= is up to {_LONGEST_NAME} printable characters, not {name!r:.60}")
    folder = Path(runs) if runs is not None else locate_runs()
    if multilabel is not None:
        if not isinstance(multilabel, str | PathLike | Mapping):
            raise BadInput(
                "multilabel= is a file, or a dict from photo ids to lists of wnids, not a "
                f"{type(multilabel).__name__}"
            )
        source = multilabel if isinstance(multilabel, Mapping) else Path(multilabel)
        photos, replaced = give_truth(photos, source, folder)
        _warn_of_truth(photos, replaced)
    photos = with_truth(photos, folder)
    if predictions is not None:
        if model is not None:
            raise BadInput("evaluate takes a model or predictions=, not both")
        if transform is not None or how.keys() - {"pool", "among"}:
            raise BadInput("predictions= are counted as they are: leave out what is for a model")
        with _files_named():
            convention = _options(how).convention
            check_convention(photos, convention)
            return count_array(photos, predictions, name, classes, folder, convention)
    if model is None:
        raise BadInput("evaluate needs a model, or predictions=")
    options = _options(how)
    check_convention(photos, options.convention)
    if isinstance(model, str):
        if transform is not None or classes is not None or name:
            raise BadInput(
                f"model {model!r}: a spec says itself what it is called, how photos are "
                "transformed and what its classes are: ?name=, &resize=, ..., &classes=FILE"
            )
        with _files_named():
            photos = replace(photos, transform=None)
            (run,) = evaluate_specs(photos, [parse_spec(model)], folder, options)
        return Evaluation(run, photos, run_folder(folder, photos.name, run.model, run.key))
    from genset.comparison.in_memory import model_in_memory, score_in_memory

    with _files_named():
        loaded = model_in_memory(photos, model, transform or photos.transform, name, classes)
        return score_in_memory(photos, loaded, folder if name else None, options)


def compare(first: Evaluation, second: Evaluation, *, truth: By = "original") -> Comparison:
    """Say whether two models differ on the photos that both were scored on.

    Args:
        first, second: what `evaluate` gave, on one set, or on parts of one release.
        truth: what makes an answer right: "original", the photo's own class; "real", any of its
            right classes (ReaL); "multilabel", an unclear one too.

    Raises:
        BadInput: these are no models that were evaluated, they were scored on different sets, the
            set has no such truth, or no photo counts for both.
    """
    from genset.reporting.verdict import answered_of_both, compared, notes_on

    first, second = _on_one_set([first, second])
    results = _side_by_side([first, second])
    if truth not in TRUTHS:
        raise BadInput(f"truth= is {' or '.join(TRUTHS)}, not {truth!r:.40}")
    scored = [results.find_run(one.record) for one in (first, second)]
    pairs = compare_models(results, scored, truth)
    if not pairs:
        raise BadInput(f"no photo of {first.photos.name} counts for both models")
    (pair,) = pairs
    seen = unseen(first.photos, [first.record, second.record])
    names = by_convention([first.record, second.record])
    answered = answered_of_both(results, scored, truth)
    return Comparison(
        first=names[0],
        second=names[1],
        photos=pair.photos,
        difference=Estimate(pair.difference, pair.interval.low, pair.interval.high),
        p_value=pair.p_value,
        only_first=pair.only_first,
        only_second=pair.only_second,
        sentence="\n".join(
            [
                compared(pair, first.photos.name, answered, truth),
                *notes_on(*scored),
                *notes_on_training(seen),
            ]
        ),
    )


def report(
    evaluated: Iterable[Evaluation],
    path: str | PathLike[str],
    *,
    runs: str | PathLike[str] | None = None,
    seed: int = 0,
    **options: Any,
) -> "ReportData":
    """Write one HTML file on models that were scored on one set. It opens offline.

    Args:
        evaluated: what `evaluate` gave.
        path: the HTML file.
        runs: the folder of runs, for a `reference` that is another set, and for fine-tuning.
        seed: of the draws for intervals.
        options: what else it is asked for, as in ``reference="imagenet-val"``: the attributes of
            `genset.reporting.options.ReportOptions`.

    Returns:
        The numbers in it.

    Raises:
        BadInput: there is no model, they were scored on different sets, or an option names what
            is not there.
        MissingExtra: Jinja is not installed.
    """
    from genset.reporting.collect import collect_results
    from genset.reporting.options import ReportOptions
    from genset.reporting.page import page_of
    from genset.reporting.write import write_page

    if isinstance(evaluated, Evaluation):
        evaluated = [evaluated]
    models = _on_one_set(evaluated)
    if Path(path).is_dir():
        raise BadInput(f"{path} is a folder: name the report's HTML file in it")
    if options.get("compare") is not None:
        options["compare"] = Path(options["compare"])
    try:
        named = models[0].photos.classes_named
        asked = ReportOptions(resampling=Resampling(seed=seed), taxonomy=named, **options)
    except TypeError as error:
        raise BadInput(f"report: {error}".replace("ReportOptions.__init__() ", "")) from None
    folder = Path(runs) if runs is not None else locate_runs()
    with _files_named():
        data = collect_results(_side_by_side(models), folder, asked)
        write_page(Path(path), page_of(data))
    return data


def _options(how: HowToScore) -> ScoringOptions:
    values: dict[str, Any] = dict(how)
    if values.get("cache") is not None:
        values["cache"] = Path(values["cache"])
    try:
        return ScoringOptions(**values)
    except TypeError as error:
        raise BadInput(f"evaluate: {error}".replace("ScoringOptions.__init__() ", "")) from None


def _warn_of_truth(photos: PhotoSet, replaced: str) -> None:
    """Warn of what a set's new truth takes the place of, and of one that is hardly its own."""
    from genset.reporting.sections.multilabel import doubt, summarize_truth

    if (truth := photos.truth) is None:
        return
    now = f"{truth.source} is the truth of {photos.name} from now on, not {replaced}."
    for message in (now if replaced else "", doubt(summarize_truth(photos, truth))):
        if message:
            warnings.warn(clean(message, 400), stacklevel=3)


def _on_one_set(evaluated: Iterable[Evaluation]) -> list[Evaluation]:
    """The same on one set; of a release and parts of it, on the smallest, by what each answered."""
    models = list(evaluated)
    for item in models:
        if not isinstance(item, Evaluation):
            raise BadInput(f"what genset.evaluate gave is needed here, not a {type(item).__name__}")
    if not models:
        raise BadInput("a report needs at least one model that was evaluated")
    photos = min((item.photos for item in models), key=len)
    return [_on(photos, item) for item in models]


def _on(photos: PhotoSet, model: Evaluation) -> Evaluation:
    if model.photos.content_hash == photos.content_hash:
        return model
    if not photos.whole or model.photos.whole != photos.whole:
        names = " and ".join(sorted((model.photos.name, photos.name)))
        raise BadInput(f"these models were scored on different sets: {names}")
    counted, shared = on_shared_photos(model.record, model.predictions, photos)
    if not shared:
        raise BadInput(f"{model.model} has no answer to any of the {photos.name}")
    return Evaluation(counted, photos, None, shared)


@contextmanager
def _files_named() -> Iterator[None]:
    """A file that cannot be read or written is one line, as on the command line."""
    try:
        yield
    except OSError as error:
        raise GensetError(f"{error.filename or 'the system'}: {error.strerror or error}") from None


def _side_by_side(evaluated: Sequence[Evaluation]) -> Results:
    ordered = sorted(evaluated, key=lambda item: (-item.top1.value, item.model))
    photos = next((item.photos for item in ordered if item.photos.truth), ordered[0].photos)
    for folder in (item.folder for item in ordered if item.folder):
        photos = with_truth(photos, folder.parent.parent)  # it may have one only since
    return results_of(photos, [item.as_source() for item in ordered])
