"""WordNet's hierarchy, asked only where a class has neither its own output nor a list of them."""

from collections.abc import Collection


def above(wnid: str) -> Collection[str]:
    """The wnids of a noun of WordNet 3.0 and of all that it is a kind of; none for other words."""
    from genset.classes.wordnet import nouns  # a table of all nouns, read when it is asked for

    table = nouns()
    return table.all_above(wnid) if wnid in table else ()
