"""What the command line says of an API that answers what no API should, and what that costs."""

import gzip
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest
from sqlalchemy import select

from genset.db import Candidate, Photo, Store, now
from genset.workspace import Workspace
from tests.commands import run
from tests.scrape.hostile import Answer, HostileHost, answer, endless, redirect

API = "/services/rest/"
KEY = "key-alpha81"
MEGABYTE = 2**20

# Tells the most memory that it had, in MB.
COMMAND = """\
import atexit, resource
from genset.__main__ import main
from genset.net import api
api.MAX_SECONDS = {seconds}
most = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
atexit.register(lambda: print("most memory:", most() // 1024))
main()
"""
REFRESH = ["refresh", "--give-up-after", "0s"]
# A process begins with the peak of the one that started it: let that be a small one.
SHELL = ["sh", "-c", '"$@"; exit $?', "sh"]


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
        session.add(
            Photo(
                source="flickr",
                source_id="1",
                owner="1@N00",
                owner_name="",
                title="",
                license="CC BY 2.0",
                license_url="",
                page_url="https://www.flickr.com/photos/1@N00/1",
                image_url="",
                posted_at=now(),
                sha256="0" * 64,
                stored_at=now(),
            )
        )
    store.close()
    return made.root


def refreshed(workspace: Path, host: HostileHost, reply: Answer) -> str:
    """What `genset refresh` says of such an answer."""
    done = run(*REFRESH, cwd=workspace, env=asking(host, reply))
    return line_of(done)


def measured(
    workspace: Path, host: HostileHost, reply: Answer, seconds: float = 60
) -> tuple[str, int]:
    """The same in a process that nothing else was in, and the most memory that it took, in MB."""
    done = subprocess.run(
        [*SHELL, sys.executable, "-c", COMMAND.format(seconds=seconds), *REFRESH],
        cwd=workspace,
        env=asking(host, reply),
        capture_output=True,
        text=True,
        timeout=300,
    )
    return line_of(done), int(done.stdout.split()[-1])


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
    """The one line that a command which failed says."""
    told = done.stderr
    assert done.returncode == 1, done.stdout + told
    assert told.startswith("genset: ")
    assert told.count("\n") == 1, told
    assert KEY not in told + done.stdout
    assert told.removesuffix("\n").isprintable()
    return told


JSON = {"Content_Type": "application/json"}
CHUNKED = answer(b"", Content_Length="", Transfer_Encoding="chunked", **JSON)
LARGE = answer(b"", Content_Length=str(300 * MEGABYTE), **JSON) + b'{"stat": "ok", "photo": "'


# Too large, too slow


@pytest.mark.soak
def test_a_reply_of_300_mb_is_not_read(workspace: Path, host: HostileHost) -> None:
    usual = measured(workspace, host, answer(b"", "204 No Content"))[1]
    told, most = measured(workspace, host, endless(LARGE, b"x" * MEGABYTE))
    assert "Flickr's API answered with more than 32 MB" in told
    assert most < usual + 48


def test_a_reply_without_an_end_is_not_read(workspace: Path, host: HostileHost) -> None:
    usual = measured(workspace, host, answer(b"", "204 No Content"))[1]
    chunk = b"10000\r\n" + b"x" * 2**16 + b"\r\n"
    told, most = measured(workspace, host, endless(CHUNKED, chunk))
    assert "more than 32 MB" in told
    assert most < usual + 48


@pytest.mark.soak
def test_a_packed_reply_is_measured_unpacked(workspace: Path, host: HostileHost) -> None:
    zeros = gzip.compress(bytes(300 * MEGABYTE))
    usual = measured(workspace, host, answer(b"", "204 No Content"))[1]
    told, most = measured(workspace, host, answer(zeros, Content_Encoding="gzip", **JSON))
    assert "more than 32 MB" in told
    assert most < usual + 48


def test_a_reply_of_ten_million_values_is_not_parsed(workspace: Path, host: HostileHost) -> None:
    usual = measured(workspace, host, answer(b"", "204 No Content"))[1]
    for values in (b"[" + b"[]," * 10_000_000 + b"[]]", b"<rsp>" + b"<a/>" * 7_000_000 + b"</rsp>"):
        told, most = measured(workspace, host, answer(values, **JSON))
        assert "more values than" in told
        assert most < usual + 96


LONG = b"x" * 10_000
SLOW = {
    "status": (b"HTTP/1.1 200 ", LONG),
    "head": (b"HTTP/1.1 200 OK\r\nX-Long: ", LONG),
    "body": (answer(LONG, **JSON).removesuffix(LONG), LONG),
    "body without a length": (answer(b"", Content_Length="", **JSON), LONG),
    "chunk's length": (CHUNKED, b"0" * 10_000),
    "trailer": (CHUNKED + b"0\r\n", b"x: y\r\n" * 10_000),
    "error": (answer(LONG, "503 Oops").removesuffix(LONG), LONG),
}


