"""The sandbox as iNaturalist, asked over HTTP as a client asks the real one."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import requests
from hypothesis import given, settings
from hypothesis import strategies as st

from genset.sandbox import Sandbox
from genset.sandbox.inaturalist import OBSERVATIONS
from tests.sandbox.conftest import Speak
from tests.sandbox.test_sandbox import GOLDFISH, TENCH, picture, record, shape, written

COUNT = 23
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


def one(sandbox: Sandbox, **params: str) -> dict[str, Any]:
    """The only observation that a search returns."""
    (only,) = search(sandbox, **params)["results"]
    observation: dict[str, Any] = only
    return observation


def rows(count: int = COUNT) -> list[dict[str, Any]]:
    return [record(number, file=f"{TENCH}/1.jpg") for number in range(1, count + 1)]


# Searching


def test_without_records_a_taxon_finds_its_class(speak: Speak) -> None:
    sandbox = speak("inaturalist")
    answer = search(sandbox, taxon_name="Tinca tinca")
    assert (answer["total_results"], answer["page"], answer["per_page"]) == (2, 1, 30)
    assert {each["taxon"]["name"] for each in answer["results"]} == {"Tinca tinca"}
    assert search(sandbox, taxon_name="Carassius auratus")["total_results"] == 1
    assert search(sandbox, taxon_name="Tinca")["total_results"] == 2  # the genus
    assert search(sandbox, taxon_name="Tin")["total_results"] == 0
    assert search(sandbox, taxon_name="Tinca tinca, Carassius auratus")["total_results"] == 3
    assert search(sandbox)["total_results"] == 3  # canoes are not observed


def test_the_ends_of_a_window_belong_to_it(speak: Speak) -> None:
    sandbox = speak("inaturalist", *(record(number) for number in range(1, 6)))  # from the 2nd on
    noon = "2015-01-05T12:00:00+00:00"
    assert sorted(found(sandbox, created_d1="2015-01-03", created_d2=noon)) == [2, 3, 4]
    assert sorted(found(sandbox, created_d1="2015-01-03T12:00:00+00:00")) == [2, 3, 4, 5]
    assert sorted(found(sandbox, created_d1="2015-01-03T12:00:01+00:00")) == [3, 4, 5]


@settings(max_examples=15, deadline=None)
@given(per_page=st.integers(1, COUNT + 3), order_by=st.sampled_from(["id", "created_at", "x"]))
def test_pages_hold_each_photo_once(served: Sandbox, per_page: int, order_by: str) -> None:
    read: list[int] = []
    for page in range(1, COUNT // per_page + 3):
        read += found(served, per_page=str(per_page), page=str(page), order_by=order_by)
    assert sorted(read) == list(range(1, COUNT + 1))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("served")
    picture(folder / "photos" / TENCH / "1.jpg")
    with Sandbox(folder / "photos", written(folder, *rows()), source="inaturalist") as sandbox:
        yield sandbox


def test_results_beyond_10000_are_refused(speak: Speak) -> None:
    sandbox = speak("inaturalist", *rows(10_050))
    counted = search(sandbox, per_page="200", page="50")
    assert (counted["total_results"], len(counted["results"])) == (10_050, 200)
    rejected = get(f"{sandbox.endpoint}/observations", per_page="200", page="51")
    assert rejected.status_code == rejected.json()["status"] == 403
    assert rejected.json()["error"].startswith("Result window is too large")


# Observations


def uuid(number: int) -> str:
    return str(UUID(int=OBSERVATIONS + number))


def test_observations_are_looked_up_by_their_uuids(speak: Speak, photos: Path) -> None:
    sandbox = speak("inaturalist", record(1), record(2))
    by_uuid = {each["uuid"]: each for each in search(sandbox)["results"]}
    single = search(sandbox, uuid=uuid(1))
    assert (single["total_results"], single["results"]) == (1, [by_uuid[uuid(1)]])
    assert search(sandbox, uuid=uuid(9))["results"] == []
    (photos / TENCH / "1.jpg").unlink()
    assert search(sandbox, uuid=uuid(1))["results"] == []
    assert found(sandbox) == [2]
    assert [each.what for each in sandbox.requests] == ["search", *["observation"] * 3, "search"]


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
