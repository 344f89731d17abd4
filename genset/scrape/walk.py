"""Which candidates a class keeps, and which it must download to know.

A class's candidates stand in one order: by rank, and among equal ranks by the order of its
keywords. It keeps the first `wanted` of them that

- were not refused (gone, broken, removed, outside of what the plan asks for),
- are the first of their owner (one person's series must not fill a class),
- do not have the same bytes as one before them,
- are claimed by no other class (a contested photo is downloaded, since somebody must look at it to
  say whose it is, but it does not count; until it is downloaded it does, for it may turn out to be
  refused and leave its place to its owner's next).

The same rows give the same answer, whoever asks and in whatever order they came to be there. And
rows that come later never make a download superfluous: a refusal, a twin or a contest only moves
the end of what is kept further down. So a scrape that was killed, or shared by several processes,
ends with what an undisturbed one ends with.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from genset.store import Candidate, Photo


@dataclass(frozen=True, slots=True)
class Walk:
    """The candidates kept, the contested ones passed on the way, and the photos to download."""

    kept: tuple[Candidate, ...]
    contested: tuple[Candidate, ...]
    missing: tuple[Photo, ...]


def walk(candidates: Iterable[Candidate], wanted: int, contested: Collection[int]) -> Walk:
    """Go down the candidates of a class, best first, until `wanted` are kept.

    `contested` are the `Photo.id` that another class claims, under any id that has the same bytes.
    A photo that is not downloaded yet is taken for a good one, so `kept` and `contested` are final
    only when `missing` is empty.
    """
    kept: list[Candidate] = []
    held_back: list[Candidate] = []
    missing: list[Photo] = []
    owners: set[str] = set()
    contents: set[str] = set()
    for candidate in candidates:
        if len(kept) == wanted:
            break
        photo = candidate.photo
        if photo.refused is not None or photo.owner in owners or photo.sha256 in contents:
            continue
        if photo.owner:
            owners.add(photo.owner)
        if photo.sha256 is None:
            missing.append(photo)
            kept.append(candidate)
            continue
        contents.add(photo.sha256)
        (held_back if photo.id in contested else kept).append(candidate)
    return Walk(tuple(kept), tuple(held_back), tuple(missing))
