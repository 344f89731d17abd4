"""Whatever strangers send to the routes: it is answered with one line, and nothing breaks.

No server and no browser: the routes behind what stands before them in the server.
"""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.testclient import TestClient

from genset.db import Label, Store
from genset.label.access import label_secret
from genset.label.labelers import Labelers
from genset.workspace import Workspace
from labeler_app.routes import Sessions, routes
from labeler_app.server import EDGE
from tests.label.http_page import submission
from tests.labeled_workspace import TENCH, labeled_workspace

ASKED = ("screens", "submit", "beat", "leave", "earlier", "hand_in")


class Client:
    """Somebody who is signed in, and sends what they like."""

    def __init__(self, workspace: Workspace, store: Store) -> None:
        self.workspace, self.store = workspace, store
        app = Starlette(routes=routes(workspace, store), middleware=EDGE)
        # An error of ours is an error of the test's.
        self.http = TestClient(app, raise_server_exceptions=True)
        labeler = Labelers(store).by_name("ann")
        self.session = Sessions(label_secret(workspace)).sign(labeler.id)

    def post(self, what: str, body: Any) -> httpx.Response:
        content = body if isinstance(body, bytes) else json.dumps(body).encode("utf-8")
        authorized = {"Authorization": f"Bearer {self.session}"}
        return self.http.post(f"/genset/{what}", content=content, headers=authorized)

    def submission(self) -> dict[str, Any]:
        """A screen of theirs, all decided."""
        (screen,) = self.post("screens", {"loaded": [], "count": 1}).json()["screens"]
        return submission(screen, 1_000)

    def labels(self) -> int:
        with self.store.session() as session:
            return session.query(Label).count()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("fuzzed") / "workspace"
    workspace, store = labeled_workspace(folder, [TENCH])
    yield Client(workspace, store)
    store.close()


def refused(reply: httpx.Response) -> str:
    """The line that a refusal says."""
    assert 400 <= reply.status_code < 500, reply.text[:200]
    said = one_line(reply)["error"]
    assert isinstance(said, str)
    assert len(said) < 200
    return said


def one_line(reply: httpx.Response) -> Any:
    assert reply.status_code < 500
    assert reply.headers["content-type"] == "application/json"
    assert "\n" not in reply.text
    return reply.json()


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=())),  # halves of characters too
    lambda inside: st.lists(inside) | st.dictionaries(st.text(), inside),
    max_leaves=20,
)
# What looks like a request, but for one thing or another.
WORDS = st.sampled_from(["correct", "unsure", "", "a" * 32, "a" * 65, "\x00", "\ud800"])
NUMBERS = st.sampled_from([0, 1, 5, 6, -1, 2**53, 2**70, 10**4000, 1e308, -1e308]) | st.floats()
ANYTHING = JSON | WORDS | NUMBERS | st.uuids().map(str)


