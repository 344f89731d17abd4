"""How a release's photos are chosen, as its manifest keeps it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from genset.core.errors import BadInput
from genset.licenses import LicenseChoice
from genset.release.aggregated import AggregatedLabels
from genset.release.exclusions import Exclusion
from genset.release.strategies import RULE, Draws, Majority, Matched, Strategy
from genset.release.table import CandidateRow


@dataclass(frozen=True, slots=True)
class ReleasePlan:
    """How a release's photos are chosen.

    Attributes:
        strategy: chooses from the candidates that pass all other rules.
        seed: of all random draws.
        panel: the panel whose votes are recorded and do not choose; None: all votes do both.
        labels: aggregated labels, of which only "correct" is taken; None: votes are counted.
        min_confidence: the lowest confidence of such a label, 0 to 1; None: any.
        licenses: the allowed licences; None for any.
        sources: the allowed sources; none for any.
        max_per_owner: the most photos of one owner in the release, at least 1; None: no limit.
        balance: whether every class gets as many photos as the class with the fewest.
        exclude: photos of other sets, which the release must not contain.
        one_of_each: whether only one of several similar photos is taken.
    """

    strategy: Strategy = field(default_factory=Majority)
    seed: int = 0
    panel: str | None = None
    labels: AggregatedLabels | None = None
    min_confidence: float | None = None
    licenses: LicenseChoice | None = None
    sources: tuple[str, ...] = ()
    max_per_owner: int | None = None
    balance: bool = False
    exclude: tuple[Exclusion, ...] = ()
    one_of_each: bool = False

    def __post_init__(self) -> None:
        """Check the numbers, and what goes together.

        Raises:
            BadInput: `max_per_owner` is below 1, or labels or their confidence do not apply.
        """
        if self.labels is not None and isinstance(self.strategy, Matched):
            raise BadInput(
                "--labels does not apply to --strategy matched, which takes photos of every "
                "selection frequency"
            )
        if self.min_confidence is not None:
            if self.labels is None:
                raise BadInput("--min-confidence needs --labels: votes alone have no confidence")
            if not 0 <= self.min_confidence <= 1:
                raise BadInput("--min-confidence must be from 0 to 1")
        if self.max_per_owner is not None and self.max_per_owner < 1:
            raise BadInput("--max-per-owner must be at least 1")

    def draws(self, held: Iterable[CandidateRow] = ()) -> Draws:
        """Its random draws, for a release that has the photos `held` whatever is drawn."""
        return Draws(self.seed, self.max_per_owner).after(held)

    @property
    def draws_owners_first(self) -> bool:
        """Whether the photos of each owner are drawn before the strategy picks."""
        return not self.strategy.limits_owners

    def as_json(self) -> dict[str, Any]:
        """The plan as JSON, for the manifest. Unused options are left out."""
        rest: dict[str, Any] = {
            "panel": self.panel,
            "labels": self.labels and self.labels.as_json(),
            "min_confidence": self.min_confidence,
            "licenses": list(self.licenses.words) if self.licenses else [],
            "sources": sorted(self.sources),
            "max_per_owner": self.max_per_owner,
            "balance": self.balance,
            "exclude": [{"file": each.name, "sha256": each.sha256} for each in self.exclude],
            "one_of_each": self.one_of_each,
            "rule": RULE if self.max_per_owner is not None or self.balance else None,
        }
        return {
            "name": self.strategy.name,
            **self.strategy.parameters(),
            "seed": self.seed,
            **{word: value for word, value in rest.items() if value},
        }
