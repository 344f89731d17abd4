"""The routes as somebody finds them who did not come with the page."""

import time
from typing import Any

import httpx
import pytest

from genset.core.errors import BadInput
from genset.label.access import label_secret
from genset.label.labelers import Labelers
from genset.label.session.desk import Desk
from labeler_app.routes import Sessions
from tests.labeler_app.conftest import Served

pytestmark = pytest.mark.browser  # for the server that they share with those who have one


def ask(served: Served, path: str, session: str | None = None, body: Any = None) -> httpx.Response:
    headers = {"Authorization": f"Bearer {session}"} if session else {}
    method = "GET" if body is None else "POST"
    return httpx.request(method, served.address + path, json=body, headers=headers, timeout=30)


def session_of(served: Served, name: str) -> str:
    labeler = Labelers(served.store).by_name(name)
    return Sessions(label_secret(served.workspace)).sign(labeler.id)


def policy_of(served: Served, path: str) -> dict[str, str]:
    policy = ask(served, path).headers["Content-Security-Policy"]
    return dict(part.split(" ", 1) for part in policy.split("; "))


def test_every_reply_forbids_what_is_not_from_here(served: Served) -> None:
    assert ask(served, "/genset/ready").json() == {"ready": True}
    ours = policy_of(served, "/")
    for path in ("/", "/genset/ready", "/genset/picture/none", "/genset/component/main.js", "/no"):
        parts = policy_of(served, path)
        assert parts["default-src"] == "'none'"
        assert "unsafe" not in parts["script-src"]
        assert parts["connect-src"] == parts["form-action"] == "'self'"
        assert parts["frame-ancestors"] == "'none'"
        assert "http" not in str(parts) and "*" not in str(parts)
    # Mechanical Turk alone frames its page, and forms go to it alone.
    mturk = policy_of(served, "/mturk?assignmentId=A1")
    assert {name for name in ours if ours[name] != mturk[name]} == {
        "frame-ancestors",
        "form-action",
    }
    hosts = ("worker", "workersandbox", "requester", "requestersandbox", "www")
    assert mturk["frame-ancestors"].split() == [f"https://{host}.mturk.com" for host in hosts]
    posts = ["https://www.mturk.com", "https://workersandbox.mturk.com"]
    assert mturk["form-action"].split() == posts


@pytest.mark.parametrize(("hours", "status"), [(23.9, 200), (24.1, 401)])
def test_a_session_holds_for_a_day(
    served: Served, monkeypatch: pytest.MonkeyPatch, hours: float, status: int
) -> None:
    signed_at = int(time.time() - hours * 3600)
    with monkeypatch.context() as then:
        then.setattr("itsdangerous.timed.TimestampSigner.get_timestamp", lambda _: signed_at)
        session = session_of(served, "early")
    assert ask(served, "/genset/screens", session, {"loaded": [], "count": 1}).status_code == status


def test_a_session_is_needed_and_cannot_be_forged(served: Served) -> None:
    body = {"loaded": [], "count": 1}
    real = session_of(served, "real")
    forged = Sessions("x" * 64).sign(1)
    for session in (None, "", "nonsense", forged, real[:-2]):
        assert ask(served, "/genset/screens", session, body).status_code == 401
    assert ask(served, "/genset/screens", real, body).status_code == 200
    with pytest.raises(BadInput, match="sign in again"):
        Sessions(label_secret(served.workspace)).who(forged)


def test_pictures_are_kept_by_the_browser_and_say_nothing(served: Served) -> None:
    (screen,) = Desk(
        served.workspace, served.store, Labelers(served.store).by_name("viewer")
    ).screens(1)
    reply = ask(served, f"/genset/picture/{screen.photos[0].id}?w=700")
    assert reply.headers["Content-Type"] == "image/jpeg"
    assert "max-age=31536000, immutable" in reply.headers["Cache-Control"]
    assert ask(served, "/genset/picture/1-abc").status_code == 404
    assert ask(served, "/genset/picture/..%2f..%2fgenset.toml").status_code in (400, 404)
