"""Folders of own photos: what is added, under which terms, and what is rejected."""

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, features
from sqlalchemy import select

from genset.core.errors import BadInput
from genset.core.photo import PhotoOrigin
from genset.db import Candidate, Photo, Store
from genset.db.images_folder import check_files
from genset.label.session.pictures import shown_picture
from genset.net.originals import Original, keep
from genset.scrape.add import AddSummary, add
from genset.scrape.near_duplicates import propose
from genset.scrape.refresh import refresh
from genset.scrape.removal import remove, remove_owner
from genset.status import failed, status
from tests.labeled_workspace import GOLDFISH, TABBY, TENCH, picture
from tests.scrape.commands import genset
from tests.scrape.hostile import HEIC
from tests.scrape.pools import Pool, Serve, image_class, record

MUSEUM = PhotoOrigin(
    source="museum",
    owner="City Museum",
    license="Public Domain Mark",
    license_url="https://creativecommons.org/publicdomain/mark/1.0/",
    posted_at=datetime(2020, 5, 1, tzinfo=UTC),
)


def put(folder: Path, **contents: bytes) -> Path:
    """Write files named like ``TENCH_a``: class and name."""
    for name, content in contents.items():
        wnid, _, stem = name.partition("_")
        path = folder / wnid / f"{stem}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def sha256(number: int) -> str:
    return hashlib.sha256(picture(number)).hexdigest()


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    """Three photos of two classes."""
    photos = {f"{TENCH}_a": picture(1), f"{TENCH}_b": picture(2), f"{TABBY}_a": picture(3)}
    return put(tmp_path / "dump", **photos)


@pytest.fixture
def take(pool: Pool, dump: Path) -> Callable[..., AddSummary]:
    def call(folder: Path = dump, origin: PhotoOrigin = MUSEUM, **options: Any) -> AddSummary:
        return add(pool.workspace, pool.store, folder, origin, **options)

    return call


Take = Callable[..., AddSummary]


def candidates(store: Store) -> list[tuple[str, int, str]]:
    with store.session() as session:
        found = session.scalars(select(Candidate).order_by(Candidate.wnid, Candidate.rank))
        return [(each.wnid, each.rank, each.photo.title) for each in found]


def test_photos_become_candidates_by_the_order_of_their_names(
    pool: Pool, take: Take, dump: Path
) -> None:
    assert take() == AddSummary("museum", added=3, classes={TENCH: 2, TABBY: 1})
    assert candidates(pool.store) == [(TENCH, 1, "a.jpg"), (TENCH, 2, "b.jpg"), (TABBY, 1, "a.jpg")]
    expected = {f"{sha256(n)[:2]}/{sha256(n)}.jpg": picture(n) for n in (1, 2, 3)}
    assert pool.files() == expected
    assert check_files(pool.workspace, pool.store) == []
    with pool.store.session() as session:
        photo = session.scalars(select(Photo).where(Photo.sha256 == sha256(1))).one()
    for name in ("source", "owner", "license", "license_url", "posted_at"):
        assert getattr(photo, name) == getattr(MUSEUM, name)
    assert (photo.source_id, photo.owner_name) == (sha256(1)[:32], "City Museum")
    assert (photo.image_url, photo.page_url, photo.taken_at) == ("", "", None)
    assert (photo.width, photo.height, photo.byte_size) == (72, 72, len(picture(1)))
    assert len(photo.fingerprint or "") == 16


def test_adding_twice_adds_nothing_and_later_only_what_is_new(
    pool: Pool, take: Take, dump: Path
) -> None:
    take()
    before = pool.rows(), pool.files()
    (dump / TENCH / "a.jpg").rename(dump / TENCH / "z.jpg")
    assert take() == AddSummary("museum", already=3)
    assert (pool.rows(), pool.files()) == before
    next(pool.workspace.images.rglob("*.jpg")).unlink()  # an original is lost
    assert len(check_files(pool.workspace, pool.store, repair=True)) == 1
    done = take()
    assert (done.added, done.already) == (1, 2)
    assert (pool.rows(), pool.files()) == before
    put(dump, **{f"{TENCH}_c": picture(4), f"{TENCH}_d": picture(4)})
    assert take() == AddSummary("museum", added=1, already=4, classes={TENCH: 1})
    put(dump, **{f"{GOLDFISH}_x": picture(1)})
    assert take().added == 1
    assert status(pool.workspace, pool.store).contested == 1


