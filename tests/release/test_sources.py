"""A release of photos from several places: what its manifest and its documents say of each."""

import csv
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import mlcroissant
import pytest
from click.testing import CliRunner
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from genset.cli import cli
from genset.db import Search, SourceWords
from genset.release.choose import ReleasePlan
from genset.release.freeze import create
from genset.release.reader import MANIFEST, Release
from tests.labeled_workspace import CRANE, GOLDFISH, TENCH, add_candidate
from tests.release.conftest import Pool

EVIL = (
    "<script>alert(1)</script> <img src=x onerror=alert(2)> [a](javascript:alert(3)) "
    "![b](https://evil.example/1.png) \u202egnp.exe\u2066 | x | `y` **z** https://evil.example/ "
    "www.evil.example\n\n# mine\r\n- n01440764/x.jpg\x1b[2J\x00"
)

WORDS: dict[str, dict[str, str]] = {
    "flickr": {
        "title": "Flickr",
        "home": "https://www.flickr.com/",
        "found": "by words, in an order of relevance",
        "terms": "Thirty on a page.",
        "notice": "Flickr's notice.",
    },
    "commons": {
        "title": "Wikimedia Commons",
        "home": "https://commons.wikimedia.org/",
        "found": "by words, in Commons' own order",
        "limits": "Three requests at once.",
        "terms": "Each under its own licence.",
        "posted": "when its first version was uploaded",
        "taken": "what its description says",
        "warning": "There is no safe search.",
    },
    "inaturalist": {
        "title": "iNaturalist",
        "home": "https://www.inaturalist.org/",
        "found": "by a taxon's name, drawn at random",
        "terms": "Five gigabytes an hour.",
    },
}

BY = "https://creativecommons.org/licenses/by/2.0/"
BY_SA = ("CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0/")


def know(pool: Pool, name: str, **changes: str) -> None:
    """Store a source's words, as a scrape does."""
    texts = [column.name for column in SourceWords.__table__.columns if column.name != "page_tells"]
    empty = dict.fromkeys(texts, "")
    with pool.store.begin() as session:
        session.merge(SourceWords(**empty | {"name": name} | WORDS[name] | changes))


def put(pool: Pool, number: int, source: str, wnid: str = TENCH, **changes: Any) -> None:
    """Put a photo of a source into the pool, which somebody calls correct."""
    place = {
        "source": source,
        "page_url": f"https://{source}.example/{number}",
        "image_url": f"https://{source}.example/{number}.jpg",
        "license": BY_SA[0],
        "license_url": BY_SA[1],
    }
    pool.label(
        add_candidate(pool.workspace, pool.store, wnid, number, **place | changes), a="correct"
    )


@pytest.fixture
def several(pool: Pool) -> Pool:
    """A photo of Flickr's, three of Commons', one of iNaturalist's and one of a folder."""
    for name in WORDS:
        know(pool, name)
    put(pool, 500, "flickr", license="CC BY 2.0", license_url=BY, title="Fish")
    put(pool, 501, "commons", taken_at="2016-05-04", title="Tinca", owner_name="Ann Ko")
    put(pool, 502, "commons", taken_at="2009-05-04 10:00:00")
    early = datetime(2012, 1, 1, tzinfo=UTC)
    put(pool, 503, "commons", posted_at=early, license="Public domain", license_url="")
    taken = {"taken_at": "2020-01-01", "license": "CC0", "license_url": ""}
    put(pool, 504, "inaturalist", GOLDFISH, **taken)
    nowhere = {"page_url": "", "image_url": "", "keyword": ""}
    put(pool, 505, "own", GOLDFISH, title="IMG_1.JPG", **nowhere)
    with pool.store.begin() as session:
        session.add_all(search(pool, name, wnid) for name in WORDS for wnid in (TENCH, GOLDFISH))
        session.add(search(pool, "commons", TENCH, page=2))
        session.add(search(pool, "commons", CRANE))  # of which the release has no photo
    return pool


def search(pool: Pool, source: str, wnid: str, page: int = 1) -> Search:
    """A page of a search of a source."""
    facts: dict[str, Any] = {"page": page, "per_page": 500, "total": 3, "returned": 3, "last": True}
    return Search(
        wnid=wnid,
        source=source,
        query="a keyword",
        posted_after=pool.workspace.posted_after,
        licenses="",
        capped=False,
        searched_at=datetime(2021, 1, 1, tzinfo=UTC),
        **facts,
    )


def told(release: Release) -> Any:
    return json.loads((release.root / MANIFEST).read_text("utf-8"))


def text(release: Release, name: str) -> str:
    return (release.root / name).read_text("utf-8")


def by_id(release: Release) -> dict[str, Any]:
    return {photo.source_id: photo for photo in release.photos}


# The manifest


