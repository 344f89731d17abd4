"""Photos of other sets, given by their hashes, that a release must not contain."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from genset.core.errors import BadInput
from genset.core.files import sha256_of
from genset.core.hashes import HEAD, Hashes, near, read_hashes
from genset.release.table import CandidateRow


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
        ours = np.array([entry.fingerprint for entry in hashed], np.uint64)
        similar = {index for index, _, _ in near(ours, self.fingerprints)} if hashed else set()
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
