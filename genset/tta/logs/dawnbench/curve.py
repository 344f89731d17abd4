"""Reads the TSV file of a training entry: one line an epoch.

Columns go by their names in the first line, since DAWNBench's entries have them in any order::

    epoch	hours	top1Accuracy	top5Accuracy
    1	0.0457	8.12	21.69

Read as well: a byte order mark, CRLF, blank lines, lines that begin with ``#``, spaces around a
cell, columns divided by spaces alone, further columns, a cell left empty (not measured), epochs
from 0 or 1, between whole numbers or repeated, and scores as fractions of 1.
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from genset.core.numbers import agree, count
from genset.tta.logs.entries import Epoch, MalformedLog
from genset.tta.logs.numbers import as_percent, decoded, number
from genset.tta.logs.swapped import swapped
from genset.tta.logs.tasks import F1, SCORES, TOP1, TOP5

COMMUNICATION = "communicationHours"
_COLUMNS = ("epoch", "hours", COMMUNICATION, *SCORES)
_KNOWN = {name.lower(): name for name in _COLUMNS}

# Where no score of a column exceeds 1 and one of the other exceeds this, the two are in different
# units: top-5 is never twenty times top-1.
_APART = 20

_A_CENTURY = 876_600


@dataclass(frozen=True, slots=True)
class Curve:
    """A training log. `columns` are the scores that it has; `remarks` say how they were read."""

    epochs: tuple[Epoch, ...]
    columns: tuple[str, ...]
    remarks: tuple[str, ...]


def read_curve(path: Path, data: bytes, percent: bool = False) -> Curve:
    """Read the TSV file's bytes; `path` is for messages.

    `percent` is for a log whose writer is known to have meant per cent, however small the scores.

    Raises:
        MalformedLog: there is no right reading.
    """
    text = decoded(data)
    if text is None:
        raise MalformedLog(path, "it is not UTF-8 text")
    # Not str.splitlines, which also splits at characters that editors count no lines by.
    numbered = enumerate(re.split(r"\r\n|\n|\r", text), 1)
    lines = [(at, line) for at, line in numbered if line.strip() and line.lstrip()[0] != "#"]
    if not lines:
        raise MalformedLog(path, "it is empty")
    (head_at, head), *body = lines
    tabs = "\t" in head
    names = _cells(head, tabs)
    while not names[-1]:
        names.pop()
    columns = _columns(path, head_at, names)
    # A time that was cut off may look whole: 1.2 of 1.25. A score then only gets lower.
    ended = text.endswith(("\n", "\r"))
    cut = bool(body) and not ended and columns["hours"] == len(names) - 1
    if cut:
        body.pop()
    rows = [
        (at, _row(path, at, _cells_of(path, at, line, names, tabs), columns)) for at, line in body
    ]
    if not rows:
        raise MalformedLog(path, "it has no epoch below the header")
    _in_order(path, rows)
    if not percent:
        _not_swapped(path, rows)
    if not (percent or ended or cut):
        _has_unit(path, rows)
    curve = _scaled(path, rows, [name for name in SCORES if name in columns], percent)
    if cut:
        remark = "its last line has no end and may be cut off, so it does not count"
        curve = replace(curve, remarks=(*curve.remarks, remark))
    return curve


def _cells(line: str, tabs: bool) -> list[str]:
    return [cell.strip() for cell in line.split("\t")] if tabs else line.split()


def _cells_of(path: Path, at: int, line: str, names: list[str], tabs: bool) -> list[str]:
    """A row's cells, as many as there are columns; tabs at its end are nothing."""
    cells = _cells(line, tabs)
    while len(cells) > len(names) and not cells[-1]:
        cells.pop()
    if len(cells) != len(names):
        mend = "; leave a cell empty for what was not measured" if len(cells) < len(names) else ""
        raise MalformedLog(path, f"{count(len(cells), 'cell')} for {len(names)} columns{mend}", at)
    return cells


