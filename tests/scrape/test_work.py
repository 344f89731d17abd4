"""What a scrape of all of ImageNet's classes costs before its first request: counts, no times."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from sqlalchemy import event, insert

from genset.classes import imagenet1k
from genset.db import Candidate, Label, Photo, Store, Verdict, now
from genset.scrape.estimate import estimate
from genset.scrape.plan import ScrapePlan
from genset.scrape.state import forget_refusals, lacking_and_others
from genset.sources.source import Rates
from tests.scrape.pools import Pool

CLASSES = imagenet1k().select(())
PHOTOS = 3  # of each class


@dataclass
class Work:
    """What a database did: its statements, the most parameters of one, and SQLite's steps."""

    statements: int = 0
    parameters: int = 0
    steps: int = 0


@pytest.fixture
def large(pool: Pool) -> Pool:
    """A pool of all 1,000 classes: a stored, a rejected and an untried photo of each."""
    photo = {"source": "flickr", "posted_at": now(), "license": "CC BY 2.0"}
    photo |= dict.fromkeys(("owner", "owner_name", "title", "license_url"), "")
    photo |= dict.fromkeys(("page_url", "image_url"), "")
    photos, candidates = [], []
    for number in range(PHOTOS * len(CLASSES)):
        place, rank = divmod(number, PHOTOS)
        of_rank = {
            "sha256": f"{place:064x}" if rank == 0 else None,
            "rejected": "gone" if rank == 1 else None,
        }
        photos.append({"id": number + 1, "source_id": str(number)} | photo | of_rank)
        candidate = {"wnid": CLASSES[place].wnid, "photo_id": number + 1}
        candidates.append(candidate | {"keyword": "cat", "rank": rank})
    with pool.store.begin() as session:
        session.execute(insert(Photo), photos)
        session.execute(insert(Candidate), candidates)
        session.add(Label(candidate_id=1, worker="ann", verdict=Verdict.CORRECT))
    return pool


def work_of(store: Store, act: Callable[[], object]) -> Work:
    work = Work()

    def step() -> int:
        work.steps += 1000
        return 0

    def note(connection: Any, _cursor: Any, _statement: str, parameters: Any, *_: Any) -> None:
        work.statements += 1
        work.parameters = max(work.parameters, len(parameters))
        connection.connection.driver_connection.set_progress_handler(step, 1000)

    event.listen(store.engine, "before_cursor_execute", note)
    try:
        act()
    finally:
        event.remove(store.engine, "before_cursor_execute", note)
    return work


@pytest.mark.parametrize("count", [1, 90, 999, 1000])
def test_a_start_reads_each_candidate_about_once_however_many_classes_are_wanted(
    large: Pool, count: int
) -> None:
    plan = replace(large.plan, classes=CLASSES[:count])
    work = work_of(large.store, lambda: lacking_and_others(large.store, plan))
    assert (work.statements, work.parameters <= 100) == (2, True)  # its transaction and it
    assert work.steps <= 100 * PHOTOS * len(CLASSES)


def test_a_dry_run_asks_twice_a_class_and_names_no_list_of_classes(large: Pool) -> None:
    plan = replace(large.plan, classes=CLASSES)
    work = work_of(large.store, lambda: estimate(large.store, plan, Rates(3600, 10)))
    assert work.statements <= 2 * len(CLASSES) + 20
    assert work.parameters <= 100
    assert work.steps <= 300 * PHOTOS * len(CLASSES)


@pytest.mark.parametrize(("count", "rejected"), [(1, 999), (150, 850), (1000, 0)])
def test_refusals_are_forgotten_of_these_classes_alone(
    large: Pool, count: int, rejected: int
) -> None:
    plan: ScrapePlan = replace(large.plan, classes=CLASSES[:count])
    work = work_of(large.store, lambda: forget_refusals(large.store, plan))
    assert len(large.rejected()) == rejected
    assert work.statements <= 5
    assert work.steps <= 100 * PHOTOS * len(CLASSES)
