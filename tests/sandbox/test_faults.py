"""The sandbox's faults and its log, as a client meets them."""

import json
import math
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from genset.core.errors import BadInput
from genset.sandbox import Faults, Request, Sandbox
from genset.sandbox.faults import LASTING, PASSING
from tests.sandbox.conftest import Speak
from tests.sandbox.test_sandbox import TENCH, plain, record

COUNT = 400

Serve = Callable[..., Sandbox]


@pytest.fixture
def serve(speak: Speak) -> Serve:
    """Start a sandbox over as many photos as are asked for, all showing one file."""

    def start(count: int = 1, **faults: float) -> Sandbox:
        rows = (record(number, file=f"{TENCH}/1.jpg") for number in range(1, count + 1))
        return speak("flickr", *rows, **faults)

    return start


def addresses(sandbox: Sandbox, count: int = 1) -> list[str]:
    """Where the first photos' images are, by relevance; tried until no fault is in the way."""
    call = {
        "method": "flickr.photos.search",
        "text": "tench",
        "sort": "relevance",
        "extras": "url_o",
        "per_page": str(min(count, 500)),
        "format": "json",
        "nojsoncallback": "1",
        "api_key": "sandbox",
    }
    while True:
        reply = sandbox.answer(Request("GET", "/services/rest/", call))
        if reply.status == 200 and reply.fault in (None, "unstable_pages"):
            return [photo["url_o"] for photo in json.loads(reply.body)["photos"]["photo"]]


def asked(sandbox: Sandbox, address: str) -> str | None:
    """The fault that meets a request for an image."""
    return sandbox.answer(Request("GET", urlsplit(address).path, {})).fault


def get(address: str) -> requests.Response:
    return requests.get(address, timeout=10, allow_redirects=False)


def search(sandbox: Sandbox, **parameters: str) -> requests.Response:
    words = {"method": "flickr.photos.search", "text": "tench", "format": "json"}
    return plain(sandbox, **{**words, "nojsoncallback": "1", **parameters})


def near(seen: int, tries: int, rate: float) -> bool:
    """Whether a share is within four standard deviations of its rate."""
    return abs(seen - tries * rate) <= 4 * math.sqrt(tries * rate * (1 - rate))


# Faults that stay


def test_lasting_faults_are_the_photos_own(serve: Serve) -> None:
    """Whoever asks, in whichever order, however often, and whatever else goes wrong."""
    lasting = dict.fromkeys(LASTING, 0.15)
    one = serve(60, seed=3, **lasting)
    other = serve(60, seed=3, too_many=0.3, truncated=0.3, unstable_pages=0.5, **lasting)
    truth = {urlsplit(each).path: asked(one, each) for each in addresses(one, 60)}
    assert set(truth.values()) == {*LASTING, None}
    for _ in range(3):
        for each in sorted(set(addresses(other, 60)), reverse=True):
            if (fault := asked(other, each)) not in PASSING:
                assert fault == truth[urlsplit(each).path]


# Outages


def at(sandbox: Sandbox, seconds: float, path: str = "/services/rest/") -> tuple[int, str | None]:
    """What a request gets that comes so many seconds after the sandbox's hour nought."""
    params = {"method": "flickr.test.echo", "api_key": "sandbox"}
    reply = sandbox.answer(Request("GET", path, params, at=1000 + seconds))
    return reply.status, reply.fault


def test_an_outage_begins_and_ends_by_the_clock(serve: Serve) -> None:
    sandbox = serve(outage=40, outage_after=10)
    image = urlsplit(addresses(serve())[0]).path
    for path in ("/services/rest/", image):
        assert at(sandbox, 0, path) == (200, None)
        assert at(sandbox, 9.9, path) == (200, None)
        assert at(sandbox, 10, path) == (503, "outage")
        assert at(sandbox, 49.9, path) == (503, "outage")
        assert at(sandbox, 50, path) == (200, None)


# How often, and whom


@pytest.mark.parametrize("kind", PASSING)
def test_rates_of_passing_faults(serve: Serve, kind: str) -> None:
    sandbox = serve(**{kind: 0.2})
    for page in range(COUNT):
        call = {"method": "flickr.test.echo", "api_key": "sandbox", "page": str(page)}
        sandbox.log(request := Request("GET", "/services/rest/", call), sandbox.answer(request))
    seen = Counter(each.fault for each in sandbox.requests)
    assert set(seen) == {kind, None}
    assert near(seen[kind], COUNT, 0.2)


def test_a_seed_decides_whom_faults_meet(serve: Serve) -> None:
    def met(seed: int) -> list[str | None]:
        sandbox = serve(40, seed=seed, too_many=0.2, timeout=0.2, gone=0.3)
        return [asked(sandbox, each) for _ in range(3) for each in addresses(sandbox, 40)]

    assert met(1) == met(1)
    assert met(1) != met(2)


# Pages


def pages(sandbox: Sandbox, per_page: int = 20, **parameters: str) -> list[list[str]]:
    """The ids on each page of a search, for as many pages as it says there are."""
    read: list[list[str]] = []
    while True:
        number = str(len(read) + 1)
        reply = search(
            sandbox, sort="relevance", per_page=str(per_page), page=number, **parameters
        ).json()
        read.append([photo["id"] for photo in reply["photos"]["photo"]])
        if len(read) >= reply["photos"]["pages"]:
            assert int(reply["photos"]["total"]) == sum(map(len, read))
            return read


@pytest.mark.parametrize("per_page", [1, 7, 20, 150, 500])
@pytest.mark.parametrize("rate", [0.2, 1.0])
def test_photos_move_between_pages_but_none_is_lost(
    serve: Serve, per_page: int, rate: float
) -> None:
    everyone = [str(number) for number in range(1, 151)]
    read = pages(serve(150, unstable_pages=rate), per_page)
    flat = [photo_id for page in read for photo_id in page]
    assert set(flat) == set(everyone)
    assert all(len(page) <= per_page for page in read)
    if rate == 1 and per_page < 150:
        assert set(read[0]) & set(read[1])


# Bad input


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["to_many=1"], "to_many is unknown; did you mean too_many?"),
        (["=1"], '"" is unknown'),
        (["gone"], '"gone" has no rate: write gone=0.1'),
        (["gone=often"], '"gone=often" has no rate'),
        (["gone=1.5"], "gone must be a number from 0 to 1, not 1.5"),
        (["gone=nan"], "gone must be a number from 0 to 1, not nan"),
        (["retry_after=-1"], "retry_after must be a number"),
    ],
)
def test_words_that_are_no_faults(words: list[str], says: str) -> None:
    with pytest.raises(BadInput) as caught:
        Faults.parse(words)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


# The command


def run(*words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "genset", "sandbox", "--port", "0", *words]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    )


def test_the_command_sets_faults_and_a_seed(photos: Path) -> None:
    words = ["--photos", str(photos), "--fault", "too_many=1", "--fault", "retry_after=3"]
    process = run(*words, "--seed", "7")
    try:
        assert process.stdout is not None
        endpoint = process.stdout.readline().strip().partition("=")[2]
        reply = requests.get(endpoint, params={"method": "flickr.test.echo"}, timeout=10)
        assert (reply.status_code, reply.headers["Retry-After"]) == (429, "3")
    finally:
        process.kill()
        process.communicate()