def table(*names: str, **lists: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A table of these names, some with a list."""
    values = {name: st.lists(each, max_size=14) | JSON for name, each in lists.items()}
    return st.fixed_dictionaries(dict.fromkeys(names, ANYTHING) | values)


LABEL = table("id", "photo", "verdict", "shown_at", "decided_at", "order", "supersedes")
SUBMISSION = table("screen", "shown_at", "submitted_at", labels=LABEL, added=LABEL)
REQUEST = table("count", "screen", loaded=WORDS, screens=WORDS, submissions=SUBMISSION)


@given(what=st.sampled_from(ASKED), body=JSON | REQUEST)
@pytest.mark.soak
def test_any_json_gets_one_line(client: Client, what: str, body: Any) -> None:
    one_line(client.post(what, body))


@given(what=st.sampled_from(ASKED), body=st.binary() | st.text('[]{}",:\\0 e').map(str.encode))
def test_any_bytes_get_one_line(client: Client, what: str, body: bytes) -> None:
    one_line(client.post(what, body))


@given(
    path=st.text(st.characters(exclude_categories=["Cs"])),
    under=st.sampled_from(["", "picture/", "component/"]),
    method=st.sampled_from(["GET", "POST", "PUT", "DELETE", "OPTIONS"]),
)
def test_any_path_gets_one_line(client: Client, path: str, under: str, method: str) -> None:
    reply = client.http.request(method, f"/genset/{under}{quote(path, safe='')}")
    assert reply.status_code in (401, 404, 400)
    refused(reply)


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 50_000,
        b"[" * 17 + b"]" * 17,
        b'{"a":' * 10_000,
        b'"\\' * 30_000,
        b'"' + b'\\"' * 30_000,
        b"9" * 60_000,
        b"-" + b"9" * 4_000,
        b'{"count": NaN, "loaded": []}',
        b'{"count": 1e999, "loaded": []}',
        '{"count": 1, "loaded": []}'.encode("utf-16"),
        b'{"count": 1, "loaded": ["\\ud800"]}',
        {"count": 1, "loaded": ["a" * 65]},
        {"count": 1, "loaded": ["a"] * 65},
    ],
)
def test_what_is_too_deep_too_long_or_no_json_is_refused(client: Client, body: Any) -> None:
    assert refused(client.post("screens", body))


def test_a_body_that_is_too_large_is_refused_by_its_size(client: Client) -> None:
    nested = b"[" * 50_000 + b"]" * 50_000
    reply = client.post("submit", nested)
    assert reply.status_code == 413
    assert refused(reply) == "the request is larger than 65,536 bytes"

    def in_pieces() -> Iterator[bytes]:
        for _ in range(100):
            yield b" " * 1_000

    for headers, status in ({}, 411), ({"Content-Length": "9" * 5_000}, 413):
        reply = client.http.post("/genset/submit", content=in_pieces(), headers=headers)
        assert reply.status_code == status


def test_the_largest_request_is_taken_and_larger_ones_are_refused(client: Client) -> None:
    before = client.labels()
    assert "larger than" in refused(client.post("submit", {"submissions": [{}] * 30_000}))
    small = client.post("submit", {"submissions": [{}] * 3_000})
    said = "the request: submissions must be a list of 0 to 12 items, each of them a table of keys"
    assert refused(small) == f"{said} and values, not a list of 3,000"
    thirteen = {"submissions": [client.submission()] * 13}
    assert "not a list of 13" in refused(client.post("submit", thirteen))
    assert client.labels() == before
    whole = client.submission()
    for label in whole["labels"]:
        label["supersedes"] = str(uuid4())
    assert 12_000 < len(json.dumps({"submissions": [whole] * 12})) < 30_000
    assert client.post("submit", {"submissions": [whole] * 12}).status_code == 200


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("order", 2**70),
        ("order", 0),
        ("order", 50),
        ("order", 1.0),
        ("order", True),
        ("shown_at", 2**70),
        ("shown_at", -1),
        ("decided_at", 1e300),
        ("decided_at", 5e12),
        ("id", "0" * 4_000),
        ("id", "{" + "0" * 32 + "}"),
        ("supersedes", "\x00"),
        ("photo", "a" * 65),
        ("photo", "\ud800"),
        ("verdict", "perhaps"),
    ],
)
def test_a_label_with_one_odd_value_is_refused_and_nothing_stored(
    client: Client, field: str, value: Any
) -> None:
    submission, before = client.submission(), client.labels()
    submission["labels"][-1][field] = value
    assert refused(client.post("submit", {"submissions": [submission]}))
    assert client.labels() == before


@pytest.mark.parametrize(
    "name", ["f" * 4_000, "f" * 4_000 + "-" + "0" * 32, "0x1-" + "0" * 32, "-1", "１-" + "0" * 32]
)
def test_a_picture_s_name_is_bounded(client: Client, name: str) -> None:
    reply = client.http.get(f"/genset/picture/{quote(name)}")
    assert reply.status_code == 404
    assert refused(reply) == "there is no such picture"