def _columns(path: Path, at: int, cells: list[str]) -> dict[str, int]:
    """Where each known column is."""
    names = [_KNOWN.get(re.sub(r"[^a-z0-9]", "", cell.lower()), cell) for cell in cells]
    for name in ("epoch", "hours"):
        if name not in names:
            wanted = "begin with a line of names divided by tabs: epoch, hours, top1Accuracy ..."
            raise MalformedLog(path, f"no column {name}; {wanted}", at)
    if doubled := [name for name in _COLUMNS if names.count(name) > 1]:
        raise MalformedLog(path, f"two columns {doubled[0]}", at)
    if not any(name in names for name in SCORES):
        raise MalformedLog(path, f"no score: add a column {', '.join(SCORES[:2])} or {F1}", at)
    return {name: names.index(name) for name in _COLUMNS if name in names}


def _row(path: Path, at: int, cells: list[str], columns: dict[str, int]) -> dict[str, float]:
    """A line's numbers by column; a score that is not there was not measured."""
    row = {}
    for name, place in columns.items():
        cell = cells[place]
        if not cell and name not in ("epoch", "hours"):
            continue
        value = number(cell)
        if value is None or value < 0:
            raise MalformedLog(path, f"{name} is no number from 0 up: {cell[:40]!r}", at)
        if name == "hours" and value > _A_CENTURY:
            raise MalformedLog(path, f"more hours than a century has: {cell[:40]}", at)
        if name in SCORES and value > 100:
            raise MalformedLog(path, f"{name} is over 100: {cell[:40]}", at)
        row[name] = value
    return row


def _in_order(path: Path, rows: list[tuple[int, dict[str, float]]]) -> None:
    """Refuse a log whose time or epochs run backwards: which line came first is not known."""
    before: dict[str, float] = {}
    for at, row in rows:
        for name in ("hours", "epoch", COMMUNICATION):
            if name in row and row[name] < before.get(name, 0.0):
                was = f"{row[name]:g} after {before[name]:g}"
                raise MalformedLog(path, f"{name} runs backwards: {was}", at)
        before |= row
        if row.get(COMMUNICATION, 0.0) > row["hours"]:
            raise MalformedLog(path, "more hours in communication than in all", at)


def _not_swapped(path: Path, rows: list[tuple[int, dict[str, float]]]) -> None:
    """Refuse values that stand under each other's names."""
    times = [row["hours"] for _, row in rows]
    scores = {name: [row.get(name) for _, row in rows] for name in SCORES}
    if found := swapped([row["epoch"] for _, row in rows], times, scores):
        reason, at = found
        raise MalformedLog(path, reason, rows[at][0])


def _has_unit(path: Path, rows: list[tuple[int, dict[str, float]]]) -> None:
    """Refuse a log whose unit rests on a last line that may be cut off: 1 may be 1 of 12.5."""
    *before, (at, last) = rows
    if any(name in row for _, row in before for name in SCORES):
        return
    if max((last[name] for name in SCORES if name in last), default=2) <= 1:
        reason = "its only score stands in a line without an end, which may be cut off"
        raise MalformedLog(path, reason, at)


def _scaled(
    path: Path, rows: list[tuple[int, dict[str, float]]], columns: list[str], percent: bool
) -> Curve:
    """Scores in per cent. A file is in fractions of 1 if no score of it is over 1."""
    best = {c: max((row[c] for _, row in rows if c in row), default=None) for c in columns}
    measured = {name: value for name, value in best.items() if value is not None}
    if not measured:
        raise MalformedLog(path, "no epoch has a score")
    if min(measured.values()) <= 1 and max(measured.values()) > _APART and not percent:
        raise MalformedLog(path, "one score is in fractions of 1, the other in per cent")
    fractions = max(measured.values()) <= 1 and not percent
    epochs = []
    for at, row in rows:
        scores = {c: as_percent(row[c]) if fractions else row[c] for c in columns if c in row}
        if TOP1 in scores and TOP5 in scores and scores[TOP5] < scores[TOP1]:
            raise MalformedLog(path, "top-5 below top-1: are the two columns swapped?", at)
        epochs.append(Epoch(row["epoch"], row["hours"], scores, row.get(COMMUNICATION)))
    remarks = []
    if fractions and F1 not in measured:  # DAWNBench's own example has F1 in fractions
        remarks.append("scores read as fractions of 1: none is over 1")
    if without := sum(len(epoch.scores) < len(columns) for epoch in epochs):
        lack = agree(without, "lacks", "lack")
        remarks.append(f"{without} of {count(len(epochs), 'epoch')} {lack} a score")
    return Curve(tuple(epochs), tuple(columns), tuple(remarks))