def test_each_photo_says_its_licence_and_on_which_ground_it_is_in(several: Pool) -> None:
    release = several.create()
    facts = {
        "500": ("flickr", "CC-BY-2.0", "posted"),
        "501": ("commons", "CC-BY-SA-4.0", "taken"),
        "502": ("commons", "CC-BY-SA-4.0", "posted"),
        "503": ("commons", "LicenseRef-Public-domain", "none"),
        "504": ("inaturalist", "CC0-1.0", "taken"),
        "505": ("own", "CC-BY-SA-4.0", "posted"),
    }
    found = {
        number: (photo.source, photo.license_id, photo.unseen)
        for number, photo in by_id(release).items()
    }
    assert found == facts
    manifest = told(release)
    assert (manifest["format"], manifest["unseen_since"]) == ("genset release 1", "2014-01-01")
    assert set(manifest["sources"]) == set(WORDS)  # a folder has no words
    assert manifest["sources"]["commons"]["terms"] == "Each under its own licence."
    assert "warning" not in manifest["sources"]["commons"]  # which is for labelers alone
    release.verify()


def test_the_day_is_the_workspaces_and_owners_of_two_sources_are_two(several: Pool) -> None:
    for number, source in ((600, "flickr"), (601, "commons"), (602, "commons")):
        put(several, number, source, owner="same")
    settings = several.workspace.root / "genset.toml"
    settings.write_text(settings.read_text().replace("= 2014-01-01", "= 2018-01-01"))
    workspace = several.workspace.find(several.workspace.root)
    release = create(workspace, several.store, "v1", ReleasePlan(max_per_owner=1))
    same = [photo.source for photo in release.photos if photo.owner == "same"]
    assert sorted(same) == ["commons", "flickr"]
    assert told(release)["unseen_since"] == "2018-01-01"
    assert by_id(release)["501"].unseen == "posted"  # taken in 2016
    assert by_id(release)["504"].unseen == "taken"


# Documents


def test_the_documents_have_each_sources_terms_counts_and_credits(several: Pool) -> None:
    release = several.create()
    card = text(release, "docs/DATA_CARD.md")
    for words in (
        "3 photos from Wikimedia Commons, found by 1 query (2 searches for the release's classes, "
        "3 pages of results, 2021-01-01); posted there 2012-01-01 to 2020-01-01.",
        '1 photo added from a folder as "own" on 2021-01-01, without a search; dated 2020-01-01',
        "2 photos taken since 2014-01-01, as the camera or whoever posted them says: if that is "
        "right, they did not exist before.",
        "2 photos posted at their source since 2014-01-01 (1 of them taken before): they may "
        "have been elsewhere before.",
        "1 photo added with a date of 2014-01-01 or later, which genset cannot check",
        "1 photo neither, as far as is known: models may have learned from it.",
        "Candidates from Flickr were found by words, in an order of relevance.",
        "Candidates from iNaturalist were found by a taxon's name, drawn at random.",
        "- LicenseRef-Public-domain, Public domain: 1 photo",
        "- CC-BY-SA-4.0, <https://creativecommons.org/licenses/by-sa/4.0/>, CC BY-SA 4.0: 3 photos",
    ):
        assert words in card
    sections = dict(re.findall(r"### (.+)\n\n((?:- .+\n)+)", card))
    assert sections["Wikimedia Commons"].splitlines() == [
        "- Home: <https://commons.wikimedia.org/>",
        "- Found: by words, in Commons' own order",
        "- Posted: when its first version was uploaded",
        "- Taken: what its description says",
        "- Limits: Three requests at once.",
        "- Terms: Each under its own licence.",
    ]
    assert "Terms: Thirty on a page." in sections["Flickr"]
    assert "Notice: Flickr's notice." in sections["Flickr"]
    assert "own" not in sections
    lines = text(release, "docs/ATTRIBUTION.txt").splitlines()
    credit = {
        number: lines[lines.index(photo.file) + 1].strip()
        for number, photo in by_id(release).items()
    }
    assert credit["501"] == (
        '"Tinca" by Ann Ko, licensed under CC BY-SA 4.0 '
        "(https://creativecommons.org/licenses/by-sa/4.0/), via Wikimedia Commons, "
        "https://commons.example/501"
    )
    assert "in the public domain, via Wikimedia Commons" in credit["503"]
    assert "dedicated to the public domain (CC0), via iNaturalist" in credit["504"]
    assert "via" not in credit["505"]
    licences = text(release, "docs/LICENSES.txt")
    assert "Public domain: 1 photo\n    SPDX-License-Identifier: LicenseRef-Public" in licences


