"""Which further classes a photo may show, and which photos get classes drawn at random instead.

Every draw is the sha256 of the seed and of what is drawn for. So it is the same on every machine,
and a draw of one photo does not change those of the others.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest

from genset.classes import Taxonomy, imagenet1k

MODEL, CONFUSABLE, RANDOM, LABELER = "model", "confusable", "random", "labeler"
"""Who proposes: the words of `genset.db.ProposedBy.kind`."""

BEST = 5
"""Answers of a model to a photo that are proposed."""


@dataclass(frozen=True, slots=True)
class ModelAnswers:
    """What one run of a model said of a release's photos.

    Attributes:
        name: the model's, as tables show it.
        run: the key of its run.
        best: by a photo's file in the release (``n02123045/<sha256>.jpg``), wnids, best first.
    """

    name: str
    run: str
    best: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Proposer:
    """Who proposes a class for a photo; the fields are those of `genset.db.ProposedBy`."""

    kind: str
    name: str = ""
    place: int | None = None
    run: str | None = None


def ranked(
    home: str, file: str, models: Sequence[ModelAnswers], taxonomy: Taxonomy | None = None
) -> dict[str, list[Proposer]]:
    """All further classes that are proposed for a photo of the class `home`, and who did.

    They are the five best answers of each model, without `home` and what is no class,
    and the classes that `home` may be taken for. First come those that most propose (each model is
    one, and the list of confusable classes is one); among these, those at the best place, then
    those that a model proposes, then by wnid. Without a `taxonomy` the classes are ImageNet's.
    """
    taxonomy = imagenet1k() if taxonomy is None else taxonomy
    found: dict[str, list[Proposer]] = {}
    for model in models:
        for place, wnid in enumerate(model.best.get(file, ())[:BEST], start=1):
            if wnid != home and wnid in taxonomy:
                found.setdefault(wnid, []).append(Proposer(MODEL, model.name, place, model.run))
    for place, other in enumerate(taxonomy.confusable(home), start=1):
        found.setdefault(other.wnid, []).append(Proposer(CONFUSABLE, home, place))

    def order(wnid: str) -> tuple[int, int, bool, str]:
        by = found[wnid]
        return -len(by), min(each.place or 0 for each in by), by[0].kind != MODEL, wnid

    return {wnid: found[wnid] for wnid in sorted(found, key=order)}


def drawn_photos(files: Collection[str], share: float, seed: int) -> frozenset[str]:
    """The photos that get classes at random: `share` of them, rounded, those with the least draw.

    Args:
        files: the names of all photos in the release.
        share: from 0 to 1.
        seed: of the draw.
    """
    count = int(share * len(files) + 0.5)
    return frozenset(nsmallest(count, files, key=lambda file: (_draw(seed, "photo", file), file)))


def drawn_count(average: float, file: str, seed: int) -> int:
    """How many classes a photo gets at random: `average`, rounded up or down by a draw.

    It is rounded up with the probability of the fraction, so that over many photos the mean is the
    average; a larger average never gives fewer.
    """
    return int(average + int(_draw(seed, "count", file)[:13], 16) / 16**13)


def drawn_classes(
    without: Iterable[str], count: int, file: str, seed: int, taxonomy: Taxonomy | None = None
) -> list[str]:
    """`count` classes at random, all alike but those in `without`.

    A larger count gives the same classes and more. Without a `taxonomy` they are ImageNet's.
    """
    taxonomy = imagenet1k() if taxonomy is None else taxonomy
    left_out = set(without)
    classes = [each.wnid for each in taxonomy if each.wnid not in left_out]
    return nsmallest(count, classes, key=lambda wnid: _draw(seed, "class", file, wnid))


def _draw(seed: int, *what: str) -> str:
    return hashlib.sha256(" ".join((str(seed), *what)).encode()).hexdigest()
