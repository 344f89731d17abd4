"""The questions to ask a vision-language model: one line a photo, for any API.

::

    {"image": "n01440764/1.jpg", "path": "/data/v1/n01440764/1.jpg", "question": "Which of ...",
     "options": [{"letter": "A", "name": "tench", "wnid": "n01440764"}, ...],
     "seed": 0, "set_hash": "sha256:..."}

The names of all classes are offered, in an order of each photo's own; or N options with letters,
one of them true: half of the others are classes that the true one may be taken for, as far as there
are so many, the rest are drawn from all others. Order and draw come from the seed and the photo's
id, so they stay when photos come or go. A line does not say which option is true.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from string import ascii_uppercase
from typing import Any

from genset.classes import Taxonomy, imagenet1k
from genset.core.errors import BadInput
from genset.core.files import written_whole
from genset.score.predictions.answers.lines import read_lines
from genset.score.predictions.answers.names import name_offered, normalized
from genset.score.predictions.answers.taking import Options
from genset.sets.photos import PhotoSet, ScoredPhoto

MOST_OPTIONS = len(ascii_uppercase)


def write_prompts(photos: PhotoSet, path: Path, options: int | None = None, seed: int = 0) -> None:
    """Write the questions on a set's photos.

    Args:
        photos: the set.
        path: the file of JSON lines.
        options: how many are offered, 2 to 26, with letters; None: the names of all classes:
            ImageNet's 1,000, or the set's where it has others.
        seed: of draws and orders.

    Raises:
        BadInput: the set only lists photos, or has not so many classes.
    """
    if photos.listed:
        raise BadInput(f"{photos.name} lists photos that are not here: there is nothing to show")
    classes = _classes(photos)
    if options is not None and not 2 <= options <= min(MOST_OPTIONS, len(classes)):
        most = min(MOST_OPTIONS, len(classes))
        raise BadInput(f"2 to {most} options can be offered, or all; not {options}")
    with written_whole(path) as file:
        for photo in photos.photos:
            draw = Random(f"{seed}:{photo.id}")  # noqa: S311 - an order, and no secret
            line = {
                "image": photo.id,
                "path": str(photo.path.resolve()),
                **_question(photo, photos.own_taxonomy, classes, options, draw),
                "seed": seed,
                "set_hash": photos.content_hash,
            }
            file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")


def read_prompts(path: Path, photos: PhotoSet) -> dict[str, Options]:
    """The options of each photo's question, by its id, from a file of `write_prompts`.

    Raises:
        BadInput: naming the line that is none, or is of another set.
    """
    found = {}
    for number, line in read_lines(path, ("image", "set_hash")):
        where = f"{path.name}, line {number}"
        if line["set_hash"] != photos.content_hash:
            raise BadInput(f"{where}: it was written for another set than {photos.name}")
        if line["image"] in found:
            raise BadInput(f"{where}: {line['image']} is there twice")
        found[line["image"]] = _options(where, line.get("options"))
    return found


def _options(where: str, given: Any) -> Options:
    try:
        letters = {str(each["letter"]): str(each["wnid"]) for each in given}
        names = {normalized(str(each["name"])): str(each["wnid"]) for each in given}
    except (TypeError, KeyError):
        raise BadInput(f"{where}: its options have no letter, name and wnid") from None
    return Options(letters, names)


def _classes(photos: PhotoSet) -> list[str]:
    if photos.own_taxonomy is not None:
        return [each.wnid for each in photos.own_taxonomy]
    own = {photo.wnid for photo in photos.photos}
    imagenet = [each.wnid for each in imagenet1k()]
    return imagenet if own <= set(imagenet) else sorted(own)


def _question(
    photo: ScoredPhoto,
    own: Taxonomy | None,
    classes: Sequence[str],
    options: int | None,
    draw: Random,
) -> Mapping[str, object]:
    if options is None:
        names = [name_offered(wnid, own) for wnid in classes]
        draw.shuffle(names)
        asked = "What is the main object in this photo? Answer with one of these names alone:"
        return {"question": f"{asked} {'; '.join(names)}", "options": []}
    offered = [photo.wnid, *_others(photo.wnid, own or imagenet1k(), classes, options - 1, draw)]
    draw.shuffle(offered)
    lettered = [
        {"letter": letter, "name": name_offered(wnid, own), "wnid": wnid}
        for letter, wnid in zip(ascii_uppercase, offered, strict=False)
    ]
    lines = "\n".join(f"{each['letter']}. {each['name']}" for each in lettered)
    asked = "What is the main object in this photo? Answer with the letter alone."
    return {"question": f"{asked}\n{lines}", "options": lettered}


def _others(
    wnid: str, taxonomy: Taxonomy, classes: Sequence[str], count: int, draw: Random
) -> list[str]:
    """Wrong options: as many that the class may be taken for as make half, and random ones."""
    alike = [each.wnid for each in taxonomy.confusable(wnid)] if wnid in taxonomy else []
    chosen = alike[: count // 2]
    rest = [other for other in classes if other != wnid and other not in chosen]
    return [*chosen, *draw.sample(rest, count - len(chosen))]
