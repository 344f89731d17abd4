"""What the sandbox promises of every source it speaks: faults, images, the log, the command."""

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from PIL import Image

from genset.sandbox import Reply, Request, Sandbox
from genset.sandbox.faults import CALLS_ONLY, LASTING, PASSING
from genset.sandbox.server import SERVICES
from tests.sandbox.conftest import Speak
from tests.sandbox.test_sandbox import record

AGENT = "tests (you@example.org)"

# How each source is asked for the photos of a class: what stands after the endpoint, and the
# parameters.
SEARCHES: dict[str, tuple[str, dict[str, str]]] = {
    "flickr": (
        "",
        {
            "method": "flickr.photos.search",
            "api_key": "sandbox",
            "text": "tench",
            "extras": "url_o",
            "format": "json",
            "nojsoncallback": "1",
        },
    ),
    "commons": (
        "",
        {
            "action": "query",
            "format": "json",
            "formatversion": "2",
            "generator": "search",
            "gsrsearch": 'filetype:bitmap "tench"',
            "gsrnamespace": "6",
            "gsrlimit": "50",
            "prop": "imageinfo",
            "iiprop": "url",
            "iiurlwidth": "960",
        },
    ),
    "inaturalist": ("/observations", {"taxon_name": "Tinca tinca", "per_page": "200"}),
}
ADDRESSES: dict[str, Callable[[Any], list[str]]] = {
    "flickr": lambda reply: [photo["url_o"] for photo in reply["photos"]["photo"]],
    "commons": lambda reply: [page["imageinfo"][0]["thumburl"] for page in reply["query"]["pages"]],
    "inaturalist": lambda reply: [
        photo["url"].replace("square", "large")
        for each in reply["results"]
        for photo in each["photos"]
    ],
}
every_source = pytest.mark.parametrize("source", SERVICES)


def get(address: str, **params: str) -> requests.Response:
    return requests.get(
        address, params, headers={"User-Agent": AGENT}, timeout=10, allow_redirects=False
    )


def search(sandbox: Sandbox, source: str) -> requests.Response:
    end, params = SEARCHES[source]
    return get(sandbox.endpoint + end, **params)


def addresses(sandbox: Sandbox, source: str) -> list[str]:
    """Where the images of the class are."""
    reply = search(sandbox, source)
    while reply.status_code != 200:
        reply = search(sandbox, source)
    return ADDRESSES[source](reply.json())


def ask(sandbox: Sandbox, address: str, **params: str) -> Reply:
    return sandbox.answer(Request("GET", urlsplit(address).path, params, agent=AGENT))


@every_source
@pytest.mark.parametrize("kind", PASSING)
def test_the_third_try_passes(speak: Speak, source: str, kind: str) -> None:
    calm, sandbox = speak(source, record(1)), speak(source, record(1), **{kind: 1})
    end, params = SEARCHES[source]
    asked: list[tuple[str, dict[str, str]]] = [(sandbox.endpoint + end, params)]
    if kind not in CALLS_ONLY:
        asked.append((addresses(calm, source)[0], {}))
    for address, params in asked:
        replies = [ask(sandbox, address, **params) for _ in range(3)]
        assert [reply.fault for reply in replies] == [kind, kind, None]
        assert replies[2].status == 200
        assert all(reply != replies[2] for reply in replies[:2])


@every_source
@pytest.mark.parametrize("kind", LASTING)
def test_what_is_wrong_with_a_photo_stays_wrong(speak: Speak, source: str, kind: str) -> None:
    sandbox = speak(source, record(1), **{kind: 1})
    (address,) = addresses(sandbox, source)  # it is listed
    replies = [get(address) for _ in range(4)]
    statuses = {reply.status_code for reply in replies}
    if kind == "gone":
        assert statuses == {302 if source == "flickr" else 404}
    elif kind == "foreign_redirect":
        assert statuses == {302}
        assert urlsplit(replies[0].headers["Location"]).hostname != "127.0.0.1"
    elif kind == "poisoned":
        assert statuses == {503}
    elif kind == "not_image":
        assert statuses == {200}
        assert replies[0].headers["Content-Type"].startswith("text/html")
    else:
        assert statuses == {200}
        with pytest.raises(OSError), Image.open(io.BytesIO(replies[0].content)) as image:
            image.load()
    assert {each.fault for each in list(sandbox.requests)[1:]} == {kind}


@every_source
def test_the_command_says_what_to_export(photos: Path, source: str) -> None:
    command = [sys.executable, "-m", "genset", "sandbox", "--port", "0", "--source", source]
    process = subprocess.Popen(
        [*command, "--photos", str(photos)], stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    try:
        assert process.stdout is not None
        words, _, endpoint = process.stdout.readline().strip().partition("=")
        assert words == f"export GENSET_{source.upper()}_ENDPOINT"
        end, params = SEARCHES[source]
        assert ADDRESSES[source](get(endpoint + end, **params).json())
    finally:
        process.kill()
        process.communicate()
