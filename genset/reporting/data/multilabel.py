"""What a report says by all classes that photos show."""

from dataclasses import dataclass

from genset.comparison.standing import TruthRanks


@dataclass(frozen=True, slots=True)
class TruthSummary:
    """The multi-label truth of a set, in numbers of photos.

    Attributes:
        source: the file's or the release's name.
        sha256: of the file; of a release, of its content.
        photos: of the set.
        with_correct: that have a right class; the others are left out.
        with_own: whose own class is among the right ones.
        with_several: that have more than one.
        with_unclear: that have a class of which people could not say.
        not_named: of which the file says nothing.
        proposers: the models that proposed classes to ask about, with the keys of their runs.
        is_own: whether the set is a release that was frozen with it.
    """

    source: str
    sha256: str
    photos: int
    with_correct: int
    with_own: int
    with_several: int
    with_unclear: int
    not_named: int
    proposers: dict[str, tuple[str, ...]]
    is_own: bool


@dataclass(frozen=True, slots=True)
class ByTruth:
    """A set's truth, and how models rank by it; each model's numbers are with the model."""

    truth: TruthSummary
    standing: TruthRanks
