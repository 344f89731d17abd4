"""Which photos a class holds in the end: by rank, one an owner, none twice, none contested."""

from datetime import UTC, datetime

from sqlalchemy import select

from genset.db import Search, stored_candidates
from tests.labeled_workspace import picture
from tests.scrape.pools import CAT, DOG, NewPool, Pool, Serve, record

# Which photos a class takes


def test_the_best_by_rank_are_taken(serve: Serve, pool: Pool) -> None:
    sandbox = serve(*(record(number) for number in (7, 3, 9, 1, 5)))
    summary = pool.scrape(sandbox.source)
    assert pool.held() == ["7", "3", "9"]
    assert (summary.full, summary.short, summary.failed) == (1, {}, 0)
    assert (summary.stored, summary.rejected) == (3, {})


def test_keywords_take_turns(serve: Serve, new_pool: NewPool) -> None:
    rows = [record(number) for number in (1, 2, 3)]
    rows += [record(number, "kitten") for number in (11, 12, 13)]
    pool = new_pool(per_class=5)
    pool.scrape(serve(*rows).source)
    with pool.store.session() as session:
        taken = [
            (candidate.rank, candidate.keyword, candidate.photo.source_id)
            for candidate in session.scalars(stored_candidates(CAT.wnid))
        ]
    assert sorted(taken) == [
        (1, "cat", "1"),
        (1, "kitten", "11"),
        (2, "cat", "2"),
        (2, "kitten", "12"),
        (3, "cat", "3"),
    ]


def test_a_photo_that_two_keywords_find_counts_once_at_its_best_rank(
    serve: Serve, pool: Pool
) -> None:
    rows = [record(1), record(2), record(3), record(3, "kitten"), record(4, "kitten")]
    pool.scrape(serve(*rows).source)
    with pool.store.session() as session:
        [shared] = [
            candidate
            for candidate in session.scalars(stored_candidates(CAT.wnid))
            if candidate.photo.source_id == "3"
        ]
    assert (shared.keyword, shared.rank) == ("kitten", 1)
    assert sorted(pool.held()) == ["1", "2", "3"]


def test_each_search_is_kept_with_its_answer(serve: Serve, pool: Pool) -> None:
    pool.scrape(serve(*(record(number) for number in range(60))).source)
    with pool.store.session() as session:
        searches = session.scalars(select(Search).order_by(Search.id)).all()
    assert [
        (each.wnid, each.source, each.query, each.page, each.total, each.returned, each.last)
        for each in searches
    ] == [
        (CAT.wnid, "flickr", "cat", 1, 60, 50, False),
        (CAT.wnid, "flickr", "kitten", 1, 0, 0, True),
    ]
    assert {each.posted_after for each in searches} == {datetime(2014, 1, 1, tzinfo=UTC)}


def test_an_owner_gives_a_class_one_photo(serve: Serve, pool: Pool) -> None:
    ann, bob = {"owner": "1@N00"}, {"owner": "2@N00"}
    rows = [record(1, **ann), record(2, **ann), record(3, **bob), record(4, **ann), record(5)]
    sandbox = serve(*rows)
    summary = pool.scrape(sandbox.source)
    assert pool.held() == ["1", "3", "5"]
    assert (summary.full, len(sandbox.asked_images)) == (1, 3)


def test_an_owner_may_give_each_class_a_photo(serve: Serve, pool: Pool) -> None:
    ann = {"owner": "1@N00"}
    pool.scrape(serve(record(1, **ann), record(2, "dog", **ann)).source, CAT, DOG)
    assert (pool.held(CAT), pool.held(DOG)) == (["1"], ["2"])


def test_the_same_bytes_count_once(serve: Serve, pool: Pool) -> None:
    sandbox = serve(*(record(number) for number in range(5)), contents={2: picture(0)})
    summary = pool.scrape(sandbox.source)
    assert pool.held() == ["0", "1", "2", "3"]
    assert (summary.full, summary.stored, len(pool.files())) == (1, 4, 3)
    assert pool.rejected() == {}


# Photos that two classes claim


def test_a_photo_of_two_classes_is_fetched_once_and_counts_in_neither(
    serve: Serve, new_pool: NewPool
) -> None:
    pool = new_pool(per_class=2)
    rows = [record(number) for number in (1, 2, 3, 4)]
    rows += [record(number, "dog") for number in (11, 1, 12, 13)]
    sandbox = serve(*rows)
    summary = pool.scrape(sandbox.source, CAT, DOG)
    assert (pool.held(CAT), pool.held(DOG)) == (["1", "2", "3"], ["11", "1", "12"])
    assert summary.full == 2
    assert summary.contested == {CAT.wnid: 1, DOG.wnid: 1}
    assert summary.stored == len(sandbox.asked_images) == 5


def test_two_photos_of_the_same_bytes_are_contested_too(serve: Serve, new_pool: NewPool) -> None:
    pool = new_pool(per_class=2)
    rows = [record(number) for number in (1, 2, 3, 4)]
    rows += [record(number, "dog") for number in (11, 12, 13, 14)]
    summary = pool.scrape(serve(*rows, contents={12: picture(1)}).source, CAT, DOG)
    assert (pool.held(CAT), pool.held(DOG)) == (["1", "2", "3"], ["11", "12", "13"])
    assert summary.contested == {CAT.wnid: 1, DOG.wnid: 1}


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
