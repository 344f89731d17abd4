"""Which further classes a photo may show: models' answers and the classes it is confused with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from genset.classes import Taxonomy, imagenet1k

MODEL, CONFUSABLE, LABELER = "model", "confusable", "labeler"
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
    """All further classes that are proposed for a photo of the class `home`, with their proposers.

    They are the five best answers of each model, without `home` and what is no class,
    and the classes that `home` may be taken for. First come those that most propose (each model is
    one, and the list of confusable classes is one); among these, those at the best place, then
    those that a model proposes, then by wnid. Without a `taxonomy` the classes are ImageNet's.
    """
    taxonomy = imagenet1k() if taxonomy is None else taxonomy
    proposers: dict[str, list[Proposer]] = {}
    for model in models:
        for place, wnid in enumerate(model.best.get(file, ())[:BEST], start=1):
            if wnid != home and wnid in taxonomy:
                proposers.setdefault(wnid, []).append(Proposer(MODEL, model.name, place, model.run))
    for place, other in enumerate(taxonomy.confusable(home), start=1):
        proposers.setdefault(other.wnid, []).append(Proposer(CONFUSABLE, home, place))

    def order(wnid: str) -> tuple[int, int, bool, str]:
        by = proposers[wnid]
        best = min(proposer.place or 0 for proposer in by)
        return -len(by), best, by[0].kind != MODEL, wnid

    return {wnid: proposers[wnid] for wnid in sorted(proposers, key=order)}
