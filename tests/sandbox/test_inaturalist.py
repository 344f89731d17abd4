"""The sandbox as iNaturalist, asked over HTTP as a client asks the real one."""

import json
from pathlib import Path
from typing import Any

import pytest
import requests

from genset.sandbox import Sandbox
from tests.sandbox.conftest import Speak
from tests.sandbox.test_sandbox import GOLDFISH, TENCH, picture, record, shape

CANOE = "n02951358"


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Two tench, a goldfish and a canoe, which is no organism."""
    folder = tmp_path / "photos"
    picture(folder / TENCH / "1.jpg", (1000, 900))
    picture(folder / TENCH / "2.png", (600, 800))
    picture(folder / GOLDFISH / "1.jpg")
    picture(folder / CANOE / "1.jpg")
    return folder


def get(address: str, **params: str) -> requests.Response:
    return requests.get(address, params=params, timeout=10, allow_redirects=False)


def search(sandbox: Sandbox, **params: str) -> dict[str, Any]:
    reply = get(f"{sandbox.endpoint}/observations", **params)
    assert reply.status_code == 200, reply.text
    answer: dict[str, Any] = reply.json()
    return answer


def found(sandbox: Sandbox, **params: str) -> list[int]:
    """The ids of the photos of the observations that a search returns."""
    results = search(sandbox, **params)["results"]
    return [photo["id"] for each in results for photo in each["photos"]]


def rows(count: int) -> list[dict[str, Any]]:
    return [record(number, file=f"{TENCH}/1.jpg") for number in range(1, count + 1)]


# Searching


def test_the_ends_of_a_window_belong_to_it(speak: Speak) -> None:
    sandbox = speak("inaturalist", *(record(number) for number in range(1, 6)))  # from the 2nd on
    noon = "2015-01-05T12:00:00+00:00"
    assert sorted(found(sandbox, created_d1="2015-01-03", created_d2=noon)) == [2, 3, 4]
    assert sorted(found(sandbox, created_d1="2015-01-03T12:00:00+00:00")) == [2, 3, 4, 5]
    assert sorted(found(sandbox, created_d1="2015-01-03T12:00:01+00:00")) == [3, 4, 5]


def test_results_beyond_10000_are_refused(speak: Speak) -> None:
    sandbox = speak("inaturalist", *rows(10_050))
    counted = search(sandbox, per_page="200", page="50")
    assert (counted["total_results"], len(counted["results"])) == (10_050, 200)
    rejected = get(f"{sandbox.endpoint}/observations", per_page="200", page="51")
    assert rejected.status_code == rejected.json()["status"] == 403
    assert rejected.json()["error"].startswith("Result window is too large")


# Against iNaturalist's recorded replies


@pytest.mark.realdata
def test_a_search_has_the_recorded_keys_and_types(speak: Speak, realdata: Path) -> None:
    row = record(1, date_taken="2013-10-06 14:06:41")
    ours = search(speak("inaturalist", row))
    names = "observation", "observations_by_id", "observations_page1", "observations_page2"
    recorded = [
        json.loads((realdata / "inaturalist" / f"get_{name}.json").read_text("utf-8"))
        for name in names
    ]
    assert {key: shape(value) for key, value in ours.items() if key != "results"} == {
        key: shape(value) for key, value in recorded[0].items() if key != "results"
    }
    theirs = [each for reply in recorded for each in reply["results"]]
    (mine,) = ours["results"]
    for key in ("taxon", "user"):
        assert_known(mine.pop(key), [each[key] for each in theirs])
    photos = [photo for each in theirs for photo in each["photos"]]
    assert_known(mine.pop("photos")[0], photos)
    assert_known(mine, theirs)


def assert_known(mine: dict[str, Any], theirs: list[dict[str, Any]]) -> None:
    """Each of our fields is in the recorded ones, with a type that it has there, or with none."""
    for key, value in mine.items():
        seen = {spelled(each[key]) for each in theirs if key in each}
        assert seen, key
        assert value is None or value in ([], ["tench"]) or spelled(value) in seen, key


def spelled(value: Any) -> str:
    return json.dumps(shape(value), sort_keys=True)
