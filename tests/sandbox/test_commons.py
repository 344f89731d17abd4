"""The sandbox as Wikimedia Commons, asked over HTTP as a client asks MediaWiki."""

from pathlib import Path
from typing import Any

import pytest
import requests
from msgspec import convert

from genset.licenses import is_open
from genset.sandbox import Sandbox
from genset.sources.commons_api import Field, license_in
from tests.sandbox.conftest import Speak
from tests.sandbox.test_sandbox import GOLDFISH, TENCH, picture, record

AGENT = {"User-Agent": "tests (you@example.org)"}
WHOLE = "timestamp|user|url|size|sha1|mime|extmetadata"


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


def test_results_beyond_10000_are_refused(speak: Speak) -> None:
    sandbox = speak("commons", record(1))
    assert search(sandbox, gsrlimit="50", gsroffset="9950")["batchcomplete"]
    assert search(sandbox, gsrlimit="50", gsroffset="9951")["error"]["code"] == "search-error"


# What a file's page says


def test_a_page_says_what_the_record_does_and_commons_has_free_licences_alone(
    speak: Speak,
) -> None:
    first = record(1, owner_name="Ann <Lee>", date_taken="2013-10-06 14:06:41", license=5)
    others = (record(2 + number, license=number) for number in range(17))
    sandbox = speak("commons", first, *others)
    page = {name: field["value"] for name, field in one(sandbox)["extmetadata"].items()}
    assert page.pop("Artist").endswith(">Ann &lt;Lee&gt;</a>")
    said = {
        "License": "cc-by-sa-2.0",
        "LicenseShortName": "CC BY-SA 2.0",
        "LicenseUrl": "https://creativecommons.org/licenses/by-sa/2.0/",
        "DateTimeOriginal": "2013-10-06 14:06:41",
    }
    assert said.items() <= page.items()
    for number in range(17):
        fields = one(sandbox, 2 + number)["extmetadata"]
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
