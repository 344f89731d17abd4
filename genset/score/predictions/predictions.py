"""Predictions that somebody made elsewhere: `predictions:PATH`, scored without a model.

A file is one of::

    preds.npy       N x k class indices (integers), best first, one row a photo in the set's order;
                    or N x classes logits or probabilities (floats)
    preds.csv       image, top1, top2, ... (wnids or names of classes, best first; "" for an answer
                    that is no class), and p1, p2, ... where known
    preds.parquet   the same columns; a run's own predictions.csv has them too
"""

from collections.abc import Collection, Mapping, Sequence
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from typing import Any

from genset.classes import imagenet1k
from genset.core.errors import BadInput, GensetError, MissingExtra
from genset.core.files import table_rows
from genset.core.numbers import count
from genset.models.classes import class_order
from genset.models.spec import ModelSpec
from genset.score.predictions.arrays import (
    BEST,
    Answers,
    answers_of_array,
    load_array,
    unreadable,
)
from genset.score.predictions.names import ClassNames, imagenet_names
from genset.score.results.count import CountedAnswers
from genset.score.results.runs import Prediction
from genset.sets.photos import PhotoSet

Row = Mapping[str, Any]


def read_predictions(spec: ModelSpec, photos: PhotoSet, keep: int = BEST) -> CountedAnswers:
    """Read the file that a `predictions:` spec names, and match it with a set's photos.

    A model with a smaller class list is counted on the photos of its own classes alone.

    Args:
        spec: names the file.
        photos: the set.
        keep: how many of the best classes are kept where the file has a score for each.

    Raises:
        BadInput: naming the row or line that is wrong.
        MissingExtra: it is Parquet, and pyarrow is not installed.
        GensetError: not one photo can be counted.
    """
    path = file_of(spec)
    order = class_order(spec.classes, spec.background)
    known = {wnid for wnid in order if wnid}
    if path.suffix == ".npy":
        is_plain = not spec.classes and spec.background is None
        array = load_array(path)
        answers = answers_of_array(path.name, array, order, photos, keep, is_plain=is_plain)
    else:
        rows = read_rows(path)
        answers = answers_of_table(path, rows, known, _class_list(spec), imagenet_names())
    unknown = len(answers.keys() - set(photos.ids))
    what = count(unknown, "photo that is", "photos that are")
    notes = (f"The file also speaks of {what} not in the set.",) * bool(unknown)
    return count_answers(spec, photos, answers, known, notes)


def file_of(spec: ModelSpec) -> Path:
    """The file that a `predictions:` spec names.

    Raises:
        BadInput: there is none, or it is of another kind.
    """
    path = Path(spec.target)
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    if path.suffix not in (".npy", ".csv", ".parquet"):
        raise BadInput("predictions are a .npy, .csv or .parquet file")
    return path


def count_answers(
    spec: ModelSpec,
    photos: PhotoSet,
    answers: Answers,
    known: Collection[str],
    notes: tuple[str, ...] = (),
) -> CountedAnswers:
    """Match answers with a set's photos.

    Args:
        spec: whose answers they are.
        photos: the set.
        answers: by photo.
        known: the wnids of the classes that the model has.
        notes: what to say beside the numbers.

    Raises:
        BadInput: they are to no photo of the set.
        GensetError: not one photo can be counted.
    """
    if answers.keys().isdisjoint(photos.ids):
        called = f"whose photos are called like {photos.photos[0].id}"
        raise BadInput(f"{Path(spec.target).name} has no photo of {photos.name}, {called}")
    countable = [photo for photo in photos.photos if photo.wnid in known]
    answered = [answers[photo.id] for photo in countable if photo.id in answers]
    if not answered:
        raise GensetError(f"model {spec.text!r}: not one photo of {photos.name} can be counted")
    ranks, shares = map(len, answered[0])
    none = ("",) * ranks, (0.0,) * shares
    if missing := len(countable) - len(answered):
        notes = (*notes, _answered(len(answered), missing))
    return CountedAnswers(
        predictions=[
            Prediction(photo.id, photo.wnid, *answers.get(photo.id, none)) for photo in countable
        ],
        excluded={},
        classes=len(known),
        masked=len(photos.photos) - len(countable),
        notes=notes,
    )


