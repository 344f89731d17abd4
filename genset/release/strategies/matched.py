"""Photos whose selection frequencies are distributed as those of another set."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from genset.core.errors import BadInput
from genset.core.files import table_rows
from genset.db import Verdict
from genset.release.candidates import CandidateRow
from genset.release.strategies.strategy import Classes, Draws, Pick, Reason, Strategy, unfit

_COLUMNS = ("task", "worker", "label")
_EXPECTED = (
    "a reference has the columns task (named WNID/PHOTO), worker and label (correct, "
    "incorrect, unsure or broken)"
)
BINS = 5  # of 0.2 each: [0, 0.2), [0.2, 0.4), ... [0.8, 1]


@dataclass(frozen=True, slots=True)
class Reference:
    """The distribution of another set's selection frequencies.

    Attributes:
        file: the name of the table that it was read from.
        sha256: the table's hash.
        histograms: the number of photos in each of `BINS` bins, the lowest first, by wnid.
    """

    file: str
    sha256: str
    histograms: dict[str, tuple[int, ...]]

    @classmethod
    def read(cls, path: Path) -> "Reference":
        """Read a table ``task,worker,label`` whose tasks are named ``WNID/PHOTO``.

        If a worker has several rows for a task, the last one counts. All labels except "correct"
        count against the photo.

        Raises:
            BadInput: it is not such a table. The message names the line.
        """
        sha256, rows = _rows_in(path)
        is_correct = {}
        for place, row in rows:
            wnid, slash, photo = row["task"].partition("/")
            if not (wnid and slash and photo and row["worker"] and row["label"] in list(Verdict)):
                raise BadInput(f"{place}: {_EXPECTED}")
            is_correct[wnid, photo, row["worker"]] = row["label"] == Verdict.CORRECT
        tasks: dict[tuple[str, str], list[bool]] = defaultdict(list)
        for (wnid, photo, _), correct in is_correct.items():
            tasks[wnid, photo].append(correct)
        counts: dict[str, Counter[int]] = defaultdict(Counter)
        for (wnid, _), answers in tasks.items():
            counts[wnid][bin_of(sum(answers), len(answers))] += 1
        histograms = {
            wnid: tuple(count[index] for index in range(BINS))
            for wnid, count in sorted(counts.items())
        }
        return cls(path.name, sha256, histograms)


def _rows_in(path: Path) -> tuple[str, list[tuple[str, dict[str, str]]]]:
    """A table's sha256, and its rows with the place of each, as "labels.csv, line 2"."""
    try:
        content = path.read_bytes()
        (_, names), *lines = table_rows(content) or [(1, [])]
    except (OSError, BadInput) as error:
        raise BadInput(f"{path} cannot be read as a table of labels: {error}") from None
    if missing := [name for name in _COLUMNS if name not in names]:
        raise BadInput(f"{path} has no column {missing[0]}: {_EXPECTED}")
    rows = []
    for number, cells in lines:
        rows.append((f"{path}, line {number}", dict(zip(names, cells, strict=False))))
        if len(cells) != len(names):
            raise BadInput(f"{rows[-1][0]}: it has another number of cells than the first line")
    if not rows:
        raise BadInput(f"{path} holds no labels")
    return hashlib.sha256(content).hexdigest(), rows


@dataclass(frozen=True)
class Matched(Strategy):
    """Draw `per_class` with selection frequencies distributed as in the reference.

    Each bin of a class gets its share of `per_class` by largest remainder, ties to the higher bin.
    A bin with too few candidates is short. With `fill_up`, the missing ones are drawn from the
    nearest higher bin with remaining candidates. A class that is not in the reference gets no
    photos. A candidate without votes has no frequency, and cannot be taken even if it is ruled
    correct in review.

    Source: ImageNetV2's "MatchedFrequency" in Recht et al., "Do ImageNet Classifiers Generalize to
    ImageNet?", 2019, section 3.
    """

    reference: Reference
    per_class: int = 10
    fill_up: bool = False
    min_labels: int = 1
    name: ClassVar[str] = "matched"

    def parameters(self) -> dict[str, Any]:
        """Its parameters, with the name and hash of the reference."""
        reference = {"file": self.reference.file, "sha256": self.reference.sha256}
        return {**asdict(self), "reference": reference}

    def refusal(self, entry: CandidateRow) -> str | None:
        """No frequency, too few votes, or a class that is not in the reference."""
        if reason := unfit(entry, self.min_labels):
            return reason
        if entry.labels == 0:
            return "not labeled"
        return None if entry.wnid in self.reference.histograms else "class not in the reference"

    def pick(self, classes: Classes, draws: Draws) -> Pick:
        """Draw, and report the bins that are short or were filled from higher ones."""
        picked: list[CandidateRow] = []
        short: dict[str, int] = {}
        lacking: dict[str, list[int]] = {}
        filled: dict[str, list[int]] = {}
        for wnid in sorted(self.reference.histograms):
            bins: list[list[CandidateRow]] = [[] for _ in range(BINS)]
            for entry in draws.order(classes.get(wnid, ())):
                bins[bin_of(entry.correct, entry.labels)].append(entry)
            sizes = apportion(self.per_class, self.reference.histograms[wnid])
            missing = []
            for index, entries in enumerate(bins):
                picked += entries[: sizes[index]]
                missing.append(max(0, sizes[index] - len(entries)))
                del entries[: sizes[index]]
            if self.fill_up:
                before = list(missing)
                picked += _filled_up(bins, missing)
                if before != missing:
                    filled[wnid] = [was - now for was, now in zip(before, missing, strict=True)]
            if any(missing):
                short[wnid], lacking[wnid] = sum(missing), missing
        filled_up = Reason("bins filled from higher ones", "--fill-up")
        notes = {"short bins": lacking, filled_up: filled}
        return Pick(tuple(picked), short, {title: note for title, note in notes.items() if note})


def bin_of(correct: int, labels: int) -> int:
    """The bin of a selection frequency, 0 to 4, computed exactly with integers."""
    return min(BINS - 1, BINS * correct // labels)


def apportion(seats: int, weights: Sequence[int]) -> list[int]:
    """Distribute `seats` in proportion to `weights`, by largest remainder; ties to the later."""
    total = sum(weights)
    shares = [seats * weight // total for weight in weights]
    by_remainder = sorted(
        range(len(weights)), key=lambda index: (seats * weights[index] % total, index), reverse=True
    )
    for index in by_remainder[: seats - sum(shares)]:
        shares[index] += 1
    return shares


def _filled_up(remaining: list[list[CandidateRow]], missing: list[int]) -> list[CandidateRow]:
    """Fill bins from the remaining candidates of higher ones, starting with the highest bin."""
    taken: list[CandidateRow] = []
    for index in reversed(range(BINS)):
        for higher in remaining[index + 1 :]:
            extra = higher[: missing[index]]
            del higher[: len(extra)]
            missing[index] -= len(extra)
            taken += extra
    return taken
