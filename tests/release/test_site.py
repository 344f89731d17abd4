"""The page for owners, and the letter to those who have what an owner took out."""

import json
import re
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, expect

from genset.cli import cli
from genset.core.errors import GensetError
from genset.release.reader import MANIFEST, Release
from genset.scrape.upkeep.removal import remove
from tests.labeled_workspace import GOLDFISH, TENCH, add_candidate
from tests.release.conftest import Pool

Genset = Callable[..., str]
ROGUE = "<script>alert(1)</script> \" onload='x' </style> & $name"


@pytest.fixture
def genset(pool: Pool) -> Genset:
    """Call a command in the pool's workspace; return what it prints, or the error's line."""

    def call(*words: object) -> str:
        done = CliRunner().invoke(cli, ["-w", str(pool.workspace.root), *map(str, words)])
        if isinstance(done.exception, GensetError):
            return f"{done.exception.exit_code}: {done.exception}"
        assert done.exit_code == 0, done.output
        return done.output

    return call


class Read(HTMLParser):
    """What a browser would make of a page: its elements, addresses, and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.attributes: set[str] = set()
        self.addresses: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def release(pool: Pool, genset: Genset) -> Release:
    """Nine photos; the owner of the last calls himself and his photo by markup."""
    pool.label_all_correct()
    task = add_candidate(
        pool.workspace,
        pool.store,
        TENCH,
        7,
        owner_name=ROGUE,
        title=ROGUE,
        page_url="javascript:alert(1)",
        license=ROGUE,
        license_url="javascript:alert(2)",
    )
    pool.label(task, ann="correct")
    genset("release", "create", "v1", "--contact", "ann@example.org")
    return Release(pool.workspace.releases / "v1")


def test_every_photo_is_credited_under_its_owner(
    release: Release, genset: Genset, tmp_path: Path
) -> None:
    told = genset("site", "v1", "--out", tmp_path / "site")
    assert "9 photos of 9 owners are credited; owners write to ann@example.org" in told
    assert [path.name for path in (tmp_path / "site").iterdir()] == ["index.html"]
    page = Read((tmp_path / "site" / "index.html").read_text("utf-8"))
    credits_ = (release.root / "ATTRIBUTION.txt").read_text("utf-8")
    for photo in release.photos:
        assert photo.file in page.text and f"flickr:{photo.owner}" in page.text
    for line in re.findall("^    (.+)$", credits_, re.M):
        assert line in page.text
    assert release.content_hash in page.text
    assert "not endorsed or certified by SmugMug" in page.text  # as Flickr's terms ask
    removals = [each for each in page.addresses if each.startswith("mailto:ann@example.org?")]
    assert len(removals) == 10  # one for each photo, and one for any


def test_no_word_of_a_stranger_is_markup_or_an_address(
    release: Release, genset: Genset, tmp_path: Path
) -> None:
    genset("site", "v1", "--out", tmp_path)
    page = Read((tmp_path / "index.html").read_text("utf-8"))
    assert page.elements.count("script") == page.elements.count("style") == 1
    assert "onload" not in page.attributes and "img" not in page.elements
    assert {each.partition(":")[0] for each in page.addresses} == {"https", "mailto"}
    assert f"by {ROGUE}" in page.text


def test_a_page_is_written_again_for_the_next_version_and_over_nobody_elses(
    pool: Pool, release: Release, genset: Genset, tmp_path: Path
) -> None:
    gone = next(photo for photo in release.photos if photo.source_id == "100")
    genset("site", "v1", "--out", tmp_path)
    remove(pool.workspace, pool.store, "flickr:100", "its owner asked")
    genset("release", "takedown", "v1")
    before = (tmp_path / "index.html").read_bytes()
    refused = genset("site", "v1", "--out", tmp_path)
    assert refused.startswith("2: v1 was replaced by v1.1") and "genset site v1.1" in refused
    assert (tmp_path / "index.html").read_bytes() == before
    genset("site", "v1.1", "--out", tmp_path)
    page = (tmp_path / "index.html").read_text("utf-8")
    assert gone.file not in page and gone.owner not in page
    (tmp_path / "index.html").write_text("somebody's", "utf-8")
    assert genset("site", "v1.1", "--out", tmp_path).startswith("2:")
    assert (tmp_path / "index.html").read_text("utf-8") == "somebody's"


def test_nobody_to_write_to_is_no_page(pool: Pool, genset: Genset, tmp_path: Path) -> None:
    pool.label_all_correct()
    genset("release", "create", "v1")
    assert "names nobody to write to" in genset("site", "v1", "--out", tmp_path / "site")
    assert not (tmp_path / "site").exists()
    told = json.loads(
        genset("site", "v1", "--out", tmp_path, "--contact", "https://example.org/ask", "--json")
    )
    assert (told["contact"], told["photos"], told["owners"]) == ("https://example.org/ask", 8, 8)
    assert 'href="https://example.org/ask"' in (tmp_path / "index.html").read_text("utf-8")
    settings = pool.workspace.root / "genset.toml"
    text = settings.read_text("utf-8")
    text = re.sub(r"(?m)^# contact = .*$", 'contact = "bo@example.org"', text, count=1)
    settings.write_text(text, "utf-8")
    assert "owners write to bo@example.org" in genset("site", "v1", "--out", tmp_path)
    text = text.replace("# [dataset]", '[dataset]\ncontact = "cy@example.org"')
    settings.write_text(text, "utf-8")  # what is said of the data set goes before
    assert "owners write to cy@example.org" in genset("site", "v1", "--out", tmp_path)
    text = text.replace('"cy@example.org"', '"di@example.org"\nmaintenance = "Within a <week>."')
    settings.write_text(text, "utf-8")
    genset("release", "create", "v2")  # keeps it
    settings.write_text(text.replace("di@example.org", ""), "utf-8")
    assert "owners write to di@example.org" in genset("site", "v2", "--out", tmp_path)
    page = Read((tmp_path / "index.html").read_text("utf-8"))
    assert "Within a <week>." in page.text


def test_no_page_is_written_into_the_release_or_over_a_file(
    release: Release, genset: Genset, tmp_path: Path
) -> None:
    inside = genset("site", "v1", "--out", release.root / "n01440764")
    assert inside.startswith("2:") and "never changes" in inside
    release.verify()
    (tmp_path / "file").write_text("")
    assert "is a file: name a folder" in genset("site", "v1", "--out", tmp_path / "file")


NAMES = {  # what an owner is called, and what somebody may look for
    "Zoë Álvarez": "ALVAREZ zoe",
    "straße": "STRASSE",
    "İstanbul Işık": "istanbul isik",
    "李小龙": "李小龙",
    "أحمد محمد": "محمد",
    "ｗｉｄｅ": "wide",
    "x" * 10_000: "xxx",
}


@pytest.fixture
def named(pool: Pool, genset: Genset, tmp_path: Path) -> Path:
    """The page of a release whose owners have names in many scripts; of one photo, none."""
    for number, name in enumerate(NAMES, start=90_000):
        task = add_candidate(
            pool.workspace, pool.store, TENCH, number, owner_name=name, title="t" * 10_000
        )
        pool.label(task, ann="correct")
    nobodys = {"owner": "", "owner_name": " ", "page_url": ""}
    commons = {
        "source": "commons",
        "page_url": "https://commons.wikimedia.org/wiki/File:%D0%A4.jpg",
    }
    for number, values in ((7, nobodys), (8, commons)):
        task = add_candidate(pool.workspace, pool.store, TENCH, number, **values)
        pool.label(task, ann="correct")
    genset("release", "create", "v1", "--contact", "ann@example.org")
    told = json.loads(genset("site", "v1", "--out", tmp_path, "--json"))
    assert (told["photos"], told["owners"]) == (9, 8)
    return tmp_path / "index.html"


def test_owners_are_in_order_of_their_names(named: Path) -> None:
    html = named.read_text("utf-8")
    names = re.findall(r"<h3 [^>]+>([^<]*)<", html)
    assert names[:3] == ["İstanbul Işık", "owner 8", "straße"]
    assert names[5] == "Zoë Álvarez" and names[-1] == "No owner is known"
    assert "8 photos of 8 owners, and 1 whose owner is not known" in Read(html).text
    assert "x" * 301 not in html and "t" * 301 not in html


@pytest.mark.browser
@pytest.mark.soak
def test_owners_find_their_names_and_addresses_as_they_write_them(
    named: Path, browser: Browser
) -> None:
    page_url = "https://www.flickr.com/photos/90001@N00/90001"
    words = {
        **{words: name for name, words in NAMES.items() if len(name) < 300},
        "commons.m.wikimedia.org/wiki/File:Ф.jpg": "owner 8",
        f"{page_url}/in/album-72157600000000": "straße",
        "http://flickr.com/photos/someone/90001/": "straße",
        page_url: "straße",
    }
    with closing(browser.new_page()) as page:
        page.goto(named.as_uri())
        for written, name in words.items():
            page.get_by_role("searchbox").fill(written)
            expect(page.locator("section.owner:visible h3")).to_have_text([name])
        page.get_by_role("searchbox").fill("nobody of this name")
        expect(page.locator("output")).to_contain_text("None here.")
        page.get_by_role("searchbox").fill("")
        expect(page.locator("section.owner:visible")).to_have_count(9)


@pytest.mark.browser
def test_owners_are_found_by_typing(
    release: Release, genset: Genset, tmp_path: Path, browser: Browser
) -> None:
    genset("site", "v1", "--out", tmp_path)
    with closing(browser.new_page(viewport={"width": 390, "height": 800})) as page:
        problems: list[str] = []
        page.on("console", lambda message: problems.append(message.text))
        page.goto((tmp_path / "index.html").as_uri())
        page.get_by_role("searchbox").fill("OWNER 101")
        expect(page.locator("section.owner:visible")).to_have_count(1)
        expect(page.locator("output")).to_have_text("1 found")
        page.get_by_role("searchbox").fill("flickr.com/photos/201@N00/201")
        expect(page.locator("section.owner:visible h3")).to_have_text("owner 201")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert problems == []


def test_a_takedown_records_the_day_and_prints_the_letter(
    pool: Pool, release: Release, genset: Genset
) -> None:
    gone = next(photo for photo in release.photos if photo.source_id == "100")
    assert gone.wnid == GOLDFISH
    remove(pool.workspace, pool.store, "flickr:100", "its owner asked")
    later = datetime.now(UTC).date() + timedelta(days=2)
    assert "is to come" in genset("release", "takedown", "v1", "--requested", later)
    asked = genset("release", "takedown", "v1", "--requested", "2999-01-01")
    assert asked.startswith("2: 2999-01-01 is to come")
    told = json.loads(genset("release", "takedown", "v1", "--requested", "2026-05-03", "--json"))
    letter, new = told["letter"], Release(pool.workspace.releases / "v1.1")
    for word in (
        gone.file,
        f"sha256 {gone.sha256}",
        release.content_hash,
        new.content_hash,
        "v1.1",
    ):
        assert word in letter
    assert "asked on 2026-05-03" in letter and "Questions: ann@example.org" in letter
    assert "a copy of" not in letter.partition("of the test set")[2]
    assert gone.owner not in letter and gone.owner_name not in letter
    assert gone.source_id not in letter.replace(gone.file, "").replace(gone.sha256, "")
    replaces = json.loads((new.root / MANIFEST).read_text("utf-8"))["replaces"]
    today = datetime.now(UTC).date().isoformat()
    assert (replaces["requested"], replaces["taken_out"]) == ("2026-05-03", today)
    assert "as was asked on 2026-05-03" in (new.root / "DATA_CARD.md").read_text("utf-8")
    new.verify()
    # Of an owner of whom all is out, the day is kept with the owner.
    remove(pool.workspace, pool.store, "101@N00", "all of it")
    text = genset("release", "takedown", "v1.1")
    assert (
        "Subject: Please delete 1 photo of v1.1" in text and "1 photo was taken out of it" in text
    )
    # The first version has it, too, and its letter was of another photo.
    assert f"a copy of v1 ({release.content_hash})" in text
    second = json.loads((pool.workspace.releases / "v1.2" / MANIFEST).read_text("utf-8"))
    assert second["replaces"]["taken_out"] == today and "requested" not in second["replaces"]
