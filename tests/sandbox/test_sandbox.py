"""The sandbox, asked as genset and its users ask Flickr; and what it promises of every source."""

import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
import requests
from PIL import Image

from genset.core.errors import BadInput
from genset.sandbox import Faults, Reply, Request, Sandbox
from genset.sandbox.faults import CALLS_ONLY, LASTING, PASSING
from genset.sandbox.server import SERVICES

TENCH, GOLDFISH, CRANE = "n01440764", "n01443537", "n02012849"
EVERYTHING = (
    "license,date_upload,date_taken,owner_name,media,"
    "url_n,url_m,url_z,url_c,url_l,url_h,url_k,url_o"
)


def picture(path: Path, size: tuple[int, int] = (64, 48), **options: Any) -> Path:
    """An image file; the colour is the name's, so no two have the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    red, green, blue = (sum(str(path).encode()) * factor % 256 for factor in (1, 3, 7))
    Image.new("RGB", size, (red, green, blue)).save(path, **options)
    return path


def record(number: int, **changes: Any) -> dict[str, Any]:
    """A line of a records file."""
    return {
        "id_search_engine": str(number),
        "wnid": TENCH,
        "search_key": "tench",
        "date_upload_search_engine": f"2015-01-{number % 28 + 1:02} 12:00:00",
        "date_taken": None,
        "url_type": "url_o",
        "width": None,
        "height": None,
    } | changes


def written(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "records.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def plain(sandbox: Sandbox, **parameters: object) -> requests.Response:
    """A call by hand, with a key."""
    query = {"api_key": "sandbox", **parameters}
    return requests.get(sandbox.endpoint, params=query, timeout=10)  # type: ignore[arg-type]


def search(sandbox: Sandbox, text: str = "tench", **parameters: object) -> Any:
    """What a search answers, with everything that can be said of a photo."""
    words = {"method": "flickr.photos.search", "format": "json", "nojsoncallback": 1}
    words |= {"text": text, "extras": EVERYTHING, **parameters}
    return plain(sandbox, **words).json()["photos"]


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Two tench, two goldfish."""
    folder = tmp_path / "photos"
    for wnid in (TENCH, GOLDFISH):
        picture(folder / wnid / "1.jpg")
        picture(folder / wnid / "2.png", (600, 400))
    return folder


Serve = Callable[..., Sandbox]


@pytest.fixture
def speak(photos: Path, tmp_path: Path) -> Iterator[Serve]:
    """Start a sandbox that speaks a source's API of these records, with these faults."""
    running: list[Sandbox] = []

    def start(source: str, *rows: dict[str, Any], **faults: float) -> Sandbox:
        records = written(tmp_path, *rows) if rows else None
        settings = Faults(**faults)  # type: ignore[arg-type]  # the seed is an int
        sandbox = Sandbox(photos, records, faults=settings, source=source)
        running.append(sandbox.start())
        return sandbox

    yield start
    for sandbox in running:
        sandbox.close()


@pytest.fixture
def serve(speak: Serve) -> Serve:
    """Start a sandbox over the photos with these records."""
    return partial(speak, "flickr")


# Which photos there are


def test_a_folder_that_is_no_wnid_is_found_by_its_name(photos: Path, serve: Serve) -> None:
    picture(photos / "my cat" / "1.jpg")
    picture(photos / "my cat" / "._1.jpg")  # macOS leaves these behind
    assert len(search(serve(), "My Cat")["photo"]) == 1


# Bad input


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"file": "../secret.jpg"}, 'file "../secret.jpg" is not a photo of'),
        ({"id_search_engine": "12a"}, 'must be a photo id in digits, not "12a"'),
        ({"wnid": None}, "wnid must be a text"),
        ({"search_key": " "}, "search_key must be a text that is not empty"),
        ({"date_upload_search_engine": "yesterday"}, "must be a time, such as 2014-01-31T12:00:00"),
        ({"license": 17}, "license must be a whole number from 0 to 16, not 17"),
    ],
)
def test_a_bad_record_is_named_with_its_line(
    photos: Path, tmp_path: Path, change: dict[str, Any], says: str
) -> None:
    records = written(tmp_path, record(1), record(2, **change))
    with pytest.raises(BadInput) as caught:
        Sandbox(photos, records)
    message = str(caught.value)
    assert message.startswith(f"{records}:2: ") and says in message and "\n" not in message


def test_what_cannot_be_served_is_said(photos: Path, tmp_path: Path, serve: Serve) -> None:
    port = int(serve().endpoint.split(":")[2].split("/")[0])
    with pytest.raises(BadInput, match=f"port {port}.*another"):
        Sandbox(photos, port=port)
    with pytest.raises(BadInput, match="cannot be read"):
        Sandbox(photos, tmp_path / "none.jsonl")
    with pytest.raises(BadInput, match="has no photos"):
        Sandbox(tmp_path / "none")


