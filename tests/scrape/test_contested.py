"""Whose photos a class's searches found, too."""

from collections import Counter
from collections.abc import Iterable

from genset.db import Candidate, Photo
from genset.scrape.estimate import contested_claims
from tests.labeled_workspace import GOLDFISH, TABBY, TENCH, photo_row
from tests.scrape.commands import genset
from tests.scrape.pools import Pool

Claim = tuple[str, str, int]  # a class, its query, a photo


def add(pool: Pool, claims: Iterable[Claim], **changes: dict[int, str | None]) -> None:
    """Photos that classes' queries found; each has bytes of its own where `sha256` says nothing."""
    with pool.store.begin() as session:
        photos: dict[int, Photo] = {}
        for wnid, query, number in claims:
            if number not in photos:
                photos[number] = photo_row(
                    number,
                    sha256=changes.get("sha256", {}).get(number, str(number)),
                    rejected=changes.get("rejected", {}).get(number),
                    format="JPEG",
                )
            photo = photos[number]
            session.add(Candidate(wnid=wnid, photo=photo, keyword=query, rank=number + 1))


def found(wnid: str, query: str, numbers: Iterable[int]) -> list[Claim]:
    return [(wnid, query, number) for number in numbers]


def test_a_scrape_counts_what_is_contested_and_names_what_tells_more(pool: Pool) -> None:
    """Also by the same bytes under another number; not where a photo is not there."""
    claims = found(TENCH, "tench", range(10)) + found(GOLDFISH, "fish", [0, 1, 2, 3, 20])
    add(
        pool,
        claims + found(TABBY, "tabby", range(7, 9)),
        sha256={20: "4"},
        rejected={1: "gone"},
    )
    with pool.store.session() as session:
        claims_on = contested_claims(session, [TENCH])
        assert Counter(claim.rival for claim in claims_on) == {GOLDFISH: 4, TABBY: 2}
    words = f"scrape --no-search --per-class 3 --classes {TENCH},{GOLDFISH},{TABBY}".split()
    shown = genset(*words, cwd=pool.workspace.root)
    for wnid, count in ((TENCH, 6), (GOLDFISH, 4), (TABBY, 2)):
        line = f"{wnid}: {count} photos contested: another class claims them too"
        assert f"{line} (genset keywords --yield {wnid})" in shown
