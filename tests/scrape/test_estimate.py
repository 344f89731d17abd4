"""What a dry run says that a scrape takes, and what may come of it."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from genset.db import Candidate, Photo
from genset.scrape.estimate import Estimate, contested_claims, estimate
from genset.scrape.plan import ScrapePlan
from genset.sources.source import Rates
from tests.labeled_workspace import CRANE, GOLDFISH, TABBY, TENCH, photo_row
from tests.scrape.commands import genset
from tests.scrape.pools import CAT, DOG, NewPool, Pool, Serve, answer_of, image_class, record

RATES = Rates(calls_an_hour=3600, images_per_second=10)


def takes(pool: Pool, plan: ScrapePlan) -> Estimate:
    return estimate(pool.store, plan, RATES)


def dry_run(pool: Pool, *words: str, key: str = "") -> Any:
    """What `genset scrape --dry-run --json` says, on a source that must not be asked."""
    words = ("--dry-run", "--json", *words)
    return answer_of(pool.done("http://127.0.0.1:9/", *words, key=key, secret=""))


def add_photos(pool: Pool, wnid: str, count: int, byte_size: int | None = None) -> None:
    """Photos of a class without files; those with a size count as downloaded."""
    size = {"byte_size": byte_size, "format": "JPEG", "width": 500, "height": 500}
    with pool.store.begin() as session:
        first = session.query(Photo).count()
        for number in range(first, first + count):
            sha256 = f"{number:064x}" if byte_size else None
            photo = photo_row(number, sha256=sha256, **size if byte_size else {})
            rank = number - first + 1
            session.add(Candidate(wnid=wnid, photo=photo, keyword="cat", rank=rank))


def test_an_estimate_is_what_a_scrape_then_asks(serve: Serve, new_pool: NewPool) -> None:
    """Where every photo can be used: fifty results a page, and all keywords equally deep."""
    rows = [record(number) for number in range(60)]
    rows += [record(100 + number, "dog") for number in range(3)]
    sandbox = serve(*rows)
    pool = new_pool(per_class=3)
    plan = replace(pool.plan, classes=(CAT, DOG))
    before = takes(pool, plan)
    assert (before.classes, before.calls, before.photos) == (2, 3, 6)
    done = pool.scrape(sandbox.source, CAT, DOG)
    assert (done.searches, done.stored) == (3, 6)
    after = takes(pool, plan)
    assert (after.classes, after.calls, after.photos, after.hours) == (0, 0, 0, 0)


def test_photos_that_are_known_and_not_downloaded_are_counted(pool: Pool) -> None:
    add_photos(pool, CAT.wnid, 2)
    add_photos(pool, CAT.wnid, 3, 100_000)
    plan = replace(pool.plan, per_class=9)
    assert takes(pool, plan).photos == 6
    found = takes(pool, replace(plan, search=False))
    assert (found.photos, found.calls) == (2, 0)


def test_the_rates_of_the_settings_and_all_keys_count(pool: Pool) -> None:
    settings = pool.workspace.root / "genset.toml"
    settings.write_text("[scrape]\ncalls_an_hour = 100\nimages_per_second = 50\n", "utf-8")
    found = dry_run(pool, "--classes", f"{TENCH},{CRANE}", key="one,two,three")
    assert found["rates"] == {"calls_an_hour": 300, "images_per_second": 50}
    assert found["call_hours"] == pytest.approx(found["calls"] / 300)
    assert found["image_hours"] == pytest.approx(found["photos"] / 50 / 3600)


def test_the_pools_own_photos_tell_how_large_photos_are(pool: Pool) -> None:
    add_photos(pool, CAT.wnid, 20, 100_000)
    few = dry_run(pool, "--classes", TENCH, "--per-class", "1000")
    assert (few["bytes_a_photo"], few["is_measured"]) == (400_000, False)
    add_photos(pool, CAT.wnid, 20, 200_000)
    many = dry_run(pool, "--classes", TENCH, "--per-class", "1000")
    assert (many["bytes_a_photo"], many["is_measured"]) == (150_000, True)
    assert many["bytes"] == 1000 * 150_000


@pytest.mark.parametrize("others", [0, 120])
def test_both_databases_tell_the_same(new_pool: NewPool, store_url: str, others: int) -> None:
    """And so do the two ways to find contested photos: for few classes, and for many."""
    pool = new_pool(store_url=store_url)
    add_photos(pool, CAT.wnid, 60, 100_000)
    with pool.store.begin() as session:
        photo = session.query(Photo).filter_by(source_id="0").one()
        session.add(Candidate(wnid=DOG.wnid, photo=photo, keyword="dog", rank=1))
    rest = tuple(image_class(f"n1{number:07}", f"thing {number}") for number in range(others))
    found = takes(pool, replace(pool.plan, per_class=60, classes=(CAT, *rest)))
    assert found.photos == 1 + 60 * others
    assert found.bytes_a_photo == 100_000


def test_a_dry_run_asks_nothing_and_changes_nothing(serve: Serve, pool: Pool) -> None:
    sandbox = serve(record(1))
    words = ["--classes", f"{TENCH},{CRANE}", "--dry-run", "--json"]
    answer_of(pool.done(sandbox.endpoint, *words, key="", secret=""))
    rejected = pool.done(sandbox.endpoint, *words, "--retry-failed", key="", secret="")
    assert "--dry-run cannot be combined with --retry-failed" in rejected.stderr
    assert rejected.returncode == 2
    assert list(sandbox.requests) == []
    assert not any(pool.rows().values())


def test_a_scrape_counts_what_is_contested_and_names_what_tells_more(pool: Pool) -> None:
    """Also by the same bytes under another number; not where a photo is not there."""
    claims = {TENCH: range(10), GOLDFISH: (0, 1, 2, 3, 20), TABBY: (7, 8)}
    photos: dict[int, Photo] = {}
    with pool.store.begin() as session:
        for wnid, numbers in claims.items():
            for n in numbers:
                if n not in photos:
                    gone = "gone" if n == 1 else None
                    sha256 = str(4 if n == 20 else n)
                    photos[n] = photo_row(n, sha256=sha256, rejected=gone, format="JPEG")
                session.add(Candidate(wnid=wnid, photo=photos[n], keyword="fish", rank=n + 1))
    with pool.store.session() as session:
        claims_on = contested_claims(session, [TENCH])
        assert Counter(claim.rival for claim in claims_on) == {GOLDFISH: 4, TABBY: 2}
    words = f"scrape --no-search --per-class 3 --classes {TENCH},{GOLDFISH},{TABBY}".split()
    shown = genset(*words, cwd=pool.workspace.root)
    for wnid, count in ((TENCH, 6), (GOLDFISH, 4), (TABBY, 2)):
        line = f"{wnid}: {count} photos contested: another class claims them too"
        assert f"{line} (genset keywords --yield {wnid})" in shown
