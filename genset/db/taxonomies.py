"""The classes of a workspace: ImageNet's, or its own, which the database keeps."""

import json
from collections.abc import Callable, Collection
from dataclasses import replace

from sqlalchemy import delete, exists, func, select
from sqlalchemy.orm import Session

from genset.classes import (
    IMAGENET,
    ImageClass,
    Taxonomy,
    document_of,
    hash_of_document,
    imagenet1k,
    taxonomy_of,
)
from genset.core.errors import BadInput, GensetError
from genset.db.labels import Label
from genset.db.models import Candidate, Fact, Photo, Search, TaxonomyVersion

_FACT = "taxonomy"
_HASH = select(Fact.value).where(Fact.name == _FACT)


def taxonomy_hash(session: Session) -> str:
    """The hash of the workspace's own taxonomy; "" where it is on ImageNet's."""
    session.flush()  # past the ORM, which takes longer than the question
    return session.connection().execute(_HASH).scalar() or ""


def stored_taxonomy(session: Session) -> Taxonomy:
    """The workspace's classes, as they are in this transaction.

    It asks for one short row: versions that were read before are kept in memory.

    Raises:
        GensetError: the database lacks those that it names.
    """
    if not (digest := taxonomy_hash(session)):
        return imagenet1k()
    if (known := _known.get(digest)) is not None:
        return known
    content_of = select(TaxonomyVersion.content).where(TaxonomyVersion.hash == digest)
    if (content := session.scalar(content_of)) is None:
        raise GensetError(f"the store lacks the taxonomy {digest}: restore a backup of it")
    while len(_known) >= _MOST_KNOWN:
        _known.pop(next(iter(_known)), None)
    # It was checked when it was kept, which takes much longer than to read it.
    _known[digest] = found = taxonomy_of(json.loads(content))
    return found


# By their hashes. To read one of thousands of classes takes a second.
_known: dict[str, Taxonomy] = {}
_MOST_KNOWN = 4


def store_taxonomy(session: Session, taxonomy: Taxonomy) -> Taxonomy:
    """Make it the workspace's, in a transaction that runs alone; return it as it is kept.

    A pool does not change its taxonomy: classes may be added, which then come last. What is said
    of those that were there may be mended, but for what each is: its id, and `IDENTITY`. An empty
    `imagenet` beside a synset may be filled in: WordNet may not tell which class an output is of.
    Where nothing was searched for or added yet, any taxonomy may take the place of another.

    Raises:
        BadInput: the workspace is on ImageNet's classes already, or one of its own is missing or
            is another.
    """
    begun = has_begun(session)
    if begun and taxonomy_hash(session):
        taxonomy = _added(stored_taxonomy(session), taxonomy)
    elif begun:
        raise BadInput(
            "this workspace has photos of ImageNet's classes, and a pool does not change its "
            "taxonomy: make another workspace"
        )
    document = document_of(taxonomy)
    found = hash_of_document(document)
    if session.get(TaxonomyVersion, found) is None:
        content = json.dumps(document, ensure_ascii=False)
        session.add(TaxonomyVersion(hash=found, content=content))
    session.merge(Fact(name=_FACT, value=found))
    return taxonomy


def has_begun(session: Session) -> bool:
    """Whether anything was searched for in the workspace, or a photo was added to it."""
    searched, stored = exists().where(Search.id > 0), exists().where(Photo.id > 0)
    return bool(session.scalar(select(searched | stored)))


def drop_taxonomy(session: Session) -> None:
    """Make ImageNet's the workspace's classes again, in a transaction that runs alone.

    Raises:
        BadInput: the workspace has begun on classes of its own.
    """
    stored = stored_taxonomy(session)
    if not stored.is_imagenet and has_begun(session):
        raise BadInput(
            f"this workspace's taxonomy is {stored.name}, not {IMAGENET}: make another workspace"
        )
    session.execute(delete(Fact).where(Fact.name == _FACT))


def _added(before: Taxonomy, after: Taxonomy) -> Taxonomy:
    """The classes of both: those that were there keep their places."""
    if before.name != after.name:
        raise BadInput(
            f"this workspace's taxonomy is {before.name}, not {after.name}: make another "
            f'workspace, or write name = "{before.name}" in the file if its classes are the same'
        )
    for was in before:
        now = after.get(was.wnid)
        if now is None:
            raise BadInput(f"{was.wnid} is missing: a pool does not lose classes, it can only gain")
        changed = [key for key in IDENTITY if IDENTITY[key](was) != IDENTITY[key](now)]
        if changed and not (changed == ["imagenet"] and was.synset and not was.imagenet):
            raise ClassChanged(was.wnid, changed[0])
    new = [cls for cls in after if cls.wnid not in before]
    order = [*(after[cls.wnid] for cls in before), *new]
    return Taxonomy(
        (replace(cls, index=index) for index, cls in enumerate(order)),
        {cls.wnid: [other.wnid for other in after.confusable(cls.wnid)] for cls in order},
        after.name,
    )


def labels_of(session: Session, wnids: Collection[str]) -> dict[str, int]:
    """How many labels the photos of each of these classes have; classes without are not in it."""
    counts = (
        select(Candidate.wnid, func.count())
        .join(Label, Label.candidate_id == Candidate.id)
        .group_by(Candidate.wnid)
    )
    found = dict(session.execute(counts).all())
    return {wnid: found[wnid] for wnid in wnids if wnid in found}


IDENTITY: dict[str, Callable[[ImageClass], object]] = {
    "synset": lambda cls: cls.synset,
    "imagenet": lambda cls: cls.imagenet,
}
"""What of a class never changes in a pool, by its key in a file."""


class ClassChanged(BadInput):
    """A class of the pool means another thing in the file: by `key`, one of `IDENTITY`."""

    def __init__(self, wnid: str, key: str) -> None:
        super().__init__(f"{wnid} means another thing, by its {key}: give the new class another id")
        self.keys = ("classes", wnid, key)
