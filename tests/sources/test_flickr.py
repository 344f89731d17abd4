"""Flickr's answers, as recorded, and calls to the sandbox through the real flickrapi."""

import json
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st

from genset.core.errors import BadInput, SourceError, SourceRefused, SourceUnavailable
from genset.licenses import flickr_license
from genset.net.hosts import HostGaveUp, as_source_error
from genset.sandbox import Reply, Request, Sandbox
from genset.sources.flickr import Flickr, parse_search
from genset.sources.flickr_api import parse_reply
from genset.sources.source import Question, SearchPage, Settings
from tests.labeled_workspace import TENCH, picture
from tests.scrape.pools import flickr_at

YEAR_2014 = datetime(2014, 1, 1, tzinfo=UTC)


def entry(**changes: Any) -> dict[str, Any]:
    """One photo of a search's answer; None takes a field away."""
    fields = {
        "id": "10115956703",
        "owner": "78733179@N04",
        "title": "Jon Snow",
        "license": "4",
        "dateupload": "1388534400",
        "datetaken": "2013-10-06 14:06:41",
        "datetakenunknown": "0",
        "ownername": "@janko-m",
        "media": "photo",
        "url_l": "https://live.staticflickr.com/2822/10115956703_b14e1be9d0_b.jpg",
    } | changes
    return {name: value for name, value in fields.items() if value is not None}


def answer(*entries: dict[str, Any], total: Any = "1") -> dict[str, Any]:
    return {"photos": {"page": 1, "total": total, "photo": list(entries)}, "stat": "ok"}


def parsed(*entries: dict[str, Any], page: int = 1, total: Any = "1") -> SearchPage:
    return parse_search(answer(*entries, total=total), page=page, per_page=50)


# Recorded answers


@pytest.mark.realdata
def test_a_recorded_search(realdata: Path) -> None:
    body = (realdata / "flickr" / "api" / "photos_search_extras.json").read_bytes()
    found = parse_search(parse_reply(body), page=1, per_page=100)
    assert (found.total, found.last, len(found.photos)) == (2, True, 2)
    first, second = found.photos
    assert first.source_id == "10115956703"
    assert first.owner == "78733179@N04"
    assert first.owner_name == "@janko-m"
    assert first.title == "Jon Snow"
    assert first.license == "All Rights Reserved"
    assert first.page_url == "https://www.flickr.com/photos/78733179@N04/10115956703"
    assert first.image_url == "http://farm3.staticflickr.com/2822/10115956703_b14e1be9d0_b.jpg"
    assert first.posted_at == datetime(2013, 10, 6, 12, 6, 46, tzinfo=UTC)
    assert first.taken_at == "2013-10-06 14:06:41"
    assert second.posted_at == datetime(1970, 1, 1, 0, 33, 33, tzinfo=UTC)  # "dateupload": "2013"


@pytest.mark.realdata
def test_a_recorded_page_of_a_hundred(realdata: Path, tmp_path: Path) -> None:
    body = (realdata / "flickr" / "api" / "photos_getRecent_100_extras.json").read_bytes()
    reply = parse_reply(body)
    found = parse_search(reply, page=1, per_page=100)
    entries = [each for each in reply["photos"]["photo"] if each["media"] == "photo"]
    assert [photo.source_id for photo in found.photos] == [each["id"] for each in entries]
    flickr = flickr_at(tmp_path)
    for photo, recorded in zip(found.photos, entries, strict=True):
        assert photo.posted_at.timestamp() == int(recorded["dateupload"])
        assert photo.license == flickr_license(int(recorded["license"])).name
        assert photo.image_url in recorded.values()
        assert flickr.may_fetch(photo.image_url)


@pytest.mark.realdata
def test_a_recorded_search_in_xml_though_json_was_asked_for(realdata: Path) -> None:
    folder = realdata / "flickr" / "api"
    body = (folder / "photos_search_236460.xml").read_bytes()
    found = parse_search(parse_reply(body), page=1, per_page=100)
    assert (found.total, found.last) == (2573692, False)
    assert len(found.photos) == 99  # and a video
    assert found.photos[0].source_id == "53082955109"
    assert found.photos[0].owner_name == "raaen99"
    assert found.photos[0].posted_at == datetime(2023, 7, 31, 2, 29, 3, tzinfo=UTC)
    none = parse_reply((folder / "photos_search_117.xml").read_bytes())
    assert parse_search(none, page=1, per_page=100) == SearchPage((), 0, last=True, capped=False)


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


