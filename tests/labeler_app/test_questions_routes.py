"""Screens of one photo, as they pass between browser and server."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import select
from starlette.applications import Starlette
from starlette.testclient import TestClient

from genset.db import Label, Store, Verdict
from genset.label.access import label_secret
from genset.label.labelers import Labelers
from genset.workspace import Workspace
from labeler_app.routes import Sessions, routes
from labeler_app.server import EDGE
from tests.labeled_workspace import TENCH
from tests.questions import FURTHER, MINK, questioned_workspace


class Http:
    """A labeler's requests."""

    def __init__(self, workspace: Workspace, store: Store) -> None:
        self.store = store
        self._http = TestClient(Starlette(routes=routes(workspace, store), middleware=EDGE))
        labeler = Labelers(store).by_name("ann")
        session = Sessions(label_secret(workspace)).sign(labeler.id)
        self.signed = {"Authorization": f"Bearer {session}"}

    def get(self, path: str, signed: bool = True) -> Any:
        return self._http.get(path, headers=self.signed if signed else {})

    def post(self, route: str, body: Any) -> Any:
        return self._http.post(f"/genset/{route}", json=body, headers=self.signed)

    def screen(self) -> Any:
        (screen,) = self.post("screens", {"loaded": [], "count": 1}).json()["screens"]
        return screen


@pytest.fixture
def http(tmp_path: Path) -> Iterator[Http]:
    workspace, store = questioned_workspace(tmp_path / "asked", [TENCH], photos=2)
    yield Http(workspace, store)
    store.close()


def added(wnid: str) -> dict[str, Any]:
    return {"id": str(uuid4()), "wnid": wnid, "shown_at": 1_000, "decided_at": 2_000, "order": 4}


def submission(screen: Any, *wnids: str, verdict: str = "incorrect") -> dict[str, Any]:
    labels = [
        {
            "id": str(uuid4()),
            "photo": question["id"],
            "verdict": verdict,
            "shown_at": 1_000,
            "decided_at": 2_000,
            "order": place,
            "supersedes": question["label_id"],
        }
        for place, question in enumerate(screen["questions"], 1)
    ]
    times = {"shown_at": 1_000, "submitted_at": 3_000}
    return {"screen": screen["id"], **times, "labels": labels, "added": list(map(added, wnids))}


def test_a_screen_of_one_photo_says_all_that_the_page_shows(http: Http) -> None:
    screen = http.screen()
    assert set(screen) == {*("id", "kind", "home", "photo", "questions", "expires_at", "submitted")}
    assert (screen["kind"], screen["submitted"]) == ("also", False)
    assert screen["home"]["wnid"] == TENCH
    assert set(screen["home"]) == {
        *("wnid", "name", "also", "definition", "hypernyms", "wikipedia")
    }
    assert {each["wnid"] for each in screen["questions"]} == set(FURTHER)
    for question in screen["questions"]:
        assert set(question) == {
            *("id", "wnid", "name", "also", "definition", "photo", "verdict", "label_id")
        }
        assert question["verdict"] is question["label_id"] is None
    assert screen["photo"]["owner"] == "owner 0"
    assert http.get(screen["photo"]["src"]).headers["Content-Type"] == "image/jpeg"


def test_answers_and_a_class_that_is_added_are_stored_and_come_back(http: Http) -> None:
    screen = http.screen()
    given = submission(screen, MINK)
    for _ in range(2):  # the second time as after an answer that was lost
        reply = http.post("submit", {"submissions": [given]}).json()
        ids = [each["id"] for each in (*given["labels"], *given["added"])]
        stored = {"ok": True, "reason": "", "expected": None}
        assert reply["receipts"] == [{"id": each, **stored} for each in ids]
    assert reply["progress"]["photos"] == 4
    again = http.post("earlier", {"screen": None}).json()["screen"]
    assert [each["verdict"] for each in again["questions"]] == ["incorrect"] * 3 + ["correct"]
    assert [each["label_id"] for each in again["questions"]] == ids
    reply = http.post("submit", {"submissions": [submission(again, verdict="unsure")]}).json()
    assert [each["ok"] for each in reply["receipts"]] == [True] * 4
    with http.store.session() as session:
        hers = select(Label.verdict).where(Label.worker == "ann").order_by(Label.number)
        verdicts = session.scalars(hers).all()
    assert verdicts == [Verdict.INCORRECT] * 3 + [Verdict.CORRECT] + [Verdict.UNSURE] * 4


BAD: dict[str, Callable[[dict[str, Any]], Any]] = {
    "five added": lambda given: given | {"added": [added(MINK)] * 5},
    "no list": lambda given: given | {"added": MINK},
    "no class": lambda given: given | {"added": [{"id": str(uuid4())}]},
    "no id": lambda given: given | {"added": [added(MINK) | {"id": "1"}]},
    "a long name": lambda given: given | {"added": [added("n" * 100)]},
    "no order": lambda given: given | {"added": [added(MINK) | {"order": 0}]},
    "more labels than a screen": lambda given: given | {"labels": given["labels"][:1] * 49},
    "nothing": lambda given: given | {"labels": [], "added": []},
}


@pytest.mark.parametrize("change", BAD)
@pytest.mark.soak
def test_what_is_no_submission_is_told_so(http: Http, change: str) -> None:
    given = BAD[change](submission(http.screen()))
    reply = http.post("submit", {"submissions": [given]})
    assert reply.status_code == 400
    assert "Traceback" not in reply.json()["error"]
    with http.store.session() as session:
        assert session.scalar(select(Label).where(Label.worker == "ann")) is None


def test_all_classes_are_there_to_search_and_are_kept_by_the_browser(http: Http) -> None:
    reply = http.get("/genset/classes")
    assert len(reply.json()) == 1000
    assert reply.json()[0] == {
        "wnid": TENCH,
        "name": "tench",
        "also": ["Tinca tinca"],
        "definition": "freshwater dace-like game fish of Europe and western Asia noted for ability "
        "to survive outside water",
    }
    assert "max-age" in reply.headers["Cache-Control"]
    assert http.get("/genset/classes", signed=False).status_code == 401
