"""What is leased just now, as far as this process knows."""

import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

_SECONDS = 1.0  # for which what was read of a class is used


class Leased:
    """How many live leases each candidate has: class by class, as read a moment ago.

    Leases that this process gives and ends are counted at once; of those of others it learns when
    it reads the class again. It is for suggestions only: the store decides.
    """

    def __init__(self) -> None:
        self._read_at: dict[str, float] = {}
        self._counts: dict[str, Counter[int]] = {}

    def unknown(self, classes: Iterable[str]) -> list[str]:
        """Those of these classes that have to be read (again)."""
        old = time.monotonic() - _SECONDS
        return [wnid for wnid in classes if self._read_at.get(wnid, old) <= old]

    def learn(self, counts: Mapping[str, Counter[int]]) -> None:
        """Take what was just read: for each class the leases of its candidates."""
        self._counts.update(counts)
        self._read_at.update(dict.fromkeys(counts, time.monotonic()))

    def of(self, wnid: str) -> Mapping[int, int]:
        """The leases of the candidates of a class that was read."""
        return self._counts[wnid]

    def add(self, wnid: str, candidates: Collection[int], leases: int) -> None:
        """Count a lease of each of these candidates more (1) or less (-1)."""
        if (counts := self._counts.get(wnid)) is not None:
            for candidate in candidates:
                counts[candidate] += leases

    def forget(self) -> None:
        """Read all classes again when they are next asked for."""
        self._read_at.clear()