@pytest.mark.realdata
def test_other_recorded_answers_are_no_search(realdata: Path) -> None:
    folder = realdata / "flickr" / "api"
    for path in sorted({*folder.glob("*.json"), *folder.glob("*.xml")}):
        if path.name.startswith(("error_", "photos_getRecent", "photos_search", "index")):
            continue
        with pytest.raises(SourceUnavailable):
            parse_search(parse_reply(path.read_bytes()), page=1, per_page=50)


# Errors


@pytest.mark.parametrize(
    ("code", "message", "kind"),
    [
        (0, "Sorry, the Flickr API service is not currently available.", SourceUnavailable),
        (10, "Sorry, the Flickr search API is not currently available.", SourceUnavailable),
        (105, "Service currently unavailable", SourceUnavailable),
        (106, "Write operation failed", SourceUnavailable),
        (201, "Sorry, the Flickr API service is not currently available.", SourceUnavailable),
        (3, "The search API is Not Currently Available", SourceUnavailable),
        (1, "Too many tags in ALL query", SourceRefused),
        (2, "Unknown user", SourceRefused),
        (18, "Illegal logic in arguments", SourceRefused),
        (100, "Invalid API Key (Key has invalid format)", SourceRefused),
        (112, 'Method "flickr.photo.search" not found', SourceRefused),
        (116, "Bad URL found", SourceRefused),
    ],
)
def test_an_error_in_either_format_is_of_its_kind(
    code: int, message: str, kind: type[SourceError]
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
        assert type(failed.value) is kind
        assert failed.value.code == code
        assert message in str(failed.value)


def test_a_bad_key_is_said_with_its_mend() -> None:
    body = b'{"stat": "fail", "code": 100, "message": "Invalid API Key"}'
    with pytest.raises(SourceRefused, match="FLICKR_API_KEY"):
        parse_reply(body)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'"ok"',
        b"{}",
        b'{"stat": "maybe"}',
        b'jsonFlickrApi({"stat": "ok"})',
        b'{"stat": "ok", "photos": {',
        b"\xff\xfe",
        b"[" * 100_000,
        b"<html><body>Bad gateway</body></html>",
        b"<rsp",
        b'<?xml version="1.0" encoding="klingon"?><rsp/>',
    ],
)
def test_garbage_may_pass(body: bytes) -> None:
    with pytest.raises(SourceUnavailable):
        parse_reply(body)


def test_an_error_without_a_sound_code_is_still_one() -> None:
    for code in ("null", '"²"', '"--1"', "[]"):
        with pytest.raises(SourceRefused, match="No") as refused:
            parse_reply(f'{{"stat": "fail", "code": {code}, "message": "No"}}'.encode())
        assert refused.value.code is None


@given(
    body=st.binary(max_size=80) | st.text("<>rspet=\"'?![]{}:,0&; ", max_size=60).map(str.encode)
)
def test_no_answer_crashes_the_parser(body: bytes) -> None:
    with pytest.raises(SourceError):
        parse_reply(body)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(reply=st.fixed_dictionaries({"photos": JSON}) | JSON.map(answer), field=JSON)
def test_no_search_crashes_the_parser(reply: Any, field: Any) -> None:
    for each in (
        reply,
        answer(total=field),
        *(answer(entry(**{name: field})) for name in ("dateupload", "license", "title", "url_l")),
    ):
        try:
            found = parse_search(each, page=1, per_page=50)
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


def test_extras_that_are_missing_are_left_empty() -> None:
    [photo] = parsed(
        entry(title=None, ownername=None, datetaken=None, datetakenunknown=None, media=None)
    ).photos
    assert (photo.title, photo.owner_name, photo.taken_at) == ("", "", None)


