"""What a scrape does with hostile answers and pictures: each is stored, rejected or left for later.

Each case is a class of its own that wants one photo. Its search finds the hostile photo first and
a good one after it, which takes the place of what is rejected. One scrape takes them all in.
"""

import gzip
import hashlib
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import select

from genset.db import Candidate, Photo, Store, stored_candidates
from genset.net import transport as http
from genset.net.hosts import Hosts
from genset.scrape.plan import ScrapePlan
from genset.scrape.results import ScrapeSummary
from genset.scrape.scraper import scrape
from genset.sources.flickr import Flickr
from genset.workspace import Workspace
from tests.labeled_workspace import picture
from tests.scrape.hostile import (
    ARITHMETIC_JPEG,
    Answer,
    HostileHost,
    answer,
    claiming,
    cut,
    dripping,
    encoded,
    endless,
    inflating,
    png,
    redirect,
    turned_by_exif,
    two_frames,
    with_exif,
)
from tests.scrape.pools import image_class

pytestmark = pytest.mark.timeout(900)  # the first scrapes for all: minutes on a busy machine
MAX_BYTES = 1_000_000
MAX_SECONDS = 0.5

# What becomes of a photo; every other outcome is the reason for which it is rejected.
STORED = "stored"
LATER = "not available"  # tried again and again
FAILED = "its search failed"

JPEG = encoded("JPEG")
PROGRESSIVE = encoded("JPEG", progressive=True)
PNG = encoded("PNG")
WEBP = encoded("WEBP")

# An address that redirects, and where that leads: (what is answered, what becomes of the photo).
REDIRECTS = {
    "to itself": (redirect("photo.jpg"), "too many redirects"),
    "to a photo": ({"photo.jpg": redirect("b.jpg"), "b.jpg": answer(JPEG + b"1")}, STORED),
    "to another port": (redirect("{stranger}/photo.jpg"), LATER),
    "to no address": (redirect("http://[::1"), LATER),
    "to nowhere": (redirect(""), LATER),
    "allowed, then not": (
        {"photo.jpg": redirect("b.jpg"), "b.jpg": redirect("{stranger}/photo.jpg")},
        LATER,
    ),
    "to the placeholder": (redirect("/images/photo_unavailable.png"), "gone"),
}

CHUNKED = answer(b"", Content_Length="", Transfer_Encoding="chunked")

# Odd HTTP.
ANSWERS = {
    "403": (answer(JPEG, "403 Forbidden"), LATER),
    "204": (answer(b"", "204 No Content", Content_Length=""), LATER),
    "no HTTP": (b"220 ready when you are\r\n", LATER),
    "nothing at all": (b"", LATER),
    "a header of 10 MB": (answer(JPEG, X_Long="x" * 10_000_000), LATER),
    "no length": (answer(JPEG + b"2", Content_Length=""), STORED),
    "a length that is none": (answer(JPEG + b"3", Content_Length="many"), STORED),
    "less than its length": (answer(JPEG, Content_Length=str(len(JPEG) + 1)), LATER),
    "more than its length": (answer(JPEG, Content_Length=str(len(JPEG) - 9)), "broken image"),
    "no end": (endless(answer(b"", Content_Length=""), JPEG), "too large"),
    "no end of chunks": (endless(CHUNKED, b"10000\r\n" + bytes(2**16) + b"\r\n"), "too large"),
    "no end of tiny chunks": (endless(CHUNKED, b"1\r\nx\r\n"), LATER),
    "a broken chunk": (CHUNKED + b"ffff\r\npart", LATER),
    "a byte at a time": (dripping(JPEG, MAX_SECONDS / 10), LATER),
    "a gzip bomb": (
        answer(100 * gzip.compress(bytes(1_000_000)), Content_Encoding="gzip"),
        "too large",
    ),
    "gzip that is none": (answer(JPEG, Content_Encoding="gzip"), LATER),
    "a block page": (answer(b"<!DOCTYPE html><script>alert(1)</script>"), LATER),
    "an empty answer": (answer(b""), LATER),
}

# What is no photo, whatever its type says.
NO_PHOTOS = {
    "text": (b"Hello", "not an image"),
    "SVG": (b'<svg xmlns="http://www.w3.org/2000/svg"/>', "not an image"),
    "GIF": (encoded("GIF", "P"), "not an image"),
    "TIFF": (encoded("TIFF"), "not an image"),
    "HEIC": (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(60), "not an image"),
    "a pickle": (b"\x80\4cposix\nsystem\n(S'true'\ntR.", "not an image"),
    "JPEG behind a text": (b"Hello" + JPEG, "not an image"),
}

