"""The sandbox as Wikimedia Commons, asked over HTTP as a client asks MediaWiki."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import convert

from genset.licenses import is_open
from genset.sandbox import Faults, Reply, Request, Sandbox
from genset.sources.commons_api import Field, license_in
from tests.sandbox.conftest import Speak
from tests.sandbox.test_sandbox import GOLDFISH, TENCH, picture, record, written

AGENT = {"User-Agent": "tests (you@example.org)"}
WHOLE = "timestamp|user|url|size|sha1|mime|extmetadata"
COUNT = 23


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Two tench, one of them small, and a goldfish."""
    folder = tmp_path / "photos"
    picture(folder / TENCH / "1.jpg", (1200, 800))
    picture(folder / TENCH / "2.png", (64, 48))
    picture(folder / GOLDFISH / "1.jpg", (1000, 1500))
    return folder


def get(address: str, **params: str) -> requests.Response:
    return requests.get(address, params=params, headers=AGENT, timeout=10, allow_redirects=False)


def call(sandbox: Sandbox, **params: str) -> dict[str, Any]:
    """The answer to `action=query`."""
    query = {"action": "query", "format": "json", "formatversion": "2", **params}
    reply = get(sandbox.endpoint, **query)
    assert reply.status_code == 200
    answer: dict[str, Any] = reply.json()
    return answer


def search(sandbox: Sandbox, text: str = 'filetype:bitmap "tench"', **params: str) -> Any:
    asked = {"generator": "search", "gsrsearch": text, "gsrnamespace": "6", "prop": "imageinfo"}
    return call(sandbox, **{**asked, "iiprop": WHOLE, **params})


def found(sandbox: Sandbox, text: str) -> list[int]:
    """The ids that a search returns, by their places."""
    pages = search(sandbox, text, gsrlimit="50").get("query", {"pages": []})["pages"]
    return [page["pageid"] for page in sorted(pages, key=lambda page: page["index"])]


def one(sandbox: Sandbox, number: int = 1, **params: str) -> dict[str, Any]:
    """The newest version of a file, looked up by its id."""
    asked = {"prop": "imageinfo", "iiprop": WHOLE, **params}
    page = call(sandbox, pageids=str(number), **asked)["query"]["pages"][0]
    newest: dict[str, Any] = page["imageinfo"][0]
    return newest


def everything(sandbox: Sandbox, text: str, **params: str) -> Iterator[dict[str, Any]]:
    """Each answer to a search, following `continue` as MediaWiki says it should be."""
    further: dict[str, str] = {}
    for _ in range(4 * COUNT):  # far more than a continuation that goes forward takes
        answer = search(sandbox, text, **{**params, **further})
        yield answer
        if "continue" not in answer:
            return
        further = {name: str(value) for name, value in answer["continue"].items()}
    pytest.fail("the continuation does not end")


# Searching


def test_phrases_exclusions_and_statements(speak: Speak) -> None:
    sandbox = speak(
        "commons",
        record(1, search_key="lion", title="A lion in the sun", depicts=["Q140", "Q525"]),
        record(2, search_key="sea lion", title="A sea lion", depicts=["Q9417"]),
        record(3, search_key="lion", title="A lion by the sea"),
    )
    assert found(sandbox, 'filetype:bitmap "lion"') == [1, 2, 3]
    assert found(sandbox, '"sea lion"') == [2]
    assert found(sandbox, '"lion" "sun"') == [1]
    assert found(sandbox, 'filetype:bitmap "lion" -"sea lion"') == [1, 3]
    assert found(sandbox, "filetype:bitmap haswbstatement:P180=Q140") == [1]
    assert found(sandbox, "haswbstatement:P180=Q140|P180=Q9417") == [1, 2]


