"""What it takes to score a report's models again."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scoring:
    """Models that one command scores.

    Attributes:
        options: of the command, as in ("--among subset", "--logits").
        specs: the models'.
    """

    options: tuple[str, ...]
    specs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Again:
    """The commands that score a report's models.

    Attributes:
        taxonomy: what `--taxonomy` is given; "" where the set says its classes itself.
        convention: the options that say by which convention models met the set's own classes, where
            all have the same.
        scorings: in turn: one may read what another before it keeps.
        by_hand: labels of models that no command scores, since Python had them in memory.
    """

    taxonomy: str
    convention: tuple[str, ...]
    scorings: tuple[Scoring, ...]
    by_hand: tuple[str, ...]
