"""Which queries a workspace searches with: those that it began with, until somebody updates them.

A list of queries says of every class what is searched for it, and among what types of uploads;
a workspace's own one may name Wikidata's items, for sources that know what photos depict. The
newest one is the package's, over which lies the workspace's own ``queries.toml``. A workspace keeps
the list of its first scrape, whole, in its database; `update_queries` moves it to the newest one.
Classes that it gained since are searched with the newest queries.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from genset.classes import Entry, ImageClass, Query, Taxonomy, imagenet1k, read_entries
from genset.core.errors import BadInput
from genset.db import Fact, QueryList, Store, stored_taxonomy
from genset.workspace import Workspace

OWN_LIST = "queries.toml"

_FACT = "query_list"


@dataclass(frozen=True)
class Queries:
    """All classes of a taxonomy with the queries of one list, and its version."""

    version: str
    classes: tuple[ImageClass, ...]
    taxonomy: Taxonomy = field(compare=False)

    def select(self, wnids: Iterable[str] = ()) -> tuple[ImageClass, ...]:
        """The classes with these wnids, in order and each once; all of them for no wnids.

        Raises BadInput for the first word that is no wnid.
        """
        selected = {cls.wnid for cls in self.taxonomy.select(wnids)}
        return tuple(cls for cls in self.classes if cls.wnid in selected)


def newest_queries(root: Path | None = None, taxonomy: Taxonomy | None = None) -> Queries:
    """The taxonomy's queries (ImageNet's are the package's), and over them those of `root`.

    `root` is the workspace's folder.

    Raises BadInput, which names the line or the key, where the workspace's list is not right.
    """
    taxonomy = imagenet1k() if taxonomy is None else taxonomy
    entries = _workspace_entries(root / OWN_LIST, taxonomy) if root else {}
    classes = tuple(
        _with_entry(cls, entries[cls.wnid]) if cls.wnid in entries else cls for cls in taxonomy
    )
    return Queries(version_of(classes), classes, taxonomy)


def workspace_queries(workspace: Workspace, store: Store, *, begin: bool = False) -> Queries:
    """The queries that a workspace searches with.

    With `begin`, a workspace that has none yet stores these for good, and so does one that has
    gained classes.

    Raises:
        BadInput: the workspace's own list is not right, and would be begun with.
    """
    with store.begin_alone() if begin else store.session() as session:
        taxonomy, fact = stored_taxonomy(session), session.get(Fact, _FACT)
        list_text = "{}" if fact is None else session.get_one(QueryList, fact.value).content
        content: Mapping[str, Any] = json.loads(list_text)  # what it says of classes, by wnid
        is_whole = all(cls.wnid in content for cls in taxonomy)
        newest = taxonomy if is_whole else newest_queries(workspace.root, taxonomy).classes
        classes = tuple(_as_stored(cls, content) for cls in newest)
        queries = Queries(version_of(classes), classes, taxonomy)
        if begin and not is_whole:
            _store(session, queries)
    return queries


def update_queries(workspace: Workspace, store: Store) -> tuple[Queries, Queries]:
    """Move a workspace to the newest queries; return those that it had, and those that it has.

    Raises:
        BadInput: the workspace's own list is not right.
    """
    before = workspace_queries(workspace, store)
    after = newest_queries(workspace.root, before.taxonomy)
    with store.begin_alone() as session:
        _store(session, after)
    return before, after


def changed_classes(before: Queries, after: Queries) -> list[tuple[ImageClass, ImageClass]]:
    """The classes that are searched otherwise, as they were and as they are."""
    return [
        (old, new)
        for old, new in zip(before.classes, after.classes, strict=True)
        if searched_with(old) != searched_with(new)
    ]


def searched_with(cls: ImageClass) -> dict[str, Any]:
    """What a class is searched with, as JSON."""
    return {
        "queries": [query.text for query in cls.queries],
        "content_types": cls.content_types,
        "wikidata": cls.wikidata,
    }


def version_of(classes: Iterable[ImageClass]) -> str:
    """A list's version: 12 hexadecimal digits that depend on what is searched for alone."""
    searched = {cls.wnid: searched_with(cls) for cls in classes}
    canonical = json.dumps(searched, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(canonical.encode()).hexdigest()[:12]


def _as_stored(cls: ImageClass, content: Mapping[str, Any]) -> ImageClass:
    if cls.wnid not in content:
        return cls
    stored = content[cls.wnid]
    return replace(
        cls,
        queries=tuple(Query(text, why) for text, why in stored["queries"]),
        content_types=tuple(stored["content_types"]),
        wikidata=tuple(stored["wikidata"]),
    )


def _store(session: Session, queries: Queries) -> None:
    """Store what classes are searched with, and why."""
    if session.get(QueryList, queries.version) is None:
        content = {
            cls.wnid: searched_with(cls) | {"queries": [(q.text, q.why) for q in cls.queries]}
            for cls in queries.classes
        }
        text = json.dumps(content, ensure_ascii=False)
        session.add(QueryList(version=queries.version, content=text))
    session.merge(Fact(name=_FACT, value=queries.version))


def _workspace_entries(path: Path, taxonomy: Taxonomy) -> dict[str, Entry]:
    """What a workspace's own list says, by wnid; nothing where there is no such file."""
    if not path.exists():
        return {}
    entries = read_entries(path)
    for wnid in entries:
        try:
            taxonomy[wnid]
        except BadInput as error:
            raise BadInput(f"{path.name}: {error}") from None
    return entries


def _with_entry(cls: ImageClass, entry: Entry) -> ImageClass:
    cls = replace(cls, wikidata=entry.wikidata or cls.wikidata)
    if not entry.queries:
        return cls
    why = f"own list: {entry.why}" if entry.why else "own list"
    queries = tuple(Query(text, why) for text in entry.queries)
    return replace(cls, queries=queries, content_types=entry.content_types)