@settings(max_examples=15, deadline=None)
@given(limit=st.integers(1, COUNT + 3))
def test_whoever_follows_the_continuation_gets_each_photo_once_and_whole(
    folder: Path, limit: int
) -> None:
    with Sandbox(folder / "photos", folder / "records.jsonl", source="commons") as it:
        places: dict[int, list[int]] = {}
        whole: list[int] = []
        for answer in everything(it, '"tench"', gsrlimit=str(limit)):
            for page in answer["query"]["pages"]:
                places.setdefault(page["pageid"], []).append(page["index"])
                if "imageinfo" in page:
                    whole.append(page["pageid"])
    assert sorted(whole) == list(range(1, COUNT + 1))
    assert {number: set(seen) for number, seen in places.items()} == {
        number: {number} for number in range(1, COUNT + 1)
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Photos and records of one class, in a folder."""
    folder = tmp_path_factory.mktemp("served")
    picture(folder / "photos" / TENCH / "1.jpg")
    rows = (record(number, file=f"{TENCH}/1.jpg") for number in range(1, COUNT + 1))
    written(folder, *rows)
    return folder


def test_results_beyond_10000_are_refused(speak: Speak) -> None:
    sandbox = speak("commons", record(1))
    assert search(sandbox, gsrlimit="50", gsroffset="9950")["batchcomplete"]
    assert search(sandbox, gsrlimit="50", gsroffset="9951")["error"]["code"] == "search-error"


# Looking files up


def test_files_are_looked_up_fifty_at_a_time(speak: Speak) -> None:
    rows = [record(number, file=f"{TENCH}/1.jpg") for number in range(1, 60)]
    sandbox = speak("commons", *rows)
    ids = [*range(1, 50), 99]
    pages = call(sandbox, pageids="|".join(map(str, ids)), prop="imageinfo")["query"]["pages"]
    assert {page["pageid"] for page in pages} == set(ids)
    assert [page for page in pages if "missing" in page] == [{"pageid": 99, "missing": True}]
    there = [page["imageinfo"][0] for page in pages if "missing" not in page]
    assert all(set(about) == {"timestamp", "user"} for about in there)
    assert not any("index" in page for page in pages)
    assert [each.what for each in sandbox.requests] == ["imageinfo"]


# What a file's page says


def said(sandbox: Sandbox, number: int = 1) -> dict[str, str]:
    metadata = one(sandbox, number)["extmetadata"]
    return {name: field["value"] for name, field in metadata.items()}


def test_a_page_says_what_the_record_does(speak: Speak) -> None:
    sandbox = speak(
        "commons", record(1, owner_name="Ann <Lee>", date_taken="2013-10-06 14:06:41", license=5)
    )
    page = said(sandbox)
    assert page["License"] == "cc-by-sa-2.0"
    assert page["LicenseShortName"] == "CC BY-SA 2.0"
    assert page["LicenseUrl"] == "https://creativecommons.org/licenses/by-sa/2.0/"
    assert page["DateTimeOriginal"] == "2013-10-06 14:06:41"
    assert page["Artist"].endswith(">Ann &lt;Lee&gt;</a>")


def test_commons_has_free_licenses_alone(speak: Speak) -> None:
    sandbox = speak("commons", *(record(1 + number, license=number) for number in range(17)))
    for number in range(17):
        fields = one(sandbox, 1 + number)["extmetadata"]
        license = license_in(convert(fields, dict[str, Field]))
        assert license and is_open(license), fields


# Images


def test_a_file_that_was_deleted(speak: Speak, photos: Path) -> None:
    sandbox = speak("commons", record(1))
    about = one(sandbox, iiurlwidth="250")
    (photos / TENCH / "1.jpg").unlink()
    assert get(about["url"]).status_code == get(about["thumburl"]).status_code == 404
    assert call(sandbox, pageids="1")["query"]["pages"] == [{"pageid": 1, "missing": True}]
    assert found(sandbox, '"tench"') == []


# Manners


@pytest.mark.parametrize(
    ("agent", "status"),
    [
        ("genset/1.0", 403),
        ("python-requests/2.32", 403),
        ("genset/1.0 (you@example.org)", 200),
        ("genset/1.0 (https://example.org/me)", 200),
    ],
)
def test_a_client_says_how_to_reach_it(speak: Speak, agent: str, status: int) -> None:
    sandbox = speak("commons", record(1))
    for address in (f"{sandbox.endpoint}?action=query&pageids=1", one(sandbox)["url"]):
        reply = requests.get(address, headers={"User-Agent": agent}, timeout=10)
        assert reply.status_code == status


class Crossing(Sandbox):
    """A sandbox that answers nobody until so many have asked."""

    waits_for = threading.Barrier(1)

    def answer(self, request: Request) -> Reply:
        self.waits_for.wait(timeout=30)
        return super().answer(request)


def statuses(sandbox: Sandbox, count: int, turns: int = 1) -> list[int]:
    """What so many threads get that ask at once."""
    seen: list[int] = []

    def ask() -> None:
        for _ in range(turns):
            seen.append(get(sandbox.endpoint, action="query", pageids="1").status_code)

    threads = [threading.Thread(target=ask) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return seen


def test_no_more_than_three_requests_at_once(photos: Path) -> None:
    with Crossing(photos, source="commons", faults=Faults(retry_after=7)) as sandbox:
        sandbox.waits_for = threading.Barrier(5)
        assert sorted(statuses(sandbox, 5)) == [200, 200, 200, 429, 429]
        assert {each.fault for each in sandbox.requests} == {None}
