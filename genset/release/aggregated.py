"""Labels that a method made of each candidate's votes, which may choose a release's photos.

They come from ``genset labels aggregate``: its file is read here, or the command line hands over
what the method just gave.
"""

import csv
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.db import Claim, Photo, Verdict, votes_digest

_FACTS = ("method", "panel", "without", "votes_digest")  # the same in every row
_COLUMNS = ("task", "label", "confidence", *_FACTS)


class AggregatedLabel(NamedTuple):
    """What a candidate's votes say together; no label where several are tied.

    `confidence` is that of the label, 0 to 1: the share of votes for it, or its probability.
    """

    label: Verdict | None
    confidence: float


NOT_AGGREGATED = AggregatedLabel(None, 0.0)


@dataclass(frozen=True, slots=True)
class AggregatedLabels:
    """The labels of all candidates that have votes.

    Attributes:
        method: which brought the votes together: "dawid-skene".
        by_task: the labels, by the candidate's name.
        panel, without: whose votes: of one panel, of all but one, or (both None) of all.
        digest: the `genset.db.digest_of_votes` of these votes.
        file, sha256: the file that they were read from, and its hash; "" without a file.
    """

    method: str
    by_task: Mapping[str, AggregatedLabel]
    panel: str | None
    without: str | None
    digest: str
    file: str = ""
    sha256: str = ""

    @classmethod
    def read(cls, path: Path) -> "AggregatedLabels":
        """Read a file that ``genset labels aggregate -o`` wrote.

        Raises:
            BadInput: it is no such file. The message names the line.
        """
        try:
            content = path.read_bytes()
            table = csv.DictReader(content.decode("utf-8-sig").splitlines(), strict=True)
            if missing := [name for name in _COLUMNS if name not in (table.fieldnames or ())]:
                raise BadInput(
                    f"{path} has no column {missing[0]}: --labels takes a method, or a file that "
                    "this version's genset labels aggregate -o wrote"
                )
            rows = [(f"{path}, line {table.line_num}", row) for row in table]
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise BadInput(f"{path} cannot be read as a table of labels: {error}") from None
        if not rows:
            raise BadInput(f"{path} holds no labels")
        facts = {name: rows[0][1][name] for name in _FACTS}
        by_task: dict[str, AggregatedLabel] = {}
        for place, row in rows:
            if None in row or None in row.values():
                raise BadInput(f"{place}: the row has not as many cells as the first line")
            if other := [name for name in _FACTS if row[name] != facts[name]]:
                raise BadInput(f"{place}: its {other[0]} is another than in the rows before")
            if row["task"] in by_task:
                raise BadInput(f"{place}: {row['task']} stands there twice")
            by_task[row["task"]] = _label(place, row)
        return cls(
            method=facts["method"],
            by_task=by_task,
            panel=facts["panel"] or None,
            without=facts["without"] or None,
            digest=facts["votes_digest"],
            file=path.name,
            sha256=hashlib.sha256(content).hexdigest(),
        )

    def of(self, task: str) -> AggregatedLabel:
        """The label of a candidate; one without a verdict for those that are not there."""
        return self.by_task.get(task, NOT_AGGREGATED)

    def check(self, session: Session, measuring: str | None) -> None:
        """Refuse what does not fit the workspace, or the panel that only measures.

        Raises:
            BadInput: there are votes of the panel in them, other votes are in force now, or a
                candidate is not in the workspace.
        """
        name, again = self.file or "the aggregated labels", ["genset labels aggregate"]
        again += [f"--method {self.method}", f"-o {self.file or 'FILE'}"]
        if measuring is not None and measuring != self.without and self.panel in (None, measuring):
            raise BadInput(
                f"{name}: votes of panel {measuring}, which only measures, are in it: "
                f"{' '.join(again)} --without {measuring}"
            )
        tasks = set(_tasks(session))
        if unknown := sorted(task for task in self.by_task if task not in tasks):
            raise BadInput(f"{name}: there is no candidate {unknown[0]} in this workspace")
        if self.digest != votes_digest(session, self.panel, self.without):
            again += [f"--panel {self.panel}"] * (self.panel is not None)
            again += [f"--without {self.without}"] * (self.without is not None)
            raise BadInput(
                f"{name} was made of other votes than are in force now: write it again with "
                f"{' '.join(again)}"
            )

    def as_json(self) -> dict[str, Any]:
        """Where they are from, for the manifest. What does not apply is left out."""
        known = {
            "method": self.method,
            "panel": self.panel,
            "without": self.without,
            "file": self.file,
            "sha256": self.sha256,
        }
        return {name: value for name, value in known.items() if value}


def _label(place: str, row: dict[str, str]) -> AggregatedLabel:
    label = row["label"]
    if label and label not in list(Verdict):
        raise BadInput(f"{place}: a label is {', '.join(Verdict)} or empty, not {label!r}")
    try:
        confidence = float(row["confidence"])
    except ValueError:
        confidence = -1.0
    if not 0 <= confidence <= 1:
        raise BadInput(f"{place}: a confidence is from 0 to 1, not {row['confidence']!r}")
    return AggregatedLabel(Verdict(label) if label else None, confidence)


def _tasks(session: Session) -> Iterator[str]:
    named = select(Claim.wnid, Photo.source, Photo.source_id).join(Claim.photo)
    for wnid, source, source_id in session.execute(named):
        yield f"{wnid}/{source}:{source_id}"