# Against Flickr's recorded replies


def shape(value: Any) -> Any:
    """A reply without its values: `{"id": "str", "owner": {...}, "tag": [...]}`."""
    if isinstance(value, dict):
        return {key: shape(part) for key, part in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


def recorded(realdata: Path, name: str) -> Any:
    return json.loads((realdata / "flickr" / "api" / name).read_text(encoding="utf-8"))


def assert_known(mine: dict[str, Any], recorded: list[dict[str, Any]]) -> None:
    """Our fields are in the recorded ones, with a type that they have there, or with none."""
    for key, value in mine.items():
        seen = [shape(row[key]) for row in recorded if key in row]
        assert seen, key
        if isinstance(value, dict):
            assert_known(value, [row[key] for row in recorded if key in row])
        else:
            assert value in (None, [], ["tench"]) or shape(value) in seen, key


@pytest.mark.realdata
def test_a_search_has_the_recorded_keys_and_types(serve: Serve, realdata: Path) -> None:
    ours = search(serve(record(1)))
    theirs = recorded(realdata, "photos_search_extras.json")["photos"]
    recent = recorded(realdata, "photos_getRecent_100_extras.json")["photos"]["photo"]
    assert {key: shape(value) for key, value in ours.items() if key != "photo"} == {
        key: shape(value) for key, value in theirs.items() if key != "photo"
    }
    photo = ours["photo"][0]
    assert photo.pop("datetakenunknown") == "1"  # newer than the recording
    assert_known(photo, [*theirs["photo"], *recent])


@pytest.mark.realdata
def test_info_has_the_recorded_keys_and_types(serve: Serve, realdata: Path) -> None:
    words = {"method": "flickr.photos.getInfo", "photo_id": 1, "format": "json"}
    ours = plain(serve(record(1)), **words, nojsoncallback=1).json()["photo"]
    assert_known(ours, [recorded(realdata, "photos_getInfo.json")["photo"]])


@pytest.mark.realdata
def test_errors_are_worded_as_recorded(serve: Serve, realdata: Path) -> None:
    sandbox = serve()
    for name, call in {
        "error_people_getInfo_100_19.xml": {"api_key": ""},
        "error_photos_getInfo_1_2.xml": {
            "method": "flickr.photos.getInfo",
            "photo_id": "28952265972",
        },
    }.items():
        theirs = ElementTree.parse(realdata / "flickr" / "api" / name).getroot().find("err")
        ours = plain(sandbox, **call).json()
        assert theirs is not None
        assert theirs.attrib == {"code": str(ours["code"]), "msg": ours["message"]}


@pytest.mark.realdata
def test_a_search_of_inaturalist_has_the_recorded_keys_and_types(
    speak: Serve, realdata: Path
) -> None:
    sandbox = speak("inaturalist", record(1, date_taken="2013-10-06 14:06:41"))
    ours = requests.get(f"{sandbox.endpoint}/observations", timeout=10).json()
    names = "observation", "observations_by_id", "observations_page1", "observations_page2"
    replies = [
        json.loads((realdata / "inaturalist" / f"get_{name}.json").read_text("utf-8"))
        for name in names
    ]
    assert {key: shape(value) for key, value in ours.items() if key != "results"} == {
        key: shape(value) for key, value in replies[0].items() if key != "results"
    }
    theirs = [each for reply in replies for each in reply["results"]]
    (mine,) = ours["results"]
    assert_known(mine.pop("photos")[0], [photo for each in theirs for photo in each["photos"]])
    assert_known(mine, theirs)


# Every source: faults, outages, the command

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


def searched(sandbox: Sandbox, source: str) -> requests.Response:
    end, params = SEARCHES[source]
    return get(sandbox.endpoint + end, **params)


def addresses(sandbox: Sandbox, source: str) -> list[str]:
    """Where the images of the class are."""
    reply = searched(sandbox, source)
    while reply.status_code != 200:
        reply = searched(sandbox, source)
    return ADDRESSES[source](reply.json())


def ask(sandbox: Sandbox, address: str, **params: str) -> Reply:
    return sandbox.answer(Request("GET", urlsplit(address).path, params, agent=AGENT))


@every_source
@pytest.mark.parametrize("kind", PASSING)
def test_the_third_try_passes(speak: Serve, source: str, kind: str) -> None:
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
def test_what_is_wrong_with_a_photo_stays_wrong(speak: Serve, source: str) -> None:
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


def test_an_outage_begins_and_ends_by_the_clock(speak: Serve) -> None:
    (address,) = addresses(speak("flickr", record(1)), "flickr")
    sandbox = speak("flickr", record(1), outage=40, outage_after=10)
    for second, status in ((0, 200), (9.9, 200), (10, 503), (49.9, 503), (50, 200)):
        request = Request("GET", urlsplit(address).path, {}, at=1000 + second)
        assert sandbox.answer(request).status == status, second
