"""What the command line says of an API that answers what no API should, and what that costs."""

import gzip
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from genset.db import Store, now
from genset.workspace import Workspace
from tests.commands import run
from tests.labeled_workspace import photo_row
from tests.scrape.hostile import Answer, HostileHost, answer, redirect

API = "/services/rest/"
KEY = "key-alpha81"
REFRESH = ["refresh", "--give-up-after", "0s"]


@pytest.fixture
def host() -> Iterator[HostileHost]:
    with HostileHost() as running:
        yield running


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with one photo to ask after."""
    made = Workspace.create(tmp_path / "workspace")
    store = Store.open(made.store_url)
    with store.begin() as session:
        session.add(photo_row(1, sha256="0" * 64, stored_at=now()))
    store.close()
    return made.root


def asking(host: HostileHost, reply: Answer) -> dict[str, str]:
    """The environment of a command that gets this answer."""
    host.answers[API] = reply
    usual = {name: value for name, value in os.environ.items() if "FLICKR" not in name}
    return usual | {
        "GENSET_PAUSE_FACTOR": "0.001",
        "GENSET_FLICKR_ENDPOINT": host.address + API,
        "FLICKR_API_KEY": KEY,
    }


def line_of(done: "subprocess.CompletedProcess[str]") -> str:
    """The line that a command which failed ends with, after one at most that names the cause."""
    *before, told = done.stderr.splitlines()
    assert done.returncode == 1, done.stdout + told
    assert told.startswith("genset: ")
    assert [line.endswith("; trying again") for line in before] in ([], [True])
    assert KEY not in done.stderr + done.stdout
    assert done.stderr.replace("\n", "").isprintable()
    return f"{told}\n"


JSON = {"Content_Type": "application/json"}

# What networks answer in an API's stead


PORTAL = b"<!DOCTYPE html>\n<html><title>Welcome</title><p>Sign in\x1b[2J</html>"
FILE = (
    b'<!DOCTYPE rsp [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
    b'<rsp stat="ok"><photo license="4">&a;</photo></rsp>'
)


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (redirect("http://portal.example/\x1b[2J"), "a redirect to another address: sign in"),
        (answer(PORTAL, Content_Type="text/html"), "a web page instead of data: sign in"),
        (answer(FILE, Content_Type="text/xml"), "answered with a web page"),
        (answer(FILE.decode().encode("utf-16"), Content_Type="text/xml"), "answered without JSON"),
        (answer(b"[" * 900_000, **JSON), "answered without JSON"),
        (answer(b"[]", Content_Encoding="br", **JSON), "unknown form: its answer must be"),
        (answer(b"{}", Content_Encoding="gzip", **JSON), "broken gzip data"),
        (answer(gzip.compress(b"{}" * 99)[:-9], Content_Encoding="gzip"), "without JSON"),
        (answer(b"", "503 \x1b[31mOops"), "HTTP 503"),
        (b"220 ready\x1b[31m when you are\r\n", "answered something else than HTTP"),
        (b"HTTP/1.1 200 OK\r\nX-\x1b[31mOdd\r\nContent-Length: 2\r\n\r\n[]", "unknown form"),
    ],
)
def test_what_networks_answer_is_told_in_a_line(
    workspace: Path, host: HostileHost, reply: Answer, says: str
) -> None:
    told = line_of(run(*REFRESH, cwd=workspace, env=asking(host, reply)))
    assert says in told
    assert "[2J" not in told and "[31m" not in told
    assert "run the same command again" in told  # and may be when it is run again
    assert set(host.asked) == {API}  # the key is in no address, and no redirect was followed


# Flickr's own words


RUDE = "No\x1b[2J\x07 \u202egpj\u2066\nway\u200b" + "!" * 5000


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps({"stat": "fail", "code": 116, "message": RUDE}),
        json.dumps({"stat": "fail", "code": "\x1b[2J", "message": RUDE}),
        '<rsp stat="fail"><err code="116" msg="No[2J &#x202e;gpj&#x2066;&#10;way'
        + "!" * 5000
        + '"/></rsp>',
    ],
)
def test_what_a_host_says_is_printed_without_what_a_terminal_obeys(
    workspace: Path, host: HostileHost, reply: str
) -> None:
    done = run(*REFRESH, cwd=workspace, env=asking(host, answer(reply.encode(), **JSON)))
    assert "Flickr: No[2J gpj way!!!" in done.stdout
    assert len(done.stdout) < 600
