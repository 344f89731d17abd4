"""A file of answers in free text: `answers:PATH`, one JSON object a line.

::

    {"image": "n01440764/1.jpg", "answer": "The image shows a **tench**."}

Other fields are passed over, so an answer can be added to a line of `prompts`.
"""

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from genset.core.errors import BadInput
from genset.core.files import write_text
from genset.core.numbers import count
from genset.core.safe import clean
from genset.models.classes import class_order
from genset.models.spec import ModelSpec
from genset.score.predictions.answers.lines import read_lines
from genset.score.predictions.answers.names import ClassNames
from genset.score.predictions.answers.prompts import read_prompts
from genset.score.predictions.answers.taking import (
    NO_OPTIONS,
    NOT_TAKEN,
    TAKEN,
    Options,
    Taken,
    take,
)
from genset.score.predictions.predictions import count_answers
from genset.score.results.count import Counted
from genset.sets.photos import PhotoSet

# Of the rule by which answers are taken: part of a run's key, so that no older run stands for it.
RULE = 1

ANSWERS = "answers.csv"
_EXAMPLES = 3
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class ReadAnswers:
    """A file of answers.

    Attributes:
        counted: the answers as predictions; one that names no class is wrong.
        texts: what was said, by photo.
        taken: which class each means, and how, by photo.
    """

    counted: Counted
    texts: Mapping[str, str]
    taken: Mapping[str, Taken]


def read_answers(spec: ModelSpec, photos: PhotoSet) -> ReadAnswers:
    """Read the file that an `answers:` spec names, and match it with a set's photos.

    Raises:
        BadInput: naming the line that is wrong.
        GensetError: not one photo can be counted.
    """
    path = Path(spec.target)
    if not path.is_file():
        raise BadInput(f"model {spec.text!r}: there is no file {path}")
    own = photos.own_taxonomy
    known = class_order(spec.classes)
    if own is not None and not spec.classes:
        known = tuple(each.wnid for each in own)
    names = ClassNames(known, own)
    try:
        options = read_prompts(Path(spec.prompts), photos) if spec.prompts else {}
        texts, notes = _texts(path, photos)
    except BadInput as error:
        raise BadInput(f"model {spec.text!r}: {error}") from None
    taken = {
        image: take(text, names, options.get(image, NO_OPTIONS)) for image, text in texts.items()
    }
    answers = {image: ((each.wnid,), ()) for image, each in taken.items()}
    said = (*_in_words(photos, known, texts, taken), *_offered(options.values()), *notes)
    counted = count_answers(spec, photos, answers, known, said)
    return ReadAnswers(counted, texts, taken)


def save_answers(folder: Path, read: ReadAnswers) -> None:
    """Write ``answers.csv`` into a run's folder: each answer, and the class that it stands for."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["image", "wnid", "taken", "how", "answer"])
    for prediction in read.counted.predictions:
        taken, said = read.taken[prediction.image], read.texts[prediction.image]
        table.writerow(
            [prediction.image, prediction.wnid, taken.wnid, taken.how, clean(said, _LONGEST)]
        )
    write_text(folder / ANSWERS, text.getvalue())


def _texts(path: Path, photos: PhotoSet) -> tuple[dict[str, str], tuple[str, ...]]:
    """The answer to each photo of the set; and what to say of lines on others."""
    of_set = set(photos.ids)
    lines: dict[str, int] = {}
    texts: dict[str, str] = {}
    for number, line in read_lines(path, ("image", "answer")):
        image = line["image"]
        if image in lines:
            raise BadInput(
                f"{path.name}, line {number}: {clean(image)} was answered in line {lines[image]}"
            )
        lines[image] = number
        if image in of_set:
            texts[image] = line["answer"]
    if not texts:
        raise BadInput(
            f"{path.name} has no photo of {photos.name}, whose photos are called like "
            f"{photos.photos[0].id}"
        )
    strange = [number for image, number in lines.items() if image not in of_set]
    if not strange:
        return texts, ()
    what = count(len(strange), "photo that is", "photos that are")
    return texts, (f"The file also speaks of {what} not in the set (first in line {strange[0]}).",)


def _offered(options: Collection[Options]) -> list[str]:
    numbers = {len(option.letters) for option in options if option.letters}
    if not numbers:
        return []
    return [
        f"Each question offered {max(numbers)} classes with the true one among them, which is "
        "easier than to choose among all."
    ]


def _in_words(
    photos: PhotoSet, known: Collection[str], texts: Mapping[str, str], taken: Mapping[str, Taken]
) -> list[str]:
    """How the answers were taken that count, and a sentence for each reason why some were not."""
    by_reason: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for photo in photos.photos:
        if photo.wnid in known and (each := taken.get(photo.id)) is not None:
            by_reason[each.how][clean(texts[photo.id], 40)] += 1
    found = [f"{by_reason[how].total():,} {how}" for how in TAKEN if how in by_reason]
    said = [f"Answers taken as a class: {', '.join(found) or 'none'}."]
    for how, words in NOT_TAKEN.items():
        if how in by_reason:
            wrong = by_reason[how]
            frequent = [f"“{text}”" for text, _ in wrong.most_common(_EXAMPLES) if text]
            examples = f" ({', '.join(frequent)})" if frequent else ""
            said.append(f"Counted as wrong: {count(wrong.total(), 'answer')} {words}{examples}.")
    return said
