"""answers.csv: what was said of each class of each photo, where there are several right answers."""

import csv
import io
from collections.abc import Sequence

from genset.classes import Taxonomy
from genset.db import Verdict
from genset.release.documents import said
from genset.release.reader import LISTS, ReleasePhoto


def answers(photos: Sequence[ReleasePhoto], taxonomy: Taxonomy) -> str:
    """A row for each class of each photo of which somebody said something.

    image: the photo's file. wnid: the class. label: its place among the classes from 0; empty
    for others. verdict: correct, unclear or wrong. own: 1 for the photo's own class, else 0. Then
    how many labelers said what, a reviewer's ruling, and who proposed it, separated by "; ".
    ``genset evaluate SET --multilabel answers.csv`` reads it.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("image", "wnid", "label", "verdict", "own", *Verdict, "ruling", "proposers"))
    for photo in photos:
        for name in LISTS:
            for wnid in getattr(photo, name) or ():
                said_of = _answer(photo, wnid, name.removeprefix("labels_"))
                index = taxonomy[wnid].index if wnid in taxonomy else ""
                writer.writerow((photo.file, wnid, index, *said_of))
    return text.getvalue()


def _answer(photo: ReleasePhoto, wnid: str, verdict: str) -> tuple[object, ...]:
    votes = (photo.label_votes or {}).get(wnid, {})
    names = (photo.label_proposers or {}).get(wnid, ())
    return (
        verdict,
        int(wnid == photo.wnid),
        *(votes.get(each.value, 0) for each in Verdict),
        said.line((photo.label_rulings or {}).get(wnid, "")),
        "; ".join(map(said.line, names)),
    )