def _answered(photos: int, missing: int) -> str:
    """A model does not choose the photos that it is judged by."""
    wrong = f"the other {missing:,} count as wrong" if missing > 1 else "the other one is wrong"
    return f"It answered {photos:,} of {count(photos + missing, 'photo')}; {wrong}."


def answers_of_table(
    path: Path,
    rows: Sequence[Row],
    known: Collection[str],
    owner: str,
    names: ClassNames | None,
) -> Answers:
    """The answers in a table.

    Args:
        path: of the table.
        rows: what it has (`read_rows`).
        known: the classes that may be answers.
        owner: they are, for errors.
        names: what else they may be called.

    Raises:
        BadInput: naming the photo that is wrong.
    """
    columns = [name for name in rows[0] if name] if rows else []
    ranks = sum(f"top{n}" in columns for n in range(1, len(columns) + 1))
    tops = [f"top{n}" for n in range(1, ranks + 1)]
    if "image" not in columns or not ranks or not set(tops) <= set(columns):
        raise BadInput(
            f"{path.name} needs rows with the columns image, top1, top2, ... "
            f"(wnids, best first); it has {', '.join(columns) or 'none'}"
        )
    shares = [f"p{n}" for n in range(1, ranks + 1)]
    has_shares = set(shares) <= set(columns)
    answers: dict[str, tuple[tuple[str, ...], tuple[float, ...]]] = {}
    for number, row in enumerate(rows, 1):
        where = f"{path.name}, photo {number}"
        image = str(row["image"])
        if image in answers:
            raise BadInput(f"{where}: {image} is there twice")
        ranked = tuple(_class_of(where, str(row[name]), known, owner, names) for name in tops)
        if len(set(filter(None, ranked))) < sum(map(bool, ranked)):
            raise BadInput(f"{where}: it has a class twice")
        answers[image] = (ranked, _shares(where, row, shares) if has_shares else ())
    return answers


def _class_of(
    where: str, word: str, known: Collection[str], owner: str, names: ClassNames | None
) -> str:
    """The class that a cell names; "" for an empty one, an answer that is no class."""
    if not word or word in known:
        return word
    meant = sorted(names.find(word)) if names else []
    if len(meant) > 1:
        choices = " or ".join(meant)
        raise BadInput(f"{where}: {word[:40]!r} is the name of several classes: write {choices}")
    if not meant or meant[0] not in known:
        raise BadInput(
            f"{where}: {word[:40]!r} is no class of {owner} (leave the cell empty if the answer is "
            "no class)"
        )
    return meant[0]


def read_rows(path: Path) -> list[Row]:
    """The rows of a table, a photo each, by the names of their columns.

    Raises:
        BadInput: it cannot be read.
        MissingExtra: it is Parquet, and pyarrow is not installed.
    """
    if path.suffix == ".parquet" and find_spec("pyarrow") is None:
        raise MissingExtra("reading Parquet", "evaluate")
    try:
        if path.suffix == ".csv":
            header, *rows = [cells for _, cells in table_rows(path.read_bytes())] or [[]]
            return [dict(zip_longest(header, row[: len(header)], fillvalue="")) for row in rows]
        from pyarrow import parquet

        found: list[Row] = parquet.read_table(path).to_pylist()
        return found
    except Exception as error:  # noqa: BLE001 - pyarrow raises what it likes on a bad file
        raise unreadable(path, error) from None


def _shares(where: str, row: Mapping[str, Any], names: Sequence[str]) -> tuple[float, ...]:
    try:
        shares = tuple(float(row[name]) for name in names)
    except (TypeError, ValueError):
        shares = (-1.0,)
    if not all(0 <= share <= 1 for share in shares):
        raise BadInput(f"{where}: p1, p2, ... are probabilities from 0 to 1")
    return shares


def _class_list(spec: ModelSpec) -> str:
    return spec.classes or f"ImageNet's {len(imagenet1k()):,}"
