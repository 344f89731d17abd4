"""Reads what a training printed: lines that a pattern finds become rows of a table.

A pattern is a regular expression with named groups. ``epoch`` or ``step`` counts; ``s``, ``ms`` or
``time`` (1:02:03) is the time since training began, ``adds`` a time that is added up; ``score`` is
the score, called by the word before it in the pattern, and any other group a score of its name.
What a line does not say stays as the last line said it: a row begins with each score.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from genset.core.files import packaged_rows
from genset.tta.logs.common import Format, ReadAs, Sheet, number, seconds
from genset.tta.logs.tables import trainings
from genset.tta.runs import MalformedLog, Training

# What trainings print that many use, by name; of torchvision, references/classification/train.py.
PATTERNS: dict[str, list[str]] = {}
for _row in packaged_rows(Path(__file__).with_suffix(".csv")):
    PATTERNS.setdefault(_row["name"], []).append(_row["pattern"])
_LONGEST = 10_000
_CLOCKS = {"time": 1.0, "s": 1.0, "ms": 0.001}
_COUNTS = ("epoch", "step")


class Lines(Sheet):
    """The lines that patterns find, as a table: see `Sheet`."""

    def __init__(self, path: Path, patterns: Sequence[str]) -> None:
        """Compile the patterns.

        Raises:
            MalformedLog: one is no regular expression, or they have no group for time or score.
        """
        super().__init__(path, ())
        try:
            self._patterns = [re.compile(pattern) for pattern in patterns]
        except re.error as error:
            self.refuse(f"--pattern is no regular expression: {error}")
        groups = list(dict.fromkeys(name for found in self._patterns for name in found.groupindex))
        times = {*_CLOCKS, "adds"}
        self._scores = [name for name in groups if name not in {*times, *_COUNTS}]
        if not (self._scores and times & set(groups)):
            mend = "such as (?P<s>[\\d.]+) for seconds, and (?P<score>[\\d.]+)"
            self.refuse(f"--pattern names no time or no score: give it groups, {mend}")
        # Without a count, rows with a score are counted.
        self._count = next((name for name in _COUNTS if name in groups), "")
        word = re.search(r"([\w@/]+)\W*\(\?P<score>", " ".join(patterns))
        called = {"score": word[1] if word else "score"}
        names = [called.get(name, name) for name in self._scores]
        self.names = [*[self._count] * bool(self._count), "seconds", *names]

    def cells(self) -> Iterator[tuple[int, list[str]]]:
        """A row for each line with a score."""
        known: dict[str, str] = {}
        added = 0.0
        with self.path.open(encoding="utf-8", errors="replace") as file:
            for at, line in enumerate(file, 1):
                if not line.endswith("\n"):  # it may be a part of what it was
                    self.cut_off = True
                    break
                found = self._groups(line[:_LONGEST])
                known |= found
                added += self._time(found.get("adds", "0"), at)
                if not any(name in found for name in self._scores):
                    continue
                clock = str(added) if "adds" in known else self._clock(known, at)
                cells = [known.get(self._count, "")] * bool(self._count)
                yield at, [*cells, clock, *(found.get(name, "") for name in self._scores)]

    def _groups(self, line: str) -> dict[str, str]:
        for pattern in self._patterns:
            if match := pattern.search(line):
                return {name: text for name, text in match.groupdict().items() if text}
        return {}

    def _clock(self, known: dict[str, str], at: int) -> str:
        name = next((name for name in _CLOCKS if name in known), "s")
        return str(self._time(known.get(name, ""), at) * _CLOCKS[name])

    def _time(self, text: str, at: int) -> float:
        found = number(text)
        if found is None and (found := seconds(text)) is None:
            self.refuse(f"its time is no number: {text[:40]!r}", at)
        return found


def read(path: Path, read_as: ReadAs) -> list[Training]:
    """Read the one run of a log.

    Raises:
        MalformedLog: no line has the pattern, or the table has no right reading.
    """
    sheet = Lines(path, PATTERNS.get(read_as.pattern) or [read_as.pattern])
    if next(sheet.rows([0]), None) is None:
        names = ", ".join(PATTERNS)
        raise MalformedLog(path, f"no line has the pattern; ready ones by name are {names}")
    return trainings(sheet, read_as, path.stem)


CONSOLE = Format(
    "console",
    lambda path, start: False,  # what a program printed is read by the pattern that a user names
    read,
    frozenset(("pattern", "metric", "lower_is_better")),
    "the pattern names the columns",
)
