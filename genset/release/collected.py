"""What a protocol collected in one window of time: a release under it takes no other candidates."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from genset.release.exclusions import Exclusion


@dataclass(frozen=True, slots=True)
class Collected:
    """The candidates of one window of a protocol (`genset.protocols`).

    Attributes:
        protocol: the protocol's name.
        sha256: over all that it says but its name, in hexadecimal digits.
        genset: the version that chooses by it.
        posted_after, posted_before: the window of posting times, days as in "2027-01-01": the
            first in, the last out.
        tasks: the names of the candidates; None where only the window is known.
        classes: the wnids of the protocol's classes, also of those without a candidate.
        earlier: the photos of earlier releases, of which none may come again.
    """

    protocol: str
    sha256: str
    genset: str
    posted_after: str
    posted_before: str
    tasks: frozenset[str] | None = None
    classes: tuple[str, ...] = ()
    earlier: tuple[Exclusion, ...] = ()

    @classmethod
    def of(cls, told: Mapping[str, Any] | None) -> "Collected | None":
        """What a manifest says of it, but for the candidates; None where it says nothing.

        Raises:
            KeyError: it does not say all.
            TypeError: it says something else.
        """
        if told is None:
            return None
        return cls(
            protocol=str(told["name"]),
            sha256=str(told["sha256"]),
            genset=str(told["genset"]),
            posted_after=str(told["posted_after"]),
            posted_before=str(told["posted_before"]),
        )

    def as_json(self) -> dict[str, Any]:
        """What a manifest says of it."""
        return {
            "name": self.protocol,
            "sha256": self.sha256,
            "genset": self.genset,
            "posted_after": self.posted_after,
            "posted_before": self.posted_before,
            "earlier": [{"name": each.name, "sha256": each.sha256} for each in self.earlier],
        }

    def has(self, task: str, posted_at: str) -> bool:
        """Whether a candidate is one of them; `posted_at` is in ISO 8601, in UTC."""
        if self.tasks is not None:
            return task in self.tasks
        return self.spans(posted_at)

    def spans(self, posted_at: str) -> bool:
        """Whether a time, ISO 8601 in UTC, is in the window."""
        return self.posted_after <= posted_at < self.posted_before
