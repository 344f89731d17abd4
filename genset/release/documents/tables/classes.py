"""classes.csv: each class's wnid, its place among ImageNet's 1,000, and a name for people."""

import csv
import io
from collections import Counter
from functools import cache

from genset.taxonomy import imagenet1k


@cache
def readable_names() -> tuple[str, ...]:
    """A name for each of the 1,000 classes, in order; where two share one, with the wnid."""
    shared = Counter(each.name for each in imagenet1k())
    return tuple(
        each.name if shared[each.name] == 1 else f"{each.name} ({each.wnid})"
        for each in imagenet1k()
    )


@cache
def class_map() -> str:
    """The table, a row for each of the 1,000: those too of which a release has no photo."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("wnid", "index", "name"))
    for each, name in zip(imagenet1k(), readable_names(), strict=True):
        writer.writerow((each.wnid, each.index, name))
    return text.getvalue()