@pytest.mark.parametrize("field", ["id", "owner", "license", "dateupload"])
def test_without_what_it_is_judged_by_no_photo_is_taken(field: str) -> None:
    with pytest.raises(SourceUnavailable, match=f"unknown form.*{field}"):
        parsed(entry(**{field: None}))


@pytest.mark.parametrize("date", ["yesterday", "1e9", 10**17, 10**18, 10**30, -(10**18), [], {}])
def test_a_date_that_is_none_is_no_answer(date: object) -> None:
    with pytest.raises(SourceUnavailable, match="unknown form"):
        parsed(entry(dateupload=date))


@pytest.mark.parametrize("unknown", ["1", 1])
def test_an_unknown_date_taken_is_not_taken_for_one(unknown: object) -> None:
    [photo] = parsed(entry(datetakenunknown=unknown)).photos
    assert photo.taken_at is None


def test_numbers_may_be_text_or_not() -> None:
    as_text = parsed(entry(), total="1")
    assert parsed(entry(license=4, dateupload=1388534400, datetakenunknown=0), total=1) == as_text
    assert as_text.photos[0].posted_at == YEAR_2014
    assert as_text.photos[0].license == "CC BY 2.0"


def test_videos_are_left_out() -> None:
    found = parsed(entry(media="video"), entry(id="2"), total="2")
    assert [photo.source_id for photo in found.photos] == ["2"]


@pytest.mark.parametrize(
    ("page", "total", "last"),
    [(1, "1", True), (1, "50", True), (1, "51", False), (2, "51", True), (79, "2573692", False),
     (80, "2573692", True), (81, "2573692", True)],
)  # fmt: skip
def test_results_end_with_the_total_or_where_flickr_starts_to_repeat(
    page: int, total: str, last: bool
) -> None:
    assert parsed(entry(), page=page, total=total).last is last


def test_an_empty_page_is_the_last() -> None:
    for total in ("0", 0, "", None, "300"):
        assert parsed(total=total).last


# The environment


def test_the_key_comes_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hosts = flickr_at(tmp_path).api.hosts
    for name in ("FLICKR_API_KEY", "FLICKR_API_SECRET"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(BadInput, match="requires an API key: set FLICKR_API_KEY"):
        Flickr.connect(hosts, Settings())
    monkeypatch.setenv("FLICKR_API_KEY", "key,another")
    monkeypatch.setenv("GENSET_FLICKR_ENDPOINT", "127.0.0.1:8750")
    with pytest.raises(BadInput, match="GENSET_FLICKR_ENDPOINT"):
        Flickr.connect(hosts, Settings())
    monkeypatch.delenv("GENSET_FLICKR_ENDPOINT")
    assert Flickr.connect(hosts, Settings()).may_fetch("https://live.staticflickr.com/1/1_2_b.jpg")


# Calls


class Failing(Sandbox):
    """A sandbox that gives these answers first."""

    answers: tuple[Reply, ...] = ()

    def answer(self, request: Request) -> Reply:
        if self.answers:
            first, *others = self.answers
            self.answers = tuple(others)
            return first
        return super().answer(request)


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Failing]:
    """Three photos of a tench, and short pauses."""
    monkeypatch.setenv("GENSET_PAUSE_FACTOR", "0.001")
    for number in range(3):
        path = tmp_path / TENCH / f"{number}.jpg"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(picture(number))
    with Failing(tmp_path) as running:
        yield running


def search(sandbox: Sandbox, key: str = "key") -> SearchPage:
    flickr = flickr_at(Path(tempfile.mkdtemp()), sandbox.endpoint, key)
    flickr.api.hosts.give_up_after = 0
    question = Question("tench", YEAR_2014, None, (), per_page=50, page=1)
    try:
        return flickr.api.call_patiently(lambda quota: flickr.search(question, quota), "tench")
    except requests.RequestException as error:
        raise as_source_error(error, "Flickr") from None


def test_a_search_asks_for_what_it_must(sandbox: Failing) -> None:
    found = search(sandbox)
    assert (len(found.photos), found.total, found.last) == (3, 3, True)
    [asked] = sandbox.requests.of("flickr.photos.search")
    expected = {
        "text": "tench",
        "sort": "relevance",
        "min_upload_date": "1388534400",
        "media": "photos",
        "page": "1",
        "per_page": "50",
    }
    assert expected.items() <= asked.params.items()
    extras = {"license", "date_upload", "date_taken", "owner_name", "media", "url_l", "url_o"}
    assert extras <= set(asked.params["extras"].split(","))


