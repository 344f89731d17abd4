"""What is asked for reaches the source and is checked: licences, windows, sizes, safety."""

from datetime import UTC, datetime
from typing import Any

from genset.classes import imagenet1k
from genset.licenses import FLICKR, choose_licenses
from genset.sandbox import Reply
from genset.scrape.state import forget_refusals
from tests.labeled_workspace import TENCH, picture
from tests.scrape.commands import genset
from tests.scrape.pools import (
    CAT,
    Deaf,
    Faulty,
    NewPool,
    Pool,
    Serve,
    answer_of,
    record,
)

OPEN = choose_licenses("open")
PARAMS = ("license", "min_upload_date", "max_upload_date")


def asked(sandbox: Faulty) -> set[tuple[str | None, ...]]:
    """What the searches asked for, each combination once."""
    searches = sandbox.requests.of("flickr.photos.search")
    return {tuple(each.params.get(name) for name in PARAMS) for each in searches}


def unix(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def test_what_is_asked_for_reaches_the_source_and_is_checked_on_each_photo(
    serve: Serve, new_pool: NewPool
) -> None:
    days = ("2013-12-31 23:59:59", "2014-01-01 00:00:00", "2007-01-01 00:00:00",
            "2019-12-31 23:59:59", "2020-01-01 00:00:00", "2024-01-01 00:00:00")  # fmt: skip
    window = {
        "posted_after": datetime(2014, 1, 1, tzinfo=UTC),
        "posted_before": datetime(2020, 1, 1, tzinfo=UTC),
    }
    rows = [record(number, license=number) for number in range(17)]
    rows += [
        record(number, license=4, date_upload_search_engine=day)
        for number, day in enumerate(days, start=21)
    ]
    sandbox = serve(*rows)
    fitting = ["4", "5", "7", "8", "9", "10", "11", "12", "22", "24"]
    told, unheard = new_pool(per_class=20), new_pool(per_class=20)
    for pool, source in ((told, sandbox.source), (unheard, Deaf(sandbox.source))):
        sandbox.requests.clear()
        assert pool.scrape(source, licenses=OPEN, **window).short == {CAT.wnid: len(fitting)}
        assert pool.held() == fitting
        assert len(sandbox.asked_images) == len(pool.files()) == len(fitting)
        if pool is told:  # Flickr's end is in the window
            days = str(unix("2014-01-01")), str(unix("2020-01-01") - 1)
            assert asked(sandbox) == {("4,5,7,8,9,10,11,12", *days)}


def test_another_license_is_searched_for_anew(serve: Serve, pool: Pool) -> None:
    sandbox = serve(record(1, license=0), record(2, license=4), record(3, license=11))
    assert pool.scrape(sandbox.source, licenses=choose_licenses("CC BY 4.0")).short == {CAT.wnid: 1}
    summary = pool.scrape(sandbox.source, licenses=OPEN)
    assert (summary.searches, summary.stored) == (2, 1)
    wanted = "|".join(sorted(row.name for row in FLICKR.values() if OPEN.wants(row)))
    assert {search["licenses"] for search in pool.rows()["search"]} == {"CC BY 4.0", wanted}


# Trying again what was rejected


def test_refused_photos_are_tried_again_only_when_that_is_asked_for(
    serve: Serve, new_pool: NewPool
) -> None:
    sandbox = serve(*map(record, range(6)))
    undisturbed, pool = new_pool(), new_pool()
    undisturbed.scrape(sandbox.source)
    gone = Reply(410, "text/plain", b"")
    sandbox.fault = lambda request: gone if "/1_" in request.path else None
    pool.scrape(sandbox.source)
    assert (pool.held(), pool.rejected()) == (["0", "2", "3"], {"1": "gone"})

    sandbox.fault = lambda request: None
    sandbox.requests.clear()
    assert pool.scrape(sandbox.source).stored == len(sandbox.requests) == 0
    forget_refusals(pool.store, pool.plan)
    assert pool.scrape(sandbox.source).stored == len(sandbox.requests) == 1
    assert (pool.held(), pool.rejected()) == (["0", "1", "2", "3"], {})


# The command


def test_photos_taken_before_the_window_are_counted_and_rejected_where_that_is_wanted(
    serve: Serve, new_pool: NewPool
) -> None:
    fish = imagenet1k()[TENCH].queries[0].text
    days = ("1998-05-03 00:00:00", "2014-12-31 00:00:00", None)
    sandbox = serve(*(record(n, fish, date_taken=day) for n, day in enumerate(days, 1)))
    words = ["--classes", TENCH, "--per-class", "3", "--json"]
    done = answer_of(new_pool().done(sandbox.endpoint, *words))
    assert (done["stored"], done["early"]) == (3, 1)
    words += ["--taken-after", "2014-01-01", "--taken-unknown"]
    done = answer_of(new_pool().done(sandbox.endpoint, *words), 1)
    assert (done["stored"], done["early"]) == (2, 0)
    assert done["rejected_by_plan"] == {"taken before 2014-01-01": 1}


def test_photos_under_64_pixels_are_refused_and_those_that_are_stored_stay(
    serve: Serve, pool: Pool
) -> None:
    """Where nothing is said of sizes."""
    fish = imagenet1k()[TENCH].queries[0].text
    sides = {1: 1, 2: 63, 3: 64, 4: 300}
    contents = {number: picture(number, (side + 99, side)) for number, side in sides.items()}
    sandbox = serve(*(record(number, fish) for number in sides), contents=contents)
    words = ["--classes", TENCH, "--json", "--per-class"]

    def scraped(*more: str, code: int = 0) -> tuple[list[str], Any]:
        done = answer_of(pool.done(sandbox.endpoint, *words, *more), code)
        return sorted(row["source_id"] for row in pool.rows()["photo"] if row["sha256"]), done

    held, done = scraped("2")
    assert (held, done["full"], done["rejected"]) == (["3", "4"], 1, {"too small": 2})
    held, done = scraped("4", "--min-size", "1", "--retry-failed")
    assert (held, done["stored"]) == (["1", "2", "3", "4"], 2)
    sandbox.requests.clear()
    held, done = scraped("4")
    assert (done["full"], done["stored"], done["short"]) == (1, 0, {})
    assert not sandbox.asked_images
    assert scraped("4", "--min-size", "64", code=1)[1]["full"] == 0


def test_a_day_to_come_is_refused(pool: Pool) -> None:
    root, words = pool.workspace.root, ["scrape", "--classes", TENCH, "--dry-run"]
    said = "is 2130-01-01, which is in the future"
    line = genset(*words, "--posted-after", "2130-01-01", cwd=root, code=2)
    assert f"--posted-after {said}" in line
    settings = root / "genset.toml"
    settings.write_text(settings.read_text().replace("2014-01-01", "2130-01-01"))
    assert f"{settings}: posted_after {said}" in genset(*words, cwd=root, code=2)
    genset("status", cwd=root)  # other commands go on
