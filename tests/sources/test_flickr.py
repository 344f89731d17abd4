"""Flickr's answers, as recorded, and calls to the sandbox through the real flickrapi."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genset.core.errors import BadInput, SourceError, SourceRefused, SourceUnavailable
from genset.core.photo import PhotoOrigin
from genset.licenses import FLICKR
from genset.sandbox import Sandbox
from genset.sources.flickr import Flickr, parse_search
from genset.sources.flickr_api import DAYS, IDS, parse_reply, uploaded
from genset.sources.source import Question, SearchPage, Settings
from genset.workspace import Workspace
from tests.labeled_workspace import TENCH, picture
from tests.scrape.pools import flickr_at
from tests.sources.conftest import JSON

YEAR_1970, YEAR_2014 = datetime(1970, 1, 1, tzinfo=UTC), datetime(2014, 1, 1, tzinfo=UTC)


def entry(**changes: Any) -> dict[str, Any]:
    """One photo of a search's answer; None takes a field away."""
    fields = {
        "id": "10115956703",
        "owner": "78733179@N04",
        "title": "Jon Snow",
        "license": "4",
        "dateupload": "1381061206",
        "datetaken": "2013-10-06 14:06:41",
        "datetakenunknown": "0",
        "ownername": "@janko-m",
        "media": "photo",
        "url_l": "https://live.staticflickr.com/2822/10115956703_b14e1be9d0_b.jpg",
    } | changes
    return {name: value for name, value in fields.items() if value is not None}


def answer(*entries: Any, total: Any = "1") -> dict[str, Any]:
    return {"photos": {"page": 1, "total": total, "photo": list(entries)}, "stat": "ok"}


def parsed(*entries: Any, page: int = 1, total: Any = "1", since: Any = YEAR_1970) -> SearchPage:
    return parse_search(answer(*entries, total=total), page=page, per_page=50, since=since)