@pytest.mark.parametrize(
    ("types", "older"),
    [((0,), 1), ((1,), 2), ((2,), 3), ((0, 1), 4), ((1, 2), 5), ((0, 2), 6), ((0, 1, 2), 7)],
)
def test_both_parameters_for_content_types_are_sent(
    sandbox: Failing, tmp_path: Path, types: tuple[int, ...], older: int
) -> None:
    flickr = flickr_at(tmp_path, sandbox.endpoint)
    flickr.search(Question("tench", YEAR_2014, None, (), 50, 1, content_types=types), 0)
    [asked] = sandbox.requests.of("flickr.photos.search")
    assert asked.params["content_type"] == str(older)
    assert asked.params["content_types"] == ",".join(map(str, types))


def test_its_photos_can_be_fetched(sandbox: Failing, tmp_path: Path) -> None:
    flickr = flickr_at(tmp_path, sandbox.endpoint)
    assert all(flickr.may_fetch(photo.image_url) for photo in search(sandbox).photos)


def test_a_bad_key_is_refused_at_once(sandbox: Failing) -> None:
    with pytest.raises(SourceRefused, match=r"Invalid API Key .*FLICKR_API_KEY") as refused:
        search(sandbox, key="invalid")
    assert refused.value.code == 100
    assert len(sandbox.requests) == 1


@pytest.mark.parametrize(
    "trouble",
    [
        Reply(500, "text/plain", b"oops"),
        Reply(429, "text/plain", b"slow down", {"Retry-After": "0"}),
        Reply(200, "text/html", b"<html>Bad gateway"),
        Reply(200, "application/json", b'{"stat":"fail","code":105,"message":"Unavailable"}'),
        Reply(200, "text/xml", b'<rsp stat="fail"><err code="105" msg="Unavailable"/></rsp>'),
        Reply(200, "application/json", b'{"stat":"ok"}', cut=5),
    ],
    ids=["500", "429", "HTML", "error", "error in XML", "cut short"],
)
def test_what_may_pass_is_asked_again(sandbox: Failing, trouble: Reply) -> None:
    undisturbed = search(sandbox)
    sandbox.answers = (trouble, trouble)
    sandbox.requests.clear()
    assert search(sandbox) == undisturbed
    assert len(sandbox.requests) == 3


def test_what_does_not_pass_is_said_in_one_line(sandbox: Failing) -> None:
    sandbox.answers = (Reply(503, "text/plain", b""),) * 20
    with pytest.raises(HostGaveUp, match="HTTP 503") as failed:
        search(sandbox, key="k3y")
    assert "k3y" not in str(failed.value)
    assert "\n" not in str(failed.value)


@pytest.mark.realdata
@pytest.mark.soak
def test_every_real_record_is_found_as_it_was_posted(realdata: Path, tmp_path: Path) -> None:
    """All 6,358 records of real searches, through flickrapi, HTTP and our parser."""
    path = realdata / "flickr" / "records.jsonl"
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    posted: dict[str, str] = {}
    for row in records:  # some photos were returned for two classes
        posted.setdefault(row["id_search_engine"], row["date_upload_search_engine"])
    ever = datetime(1969, 1, 1, tzinfo=UTC)  # one real record is dated before 1970
    found: dict[str, str] = {}
    with Sandbox(realdata / "photos", path) as sandbox:
        flickr = flickr_at(tmp_path, sandbox.endpoint)
        for keyword in sorted({row["search_key"] for row in records}):
            question = Question(keyword, ever, None, (), per_page=500, page=1)
            answer = flickr.search(question, 0)
            assert answer.last
            for photo in answer.photos:
                found[photo.source_id] = photo.posted_at.strftime("%Y-%m-%d %H:%M:%S")
                assert photo.image_url
                assert flickr.may_fetch(photo.image_url)
    assert found == posted
