"""Lists of queries that people write: what they say of each class, checked."""

from dataclasses import field
from pathlib import Path
from typing import Annotated, Any

from genset.classes.classes import MOST_QUERIES
from genset.classes.document import ContentTypes, Item
from genset.classes.query import mistake_in
from genset.core.validation import Invalid, Meta, Record, check, parse_toml, read_text


class Entry(Record, frozen=True):
    """What a list of queries that people write says of a class.

    Without `queries` the class keeps those that it has, and what is searched among.
    """

    queries: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            max_length=MOST_QUERIES,
            title=f'a list of 1 to {MOST_QUERIES} queries, such as ["lion -sea"]',
        ),
    ] = ()
    content_types: ContentTypes = (0,)
    why: str = ""
    wikidata: Annotated[tuple[Item, ...], Meta(min_length=1, max_length=MOST_QUERIES)] = ()

    def __post_init__(self) -> None:
        """Refuse queries that nothing can be searched by, and what is there twice."""
        if not (self.queries or self.wikidata):
            raise ValueError('it has neither queries, such as ["lion -sea"], nor wikidata')
        if not self.queries and self.content_types != (0,):
            raise ValueError("content_types are given with queries")
        for query in self.queries:
            if mistake := mistake_in(query):
                raise ValueError(f"the query {query!r} {mistake}")
        for words in (self.queries, self.wikidata):
            if twice := [word for word in words if words.count(word) > 1]:
                raise ValueError(f"{twice[0]!r} is there twice")


class _List(Record, frozen=True):
    """A file of queries; what it has of each class is an `Entry`."""

    classes: dict[str, Any] = field(default_factory=dict)


def read_entries(path: Path) -> dict[str, Entry]:
    """A file of queries, by wnid, checked.

    ::

        [classes]
        n02129165 = ["lion -sea -mountain", "Panthera leo"]
        n06359193 = { queries = ["website screenshot"], content_types = [0, 1], why = "..." }
        n01440764 = { wikidata = ["Q194406"] }

    Whether there is such a class is for others to say.

    Raises:
        BadInput: something is wrong; the file is named.
    """
    found, where = {}, path.name
    for wnid, table in parse_toml(read_text(path), _List, where).classes.items():
        queries = {"queries": table} if isinstance(table, list) else table
        try:
            found[wnid] = check(queries, Entry, where)
        except Invalid as error:
            raise Invalid(where, ("classes", wnid, *error.keys), error.words) from None
    return found
