"""Photos whose selection frequencies are spread as those of another set."""

import csv
import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from genset.errors import BadInput
from genset.release.strategies.contract import Classes, Pick, shuffled, unfit
from genset.release.table import CandidateRow
from genset.store import Verdict

BINS = 5  # of 0.2 each: [0, 0.2), [0.2, 0.4), ... [0.8, 1]


@dataclass(frozen=True, slots=True)
class Reference:
    """How another set's selection frequencies are spread.

    Attributes:
        file: the name of the table that it was read from, and `sha256` its hash.
        histograms: photos in each of `BINS` bins, the lowest first, by wnid.
    """

    file: str
    sha256: str
    histograms: dict[str, tuple[int, ...]]

    @classmethod
    def read(cls, path: Path) -> "Reference":
        """Read a table ``task,worker,label`` whose tasks are named ``WNID/PHOTO``.

        A worker counts once for a task, with the last row; all but "correct" count against.

        Raises:
            BadInput: it is no such table; the line is named.
        """
        try:
            content = path.read_bytes()
            rows = csv.DictReader(content.decode("utf-8-sig").splitlines(), strict=True)
            said = {}
            for row in rows:
                task, worker, label = (row.get(name) for name in ("task", "worker", "label"))
                wnid, slash, photo = (task or "").partition("/")
                if not (wnid and slash and photo and worker and label in list(Verdict)):
                    raise BadInput(
                        f"{path}, line {rows.line_num}: a reference has the columns task (named "
                        "WNID/PHOTO), worker and label (correct, incorrect, unsure or broken)"
                    )
                said[wnid, photo, worker] = label == Verdict.CORRECT
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise BadInput(f"{path} cannot be read as a table of labels: {error}") from None
        if not said:
            raise BadInput(f"{path} holds no labels to match")
        tasks: dict[tuple[str, str], list[bool]] = defaultdict(list)
        for (wnid, photo, _), correct in said.items():
            tasks[wnid, photo].append(correct)
        counts: dict[str, Counter[int]] = defaultdict(Counter)
        for (wnid, _), answers in tasks.items():
            counts[wnid][bin_of(sum(answers), len(answers))] += 1
        histograms = {
            wnid: tuple(count[place] for place in range(BINS))
            for wnid, count in sorted(counts.items())
        }
        return cls(path.name, hashlib.sha256(content).hexdigest(), histograms)


@dataclass(frozen=True, slots=True)
class Matched:
    """Draw `per_class` so that their selection frequencies are spread as in the reference.

    Each bin of a class gets its share of `per_class` by largest remainder, ties to the higher bin.
    A bin that has too few candidates is short; with `fill_up` what it lacks is drawn from the
    nearest higher bin that has candidates left. A class that the reference does not have gets
    none. What is ruled correct in review without a vote has no frequency, and cannot be taken.

    Source: ImageNetV2's "MatchedFrequency" in Recht et al., "Do ImageNet Classifiers Generalize to
    ImageNet?", 2019, section 3.
    """

    reference: Reference
    per_class: int = 10
    fill_up: bool = False
    min_labels: int = 1
    name: ClassVar[str] = "matched"

    def parameters(self) -> dict[str, Any]:
        """What it was told; of the reference, its name and hash."""
        return {
            "reference": {"file": self.reference.file, "sha256": self.reference.sha256},
            "per_class": self.per_class,
            "fill_up": self.fill_up,
            "min_labels": self.min_labels,
        }

    def refusal(self, entry: CandidateRow) -> str | None:
        """No frequency, too few votes, or a class that the reference does not have."""
        if reason := unfit(entry, self.min_labels):
            return reason
        if entry.labels == 0:
            return "not labeled"
        return None if entry.wnid in self.reference.histograms else "class not in the reference"

    def pick(self, classes: Classes, seed: int) -> Pick:
        """Draw; tell what each bin lacks, and which bins were filled from higher ones."""
        picked: list[CandidateRow] = []
        short: dict[str, int] = {}
        lacking: dict[str, list[int]] = {}
        filled: dict[str, list[int]] = {}
        for wnid in sorted(self.reference.histograms):
            bins: list[list[CandidateRow]] = [[] for _ in range(BINS)]
            for entry in shuffled(classes.get(wnid, ()), seed):
                bins[bin_of(entry.correct, entry.labels)].append(entry)
            wanted = apportion(self.per_class, self.reference.histograms[wnid])
            missing = []
            for place, entries in enumerate(bins):
                picked += entries[: wanted[place]]
                missing.append(max(0, wanted[place] - len(entries)))
                del entries[: wanted[place]]
            if self.fill_up:
                before = list(missing)
                picked += _filled_up(bins, missing)
                if before != missing:
                    filled[wnid] = [was - now for was, now in zip(before, missing, strict=True)]
            if any(missing):
                short[wnid], lacking[wnid] = sum(missing), missing
        told = {"short bins": lacking, "bins filled from higher ones": filled}
        return Pick(tuple(picked), short, {word: said for word, said in told.items() if said})


def bin_of(correct: int, labels: int) -> int:
    """The bin of a selection frequency, 0 to 4; exact, since it is of whole numbers."""
    return min(BINS - 1, BINS * correct // labels)


def apportion(seats: int, weights: Sequence[int]) -> list[int]:
    """Share out `seats` by largest remainder; ties go to the later place."""
    total = sum(weights)
    shares = [seats * weight // total for weight in weights]
    by_remainder = sorted(
        range(len(weights)), key=lambda place: (seats * weights[place] % total, place), reverse=True
    )
    for place in by_remainder[: seats - sum(shares)]:
        shares[place] += 1
    return shares


def _filled_up(left: list[list[CandidateRow]], missing: list[int]) -> list[CandidateRow]:
    """Take what bins miss from what higher ones have left, the highest bin first."""
    taken: list[CandidateRow] = []
    for place in reversed(range(BINS)):
        for higher in left[place + 1 :]:
            extra = higher[: missing[place]]
            del higher[: len(extra)]
            missing[place] -= len(extra)
            taken += extra
    return taken
