"""Which page to ask for next, and what to keep of the answer.

A keyword is asked page by page. Where the source has more than it hands over (Flickr: 4,000), the
window of posting times is cut in two and each half is asked, and so on. All keywords of a class
go down together: a photo's rank is its place in its keyword's results, so no keyword may be asked
deeper than another before the class takes a photo of that depth. A keyword that is wider than
another of its class (`genset.classes.query.stages`) is asked when the others are at their end.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from typing import Any

from msgspec.structs import asdict
from sqlalchemy import Row, insert, select, update
from sqlalchemy.orm import Session

from genset.classes import PHOTOS, ImageClass
from genset.classes.query import stages
from genset.core.photo import PhotoOrigin
from genset.db import SEARCH_RANKS, Candidate, Photo, RemovedOwner, Search, add_candidates
from genset.scrape.plan import ScrapePlan
from genset.sources.source import Question, SearchPage

# Rows without ORM objects take a fifth of the time, and a pool has thousands.
SearchRow = Search | Row[Any]

# No photos are posted closer together than this that a keyword finds by the thousand.
_SHORTEST_WINDOW = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Step:
    """A page to ask for. `depth` is its number as if the source had no limit, from 1."""

    question: Question
    depth: int


@dataclass(frozen=True, slots=True)
class Frontier:
    """How far a class's keywords are asked.

    Attributes:
        steps: the pages to ask for next, all of the least depth that is not asked; none at the end.
        is_even: whether every keyword is asked as deep as the deepest, so that ranks compare.
    """

    steps: tuple[Step, ...]
    is_even: bool


def frontier(
    cls: ImageClass,
    plan: ScrapePlan,
    searches: Iterable[SearchRow],
    rejected: Collection[str] = (),
) -> Frontier:
    """What is next for a class.

    Args:
        cls: the class.
        plan: what is wanted; what was asked under another plan does not count.
        searches: the class's searches, in any order.
        rejected: the questions, by `question_key`, that are not asked again: their results end
            there, and hold up no other query.
    """
    pages: dict[Question, list[SearchRow]] = {}
    for search in searches:
        pages.setdefault(question_of(search, page=1), []).append(search)
    steps: list[Step] = []
    deepest = 0
    for stage in stages(plan.source.queries(cls)):
        above = deepest
        for query in stage if not steps else ():
            first = first_question(query, plan, cls.content_types)
            ends = _open_ends(first, above + 1, pages)
            steps += [step for step in ends if question_key(step.question) not in rejected]
            deepest = max(deepest, _depth(first, above, pages))
    least = min((step.depth for step in steps), default=0)
    return Frontier(
        steps=tuple(step for step in steps if step.depth == least),
        is_even=deepest > 0 and not 0 < least <= deepest,
    )


def first_question(
    text: str, plan: ScrapePlan, content_types: tuple[int, ...] = (PHOTOS,)
) -> Question:
    """A keyword's first page."""
    return Question(
        text=text,
        posted_after=plan.posted_after,
        posted_before=plan.posted_before,
        licenses=() if plan.licenses is None else plan.source.licenses(plan.licenses),
        per_page=plan.per_page,
        page=1,
        content_types=content_types,
    )


def question_of(search: SearchRow, page: int = 0) -> Question:
    """What a stored search asked; `page` is that of the answer, 0 for the one it asked for."""
    return Question(
        text=search.query,
        posted_after=search.posted_after,
        posted_before=search.posted_before,
        licenses=tuple(search.licenses.split("|")) if search.licenses else (),
        per_page=search.per_page,
        page=page or search.page,
        content_types=tuple(map(int, search.content_types.split(","))),
        bookmark=search.bookmark,
    )


def question_key(question: Question) -> str:
    """What tells a question from all others, in 32 hexadecimal digits."""
    values = [getattr(question, field.name) for field in fields(question) if field.compare]
    return hashlib.sha256(repr(tuple(values)).encode()).hexdigest()[:32]


_Pages = Mapping[Question, Sequence[SearchRow]]


def _open_ends(first: Question, depth: int, pages: _Pages) -> Iterator[Step]:
    """The next page of a window, or those of its halves where the source would not go on."""
    if not (searches := pages.get(first)):
        yield Step(first, depth)
        return
    last = _last(searches)
    if not last.last:
        following = replace(first, page=last.page + 1, bookmark=last.bookmark)
        yield Step(following, depth + last.page)
        return
    for half in _halves(first, searches):
        yield from _open_ends(half, depth + last.page, pages)


def _depth(first: Question, above: int, pages: _Pages) -> int:
    """How deep a window is asked, its halves included; `above` is the depth where it begins."""
    if not (searches := pages.get(first)):
        return 0
    here = above + _last(searches).page
    return max([here, *(_depth(half, here, pages) for half in _halves(first, searches))])


