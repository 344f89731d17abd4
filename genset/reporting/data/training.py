"""Whether models do better on photos that they could have been trained on."""

from dataclasses import dataclass

from genset.statistics.matched import Matched, Mean


@dataclass(frozen=True, slots=True)
class ModelAtDate:
    """One model on photos posted after a date (`matched.first`) and until then (`.second`).

    The difference is the accuracy on earlier photos less that on later ones. `beyond` is that
    difference less the mean difference of the models that could have seen no photo of either;
    None where there are none, for these models themselves, and where the classes cannot tell.
    """

    label: str
    trained_until: str
    matched: Matched
    beyond: Mean | None


@dataclass(frozen=True, slots=True)
class DateSplit:
    """The photos of a set, split at the end of a date until which models were trained.

    Attributes:
        until: the date, as it was given.
        trained: the labels of the models that were trained until then.
        earlier, later: photos posted until the date, and after it.
        taken_later: of the later ones, those also taken after the date: they were nowhere before.
        classes: how many have photos of both times.
        photos: of these classes, later and earlier ones.
        blind: the labels of the models that could have seen no photo of the set.
        models: all models of the report, in its order.
    """

    until: str
    trained: tuple[str, ...]
    earlier: int
    later: int
    taken_later: int
    classes: int
    photos: tuple[int, int]
    blind: tuple[str, ...]
    models: tuple[ModelAtDate, ...]


@dataclass(frozen=True, slots=True)
class ByTraining:
    """A set by the dates until which its models were trained.

    Attributes:
        splits: by date, the first one first; none where photos have no dates.
        dated: photos with a date.
        undated: photos without one, which are in no split.
        unsaid: the labels of the models of which no date is known.
    """

    splits: tuple[DateSplit, ...]
    dated: int
    undated: int
    unsaid: tuple[str, ...]
