"""iNaturalist's answers, as recorded and as a stranger might send them, and calls of its API."""

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genset.classes import imagenet1k
from genset.core.errors import (
    BadInput,
    PhotoRejected,
    SourceError,
    SourceRefused,
    SourceUnavailable,
)
from genset.core.photo import PhotoOrigin
from genset.licenses import License, LicenseChoice, spdx_id
from genset.net.host_state import Quotas
from genset.net.pace import RateLimit
from genset.scrape.plan import ScrapePlan
from genset.scrape.scraper import scrape
from genset.sources.inaturalist import DAYS_BURST, DAYS_SECONDS_A_CALL, INaturalist, calls
from genset.sources.inaturalist_api import LICENSES, found_photo, license_in, parse_results
from genset.sources.replies import parse_json
from genset.sources.source import Question
from tests.scrape.pools import Pool
from tests.sources.conftest import JSON
from tests.sources.inaturalists import CONTACT, Naturalists, inaturalist, name, observation, photo

YEAR_2014 = datetime(2014, 1, 1, tzinfo=UTC)
TENCH = imagenet1k()["n01440764"]


def read(entry: Any, codes: Any = tuple(LICENSES)) -> PhotoOrigin | None:
    try:
        return found_photo(entry, codes)
    except PhotoRejected:
        return None


def needed(entry: Any) -> PhotoOrigin:
    found = read(entry)
    assert found is not None
    return found


# Recorded answers


@pytest.mark.realdata
def test_a_recorded_observation(realdata: Path) -> None:
    body = (realdata / "inaturalist" / "get_observation.json").read_bytes()
    reply = parse_json(body, "iNaturalist")
    _, [entry] = parse_results(reply)
    assert entry["license_code"] == "cc0"  # and its photos' is another one
    assert needed(entry) == PhotoOrigin(
        source="inaturalist",
        source_id="6448d03a-7f9a-4099-86aa-ca09a7740b00-24355315",
        owner="886482",
        owner_name="Nicolas Noé",
        title="Lixus bardanae",
        license="CC BY 4.0",
        license_url="https://creativecommons.org/licenses/by/4.0/",
        page_url="https://www.inaturalist.org/observations/16227955",
        image_url="https://static.inaturalist.org/photos/24355315/large.jpeg?1536150664",
        posted_at=datetime(2018, 9, 5, 12, 31, 8, tzinfo=UTC),
        taken_at="2018-09-05",
    )


# What an observation says


def test_the_first_photo_whose_own_licence_fits_is_taken() -> None:
    codes = (None, "cc-by-nd", "cc0", "CC-BY", "cc-by")
    photos = [photo(number, license_code=code) for number, code in enumerate(codes, 1)]
    photos[2]["hidden"] = True
    entry = observation(9, license_code="cc0", photos=photos)
    assert needed(entry).source_id == name(9, 2)
    for codes, expected in (
        (["cc-by"], name(9, 4)),
        (["cc0"], None),
        (["cc0", "cc-by-nd"], name(9, 2)),
    ):
        found = read(entry, codes)
        assert (found and found.source_id) == expected
    for code in (None, "", "pd", "cc-by-9", 4, [], {}):  # then all rights are reserved
        assert read(observation(photos=[{"id": 7, "license_code": code}])) is None
    assert read(observation(photos=[])) is None


def test_each_code_is_a_licence_by_name_address_and_spdx_id() -> None:
    for code in ("cc0", "cc-by", "cc-by-sa", "cc-by-nc", "cc-by-nd", "cc-by-nc-sa", "cc-by-nc-nd"):
        found = needed(observation(photos=[photo(license_code=code)]))
        kind = "publicdomain/zero/1.0" if code == "cc0" else f"licenses/{code[3:]}/4.0"
        assert found.license_url == f"https://creativecommons.org/{kind}/"
        spdx = "CC0-1.0" if code == "cc0" else f"{code.upper()}-4.0"
        assert spdx_id(License(found.license, found.license_url)) == spdx
        assert spdx_id(License(found.license, "")) == spdx


