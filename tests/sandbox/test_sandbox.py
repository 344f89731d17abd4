"""The sandbox, asked as genset and its users ask Flickr: with flickrapi and over HTTP."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import requests
from PIL import Image

from genset.core.errors import BadInput
from genset.sandbox import Sandbox

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
