"""Two sources in one workspace: each fills its classes, and none touches another's photos."""

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select

from genset.core.errors import GensetError
from genset.db import Photo, now
from genset.licenses import choose_licenses
from genset.net.hosts import Hosts
from genset.release.freeze import create
from genset.release.reader import MANIFEST
from genset.sandbox import Faults, Rule
from genset.sandbox.faults import What
from genset.sandbox.flickr import failure
from genset.sandbox.inaturalist import OBSERVATIONS
from genset.scrape.plan import ScrapePlan
from genset.scrape.refresh import refresh, refresh_all
from genset.scrape.results import ScrapeSummary
from genset.scrape.scraper import scrape
from genset.scrape.side_by_side import scrape_all
from genset.scrape.state import forget_refusals
from genset.sources.commons import Commons
from genset.sources.flickr import Flickr
from genset.sources.inaturalist import INaturalist
from genset.sources.source import Source
from tests.labeled_workspace import photo_row, picture
from tests.scrape.commands import genset
from tests.scrape.pools import NewPool, Pool, record
from tests.scrape.several import CLASSES, SETTINGS, Start, rows_of
from tests.scrape.test_pull import files


def plan_of(pool: Pool, source: type[Source], **changes: Any) -> ScrapePlan:
    return replace(pool.plan, classes=CLASSES, source=source, **changes)


Outcome = ScrapeSummary | GensetError


def fill(pool: Pool, *sources: type[Source], patience: float | None = None) -> dict[str, Outcome]:
    """Scrape these sources side by side."""
    done, ended = scrape_all(
        pool.workspace,
        pool.store,
        [
            (
                source.connect(Hosts(pool.store, give_up_after=patience), SETTINGS),
                plan_of(pool, source),
            )
            for source in sources
        ],
    )
    return {**done, **ended}


def summary(came: dict[str, Outcome], source: str) -> ScrapeSummary:
    found = came[source]
    assert isinstance(found, ScrapeSummary), found
    return found


def photos(pool: Pool, source: str) -> dict[str, tuple[str | None, str | None]]:
    """The hash and the refusal of a source's photos, by their ids there."""
    with pool.store.session() as session:
        return {
            photo.source_id: (photo.sha256, photo.rejected)
            for photo in session.scalars(select(Photo).where(Photo.source == source))
        }


def stored(pool: Pool, source: str) -> list[str]:
    return sorted(name for name, (sha256, _) in photos(pool, source).items() if sha256)


def test_each_source_fills_each_class(start: Start, new_pool: NewPool) -> None:
    pool = new_pool(per_class=5)
    start("flickr", rows_of(1000))
    start("commons", rows_of(2000))
    start("inaturalist", rows_of(3000))
    came = fill(pool, Flickr, Commons, INaturalist)
    for source in ("flickr", "commons", "inaturalist"):
        assert summary(came, source).full == 2
        assert len(stored(pool, source)) == 10
    again = fill(pool, Flickr, Commons, INaturalist)
    assert {summary(again, name).searches for name in again} == {0}
    ranks = {(row["photo_id"], row["rank"]) for row in pool.rows()["candidate"]}
    assert len(ranks) == 2 * 8 * 2 + len(photos(pool, "inaturalist"))


def test_photos_that_wait_for_one_source_are_not_refused_by_another(
    start: Start, new_pool: NewPool
) -> None:
    pool = new_pool(per_class=5)
    start("flickr", rows_of(1000), Faults(poisoned=1.0))
    source = Flickr.connect(Hosts(pool.store), SETTINGS)
    done = scrape(pool.workspace, pool.store, source, plan_of(pool, Flickr, wait=False))
    assert len(done.waiting) == 2
    waiting = photos(pool, "flickr")
    assert set(waiting.values()) == {(None, None)}
    start("commons", rows_of(2000))
    assert summary(fill(pool, Commons), "commons").full == 2
    assert photos(pool, "flickr") == waiting