def read_records(realdata: Path) -> dict[str, datetime]:
    """The posted dates of real searches' photos; some were returned for two classes."""
    posted: dict[str, datetime] = {}
    for line in (realdata / "flickr" / "records.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        moment = datetime.fromisoformat(row["date_upload_search_engine"]).replace(tzinfo=UTC)
        posted.setdefault(row["id_search_engine"], moment)
    return posted


# Recorded answers


@pytest.mark.realdata
def test_a_recorded_search(realdata: Path) -> None:
    body = (realdata / "flickr" / "api" / "photos_search_extras.json").read_bytes()
    found = parse_search(parse_reply(body), page=1, per_page=100, since=YEAR_1970)
    assert (found.total, found.last, len(found.photos)) == (2, True, 2)
    first, second = found.photos
    assert first == PhotoOrigin(
        source="flickr",
        source_id="10115956703",
        owner="78733179@N04",
        owner_name="@janko-m",
        title="Jon Snow",
        license="All Rights Reserved",
        license_url=FLICKR[0].url,
        page_url="https://www.flickr.com/photos/78733179@N04/10115956703",
        image_url="http://farm3.staticflickr.com/2822/10115956703_b14e1be9d0_b.jpg",
        posted_at=datetime(2013, 10, 6, 12, 6, 46, tzinfo=UTC),
        taken_at="2013-10-06 14:06:41",
    )
    assert second.posted_at == datetime(1970, 1, 1, 0, 33, 33, tzinfo=UTC)  # "dateupload": "2013"


@pytest.mark.realdata
def test_every_recorded_error(realdata: Path) -> None:
    recorded = sorted((realdata / "flickr" / "api").glob("error_*.xml"))
    assert len(recorded) > 20
    for path in recorded:
        code = int(path.stem.split("_")[-2])
        with pytest.raises(SourceRefused) as refused:  # 1, 2, 5, 99, 100: none may pass
            parse_reply(path.read_bytes())
        assert refused.value.code == code, path.name
        assert f"(code {code})" in str(refused.value)


# Errors


@pytest.mark.parametrize(
    ("code", "message", "kind", "scope"),
    [
        (0, "Sorry, the Flickr API service is not currently available.", SourceUnavailable, "host"),
        (105, "Service currently unavailable", SourceUnavailable, "host"),
        (106, "Write operation failed", SourceUnavailable, "host"),
        (3, "The search API is Not Currently Available", SourceUnavailable, "host"),
        (1, "Too many tags in ALL query", SourceRefused, "query"),
        (3, "Parameterless searches have been disabled", SourceRefused, "query"),
        (77, "A code that nobody knows", SourceRefused, "query"),
        (98, "Login failed / Invalid auth token", SourceRefused, "key"),
        (100, "Invalid API Key (Key has expired)", SourceRefused, "key"),
        (112, 'Method "flickr.photo.search" not found', SourceRefused, "run"),
    ],
)
def test_an_error_in_either_format_is_of_its_kind_and_concerns_what_it_must(
    code: int, message: str, kind: type[SourceError], scope: str
) -> None:
    quoted = message.replace('"', "&quot;")
    for body in (
        json.dumps({"stat": "fail", "code": code, "message": message}),
        json.dumps({"stat": "fail", "code": str(code), "message": message}),
        f'<?xml version="1.0" encoding="utf-8" ?>\n<rsp stat="fail">\n'
        f'\t<err code="{code}" msg="{quoted}" />\n</rsp>\n',
    ):
        with pytest.raises(SourceError) as failed:
            parse_reply(body.encode())
        assert (type(failed.value), failed.value.scope) == (kind, scope)
        assert failed.value.code == code
        assert message in str(failed.value)


@given(
    body=st.binary(max_size=80) | st.text("<>rspet=\"'?![]{}:,0&; ", max_size=60).map(str.encode)
)
def test_no_answer_crashes_the_parser(body: bytes) -> None:
    with pytest.raises(SourceError):
        parse_reply(body)
    for code in ("null", '"²"', '"--1"', "[]"):
        with pytest.raises(SourceRefused, match="No") as refused:
            parse_reply(f'{{"stat": "fail", "code": {code}, "message": "No"}}'.encode())
        assert refused.value.code is None


@given(reply=st.fixed_dictionaries({"photos": JSON}) | JSON.map(answer), field=JSON)
def test_no_search_crashes_the_parser(reply: Any, field: Any) -> None:
    for each in (
        reply,
        answer(total=field),
        *(answer(entry(**{name: field})) for name in ("dateupload", "license", "title", "url_l")),
    ):
        try:
            found = parse_search(each, page=1, per_page=50, since=YEAR_1970)
        except SourceUnavailable:
            continue
        assert isinstance(found, SearchPage)


# What a search found


def test_the_picture_is_the_first_size_of_the_ladder_that_there_is() -> None:
    every = {f"url_{size}": f"https://live.staticflickr.com/{size}.jpg" for size in "lozmcn"}
    for size in "loczmn":
        [photo] = parsed(entry(**every)).photos
        assert photo.image_url == f"https://live.staticflickr.com/{size}.jpg"
        every[f"url_{size}"] = ""  # may be missing or empty
    [photo] = parsed(entry(url_l=None)).photos
    assert photo.image_url == ""


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        *(({field: None}, f"without a valid {field}") for field in
          ("id", "owner", "license", "dateupload")),
        *(({"dateupload": date}, "without a valid dateupload") for date in
          ("", "yesterday", "1e9", 10**17, 10**30, -(10**18), [], {})),
        ({"license": ""}, "without a valid license"),
        ({"id": "1\n2"}, "without a valid id"),
        ({"dateupload": "4102444800"}, "posted in the future"),
        ({"media": "video"}, "no photo"),
        (None, "unreadable"),
    ],
)  # fmt: skip
def test_an_entry_that_is_no_photo_costs_itself_only(changes: Any, reason: str) -> None:
    odd = None if changes is None else entry(**changes)
    others = [entry(id=str(number)) for number in range(1, 40)]
    found = parsed(*others[:20], odd, *others[20:], total="1200")
    assert [photo.source_id for photo in found.photos] == [each["id"] for each in others]
    assert found.rejected == {reason: 1}
    assert (found.total, found.last) == (1200, False)


def test_results_end_with_the_total_or_where_flickr_starts_to_repeat() -> None:
    ends = {(1, "50"), (2, "51"), (80, "2573692"), (81, "2573692")}
    for page, total in (*ends, (1, "51"), (79, "2573692")):
        assert parsed(entry(), page=page, total=total).last is ((page, total) in ends)


def test_an_empty_page_is_the_last_but_a_first_one_without_any_of_its_results_may_pass() -> None:
    for total in ("0", 0, "", None):
        assert parsed(total=total).last
    assert parsed(page=7, total="1200").last
    with pytest.raises(SourceUnavailable, match="none of 1,200 results"):
        parsed(total="1200")


# When they were uploaded, by their ids