def test_a_name_is_the_persons_or_else_the_login_and_the_owner_stays_the_same() -> None:
    for login, called, words in (("ann", " Ann\0 O. ", "Ann O."), ("ann_2", "", "ann_2")):
        found = needed(observation(user={"id": 5, "login": login, "name": called}))
        assert (found.owner, found.owner_name) == ("5", words)


OPEN_DATA, STATIC = (
    "https://inaturalist-open-data.s3.amazonaws.com",
    "https://static.inaturalist.org",
)


@pytest.mark.parametrize(
    ("url", "full"),
    [
        (f"{OPEN_DATA}/photos/1/square.JPG", f"{OPEN_DATA}/photos/1/large.JPG"),
        (f"{STATIC}/photos/1/square.jpeg?153", f"{STATIC}/photos/1/large.jpeg?153"),
        # 500 pixels, the largest that each photo on Flickr has
        ("https://farm4.staticflickr.com/3290/square_1_s.jpg",
         "https://farm4.staticflickr.com/3290/square_1.jpg"),
        (f"{STATIC}/square/1.jpg", f"{STATIC}/square/1.jpg"),
        ("", ""),
    ],
)  # fmt: skip
def test_the_picture_is_asked_for_in_full_size(url: str, full: str) -> None:
    assert needed(observation(photos=[photo(url=url)])).image_url == full


def test_a_day_that_is_none_is_not_known() -> None:
    for day in ("2020-13-01", "2020", "0000-00-00", "yesterday", "2020-08-27T10:00", 2020, [], {}):
        assert needed(observation(observed_on=day)).taken_at is None


def test_without_what_it_is_judged_by_an_observation_is_passed_over() -> None:
    odd = (None, True, -1, 0, 2**80, 1e300, float("nan"), "x" * 100_000, [], {}, [[]], [{}])
    for field in ("id", "created_at", "user", "photos"):
        for value in odd:
            assert read(observation(**{field: value})) is None, (field, value)
    assert read(observation(created_at="2020-08-27T18:00:51")) is None  # in which zone?
    for grade in ("needs_id", "casual", None, 7):  # whoever sends it
        assert read(observation() | {"quality_grade": grade}) is None


FIELDS = st.sampled_from(sorted(observation()))
PHOTO_FIELDS = st.sampled_from(["id", "license_code", "url", "hidden"])


@given(reply=JSON, field=FIELDS, of_photo=PHOTO_FIELDS, value=JSON)
def test_no_answer_crashes_the_parser(reply: Any, field: str, of_photo: str, value: Any) -> None:
    good, spoilt = observation(), observation() | {field: value}
    odd = observation(
        photos=[photo() | {of_photo: value}, *(value if isinstance(value, list) else [])]
    )
    for each in (
        reply,
        {"total_results": value, "results": [good]},
        {"total_results": 3, "results": value},
        {"total_results": 3, "results": [spoilt, value, odd, good]},
    ):
        try:
            _, results = parse_results(each)
        except SourceUnavailable:
            continue
        for entry in results:
            found = read(entry)
            assert found is None or isinstance(found.posted_at, datetime)
            assert isinstance(license_in(entry, "1"), License | None)
        if results and results[-1] is good:
            assert read(results[-1]) == needed(observation())


@pytest.mark.parametrize(
    "body",
    [
        b"", b"null", b"\xff\xfe", b"[" * 100_000, b'{"results": []}',
        b'{"total_results": NaN, "results": []}', b'{"total_results": 1e400, "results": []}',
        b'{"total_results": -1, "results": []}', b'{"total_results": "3", "results": []}',
        b'{"total_results": 9' + b"9" * 5000 + b', "results": []}', b"<html>Bad gateway</html>",
    ],
)  # fmt: skip
def test_an_answer_in_an_unknown_form_may_pass(body: bytes) -> None:
    with pytest.raises(SourceUnavailable):
        parse_results(parse_json(body, "iNaturalist"))


