"""What the sandbox promises of every source it speaks: faults, outages, the command."""

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
from tests.sandbox.test_sandbox import TENCH, record

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
def test_what_is_wrong_with_a_photo_stays_wrong(speak: Speak, source: str) -> None:
    for kind in LASTING:
        sandbox = speak(source, record(1), **{kind: 1})
        (address,) = addresses(sandbox, source)  # it is listed
        first, *others = (get(address) for _ in range(4))
        status = {"gone": 302 if source == "flickr" else 404, "foreign_redirect": 302}
        assert {each.status_code for each in (first, *others)} == {
            status.get(kind, 503 if kind == "poisoned" else 200)
        }
        if kind == "foreign_redirect":
            assert urlsplit(first.headers["Location"]).hostname != "127.0.0.1"
        if first.status_code == 200:
            with pytest.raises(OSError), Image.open(io.BytesIO(first.content)) as image:
                image.load()
        assert {each.fault for each in list(sandbox.requests)[1:]} == {kind}


@every_source
def test_the_command_says_what_to_export_and_sets_faults(photos: Path, source: str) -> None:
    words = ["--port", "0", "--source", source, "--photos", str(photos), "--seed", "7"]
    words += ["--fault", "too_many=1", "--fault", "retry_after=3"]
    process = subprocess.Popen(
        [sys.executable, "-m", "genset", "sandbox", *words], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        name, _, endpoint = process.stdout.readline().strip().partition("=")
        assert name == f"export GENSET_{source.upper()}_ENDPOINT"
        end, params = SEARCHES[source]
        reply = get(endpoint + end, **params)
        assert (reply.status_code, reply.headers["Retry-After"]) == (429, "3")
        assert get(endpoint + end, **params).status_code == 429  # and then it passes
        assert ADDRESSES[source](get(endpoint + end, **params).json())
    finally:
        process.kill()
        process.communicate()


# Flickr's alone


@pytest.fixture
def serve(speak: Speak) -> Callable[..., Sandbox]:
    """Start a Flickr over as many photos as are asked for, all showing one file."""

    def start(count: int = 1, **faults: float) -> Sandbox:
        rows = (record(number, file=f"{TENCH}/1.jpg") for number in range(1, count + 1))
        return speak("flickr", *rows, **faults)

    return start


def paths(sandbox: Sandbox) -> list[str]:
    return [urlsplit(each).path for each in addresses(sandbox, "flickr")]


def test_an_outage_begins_and_ends_by_the_clock(serve: Callable[..., Sandbox]) -> None:
    sandbox = serve(outage=40, outage_after=10)
    for second, status in ((0, 200), (9.9, 200), (10, 503), (49.9, 503), (50, 200)):
        request = Request("GET", paths(serve())[0], {}, at=1000 + second)
        assert sandbox.answer(request).status == status, second
