"""Answers in a file that somebody made elsewhere: its table, and how answers are counted.

A file is one of::

    preds.npy       N x k class indices (integers), best first, one row a photo in the set's order;
                    or N x classes logits or probabilities (floats); also as the only array of .npz
    preds.csv       image, top1, top2, ... (wnids, names or numbers of classes, best first; "" for
                    an answer that is no class), and p1, p2, ... where known; or image, prediction
    preds.parquet   the same columns; a run's own predictions.csv has them too
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from typing import Any

from genset.core.errors import BadInput, GensetError, MissingExtra, first_line
from genset.core.files import table_rows
from genset.core.numbers import count
from genset.models.mapping.pooling import ClassMapping, record_of
from genset.models.spec import ModelSpec
from genset.score.predictions.arrays import ARRAYS, Answers
from genset.score.predictions.names import ClassNames
from genset.score.results.count import CountedAnswers
from genset.score.results.runs import Prediction
from genset.sets.layouts.labels import IMAGE_COLUMNS
from genset.sets.layouts.layout import is_number
from genset.sets.photos import PhotoSet

Row = Mapping[str, Any]

_ANSWER = ("prediction", "predicted", "pred")  # what others call the only answer


def file_of(spec: ModelSpec) -> Path:
    """The file that a `predictions:` spec names.

    Raises:
        BadInput: there is none, or it is of another kind.
    """
    path = Path(spec.target)
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    if path.suffix not in (*ARRAYS, ".csv", ".parquet"):
        mend = "import numpy; numpy.save('preds.npy', ...)"
        raise BadInput(f"predictions are a .npy, .npz, .csv or .parquet file: in Python, {mend}")
    return path


def count_answers(
    spec: ModelSpec,
    photos: PhotoSet,
    answers: Answers,
    known: Collection[str],
    mapping: ClassMapping | None = None,
    notes: tuple[str, ...] = (),
) -> CountedAnswers:
    """Match answers with a set's photos, as far as these are of classes that the model has.

    Args:
        spec: whose answers they are.
        photos: the set.
        answers: by photo.
        known: the classes that the model has, on a set of ImageNet's.
        mapping: how its outputs met the set's classes; None on a set of ImageNet's.
        notes: what else a reader of the numbers must know.

    Raises:
        BadInput: they are to no photo of the set.
        GensetError: not one photo can be counted.
    """
    answers = _by_id(answers, photos)
    if answers.keys().isdisjoint(photos.ids):
        called = f"whose photos are called like {photos.photos[0].id}"
        raise BadInput(f"{Path(spec.target).name} has no photo of {photos.name}, {called}")
    known = mapping.known if mapping else set(filter(None, known))
    unknown = len(answers.keys() - set(photos.ids))
    what = count(unknown, "photo that is", "photos that are")
    notes += (f"The file also speaks of {what} not in the set.",) * bool(unknown)
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
        classes=len(set(filter(None, mapping.columns)) if mapping else known),
        masked=len(photos.photos) - len(countable),
        notes=notes,
        mapping=record_of(mapping, (photo.wnid for photo in photos.photos)) if mapping else None,
    )


def _by_id(answers: Answers, photos: PhotoSet) -> Answers:
    """Answers to photos that lack their folders, or `test/` as in metadata.csv, by their ids."""
    if not answers.keys().isdisjoint(photos.ids):
        return answers
    by_name = {Path(id).name: id for id in photos.ids}
    full = by_name if len(by_name) == len(photos.ids) else {}
    return {full.get(image, f"test/{image}"): answer for image, answer in answers.items()}


def _answered(photos: int, missing: int) -> str:
    """A model does not choose the photos that it is judged by."""
    wrong = f"the other {missing:,} count as wrong" if missing > 1 else "the other one is wrong"
    return f"It answered {photos:,} of {count(photos + missing, 'photo')}; {wrong}."


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What may stand for a class in a table.

    Attributes:
        known: the classes that may be answers.
        owner: whose they are, for errors.
        names: what else they may be called, if anything.
        order: which classes numbers stand for; none where nobody says it.
    """

    known: Collection[str]
    owner: str
    names: ClassNames | None = None
    order: Sequence[str] = ()

    def find(self, where: str, word: str) -> str:
        """The class that a cell names; "" for an empty one, an answer that is no class.

        Raises:
            BadInput: it names none, or several.
        """
        if not word or word in self.known:
            return word
        if is_number(word) and int(word) < len(self.order):
            return self.order[int(word)]
        meant = sorted(self.names.find(word)) if self.names else []
        if len(meant) > 1:
            choices = " or ".join(meant)
            raise BadInput(
                f"{where}: {word[:40]!r} is the name of several classes: write {choices}"
            )
        if not meant or meant[0] not in self.known:
            raise BadInput(
                f"{where}: {word[:40]!r} is no class of {self.owner} (leave the cell empty if the "
                "answer is no class)"
            )
        return meant[0]


def answers_of_table(
    path: Path, rows: Sequence[Row], words: Vocabulary, photos: PhotoSet
) -> Answers:
    """The answers in a table.

    Args:
        path: of the table.
        rows: what it has (`read_rows`).
        words: what may stand for a class.
        photos: the set.

    Raises:
        BadInput: naming the photo that is wrong.
    """
    columns = [name for name in rows[0] if name] if rows else []
    image = next((name for name in columns if name.casefold() in IMAGE_COLUMNS), "")
    ranks = sum(f"top{n}" in columns for n in range(1, len(columns) + 1))
    tops = [f"top{n}" for n in range(1, ranks + 1)]
    tops = tops or [name for name in columns if name.casefold() in _ANSWER][:1]
    if not image or not tops or not set(tops) <= set(columns):
        shown = [*columns[:8], "..."] if len(columns) > 8 else columns
        raise BadInput(
            f"{path.name} needs rows with the columns image, top1, top2, ... "
            f"(wnids, best first): rename its columns; it has {', '.join(shown) or 'none'}"
        )
    shares = [f"p{n}" for n in range(1, ranks + 1)]
    has_shares = bool(shares) and set(shares) <= set(columns)
    truth = {photo.id: photo.wnid for photo in photos.photos}
    answers: dict[str, tuple[tuple[str, ...], tuple[float, ...]]] = {}
    for number, row in enumerate(rows, 1):
        where, id = f"{path.name}, photo {number}", str(row[image])
        if id in answers:
            raise BadInput(f"{where}: {id} is there twice")
        label = str(row.get("wnid") or "")
        if label in photos.taxonomy and truth.get(id, label) != label:
            raise BadInput(
                f"{where}: the wnid of {id} is {label} there and {truth[id]} in {photos.name}: "
                "are its rows shifted, or of another set?"
            )
        ranked = tuple(words.find(where, str(row[name])) for name in tops)
        if len(set(filter(None, ranked))) < sum(map(bool, ranked)):
            raise BadInput(f"{where}: it has a class twice")
        answers[id] = (ranked, _shares(where, row, shares) if has_shares else ())
    return answers


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
        raise BadInput(f"{path} cannot be read: {first_line(error)}") from None


def _shares(where: str, row: Mapping[str, Any], names: Sequence[str]) -> tuple[float, ...]:
    try:
        shares = tuple(float(row[name]) for name in names)
    except (TypeError, ValueError):
        shares = (-1.0,)
    if not all(0 <= share <= 1 for share in shares):
        raise BadInput(f"{where}: p1, p2, ... are probabilities from 0 to 1")
    return shares