def test_a_class_is_searched_by_its_taxon_under_licences_that_there_are() -> None:
    assert INaturalist.queries(TENCH) == ("Tinca tinca",)
    assert INaturalist.queries(imagenet1k()["n02085620"]) == ()  # Chihuahua
    assert INaturalist.queries(imagenet1k()["n03126707"]) == ()  # crane, the machine
    free = ("CC BY 4.0", "CC BY-SA 4.0", "Public Domain Dedication (CC0)")
    for words, names in (("CC-BY", ("CC BY 4.0",)), ("open", free)):
        assert INaturalist.licenses(LicenseChoice((words,))) == names
    with pytest.raises(BadInput, match=r"iNaturalist has no licence CC BY 2\.0"):
        INaturalist.licenses(LicenseChoice(("CC BY 2.0",)))


# Calls


@pytest.fixture
def naturalists(monkeypatch: pytest.MonkeyPatch) -> Iterator[Naturalists]:
    """A host with thirty tenches, and short pauses."""
    monkeypatch.setenv("GENSET_PAUSE_FACTOR", "0.0002")
    with Naturalists(observation(number) for number in range(100, 130)) as running:
        yield running


def question(**changes: Any) -> Question:
    asked = Question("Tinca tinca", YEAR_2014, None, (), per_page=4, page=1)
    return replace(asked, **changes)


def test_the_first_page_counts_and_the_others_bring_photos(naturalists: Naturalists) -> None:
    source = inaturalist(naturalists.endpoint, seed=3)
    came = source.search(question(), 0)
    assert (came.photos, came.total, came.last, came.capped) == ((), 30, False, False)
    found: list[str] = []
    for page in range(2, 10):  # eight places of four
        assert not came.last
        came = source.search(question(page=page, bookmark=(last := came.bookmark)), 0)
        found += [each.source_id for each in came.photos]
    assert came.last
    assert sorted(found) == sorted(map(name, range(100, 130))) and found != sorted(found)
    beyond = source.search(question(page=10, bookmark=last), 0)
    assert beyond.last and not beyond.photos


def test_what_is_asked(naturalists: Naturalists) -> None:
    source = inaturalist(naturalists.endpoint)
    asked = question(
        posted_before=datetime(2021, 1, 1, tzinfo=UTC), licenses=("CC BY 4.0", "CC BY-NC 4.0")
    )
    bookmark = source.search(asked, 0).bookmark
    source.search(replace(asked, page=2, bookmark=bookmark), 0)
    first, second, *_ = naturalists.calls  # a block may be two runs
    assert first.path == second.path == "/v1/observations"
    assert CONTACT in first.agent
    narrow = {
        "taxon_name": "Tinca tinca",
        "quality_grade": "research",
        "photo_license": "cc-by,cc-by-nc",
        "created_d1": "2014-01-01",
        "created_d2": "2020-12-31T23:59:59+00:00",
    }
    for each in (first, second):
        assert narrow.items() <= each.params.items()
    assert first.params["order"] == "desc"
    assert {"order_by": "id", "order": "asc"}.items() <= second.params.items()
    assert (second.params["id_above"], second.params["id_below"]) == ("0", "130")
    assert int(second.params["per_page"]) <= 200
    # From parameters of GET /observations in openapi_spec_v1.json of pyinat/pyinaturalist.
    known = narrow.keys() | {"id_above", "id_below", "order_by", "order", "per_page", "page"}
    known |= {"only_id"}
    for each in naturalists.calls:
        assert each.params.keys() <= known


def test_one_malformed_observation_costs_itself_only(naturalists: Naturalists) -> None:
    for number, changes in {
        109: {"created_at": "0001-01-01T00:00:00+14:00"},
        110: {"user": "nobody"},
        111: {"photos": [None, photo(5)]},
        112: {"quality_grade": "casual"},
        113: {"photos": [photo(5, license_code="pd")]},
    }.items():
        naturalists.observations[number] = observation(number, **changes)
    source = inaturalist(naturalists.endpoint)
    bookmark = source.search(question(per_page=100), 0).bookmark
    came = source.search(question(per_page=100, page=2, bookmark=bookmark), 0)
    assert len(came.photos) == 26
    assert name(111, 5) in {each.source_id for each in came.photos}
    assert came.rejected == dict.fromkeys(
        ("without a valid user", "without a valid created_at", "not of research grade",
         "under another licence"), 1,
    )  # fmt: skip
    for page in (1, 2):
        naturalists.errors = [(200, b'{"total_results": 30, "results": []}')]
        with pytest.raises(SourceUnavailable, match="none of 30 results"):
            source.search(question(page=page, bookmark=bookmark), 0)


