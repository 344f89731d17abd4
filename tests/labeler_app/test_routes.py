"""The routes as somebody finds them who did not come with the page."""

import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

import pytest

from genset.core.errors import BadInput
from genset.label.access import label_secret
from genset.label.labelers import Labelers
from genset.label.session.desk import Desk
from labeler_app.routes import Sessions
from tests.labeler_app.conftest import Served

pytestmark = pytest.mark.browser  # for the server that they share with those who have one


@dataclass
class Reply:
    status: int
    headers: Any
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def ask(served: Served, path: str, session: str | None = None, body: Any = None) -> Reply:
    headers = {"Authorization": f"Bearer {session}"} if session else {}
    content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    request = urllib.request.Request(served.address + path, content, headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            return Reply(reply.status, reply.headers, reply.read())
    except urllib.error.HTTPError as error:
        return Reply(error.code, error.headers, error.read())


def session_of(served: Served, name: str) -> str:
    labeler = Labelers(served.store).by_name(name)
    return Sessions(label_secret(served.workspace)).sign(labeler.id)


def test_every_reply_forbids_what_is_not_from_here(served: Served) -> None:
    for path in ("/", "/genset/ready", "/genset/picture/none", "/genset/component/main.js", "/no"):
        policy = ask(served, path).headers["Content-Security-Policy"]
        parts = dict(part.split(" ", 1) for part in policy.split("; "))
        assert parts["default-src"] == "'none'"
        assert "unsafe" not in parts["script-src"]
        assert parts["connect-src"] == "'self'"
        assert parts["frame-ancestors"] == "'none'"
        assert parts["form-action"] == "'self'"
        assert "http" not in policy and "*" not in policy


def test_the_page_for_mechanical_turk_is_framed_by_it_alone_and_posts_to_it_alone(
    served: Served,
) -> None:
    policy = ask(served, "/mturk?assignmentId=A1").headers["Content-Security-Policy"]
    parts = dict(part.split(" ", 1) for part in policy.split("; "))
    assert parts["frame-ancestors"].split() == [
        "https://worker.mturk.com",
        "https://workersandbox.mturk.com",
        "https://requester.mturk.com",
        "https://requestersandbox.mturk.com",
        "https://www.mturk.com",
    ]
    posts = parts["form-action"].split()
    assert posts == ["https://www.mturk.com", "https://workersandbox.mturk.com"]
    ours = dict(
        part.split(" ", 1)
        for part in ask(served, "/").headers["Content-Security-Policy"].split("; ")
    )
    changed = {name for name in ours if ours[name] != parts[name]}
    assert changed == {"frame-ancestors", "form-action"}


def test_the_server_says_whether_it_is_ready(served: Served) -> None:
    assert ask(served, "/genset/ready").json == {"ready": True}


@pytest.mark.parametrize(("hours", "status"), [(23.9, 200), (24.1, 401)])
def test_a_session_holds_for_a_day(
    served: Served, monkeypatch: pytest.MonkeyPatch, hours: float, status: int
) -> None:
    signed_at = int(time.time() - hours * 3600)
    with monkeypatch.context() as then:
        then.setattr("itsdangerous.timed.TimestampSigner.get_timestamp", lambda _: signed_at)
        session = session_of(served, "early")
    assert ask(served, "/genset/screens", session, {"loaded": [], "count": 1}).status == status


def test_a_session_is_needed_and_cannot_be_forged(served: Served) -> None:
    body = {"loaded": [], "count": 1}
    real = session_of(served, "real")
    forged = Sessions("x" * 64).sign(1)
    for session in (None, "", "nonsense", forged, real[:-2]):
        assert ask(served, "/genset/screens", session, body).status == 401
    assert ask(served, "/genset/screens", real, body).status == 200
    with pytest.raises(BadInput, match="sign in again"):
        Sessions(label_secret(served.workspace)).who(forged)


def test_pictures_are_kept_by_the_browser_and_say_nothing(served: Served) -> None:
    (screen,) = Desk(
        served.workspace, served.store, Labelers(served.store).by_name("viewer")
    ).screens(1)
    reply = ask(served, f"/genset/picture/{screen.photos[0].id}?w=700")
    assert reply.headers["Content-Type"] == "image/jpeg"
    assert "max-age=31536000, immutable" in reply.headers["Cache-Control"]
    assert ask(served, "/genset/picture/1-abc").status == 404
    assert ask(served, "/genset/picture/..%2f..%2fgenset.toml").status in (400, 404)