@pytest.mark.parametrize(
    ("fault", "words"),
    [(503, "Flickr has not answered since"), (failure(100), "check FLICKR_API_KEY")],
)
def test_a_source_that_is_down_or_has_a_bad_key_does_not_hold_up_the_others(
    start: Start, new_pool: NewPool, fault: What, words: str
) -> None:
    pool = new_pool(per_class=5)
    flickr = start("flickr", rows_of(1000))
    flickr.rules.append(Rule(fault))
    start("commons", rows_of(2000))
    came = fill(pool, Flickr, Commons, patience=0.05)
    assert summary(came, "commons").full == 2
    assert isinstance(came["flickr"], GensetError)
    assert words in str(came["flickr"])
    flickr.rules.clear()
    assert summary(fill(pool, Flickr, Commons), "flickr").full == 2


def test_what_was_refused_of_one_source_is_not_tried_again_for_another(
    start: Start, new_pool: NewPool
) -> None:
    pool = new_pool(per_class=5)
    for name, first in (("flickr", 1000), ("commons", 2000)):
        start(name, rows_of(first), contents={first: b"junk"})
    fill(pool, Flickr, Commons)
    assert photos(pool, "flickr")["1000"] == photos(pool, "commons")["2000"]
    forget_refusals(pool.store, plan_of(pool, Commons))
    assert photos(pool, "commons")["2000"] == (None, None)
    assert str(photos(pool, "flickr")["1000"][1]).startswith("not an image")


def test_what_commons_cannot_search_for_is_looked_at_in_each_photo(
    start: Start, new_pool: NewPool
) -> None:
    """Its licence, when it was taken, and when its first version was uploaded."""
    pool = new_pool(per_class=5)
    rows = rows_of(2000, date_upload_search_engine="2020-01-01 12:00:00")
    rows[0]["date_taken"] = "2009-05-03 10:00:00"
    rows[1]["date_taken"] = None
    rows[2]["date_taken"] = "2022-05-03 10:00:00"  # the camera's clock was wrong
    rows[3]["first_upload"] = "2012-01-02 03:04:05"
    for row in rows:
        row["commons_license"] = "cc-by-sa-3.0-de" if row in rows[:6] else "gfdl"
    start("commons", rows)
    source = Commons.connect(Hosts(pool.store), SETTINGS)
    plan = plan_of(pool, Commons, licenses=choose_licenses("CC BY-SA"))
    done = scrape(pool.workspace, pool.store, source, plan)
    assert stored(pool, "commons") == ["2004", "2005"]
    assert done.rejected_by_plan == {
        "taken before 2014-01-01": 1,
        "taken nobody knows when": 2,
        "posted before 2014-01-01": 1,
        "under another licence": 10,
    }
    # Flickr's window is about posting, unless somebody asks for more.
    start("flickr", rows)
    assert summary(fill(pool, Flickr), "flickr").rejected_by_plan == {}
    assert {"2000", "2001", "2002"} <= set(stored(pool, "flickr"))


def test_a_refresh_of_a_source_does_not_wait_for_another_that_is_down(
    start: Start, new_pool: NewPool, tmp_path: Path
) -> None:
    pool = new_pool(per_class=2)
    flickr = start("flickr", rows_of(1000))
    start("commons", rows_of(2000))
    fill(pool, Flickr, Commons)
    for name in ("served 0/photos/1000.jpg", "served 1/photos/2000.jpg"):
        (tmp_path / name).unlink()

    def sources() -> list[Source]:
        hosts = (Hosts(pool.store, give_up_after=0.05) for _ in range(2))
        return [Flickr.connect(next(hosts), SETTINGS), Commons.connect(next(hosts), SETTINGS)]

    done, ended = refresh_all(pool.store, sources())
    assert (done.checked, set(done.gone), ended) == (8, {"flickr:1000", "commons:2000"}, {})
    flickr.rules.append(Rule(503))
    done, ended = refresh_all(pool.store, sources())
    assert done.checked == 4
    assert list(ended) == ["flickr"]
    assert "Flickr has not answered since" in str(ended["flickr"])