def test_the_licence_of_today_and_what_is_gone(naturalists: Naturalists) -> None:
    """Gone is what an answer about it alone leaves out."""
    source, held = inaturalist(naturalists.endpoint), naturalists.observations

    def license(number: int = 100, *photos: Any) -> License | SourceError | None:
        if photos:
            held[number]["photos"] = list(photos)
        return source.licenses_of([name(number)])[name(number)]

    by_nc = License("CC BY-NC 4.0", "https://creativecommons.org/licenses/by-nc/4.0/")
    assert license() == by_nc
    reserved = License("All Rights Reserved", "")
    assert license(100, photo(1), photo(102, license_code=None)) == reserved
    odd = License("iNaturalist licence cc-by-99<script>", "")
    assert license(100, photo(102, license_code="cc-by-99<script>")) == odd
    assert license(100, photo(102, hidden=True)) is None  # by a moderator
    assert license(100, photo(1)) is None
    naturalists.errors = [(422, b'{"error": "no"}')]
    assert isinstance(license(101), SourceRefused)
    del held[104]
    naturalists.unsearchable = {105}
    naturalists.calls.clear()
    found = source.licenses_of([name(103), name(104), name(105)])
    assert found == {name(103): by_nc, name(104): None, name(105): by_nc}
    alone = [asked.params["uuid"] for asked in naturalists.calls[1:]]
    assert alone == [name(number)[:36] for number in (104, 105)]


# A scrape


def plan_of(pool: Pool, **changes: Any) -> ScrapePlan:
    return replace(pool.plan, classes=(TENCH,), source=INaturalist, **changes)


def test_pages_without_photos_that_will_do_do_not_end_a_scrape(
    naturalists: Naturalists, pool: Pool
) -> None:
    held = naturalists.observations
    held |= {number: observation(number, photos=[]) for number in range(200, 230)}
    for number in set(range(100, 130)) - {100, 110, 120}:
        held[number] = observation(number, observed_on="2009-01-01")
    source = inaturalist(naturalists.endpoint)
    done = scrape(pool.workspace, pool.store, source, plan_of(pool, per_class=5))
    assert done.short == {TENCH.wnid: 3}
    assert done.rejected_by_plan == {"taken before 2014-01-01": 27}
    assert sorted(pool.held(TENCH)) == [name(100), name(110), name(120)]


# Limits, which must hold in any stretch of time however it is called

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
START = 1e9


def most_within(seconds: float, came: list[tuple[float, int]]) -> int:
    """The largest sum of what came within so many seconds of each other."""
    most = held = begin = 0
    for time, size in came:
        held += size
        while came[begin][0] <= time - seconds:
            held -= came[begin][1]
            begin += 1
        most = max(most, held)
    return most


def test_calls_stay_within_the_minute(pool: Pool) -> None:
    quotas = Quotas(pool.store, "host", "Host", [calls(pool.store, "host")], lambda: START, print)
    turns, now = [], START
    for _ in range(200):  # as fast as it lets
        now = quotas.reserve(0, now, 0)
        turns.append((now, 1))
    assert most_within(MINUTE, turns) <= 60


@pytest.mark.parametrize("seed", range(3))
def test_calls_stay_within_a_longer_time_by_its_burst_what_refills_and_one(
    pool: Pool, seed: int
) -> None:
    draw, now, turns = random.Random(seed), START, []
    limit = RateLimit(pool.store, "day", 12, burst=27)
    for _ in range(150):
        now = limit.reserve(now + draw.choice((0.0, 0.0, 0.0, draw.uniform(0, 300))))
        turns.append((now, 1))
    for seconds in (MINUTE, 300.0, HOUR):
        assert most_within(seconds, turns) <= 27 + seconds / 12 + 1
    assert DAYS_BURST + DAY / DAYS_SECONDS_A_CALL + 1 == 9_901