def _last(searches: Sequence[SearchRow]) -> SearchRow:
    return max(searches, key=lambda search: search.page)


def _halves(whole: Question, searches: Sequence[SearchRow]) -> list[Question]:
    """The question for each half of its window, where the source has more than it hands over.

    A window without an end ends when it was first asked. One that brought nothing is left alone,
    whatever the source says that it has: there would be no end of halves.
    """
    if not _last(searches).capped or not any(search.returned for search in searches):
        return []
    end = whole.posted_before or min(search.searched_at for search in searches)
    middle = (whole.posted_after + (end - whole.posted_after) / 2).replace(microsecond=0)
    if middle - whole.posted_after < _SHORTEST_WINDOW:
        return []
    first = replace(whole, bookmark="")
    return [replace(first, posted_before=middle), replace(first, posted_after=middle)]


def keep_page(
    session: Session, plan: ScrapePlan, cls: ImageClass, step: Step, answer: SearchPage
) -> None:
    """Store a page that was asked for, its photos, and that the class's search returned them.

    Args:
        session: a transaction that may write.
        plan: what the page was asked for.
        cls: the class that it was asked for.
        step: what was asked.
        answer: what came.
    """
    question = step.question
    before = select(Search).filter_by(
        wnid=cls.wnid, source=plan.source.about.name, query=question.text, page=question.page
    )
    # Who was taken for dead meanwhile, or lost the store's answer, comes with a page again.
    if any(question_of(search) == question for search in session.scalars(before)):
        return
    session.add(_search_of(plan, cls, question, answer))
    photo_ids = _photo_ids(session, plan, answer.photos)
    place = {query: number for number, query in enumerate(plan.source.queries(cls))}
    of_class = Candidate.wnid == cls.wnid, Candidate.photo_id.in_(photo_ids.values())
    best = {
        # Of equal ranks, a query that is searched with counts before one that is not any more.
        photo_id: (rank, place.get(keyword, len(place)))
        for photo_id, rank, keyword in session.execute(
            select(Candidate.photo_id, Candidate.rank, Candidate.keyword).where(*of_class)
        )
    }
    new: list[dict[str, object]] = []
    first_rank = plan.first_rank + (step.depth - 1) * question.per_page
    for rank, found in enumerate(answer.photos, start=first_rank):
        photo_id = photo_ids[found.source_id]
        here = {"keyword": question.text, "rank": rank}
        if photo_id not in best:
            best[photo_id] = rank, place[question.text]
            new.append({"wnid": cls.wnid, "photo_id": photo_id} | here)
        elif best[photo_id][0] >= plan.first_rank + SEARCH_RANKS:
            continue  # a later search found it first
        elif (rank, place[question.text]) < best[photo_id]:
            best[photo_id] = rank, place[question.text]
            session.execute(
                update(Candidate)
                .where(Candidate.wnid == cls.wnid, Candidate.photo_id == photo_id)
                .values(here)
            )
    if new:
        add_candidates(session, new)


def _search_of(plan: ScrapePlan, cls: ImageClass, question: Question, answer: SearchPage) -> Search:
    """The row of a page that was asked for: `question_of` makes the question of it again."""
    return Search(
        wnid=cls.wnid,
        source=plan.source.about.name,
        query=question.text,
        posted_after=question.posted_after,
        posted_before=question.posted_before,
        licenses="|".join(question.licenses),
        content_types=",".join(map(str, question.content_types)),
        query_list=plan.query_list,
        per_page=question.per_page,
        page=question.page,
        total=answer.total,
        returned=len(answer.photos),
        last=answer.last,
        capped=answer.capped,
        bookmark=answer.bookmark,
        rejected=json.dumps(dict(answer.rejected)) if answer.rejected else "",
    )


def _photo_ids(session: Session, plan: ScrapePlan, found: Sequence[PhotoOrigin]) -> dict[str, int]:
    """The `Photo.id` of these photos by their id at the source, made where they are new."""
    source = plan.source.about.name
    named = select(Photo.source_id, Photo.id).where(
        Photo.source == source, Photo.source_id.in_([photo.source_id for photo in found])
    )
    known = dict(session.execute(named).all())
    removed = select(RemovedOwner.owner, RemovedOwner.reason).where(RemovedOwner.source == source)
    reasons = dict(session.execute(removed).all())
    new: dict[str, dict[str, Any]] = {}
    for photo in found:
        if photo.source_id not in known:
            rejected = plan.opt_out.reason_against(source, photo.owner, photo.source_id)
            if photo.owner in reasons:
                rejected = f"removed: {reasons[photo.owner]}"
            new[photo.source_id] = asdict(photo) | {"source": source, "rejected": rejected}
    if not new:
        return known
    session.execute(insert(Photo), list(new.values()))
    return dict(session.execute(named).all())
