"""How a release's photos are chosen, as its manifest keeps it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from genset.core.errors import BadInput
from genset.core.files import sha256_of
from genset.core.hashes import HEAD, Hashes, near, read_hashes
from genset.licenses import LicenseChoice
from genset.release.aggregated import AggregatedLabels
from genset.release.candidates import CandidateRow
from genset.release.strategies import RULE, Draws, Majority, Matched, Strategy


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A file of hashes.

    Attributes:
        name: the file's name, and `sha256` its hash.
        digests: sha256 of photos, if it lists these.
        fingerprints: perceptual hashes of photos, uint64, if ``genset hash`` wrote it.
    """

    name: str
    sha256: str
    digests: frozenset[str]
    fingerprints: Hashes

    @classmethod
    def read(cls, path: Path) -> "Exclusion":
        """Read a file that ``genset hash`` or ``sha256sum`` wrote.

        Raises:
            BadInput: it is neither. The message names the line.
        """
        try:
            with path.open(encoding="utf-8", errors="surrogateescape") as file:
                perceptual = file.readline() == HEAD
            sha256 = sha256_of(path)
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror}") from None
        if perceptual:
            return cls(path.name, sha256, frozenset(), read_hashes(path).hashes)
        return cls(path.name, sha256, _digests(path), np.empty(0, np.uint64))

    def shared_with(self, entries: Sequence[CandidateRow]) -> list[CandidateRow]:
        """The candidates whose photo is listed: equal bytes, or at most 8 of 64 bits different."""
        hashed = [entry for entry in entries if entry.fingerprint is not None]
        fingerprints = np.array([entry.fingerprint for entry in hashed], np.uint64)
        similar = (
            {index for index, _, _ in near(fingerprints, self.fingerprints)} if hashed else set()
        )
        shared = [hashed[index] for index in sorted(similar)]
        return shared + [entry for entry in entries if entry.sha256 in self.digests]


def _digests(path: Path) -> frozenset[str]:
    found = set()
    lines = path.read_text("utf-8", errors="surrogateescape").splitlines()
    for number, line in enumerate(lines, start=1):
        match = re.match(r"\\?([0-9a-fA-F]{64})(?:\s|$)", line)
        if match is None:
            raise BadInput(
                f"{path}, line {number}: no sha256: --exclude takes a file that genset hash or "
                "sha256sum wrote"
            )
        found.add(match[1].lower())
    if not found:
        raise BadInput(f"{path} holds no hashes")
    return frozenset(found)


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
        deduplicate: whether only one of several similar photos is taken.
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
    deduplicate: bool = False

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

    def draws(self, taken: Iterable[CandidateRow] = ()) -> Draws:
        """Its random draws, for a release that has the photos `held` whatever is drawn."""
        return Draws(self.seed, self.max_per_owner).after(taken)

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
            "exclude": [
                {"file": exclusion.name, "sha256": exclusion.sha256} for exclusion in self.exclude
            ],
            "deduplicate": self.deduplicate,
            "rule": RULE if self.max_per_owner is not None or self.balance else None,
        }
        return {
            "name": self.strategy.name,
            **self.strategy.parameters(),
            "seed": self.seed,
            **{word: value for word, value in rest.items() if value},
        }