# Pictures that cannot be used.
BROKEN = {
    "animated PNG": (two_frames("PNG"), "animated"),
    "animated WebP": (two_frames("WEBP"), "animated"),
    "JPEG, a few bytes": (JPEG[:4], "not an image"),
    "JPEG, its header": (cut(JPEG, 0.4), "broken image"),
    "JPEG but for its end": (JPEG[:-2], "broken image"),
    "progressive JPEG, nine tenths": (cut(PROGRESSIVE, 0.9), "broken image"),
    "JPEG of 65,500 x 65,500": (claiming(65_500, 65_500), "too many pixels"),
    "JPEG of 0 x 0": (claiming(0, 0), "not an image"),
    "PNG, half": (cut(PNG, 0.5), "broken image"),
    "PNG with a broken CRC": (PNG[:29] + bytes(4) + PNG[33:], "not an image"),
    "PNG of 10,001 x 10,000": (png(10_001, 10_000), "too many pixels"),
    "PNG with a bomb of a text": (
        png(40, 30, (b"zTXt", b"x\0\0" + inflating(80_000_000))),
        "broken image",
    ),
    "PNG with a hundred bombs": (
        png(40, 30, *[(b"zTXt", b"x\0\0" + inflating(1_000_000))] * 100),
        "broken image",
    ),
    "WebP, half": (cut(WEBP, 0.5), "broken image"),
}

# Photos that are odd and good: their bytes are kept as they came.
ODD = {
    "grey JPEG": (encoded("JPEG", "L"), STORED),
    "CMYK JPEG": (encoded("JPEG", "CMYK"), STORED),
    "JPEG turned by EXIF": (turned_by_exif(), STORED),
    "JPEG with a camera's preview behind it": (two_frames("MPO"), STORED),
    "palette PNG": (encoded("PNG", "P"), STORED),
    "transparent PNG": (encoded("PNG", "RGBA"), STORED),
    "16-bit PNG": (encoded("PNG", "I;16"), STORED),
    "1 x 1 pixel": (encoded("PNG", size=(1, 1)), STORED),
    "JPEG with a page behind it": (encoded("JPEG") + b"<html>" * 1000, STORED),
    "arithmetic JPEG": (ARITHMETIC_JPEG, STORED),
    "JPEG with EXIF of noise": (with_exif(b"noise" * 100), STORED),
    "JPEG with EXIF in a circle": (
        with_exif(b"II*\0\x08\0\0\0" + struct.pack("<HHHIII", 1, 0x8769, 4, 1, 8, 8)),
        STORED,
    ),
    "PNG with a text that looks like a page": (png(40, 30, (b"tEXt", b"x\0<script>")), STORED),
    "WebP without loss": (encoded("WEBP", "RGBA", lossless=True), STORED),
}

# A PNG of black rows and one that lacks rows are the same to a decoder, and to whoever looks.
UNSEEN = {"PNG of more rows than it holds": (png(rows=10), STORED)}

# What the search says of a photo: names that would be paths, and fields that are not as they were.
ENTRIES: dict[str, tuple[dict[str, Any], str]] = {
    "an id that climbs": ({"id": "../../x"}, "not used"),
    "an id of 100 characters": ({"id": "7" * 100}, "not used"),
    "an id that is a number": ({"id": 52987654321}, STORED),
    "an id in another script": ({"id": "\u0667\u0668"}, "not used"),
    "a title that climbs": ({"title": "../../../x.jpg"}, STORED),
    "a title of half a character": ({"title": "\ud800"}, STORED),
    "a title that is a list": ({"title": ["x"]}, STORED),
    "an owner that climbs": ({"owner": "../../x", "ownername": "<script>"}, "not used"),
    "an unknown licence": ({"license": "99"}, STORED),
    "no address": ({"url_l": None}, "no download address"),
    "an address of a file": ({"url_l": "file:///etc/passwd"}, "address not allowed"),
    "an address elsewhere": ({"url_l": "{stranger}/photo.jpg"}, "address not allowed"),
    "an address with a line break": ({"url_l": "{here}/x\r\nX: y"}, "address not allowed"),
    "a camera's clock that is none": ({"datetaken": "x" * 300}, STORED),
    "too early": ({"dateupload": "0"}, "not used"),
    "a video": ({"media": "video"}, "not used"),
}


@dataclass(frozen=True)
class Case:
    """A hostile photo: what the search says of it, what its host answers, what becomes of it."""

    entry: dict[str, Any]
    answers: dict[str, Answer]
    outcome: str


def cases() -> dict[str, Case]:
    """All of them by name."""
    found: dict[str, Case] = {}
    for name, (answers, outcome) in (REDIRECTS | ANSWERS).items():
        several = answers if isinstance(answers, dict) else {"photo.jpg": answers}
        found[f"answer: {name}"] = Case({}, several, outcome)
    for name, (content, outcome) in (NO_PHOTOS | BROKEN | ODD | UNSEEN).items():
        found[f"picture: {name}"] = Case({}, {"photo.jpg": answer(content)}, outcome)
    for number, (name, (entry, outcome)) in enumerate(ENTRIES.items()):
        found[f"entry: {name}"] = Case(entry, {"photo.jpg": answer(picture(number))}, outcome)
    return found