@pytest.mark.parametrize("source", [Commons, INaturalist])
def test_a_refresh_asks_for_many_photos_in_one_call(
    start: Start, pool: Pool, source: type[Source]
) -> None:
    """So 20,000 photos of Commons take 400 calls."""
    name, photos = source.about.name, range(1, 452)
    rows = [record(number, file="photos/1.jpg", taxon="Felis catus") for number in photos]
    sandbox = start(name, rows, contents=dict.fromkeys(photos, picture(1)))
    with pool.store.begin() as session:
        for number in photos:
            id = str(number) if source is Commons else f"{UUID(int=OBSERVATIONS + number)}-{number}"
            stored = {"sha256": f"{number:064x}", "stored_at": now()}
            session.add(photo_row(number, source=name, source_id=id, **stored))
    ready = source.connect(Hosts(pool.store), SETTINGS)
    assert refresh(pool.store, ready).checked == 451
    assert len(sandbox.requests) == (10 if source is Commons else 3)


def test_a_release_of_two_sources_is_pulled_from_both(
    start: Start, new_pool: NewPool, tmp_path: Path
) -> None:
    pool = new_pool(per_class=3)
    flickr = start("flickr", rows_of(1000))
    start("commons", rows_of(2000))
    fill(pool, Flickr, Commons)
    for cls in CLASSES:
        pool.label_all_correct(cls)
    release = create(pool.workspace, pool.store, "v1")
    words = ("pull", str(release.root / MANIFEST), "--contact", "her@example.org", "--json")
    told = json.loads(genset(*words, cwd=tmp_path, endpoint=flickr.endpoint))
    assert (told["pulled"], told["photos"]) == (12, 12)
    assert files(tmp_path / "v1") == files(release.root)
    credits = (tmp_path / "v1" / "docs/ATTRIBUTION.txt").read_text("utf-8")
    assert credits.count("via Flickr") == credits.count("via Wikimedia Commons") == 6


def command(pool: Pool) -> "subprocess.Popen[str]":
    classes = ",".join(cls.wnid for cls in CLASSES)
    words = ["--source", "flickr,commons", "--per-class", "5", "--json", "--classes", classes]
    return subprocess.Popen(
        [sys.executable, "-m", "genset", "scrape", *words],
        cwd=pool.workspace.root,
        env=os.environ | {"GENSET_CONTACT": "me@example.org"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


PASSING = dict.fromkeys(("too_many", "server_error", "unavailable", "truncated"), 0.1)
LASTING = dict.fromkeys(("gone", "foreign_redirect", "not_image", "broken_photos"), 0.06)


@pytest.mark.soak
def test_killed_at_any_moment_two_sources_end_as_undisturbed_ones_do(
    start: Start, new_pool: NewPool
) -> None:
    """Nothing is lost, nothing comes twice, and nothing is left to clean up."""
    faults = Faults(seed=5, **PASSING, **LASTING, retry_after=0)
    many = {"contents": {1003: picture(1000), 2003: picture(2000), 1101: picture(1001)}}
    flickr = start("flickr", rows_of(1000), faults, **many)
    start("commons", rows_of(2000), faults, **many)
    calm, pool = new_pool(per_class=5), new_pool(per_class=5)
    process = command(calm)
    out, errors = process.communicate(timeout=90)
    ended = process.returncode, {name: done["full"] for name, done in json.loads(out).items()}
    assert ended[1], errors
    random = Random(3)
    for kill in range(21):
        had = set(stored(pool, "flickr"))
        flickr.requests.clear()
        process = command(pool)
        if kill < 20:
            time.sleep(random.uniform(0.5, 2.0))
            process.kill()
        out, errors = process.communicate(timeout=90)
        asked = [each.what for each in flickr.requests if each.verb == "GET"]
        assert not had & {re.sub(r".*/(\d+)_.*", r"\1", path) for path in asked}
        assert had <= set(stored(pool, "flickr"))
    assert (process.returncode, {n: done["full"] for n, done in json.loads(out).items()}) == ended
    assert pool.rows() == calm.rows()
    assert pool.files() == calm.files()
