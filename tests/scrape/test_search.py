"""What is asked of a source: every page that there is, each once, all keywords equally deep."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genset.db import Search
from genset.scrape.plan import ScrapePlan
from genset.scrape.search import Step, first_question, frontier, question_of
from genset.sources.flickr import Flickr
from genset.sources.source import Question
from tests.scrape.pools import image_class

START, END = datetime(2014, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC)
KEYWORDS = ("one", "two", "three")
PLAN = ScrapePlan((), per_class=5, posted_after=START, posted_before=END, source=Flickr)
HANDED_OVER = 2 * PLAN.per_page


class Archive:
    """A source that hands over two pages of what it finds, and what was asked of it."""

    def __init__(self, sizes: list[int], seed: int) -> None:
        self.random = Random(seed)
        self.cls = image_class("n00000001", *KEYWORDS[: len(sizes)])
        span = int((END - START).total_seconds())
        self.posted = {
            keyword: [START + timedelta(seconds=self.random.randrange(span)) for _ in range(size)]
            for keyword, size in zip(KEYWORDS, sizes, strict=False)
        }
        self.asked: list[Search] = []
        self.brought: dict[str, set[datetime]] = {keyword: set() for keyword in self.posted}

    def ask(self, question: Question) -> None:
        """Answer as Flickr does, and note the search as the scraper does."""
        assert question.posted_before is not None
        found = [
            posted
            for posted in self.posted[question.text]
            if question.posted_after <= posted < question.posted_before
        ]
        start = (question.page - 1) * question.per_page
        shown = found[start : start + question.per_page]
        last = start + question.per_page >= min(len(found), HANDED_OVER)
        self.brought[question.text].update(shown)
        self.asked.append(
            Search(
                query=question.text,
                posted_after=question.posted_after,
                posted_before=question.posted_before,
                licenses="",
                content_types=",".join(map(str, question.content_types)),
                per_page=question.per_page,
                page=question.page,
                total=len(found),
                returned=len(shown),
                last=last,
                capped=last and len(found) > HANDED_OVER,
                searched_at=END,
            )
        )

    def ahead(self) -> tuple[Step, ...]:
        return frontier(self.cls, PLAN, self.asked).steps


archives = st.builds(
    Archive, st.lists(st.integers(0, 700), min_size=1, max_size=3), st.integers(0, 2**32)
)


@given(archives)
@pytest.mark.soak
def test_every_photo_is_found_no_page_is_asked_for_twice_and_keywords_are_equally_deep(
    archive: Archive,
) -> None:
    """Even where a kill lets only some of the pages that are next be asked for."""
    deepest = 0
    while steps := archive.ahead():
        [depth] = {step.depth for step in steps}
        is_even = frontier(archive.cls, PLAN, archive.asked).is_even
        assert depth == (deepest + 1 if is_even or deepest == 0 else deepest)
        for step in archive.random.sample(steps, archive.random.randint(1, len(steps))):
            archive.ask(step.question)
        deepest = depth
    questions = [question_of(search) for search in archive.asked]
    assert len(set(questions)) == len(questions)
    assert archive.brought == {keyword: set(found) for keyword, found in archive.posted.items()}
    assert frontier(archive.cls, PLAN, archive.asked).is_even


def test_a_moment_with_more_photos_than_are_handed_over_is_no_endless_loop() -> None:
    archive = Archive([0], seed=0)
    archive.posted["one"] = [START + timedelta(days=1)] * 300
    while steps := archive.ahead():
        archive.ask(steps[0].question)
    assert len(archive.asked) < 100


def test_a_window_without_an_end_ends_when_it_was_first_asked() -> None:
    """And a source that says it has thousands and hands over none is not asked for ever."""
    plan = replace(PLAN, posted_before=None)
    archive, first = Archive([0], seed=0), first_question("one", plan)
    archive.posted["one"] = [END - timedelta(seconds=number) for number in range(1, 5000)]
    archive.ask(replace(first, posted_before=END))
    [asked] = archive.asked
    asked.posted_before, asked.last, asked.capped = None, True, True
    middle = START + (END - START) / 2
    old, new = frontier(archive.cls, plan, [asked]).steps
    assert old.question == replace(first, posted_before=middle)
    assert new.question == replace(first, posted_after=middle)
    asked.returned = 0
    assert frontier(archive.cls, plan, [asked]).steps == ()
