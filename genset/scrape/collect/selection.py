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
from typing import NamedTuple


class Ranked(NamedTuple):
    """A candidate and its photo, as the columns of `genset.db` that a selection needs.

    A class has hundreds, read again and again: whole rows take SQLAlchemy five times as long.
    """

    rank: int
    keyword: str
    photo_id: int
    source_id: str
    owner: str
    image_url: str
    sha256: str | None = None
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """The candidates kept, the contested ones passed on the way, and the photos to download."""

    kept: tuple[Ranked, ...]
    contested: tuple[Ranked, ...]
    missing: tuple[Ranked, ...]


def choose(candidates: Iterable[Ranked], wanted: int, contested: Collection[int]) -> Selection:
    """Go down the candidates of a class, best first, until `wanted` are kept.

    `contested` are the `Photo.id` that another class claims, under any id that has the same bytes.
    A photo that is not downloaded yet is taken for a good one, so `kept` and `contested` are final
    only when `missing` is empty.
    """
    kept: list[Ranked] = []
    held_back: list[Ranked] = []
    missing: list[Ranked] = []
    owners: set[str] = set()
    contents: set[str] = set()
    for candidate in candidates:
        if len(kept) == wanted:
            break
        if (
            candidate.refused is not None
            or candidate.owner in owners
            or candidate.sha256 in contents
        ):
            continue
        if candidate.owner:
            owners.add(candidate.owner)
        if candidate.sha256 is None:
            missing.append(candidate)
            kept.append(candidate)
            continue
        contents.add(candidate.sha256)
        (held_back if candidate.photo_id in contested else kept).append(candidate)
    return Selection(tuple(kept), tuple(held_back), tuple(missing))
