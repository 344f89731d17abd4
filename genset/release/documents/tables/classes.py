"""classes.csv: each class's id, its place among the classes, and a name for people."""

import csv
import io
from collections import Counter

from genset.classes import Taxonomy


def readable_names(taxonomy: Taxonomy) -> tuple[str, ...]:
    """A name for each class, in order, no two the same; where two share one, with the id."""
    shared = Counter(each.name for each in taxonomy)
    names = tuple(
        each.name if shared[each.name] == 1 else f"{each.name} ({each.wnid})" for each in taxonomy
    )
    if len(set(names)) < len(names):  # a name ends as another one with its id does
        names = tuple(f"{each.name} ({each.wnid})" for each in taxonomy)
    return names


def class_map(taxonomy: Taxonomy) -> str:
    """The table, a row for each class: those too of which a release has no photo."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("wnid", "index", "name"))
    for each, name in zip(taxonomy, readable_names(taxonomy), strict=True):
        writer.writerow((each.wnid, each.index, name))
    return text.getvalue()