@pytest.mark.realdata
def test_photos_with_changed_dates_are_rejected_and_their_neighbours_are_not(
    realdata: Path,
) -> None:
    records = read_records(realdata)
    entries = [entry(id=id, dateupload=int(posted.timestamp())) for id, posted in records.items()]
    since = {id for id, posted in records.items() if posted >= YEAR_2014}
    found = parsed(*entries, since=YEAR_2014)
    changed = {"9224741825", "9347051654", "10978492033", "10978494743", "11057121166",
               "11058469813", "11252359065"}  # fmt: skip
    assert found.rejected["uploaded before 2014-01-01 by its id"] == 7
    assert {photo.source_id for photo in found.photos if photo.posted_at >= YEAR_2014} == (
        since - changed
    )
    # For a window that begins later, an id of before mid-2014 tells as much.
    later = parsed(*entries, since=datetime(2016, 1, 1, tzinfo=UTC)).rejected
    assert later["uploaded before 2016-01-01 by its id"] == 6


@pytest.mark.realdata
def test_the_table_of_ids_is_what_the_records_say(realdata: Path) -> None:
    records = read_records(realdata)
    contradicted = [id for id, posted in records.items() if uploaded(id, posted) != posted]
    assert len(contradicted) == 17  # their owners changed the dates
    for day, first in zip(DAYS[6:], IDS[6:], strict=True):
        before = [int(id) for id, at in records.items() if at < day and id not in contradicted]
        assert any(first <= number < first + 10**6 for number in before), day


def test_between_two_entries_of_the_table_a_photo_has_the_benefit_of_the_doubt() -> None:
    first = IDS[DAYS.index(YEAR_2014)]
    later = datetime(2017, 1, 1, tzinfo=UTC)
    assert uploaded(str(first - 1), later) < YEAR_2014 <= uploaded(str(first), later)
    mid_january = datetime(2014, 1, 15, tzinfo=UTC)
    assert uploaded(str(first), later) > mid_january
    assert uploaded("100000", later).year == uploaded(str(IDS[0] - 1), later).year == 2005
    for nothing_known in (str(IDS[-1]), "no number", "1", "9" * 99):
        assert uploaded(nothing_known, later) == later
    early = datetime(2010, 1, 1, tzinfo=UTC)  # an owner's word that takes no photo in
    assert uploaded(str(IDS[-1]), early) == early


# The environment


def test_the_key_comes_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hosts = flickr_at(tmp_path).api.hosts
    monkeypatch.setenv("GENSET_CONTACT", "notanaddress")
    with pytest.raises(BadInput, match=r"^GENSET_CONTACT"):
        Workspace.create(tmp_path)
    for key in ("", " , "):
        monkeypatch.setenv("FLICKR_API_KEY", key)
        with pytest.raises(BadInput, match="requires an API key: set FLICKR_API_KEY"):
            Flickr.connect(hosts, Settings())
    monkeypatch.setenv("FLICKR_API_KEY", "key,another")
    monkeypatch.setenv("GENSET_FLICKR_ENDPOINT", "127.0.0.1:8750")
    with pytest.raises(BadInput, match="GENSET_FLICKR_ENDPOINT"):
        Flickr.connect(hosts, Settings())
    monkeypatch.delenv("GENSET_FLICKR_ENDPOINT")
    assert Flickr.connect(hosts, Settings()).may_fetch("https://live.staticflickr.com/1/1_2_b.jpg")


# Calls


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    """Three photos of a tench, and short pauses."""
    monkeypatch.setenv("GENSET_PAUSE_FACTOR", "0.001")
    for number in range(3):
        path = tmp_path / TENCH / f"{number}.jpg"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(picture(number))
    with Sandbox(tmp_path) as running:
        yield running


QUESTION = Question("tench", YEAR_2014, None, (), per_page=50, page=1)


def test_a_search_asks_for_what_it_must(sandbox: Sandbox, tmp_path: Path) -> None:
    source = flickr_at(tmp_path, sandbox.endpoint)
    found = source.search(QUESTION, 0)
    assert all(source.may_fetch(photo.image_url) for photo in found.photos)
    assert (len(found.photos), found.total, found.last) == (3, 3, True)
    [asked] = sandbox.requests.of("flickr.photos.search")
    expected = {"text": "tench", "sort": "relevance", "min_upload_date": "1388534400"}
    expected |= {"media": "photos", "page": "1", "per_page": "50", "content_types": "0"}
    assert expected.items() <= asked.params.items()
    extras = {"license", "date_upload", "date_taken", "owner_name", "media", "url_l", "url_o"}
    assert extras <= set(asked.params["extras"].split(","))


def test_a_refused_key_among_several_is_named_by_its_place(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    flickr = flickr_at(tmp_path, sandbox.endpoint, "good,invalid")
    with pytest.raises(SourceRefused, match=r"check key 2 of 2 in FLICKR_API_KEY$") as refused:
        flickr.search(QUESTION, 1)
    assert refused.value.scope == "key"
    assert "invalid" not in str(refused.value).replace("Key has invalid format", "")
    assert len(flickr.search(QUESTION, 0).photos) == 3