CASES = cases()
CLASSES = {name: image_class(f"n{number:08}", name) for number, name in enumerate(CASES)}


@dataclass(frozen=True)
class Scraped:
    """What one scrape of all cases left."""

    workspace: Workspace
    store: Store
    summary: ScrapeSummary
    asked_of_stranger: list[str]


@pytest.fixture(scope="module")
def scraped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scraped]:
    with pytest.MonkeyPatch.context() as patch, HostileHost() as host, HostileHost() as stranger:
        patch.setenv("GENSET_PAUSE_FACTOR", "0.0002")
        patch.setattr(http, "MAX_BYTES", MAX_BYTES)
        patch.setattr(http, "MAX_SECONDS", MAX_SECONDS)
        host.names["{stranger}"] = stranger.address
        stranger.answers["/photo.jpg"] = answer(JPEG)
        for number, (name, case) in enumerate(CASES.items()):
            hostile, good = f"/{number}/photo.jpg", f"/{number}/good.jpg"
            host.found[name] = [
                entry(f"1{number:03}", hostile) | case.entry,
                entry(f"2{number:03}", good),
            ]
            host.answers |= {f"/{number}/{path}": each for path, each in case.answers.items()}
            host.answers[good] = answer(picture(1000 + number))
        workspace = Workspace.create(tmp_path_factory.mktemp("hostile") / "workspace")
        store = Store.open(workspace.store_url)
        hosts = Hosts(store)
        source = Flickr(hosts, "key", f"{host.address}/services/rest/")
        plan = ScrapePlan(
            tuple(CLASSES.values()), 1, workspace.posted_after, min_size=1, source=Flickr
        )
        summary = scrape(workspace, store, source, plan)
        yield Scraped(workspace, store, summary, stranger.asked)
        store.close()


def entry(number: str, path: str) -> dict[str, Any]:
    """What a search says of a photo."""
    return {
        "id": number,
        "owner": f"{number}@N00",
        "ownername": "somebody",
        "title": "a photo",
        "license": "4",
        "dateupload": "1420113600",
        "datetaken": "2015-01-01 12:00:00",
        "media": "photo",
        "url_l": "{here}" + path,
    }


@pytest.mark.parametrize("name", CASES)
def test_each_case_ends_as_it_must(scraped: Scraped, name: str) -> None:
    assert outcome(scraped, name) == CASES[name].outcome


def outcome(scraped: Scraped, name: str) -> str:
    """What became of a case's photo; another one must have come in place of a rejected one."""
    wnid = CLASSES[name].wnid
    if wnid in scraped.summary.rejected_queries:
        return FAILED
    with scraped.store.session() as session:
        [stored] = session.scalars(stored_candidates(wnid))
        if stored.rank == 1 and not stored.photo.source_id.startswith("2"):
            return STORED
        first = select(Candidate).where(Candidate.wnid == wnid, Candidate.rank == 1)
        rejected = session.scalars(first).one().photo.rejected
        return rejected.partition(":")[0] if rejected is not None else "not used"


def test_no_words_of_a_host_are_stored(scraped: Scraped) -> None:
    with scraped.store.session() as session:
        reasons = set(session.scalars(select(Photo.rejected).where(Photo.rejected.is_not(None))))
    causes = {
        re.sub(r"127\.0\.0\.1:\d+|, \d+ tries since.*", "", reason.removeprefix(f"{LATER}: "))
        for reason in reasons
        if reason.startswith(LATER)
    }
    assert causes == {
        *(f" answered HTTP {status}" for status in (204, 302, 403)),
        " answered something else than HTTP",
        " answered with a redirect to another address: sign in to the network, or set HTTPS_PROXY",
        " answered with a web page instead of data: sign in to the network, or set HTTPS_PROXY",
        " answered with broken gzip data",
        " closed the connection without an answer",
        " did not answer in time",
        " sent an empty answer",
        "answer of  was cut off",
    }


def test_what_is_stored_is_what_was_served_in_files_named_by_its_hash_alone(
    scraped: Scraped,
) -> None:
    images, root = scraped.workspace.images, scraped.workspace.root
    with scraped.store.session() as session:
        photos = [photo for photo in session.scalars(select(Photo)) if photo.sha256]
    for photo in photos:
        content = (images / photo.file).read_bytes()
        assert hashlib.sha256(content).hexdigest() == photo.sha256
        assert len(content) == photo.byte_size
        assert re.fullmatch(r"([0-9a-f]{2})/\1[0-9a-f]{62}\.(jpg|png|webp)", photo.file)
    found = {str(path.relative_to(images)) for path in images.rglob("*") if path.is_file()}
    assert found == {photo.file for photo in photos}
    ours = {".gitignore", "genset.db", "genset.toml", "images"}
    assert {path.name for path in root.iterdir()} - {"genset.db-wal", "genset.db-shm"} == ours
    assert [path.name for path in root.parent.iterdir()] == [root.name]
