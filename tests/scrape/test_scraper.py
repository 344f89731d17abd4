"""Which photos a class holds in the end: by rank, one an owner, none twice, none contested."""

from datetime import UTC, datetime

from sqlalchemy import select

from genset.db import Candidate, Search
from genset.scrape.state import RankedPhoto, choose
from tests.labeled_workspace import picture
from tests.scrape.pools import CAT, DOG, NewPool, Serve, image_class, record

PLAIN, OWNERS, BYTES = (image_class(f"n0000000{n}", word) for n, word in enumerate(("a", "b", "c")))
ANN, BOB = {"owner": "1@N00"}, {"owner": "2@N00"}


def test_each_class_takes_the_best_by_rank_of_each_owner_and_no_bytes_twice(
    serve: Serve, new_pool: NewPool
) -> None:
    pool = new_pool(per_class=4)
    rows = [record(number, "a") for number in (7, 3, 9, 1, 5)]
    rows += [record(number) for number in (101, 102, 103, 104)]
    rows += [record(number, "kitten") for number in (103, 112, 113)]  # of which cat found one
    rows += [record(201, "b", **ANN), record(202, "b", **ANN), record(203, "b", **BOB)]
    rows += [record(204, "b", **ANN), record(205, "b"), record(206, "b")]
    rows += [record(number, "c") for number in (301, 302, 303, 304, 305)]
    rows[-3] |= ANN  # who may give each class a photo
    sandbox = serve(*rows, contents={303: picture(301)})
    summary = pool.scrape(sandbox.source, PLAIN, CAT, OWNERS, BYTES)
    assert pool.held(PLAIN) == ["7", "3", "9", "1"]
    assert sorted(pool.held()) == ["101", "102", "103", "112"]
    assert pool.held(OWNERS) == ["201", "203", "205", "206"]
    assert pool.held(BYTES) == ["301", "302", "303", "304", "305"]
    assert (summary.full, summary.short, summary.failed, summary.rejected) == (4, {}, 0, {})
    assert summary.stored == len(sandbox.asked_images) == len(pool.files()) + 1 == 17
    with pool.store.session() as session:
        found = session.scalars(select(Candidate).where(Candidate.wnid == CAT.wnid))
        ranks = {one.photo.source_id: (one.keyword, one.rank) for one in found}
        searches = session.scalars(select(Search).where(Search.wnid == CAT.wnid)).all()
    # Keywords take turns, and a photo that both find counts at its best rank.
    assert ranks["101"] == ("cat", 1) and ranks["102"] == ("cat", 2)
    assert ranks["103"] == ("kitten", 1) and ranks["112"] == ("kitten", 2)
    kept = {(each.query, each.page, each.total, each.returned, each.last) for each in searches}
    assert kept == {("cat", 1, 4, 4, True), ("kitten", 1, 3, 3, True)}
    assert {each.posted_after for each in searches} == {datetime(2014, 1, 1, tzinfo=UTC)}


def test_what_two_classes_claim_is_fetched_once_and_counts_in_neither(
    serve: Serve, new_pool: NewPool
) -> None:
    pool = new_pool(per_class=2)
    rows = [record(number) for number in (1, 2, 3, 4, 5)]
    rows += [record(number, "dog") for number in (11, 1, 12, 13, 14)]
    sandbox = serve(*rows, contents={12: picture(2)})  # the same bytes are contested, too
    summary = pool.scrape(sandbox.source, CAT, DOG)
    assert (pool.held(CAT), pool.held(DOG)) == (["1", "2", "3", "4"], ["11", "1", "12", "13"])
    assert (summary.full, summary.contested) == (2, {CAT.wnid: 2, DOG.wnid: 2})
    assert summary.stored == len(sandbox.asked_images) == 7


def test_a_class_that_is_searched_later_contests_what_an_earlier_one_had_counted(
    serve: Serve, new_pool: NewPool
) -> None:
    rows = [record(number) for number in range(6)] + [record(5, "dog"), record(1, "dog")]
    sandbox = serve(*rows)
    together, cat_first, dog_first = new_pool(), new_pool(), new_pool()
    together.scrape(sandbox.source, CAT, DOG)
    for pool, first, second in ((cat_first, CAT, DOG), (dog_first, DOG, CAT)):
        pool.scrape(sandbox.source, first)
        pool.scrape(sandbox.source, second)
        pool.scrape(sandbox.source, CAT, DOG)
        assert pool.rows() == together.rows()
    assert cat_first.held(CAT) == ["0", "1", "2", "3", "5"]


def test_a_contested_photo_is_downloaded_before_another_takes_its_place() -> None:
    """If it turns out to be rejected, its owner's next takes it."""
    owners = enumerate(("ann", "ann", "bob"))
    candidates = [
        RankedPhoto(number, "", number, str(number), owner, "") for number, owner in owners
    ]

    def ids(photos: tuple[RankedPhoto, ...]) -> list[int]:
        return [photo.photo_id for photo in photos]

    assert ids(choose(candidates, 1, {0}).missing) == [0]
    candidates[0] = candidates[0]._replace(sha256="a")
    found = choose(candidates, 1, {0})
    assert (ids(found.selected), ids(found.contested)) == ([2], [0])
    del candidates[0]
    found = choose(candidates, 1, {0})
    assert (ids(found.selected), ids(found.contested)) == ([1], [])
