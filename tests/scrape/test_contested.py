"""Why most of what a class found counts for no class: with whom, by which queries, what to do."""

from collections import Counter
from collections.abc import Iterable

import pytest

from genset.db import Candidate, Photo, now
from genset.scrape.estimate import contested_claims, explain
from tests.labeled_workspace import CRANE, GOLDFISH, TABBY, TENCH
from tests.scrape.commands import genset
from tests.scrape.pools import Pool

Claim = tuple[str, str, int]  # a class, its query, a photo


def add(pool: Pool, claims: Iterable[Claim], **changes: dict[int, str | None]) -> None:
    """Photos that classes' queries found; each has bytes of its own where `sha256` says nothing."""
    with pool.store.begin() as session:
        photos: dict[int, Photo] = {}
        for wnid, query, number in claims:
            if number not in photos:
                words = ["owner", "owner_name", "title", "license", "license_url", "page_url"]
                photos[number] = Photo(
                    **dict.fromkeys([*words, "image_url"], ""),
                    source="flickr",
                    source_id=str(number),
                    posted_at=now(),
                    sha256=changes.get("sha256", {}).get(number, str(number)),
                    rejected=changes.get("rejected", {}).get(number),
                    format="JPEG",
                )
            photo = photos[number]
            session.add(Candidate(wnid=wnid, photo=photo, keyword=query, rank=number + 1))


def found(wnid: str, query: str, numbers: Iterable[int]) -> list[Claim]:
    return [(wnid, query, number) for number in numbers]


def lines(pool: Pool, *wnids: str) -> dict[str, str]:
    with pool.store.session() as session:
        return explain(session, wnids)


def rivals(pool: Pool, wnid: str) -> dict[str, int]:
    """How many photos of a class each other class claims."""
    with pool.store.session() as session:
        return Counter(claim.rival for claim in contested_claims(session, [wnid]))


def test_a_class_is_told_with_whom_it_shares_its_photos_and_what_to_do(pool: Pool) -> None:
    add(
        pool,
        [
            *found(TENCH, "tinca", range(6)),
            *found(TENCH, "tench", range(6, 10)),
            *found(GOLDFISH, "fish", range(5)),
            *found(TABBY, "tench", range(7, 9)),
        ],
    )
    assert lines(pool, TENCH, GOLDFISH, TABBY, CRANE)[TENCH] == (
        "7 of 10 photos are contested and count for no class: "
        "5 also of goldfish n01443537; 2 also of tabby n02123045. "
        "Decide each in genset labels review; to avoid more, sharpen a query "
        "(genset keywords --yield n01440764)"
    )
    assert rivals(pool, TENCH) == {GOLDFISH: 5, TABBY: 2}


def test_a_class_that_keeps_half_of_its_photos_is_not_told(pool: Pool) -> None:
    add(pool, [*found(TENCH, "tench", range(8)), *found(GOLDFISH, "fish", range(4))])
    assert list(lines(pool, TENCH, GOLDFISH)) == [GOLDFISH]
    assert lines(pool, TENCH) == {}
    assert lines(pool) == {}


def test_photos_of_the_same_bytes_are_shared_too(pool: Pool) -> None:
    add(
        pool,
        [*found(TENCH, "tench", [1, 2]), *found(GOLDFISH, "fish", [11, 12])],
        sha256={11: "1", 12: "2"},
    )
    assert rivals(pool, TENCH) == {GOLDFISH: 2}
    assert list(lines(pool, TENCH, GOLDFISH)) == [TENCH, GOLDFISH]


def test_photos_that_are_not_there_are_not_counted(pool: Pool) -> None:
    add(
        pool,
        [*found(TENCH, "tench", range(5)), *found(GOLDFISH, "fish", range(3))],
        sha256={0: None},
        rejected={1: "gone"},
    )
    assert rivals(pool, TENCH) == {GOLDFISH: 1}
    assert TENCH not in lines(pool, TENCH)  # one of three


@pytest.mark.soak
def test_only_the_first_rivals_are_named(pool: Pool) -> None:
    others = [f"n0000000{digit}" for digit in range(1, 6)]
    claims = found(TENCH, "tench", range(20))
    for place, wnid in enumerate(others):
        claims += found(wnid, "fish", range(15 - place))
    add(pool, claims)
    line = lines(pool, TENCH)[TENCH]
    assert "15 also of class n00000001" in line and "13 also of class n00000003" in line
    assert "n00000004" not in line and "; others of 2 more classes." in line


def test_a_scrape_explains_a_class_that_lacks_most_of_its_photos(pool: Pool) -> None:
    claims = found(TENCH, "tench", range(10)) + found(GOLDFISH, "fish", range(6))
    add(pool, claims + found(TABBY, "tabby", range(9, 19)))
    words = f"scrape --no-search --per-class 5 --classes {TENCH},{GOLDFISH},{TABBY}".split()
    shown = genset(*words, cwd=pool.workspace.root)
    assert f"{TENCH}: 7 of 10 photos are contested and count for no class: 6 also of" in shown
    assert f"{GOLDFISH}: 6 of 6 photos are contested and count for no class: 6 also of" in shown
    assert f"{TABBY}: 1 photo contested: another class claims it too" in shown
