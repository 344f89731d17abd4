"""How heads are fitted and tested."""

from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any

from genset.core.errors import BadInput
from genset.finetune.fit.probe import STRENGTHS
from genset.finetune.fit.sgd import Recipe
from genset.score.options import ScoringOptions

PROBES = ("features", "sgd")
ALL = "all"


@dataclass(frozen=True, slots=True)
class FinetuneOptions:
    """How heads are fitted and tested.

    Attributes:
        probe: "features": a layer fitted on features that are computed once; "sgd": batches
            through the frozen network, epoch by epoch.
        seeds: how many heads are fitted on the same photos, with seeds 0, 1, ...
        shots: for the learning curve: numbers of training photos of each class. Heads on all
            photos are always fitted too.
        strengths: the inverse strengths of the regularizer to choose from (scikit-learn's C).
        epochs, augment: of "sgd".
        test_share, split_seed: for tasks that define no split.
        scoring: how features are computed.

    Raises:
        BadInput: a value is not possible.
    """

    probe: str = "features"
    seeds: int = 3
    shots: tuple[int, ...] = ()
    strengths: tuple[float, ...] = STRENGTHS
    epochs: int = 30
    augment: bool = True
    test_share: float = 0.2
    split_seed: int = 0
    scoring: ScoringOptions = field(default_factory=ScoringOptions)

    def __post_init__(self) -> None:
        """Check the values."""
        if self.probe not in PROBES:
            raise BadInput(f"the probe is one of {', '.join(PROBES)}, not {self.probe}")
        for what, value, most in (("seeds", self.seeds, 100), ("epochs", self.epochs, 10_000)):
            if not 1 <= value <= most:
                raise BadInput(f"{what}: 1 to {most:,} are possible, not {value}")
        if not 0 < self.test_share < 1:
            raise BadInput(f"the test part is a share between 0 and 1, not {self.test_share:g}")
        if self.split_seed < 0:
            raise BadInput(f"a seed is 0 or more, not {self.split_seed}")

    @property
    def settings(self) -> dict[str, Any]:
        """What determines the heads, as it is stored with them."""
        training = asdict(self.recipe) if self.probe == "sgd" else {}
        strengths = list(self.strengths)
        return {"seeds": self.seeds, "shots": [*self.shots, ALL], **training} | {
            "strengths": strengths
        }

    @property
    def recipe(self) -> Recipe:
        """How "sgd" trains."""
        return Recipe(epochs=self.epochs, augment=self.augment, strengths=self.strengths)


def read_shots(text: str) -> tuple[int, ...]:
    """Parse a list of shots, as in "1,2,5,all". "all" is always included.

    Raises:
        BadInput: a part is neither a number from 1 on nor "all".
    """
    found = set()
    for word in text.split(","):
        if (part := word.strip()) == ALL:
            continue
        if not (part.isascii() and part.isdigit() and 1 <= int(part) <= 1_000_000):
            raise BadInput(f"--shots {text}: write photos of each class, as in 1,2,5,10,all")
        found.add(int(part))
    return tuple(sorted(found))


def read_strengths(text: str) -> tuple[float, ...]:
    """Parse a list of strengths, as in "0.01,0.1,1". A single one is used as it is.

    Raises:
        BadInput: a part is not a number above 0.
    """
    found = set()
    for word in text.split(","):
        try:
            value = float(word)
        except ValueError:
            value = 0.0
        if not (isfinite(value) and value > 0):
            raise BadInput(f"--strengths {text}: write numbers above 0, as in 0.01,0.1,1")
        found.add(value)
    return tuple(sorted(found))