def test_croissant_has_homes_and_licences(several: Pool) -> None:
    release = several.create()
    machine = json.loads(text(release, "croissant.json"))
    assert machine["license"] == [
        "CC0-1.0",
        "LicenseRef-Public-domain",
        "https://creativecommons.org/licenses/by-sa/4.0/",
        "https://creativecommons.org/licenses/by/2.0/",
    ]
    assert [each.get("@id", "own") for each in machine["prov:wasDerivedFrom"]] == [
        "https://commons.wikimedia.org/",
        "https://www.flickr.com/",
        "https://www.inaturalist.org/",
        "own",
    ]
    assert "Wikimedia Commons: terms: Each under its own licence." in machine["rai:dataCollection"]
    opened = mlcroissant.Dataset(jsonld=str(release.root / "croissant.json"))
    assert not opened.metadata.issues.errors and not opened.metadata.issues.warnings
    for field in (  # what Responsible AI asks for
        *("data_limitations", "data_biases", "personal_sensitive_information"),
        *("data_collection", "data_collection_type", "data_annotation_protocol"),
        *("annotations_per_item", "data_release_maintenance_plan", "data_preprocessing_protocol"),
    ):
        assert getattr(opened.metadata, field), field
    assert all(field["description"] for field in machine["recordSet"][0]["field"])
    records = {each["records/file_name"].decode(): each for each in opened.records("records")}
    for photo in release.photos:
        record = records[photo.file.removeprefix("test/")]
        assert record["records/unseen"].decode() == photo.unseen
        assert record["records/license_id"].decode() == photo.license_id


# Strangers' words


def seen_in(page: str) -> tuple[set[str], set[str]]:
    """The tags of a page, and the addresses that it links to."""
    found = [(node.tag or "", node.attributes) for node in LexborHTMLParser(page).css("*")]
    links = {has[name] or "" for _, has in found for name in ("href", "src") if name in has}
    return {tag for tag, _ in found} - {"html", "head", "body"}, links


@pytest.fixture
def hostile(pool: Pool) -> Release:
    """Photos, and a source, whose every word is by somebody who means harm."""
    bad = {"page_url": "javascript:alert(4)", "license": EVIL, "license_url": f"javascript:{EVIL}"}
    know(pool, "commons", **dict.fromkeys(WORDS["commons"], EVIL))
    put(pool, 501, "commons", title=EVIL, owner_name=EVIL, keyword=EVIL, taken_at=EVIL[:30], **bad)
    put(pool, 502, "commons", title="\u202e", owner_name="x" * 100_000)
    return pool.create()


def test_strangers_words_are_shown_as_words(hostile: Release) -> None:
    card = text(hostile, "docs/DATA_CARD.md")
    tags, links = seen_in(MarkdownIt("commonmark").render(card))
    assert tags <= {"h1", "h2", "h3", "p", "ul", "li", "code", "a"}
    assert links == {"https://creativecommons.org/licenses/by-sa/4.0/"}
    assert not re.search(r"https?://evil|www\.evil", card)  # nor is a bare address one
    assert card.count("\n# ") == 0 and card.startswith("# v1\n")
    for name in hostile.documents:
        lines = text(hostile, name).split("\n")
        assert all(line.isprintable() for line in lines), name
        assert not any(re.match(r"\s*(- )?n01440764/x\.jpg|# mine", line) for line in lines), name
    [row, other] = csv.DictReader(text(hostile, "test/metadata.csv").splitlines())
    bad = row if row["source_id"] == "501" else other
    assert (bad["page_url"], bad["license_url"]) == ("", "")
    machine = json.loads(text(hostile, "croissant.json"))
    links = [*machine["license"], *(each.get("@id", "") for each in machine["prov:wasDerivedFrom"])]
    assert not any(link.startswith("javascript:") for link in links)


# Choosing by source


@pytest.fixture
def genset(several: Pool) -> Callable[..., str]:
    def call(*words: str) -> str:
        root = str(several.workspace.root)
        done = CliRunner().invoke(cli, ["-w", root, "release", "create", *words])
        return done.output if done.exception is None else str(done.exception)

    return call


def test_photos_are_chosen_by_source_and_by_licences_of_all_sources(
    several: Pool, genset: Callable[..., str]
) -> None:
    genset("one", "--source", "commons, own")
    one = Release(several.workspace.releases / "one")
    assert {photo.source for photo in one.photos} == {"commons", "own"}
    assert one.excluded == {"not labeled": 8, "source flickr": 1, "source inaturalist": 1}
    assert told(one)["strategy"]["sources"] == ["commons", "own"]
    assert "no photo of a source 'comons'; it has those of commons, flickr, inat" in genset(
        "two", "--source", "comons"
    )
    genset("three", "--licenses", "CC-BY-SA, CC0-1.0")
    three = Release(several.workspace.releases / "three")
    assert {photo.source_id for photo in three.photos} == {"501", "502", "504", "505"}
    assert told(three)["strategy"]["licenses"] == ["CC-BY-SA", "Public Domain Dedication (CC0)"]
    genset("four", "--licenses", "open")
    four = Release(several.workspace.releases / "four")
    assert len(four.photos) == 6 and told(four)["strategy"]["licenses"] == ["open"]