def test_what_is_said_the_second_time_mends_the_first(pool: Pool, dump: Path) -> None:
    """The licence, the owner and the day; what is not said again stays."""

    def added(*words: str) -> str:
        return genset("add", str(dump), *words, cwd=pool.workspace.root)

    def terms() -> set[tuple[str, ...]]:
        with pool.store.session() as session:
            found = session.scalars(select(Photo).where(Photo.source == "dump"))
            return {(p.owner, p.owner_name, p.license, str(p.posted_at.date())) for p in found}

    added("--owner", "Anne Ko", "--posted", "2020-05-01")
    assert terms() == {("Anne Ko", "Anne Ko", "All Rights Reserved", "2020-05-01")}
    line = "0 photos added (source: dump), 3 already there (3 updated), 0 rejected"
    assert line in added("--license", "CC-BY 4", "--owner", "Ann Ko")
    assert terms() == {("Ann Ko", "Ann Ko", "CC BY 4.0", "2020-05-01")}
    assert "3 already there, 0" in added("--license", "CC-BY 4")
    assert "3 already there, 0 rejected" in added("--license", "CC0", "--dry-run")
    assert terms() == {("Ann Ko", "Ann Ko", "CC BY 4.0", "2020-05-01")}


def test_heic_and_avif_are_added_or_say_what_they_need(
    pool: Pool, take: Take, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "phone" / TENCH
    folder.mkdir(parents=True)
    (folder / "a.heic").write_bytes(HEIC)
    other = Image.effect_mandelbrot((80, 60), (-2, -1, 1, 1), 50)
    other.convert("RGB").save(folder / "b.avif")
    (folder / "c.heic").write_bytes(b"\0\0\0\x18ftypMiHB\0\0\0\0MiHBheic")
    with monkeypatch.context() as without:
        without.delitem(Image.OPEN, "HEIF")
        without.setattr(features, "check", lambda feature: False)
        done = take(folder.parent, min_size=40)
    (folder / "c.heic").unlink()
    assert done.rejected.pop(f"{TENCH}/c.heic").endswith("pip install 'genset[heif]'")
    assert done.rejected == {
        f"{TENCH}/a.heic": "not readable here: HEIC needs an optional part: "
        "pip install 'genset[heif]'",
        f"{TENCH}/b.avif": "not readable here: this Pillow cannot read AVIF: pip install -U pillow",
    }
    assert take(folder.parent, min_size=40).added == 2
    assert {Path(name).suffix for name in pool.files()} == {".heif", ".avif"}
    assert propose(pool.workspace, pool.store, []) == 0  # and so decodes each
    for path in pool.workspace.images.rglob("*.*if"):
        assert shown_picture(path).startswith(b"\xff\xd8\xff")


def test_the_checks_are_those_of_scraped_photos(
    pool: Pool, take: Take, dump: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, small = picture(5)[:300], picture(6, (8, 300))
    put(dump, **{f"{TENCH}_c": broken, f"{TENCH}_d": small, f"{TENCH}_e": b"<html>"})
    done = take(min_size=20)
    assert (done.added, done.already) == (3, 0)
    assert done.rejected[f"{TENCH}/c.jpg"].startswith("broken image")
    assert done.rejected[f"{TENCH}/d.jpg"] == "too small: 8 x 300"
    assert done.rejected[f"{TENCH}/e.jpg"].startswith("not an image")
    assert len(pool.files()) == 3
    assert failed(pool.store).rows == [] and len(candidates(pool.store)) == 3
    again = take(min_size=20)
    assert (again.added, again.already, again.rejected) == (0, 3, done.rejected)
    assert take(min_size=1).added == 1  # other terms, another answer
    monkeypatch.setattr("genset.scrape.add.MAX_BYTES", 10_000)
    put(dump, **{f"{TENCH}_f": b"x" * 10_001})
    assert take().rejected[f"{TENCH}/f.jpg"] == "too large: 10001 bytes"


def test_others_may_write_while_a_photo_is_read(
    pool: Pool, take: Take, monkeypatch: pytest.MonkeyPatch
) -> None:
    def keeping(*photo: Any) -> Original:
        database = str(pool.store.engine.url.database)
        with closing(sqlite3.connect(database, timeout=0)) as labeler:
            labeler.execute("BEGIN IMMEDIATE")
        return keep(*photo)

    monkeypatch.setattr("genset.scrape.add.keep", keeping)
    assert take().added == 3


def test_what_was_removed_is_not_added_again_nor_are_its_bytes_written(
    serve: Serve, pool: Pool, take: Take
) -> None:
    pool.scrape(serve(record(1, "tench")).source, image_class(TENCH, "tench"))
    done = take(update={"license"})  # of which one was scraped
    assert (done.added, done.already, done.updated) == (2, 1, 0)
    assert len(pool.held(image_class(TENCH))) == 2
    remove(pool.workspace, pool.store, "flickr:1", "asked")  # scraped, of the bytes of a.jpg
    remove(pool.workspace, pool.store, f"museum:{sha256(2)[:32]}", "not ours")
    before = pool.files()
    done = take()
    assert (done.added, done.already) == (0, 1)
    assert {name: why.partition(":")[0] for name, why in done.rejected.items()} == {
        f"{TENCH}/a.jpg": "removed",
        f"{TENCH}/b.jpg": "removed",
    }
    assert pool.files() == before
    assert pool.rejected()[sha256(2)[:32]] == "removed: not ours"
    assert len(remove_owner(pool.workspace, pool.store, "museum:City Museum", "asked").photos) == 1
    with pytest.raises(BadInput, match="City Museum"):
        take()
    assert pool.files() == {}


def test_nothing_is_added_where_a_folder_or_the_sources_name_is_wrong(
    pool: Pool, take: Take, dump: Path
) -> None:
    for path, said in (
        ("crane/a.jpg", "crane is named by no class"),
        ("n99999999/a.jpg", "n99999999"),
        (f"{TENCH}/more/a.jpg", "is not a file"),
    ):
        (dump / path).parent.mkdir(parents=True)
        (dump / path).write_bytes(picture(9))
        with pytest.raises(BadInput, match=said):
            take()
        shutil.rmtree((dump / path).parent)
    with pytest.raises(BadInput, match=f"did you mean {dump}"):
        take(dump / TENCH)
    for source in ("flickr", "inaturalist", "Museum", "a/b", "a:b", "", ".x", "a" * 33):
        with pytest.raises(BadInput, match="--source"):
            take(origin=PhotoOrigin(source=source, posted_at=MUSEUM.posted_at))
    assert candidates(pool.store) == [] and pool.files() == {}


def test_a_scrape_counts_them_and_a_refresh_does_not_ask_after_them(
    serve: Serve, pool: Pool, take: Take
) -> None:
    take(origin=PhotoOrigin(source="museum", posted_at=MUSEUM.posted_at))
    tench = image_class(TENCH, "tench")
    sandbox = serve(*(record(number, "tench") for number in (11, 12, 13)))
    summary = pool.scrape(sandbox.source, tench, per_class=3)
    assert (summary.full, summary.stored) == (1, 2)
    assert refresh(pool.store, sandbox.source).checked == 2


def test_the_command(pool: Pool, dump: Path) -> None:
    root = pool.workspace.root
    words = ["add", str(dump), "--owner", "Ann", "--license", "cc by 4.0"]
    done = json.loads(genset(*words, "--json", cwd=root))
    assert (done["source"], done["added"], done["classes"]) == ("dump", 3, {TENCH: 2, TABBY: 1})
    with pool.store.session() as session:
        photo = session.scalars(select(Photo)).first()
    assert photo is not None
    assert photo.license == "CC BY 4.0"
    assert photo.license_url == "https://creativecommons.org/licenses/by/4.0/"
    assert (datetime.now(UTC) - photo.posted_at).days == 0
    for more, wrong in (
        (("--license", " "), "--license "),
        (("--license-url", "javascript:alert(1)"), "--license-url "),
        (("--license", "cc by-sa"), "no licence 'cc by-sa': did you mean 'CC BY-SA 4.0'?"),
        (("--posted", "2013-01-01"), "posted_after"),
    ):
        assert wrong in genset("add", str(dump), *more, cwd=root, code=2)
    (dump / TENCH / "icon.jpg").write_bytes(picture(63, (63, 100)))
    assert f"{TENCH}/icon.jpg: too small: 63 x 100" in genset(*words, cwd=root)
    assert "1 photo added" in genset(*words, "--min-size", "1", cwd=root)
    (dump / "cats").mkdir()
    (dump / "Thumbs.db").touch()
    assert "left there by a system: Thumbs.db, cats." in genset(*words, cwd=root)
