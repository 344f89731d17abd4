"""The sandbox as iNaturalist, asked over HTTP as a client asks the real one."""

import json
from pathlib import Path
from typing import Any

import pytest
import requests

from genset.sandbox import Sandbox
from tests.sandbox.conftest import Speak
from tests.sandbox.test_sandbox import record, shape


def search(sandbox: Sandbox, **params: str) -> dict[str, Any]:
    reply = requests.get(f"{sandbox.endpoint}/observations", params=params, timeout=10)
    assert reply.status_code == 200, reply.text
    answer: dict[str, Any] = reply.json()
    return answer


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