@pytest.mark.parametrize("part", SLOW)
@pytest.mark.soak
def test_a_reply_that_drips_ends_in_time(workspace: Path, host: HostileHost, part: str) -> None:
    """No byte is late, and the whole never comes, wherever it drips."""
    at_once, slowly = SLOW[part]

    def send(wire: BinaryIO) -> None:
        wire.write(at_once)
        for place in range(len(slowly)):
            wire.write(slowly[place : place + 1])
            time.sleep(0.1)

    told, _ = measured(workspace, host, send, seconds=0.5)
    assert ("HTTP 503" if part == "error" else "Flickr's API did not answer within 0.5 s") in told


# What networks answer in an API's stead


PORTAL = b"<!DOCTYPE html>\n<html><title>Welcome</title><p>Sign in\x1b[2J</html>"
LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE rsp [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
    b'<rsp stat="fail"><err code="1" msg="&b;"/></rsp>'
)
FILE = (
    b'<!DOCTYPE rsp [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
    b'<rsp stat="ok"><photo license="4">&a;</photo></rsp>'
)


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (redirect("http://portal.example/\x1b[2J"), "a redirect to another address (a captive"),
        (redirect("{here}/elsewhere", "307 Temporary Redirect"), "a redirect to another address"),
        (redirect("", "304 Not Modified"), "a redirect to another address"),
        (answer(b"", "204 No Content", Content_Length=""), "answered HTTP 204"),
        (
            answer(PORTAL, Content_Type="text/html"),
            "a web page instead of JSON (a captive portal?)",
        ),
        (answer(LAUGHS, Content_Type="text/xml"), "a web page instead of JSON"),
        (answer(FILE, Content_Type="text/xml"), "a web page instead of JSON"),
        (
            answer(FILE.decode().encode("utf-16"), Content_Type="text/xml"),
            "something else than JSON",
        ),
        (answer(b"<a>" * 200_000, **JSON), "a web page instead of JSON"),
        (answer(b"[" * 900_000, **JSON), "something else than JSON"),
        (answer(b"", **JSON), "something else than JSON"),
        (answer(b"{}", Content_Encoding="br", **JSON), "an unexpected Content-Encoding"),
        (answer(b"{}", Content_Encoding="gzip", **JSON), "broken gzip data"),
        (answer(gzip.compress(b"{}" * 99)[:-9], Content_Encoding="gzip"), "ends early"),
        (answer(PORTAL, "511 Network Authentication Required"), "HTTP 511"),
        (answer(b"", "503 \x1b[31mOops"), "HTTP 503"),
        (b"220 ready\x1b[31m when you are\r\n", "ConnectionError"),
        (b"HTTP/1.1 200 OK\r\nX-\x1b[31mOdd\r\nContent-Length: 2\r\n\r\n[]", "unknown form"),
    ],
)
def test_what_networks_answer_is_told_in_a_line(
    workspace: Path, host: HostileHost, reply: Answer, says: str
) -> None:
    told = refreshed(workspace, host, reply)
    assert says in told
    assert "[2J" not in told
    assert "[31m" not in told
    assert "run the same command again" in told  # and may be when it is run again
    assert set(host.asked) == {API}  # the key is in no address, and no redirect was followed


# Calls that are turned away


@pytest.mark.parametrize(
    ("status", "says", "mend"),
    [
        ("401 Unauthorized", b"oauth_problem=signature_invalid&debug_sbs=POST", "API_SECRET"),
        ("401 Unauthorized", b"oauth_problem=timestamp_refused", "this machine's clock"),
        ("401 Unauthorized", b"oauth_problem=consumer_key_unknown", "check FLICKR_API_KEY"),
        ("401 Unauthorized", b"", "check FLICKR_API_KEY"),
        ("403 Forbidden", b"<html>\x1b[2JNo</html>", "proxy"),
    ],
)
def test_a_call_that_is_turned_away_names_the_mend(
    workspace: Path, host: HostileHost, status: str, says: bytes, mend: str
) -> None:
    told = refreshed(workspace, host, answer(says, status))
    assert told.startswith(f"genset: Flickr's API refused the call (HTTP {status[:3]}")
    assert mend in told
    assert host.asked == [API]  # no second time


# Flickr's own words, and other strangers'


def test_a_list_shows_no_words_that_a_terminal_obeys(workspace: Path) -> None:
    store = Store.open(Workspace.find(workspace).store_url)
    with store.begin() as session:
        [photo] = session.scalars(select(Photo))
        photo.source_id, photo.page_url = "1\x1b[2J\n2", "https://x.example/\u202egpj"
        photo.rejected, photo.sha256 = "bad\x07 answer", None
        session.add(Candidate(wnid="n02123045", photo_id=photo.id, keyword="tabby", rank=1))
    store.close()
    done = run("status", "--failed", cwd=workspace)
    head, row = done.stdout.splitlines()
    assert head.split() == ["wnid", "photo", "reason", "page", "tries", "next", "try"]
    assert row.split() == [
        "n02123045",
        "flickr:1[2J",
        "2",
        "bad",
        "answer",
        "https://x.example/gpj",
    ]


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
    told = refreshed(workspace, host, answer(reply.encode(), **JSON))
    assert told.startswith("genset: Flickr: No[2J gpj way!!!")
    assert len(told) < 300
