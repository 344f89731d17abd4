"""Pulls, against the sandbox: the set that comes of somebody's manifest."""

import hashlib
import json
import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec import ValidationError, convert

from genset.classes import ImageClass
from genset.core.errors import BadInput
from genset.net.hosts import TRIES
from genset.release.freeze import create
from genset.release.reader import (
    MANIFEST,
    WHOLE,
    Release,
    ReleasePhoto,
    content_hash,
    manifest_hash,
    manifest_lines,
)
from genset.sandbox import Reply
from genset.scrape.pull import PullSummary, pull
from genset.sets.open import open_set
from tests.killing import killed_at_each_change
from tests.labeled_workspace import picture
from tests.scrape.commands import genset
from tests.scrape.hostile import rendered_anew
from tests.scrape.pools import CAT, Faulty, NewPool, Pool, Serve, flickr_at, record


class Maker:
    """Somebody who made a release of photos, 1 to 3, and hands over its manifest."""

    def __init__(self, serve: Serve, pool: Pool, photos: int = 3, cls: ImageClass = CAT) -> None:
        self.serve = serve
        self.sandbox: Faulty = serve(*(record(number) for number in range(1, photos + 1)))
        pool.scrape(self.sandbox.source, cls, per_class=photos)
        pool.label_all_correct(cls)
        self.release = create(pool.workspace, pool.store, "v1")
        self.sandbox.requests.clear()

    @property
    def manifest(self) -> Path:
        return self.release.root / MANIFEST

    def photo(self, number: int) -> ReleasePhoto:
        [found] = [p for p in self.release.photos if p.source_id == str(number)]
        return found

    def served(self, number: int) -> Path:
        """A photo's file in the sandbox."""
        [found] = self.serve.root.glob(f"served*/**/{number}.jpg")
        return found

    def rewritten(self, to: Path, change: Callable[[dict[str, Any]], None]) -> Path:
        """The manifest with a change to its document, whose hashes fit again."""
        document = json.loads(self.manifest.read_text("utf-8"))
        change(document)
        with suppress(ValidationError):  # not photos any more
            photos = [convert(photo, ReleasePhoto) for photo in document["photos"]]
            document["content_hash"] = content_hash(photos)
        document["documents"] = {}  # which are made of it
        document["manifest_hash"] = manifest_hash(document)
        to.write_text(json.dumps(document), "utf-8")
        return to


@pytest.fixture
def maker(serve: Serve, pool: Pool) -> Maker:
    return Maker(serve, pool)


@pytest.fixture
def rebuild(maker: Maker, tmp_path: Path) -> Callable[..., PullSummary]:
    def call(manifest: Path = maker.manifest, to: str = "copy", **options: bool) -> PullSummary:
        return pull(manifest, lambda name: maker.sandbox.source, tmp_path / to, **options)

    return call


Rebuild = Callable[..., PullSummary]


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_photos_that_are_gone_or_changed_are_told_and_the_rest_comes(
    maker: Maker, rebuild: Rebuild, tmp_path: Path
) -> None:
    maker.served(1).unlink()
    maker.served(2).write_bytes(picture(99))
    done = rebuild()
    assert (done.pulled, done.missing, done.failed) == (1, 2, {})
    assert done.gone == {maker.photo(1).file: maker.photo(1).page_url}
    assert done.changed == {maker.photo(2).file: maker.photo(2).page_url}
    there = {MANIFEST, WHOLE, maker.photo(3).file, *maker.release.documents}
    assert set(files(tmp_path / "copy")) == there
    part = Release(tmp_path / "copy")
    part.verify()
    assert (part.title, part.photos) == ("1 of 3 photos of v1", (maker.photo(3),))
    assert part.content_hash == done.content_hash != maker.release.content_hash
    assert sorted(part.missing()) == sorted({maker.photo(n).file for n in (1, 2)})
    card = (part.root / "docs/DATA_CARD.md").read_text("utf-8")
    assert "1 of the 3 photos of v1" in card and "unreachable or without an address" in card
    before = files(part.root)
    rebuild()
    assert files(part.root) == before  # the same photos are the same part, whenever it is made
    maker.served(2).write_bytes(picture(2))
    (part.root / maker.photo(3).file).write_bytes(b"changed here")
    done = rebuild()
    assert (done.pulled, done.present, done.changed) == (2, 0, {})
    other = Release(part.root)
    assert (other.title, len(other.missing())) == ("2 of 3 photos of v1", 1)
    other.verify()


def pull_it(_moment: int, manifest: Path, endpoint: Path, watched: Path) -> None:
    source = flickr_at(endpoint.parent, endpoint.read_text("utf-8"))
    assert pull(manifest, lambda name: source, watched).missing == 0


@pytest.mark.soak
def test_killed_at_any_moment_the_same_command_completes_it(maker: Maker, tmp_path: Path) -> None:
    endpoint = tmp_path / "endpoint"
    endpoint.write_text(maker.sandbox.endpoint, "utf-8")
    copy, moments = tmp_path / "copy", 0
    for _ in killed_at_each_change(pull_it, maker.manifest, endpoint, copy):
        moments += 1
    assert moments > 5
    assert files(copy) == files(maker.release.root)
    linked = copy / maker.photo(1).file  # a link is replaced
    linked.rename(tmp_path / "elsewhere.jpg")
    linked.symlink_to(tmp_path / "elsewhere.jpg")
    assert pull(maker.manifest, lambda name: maker.sandbox.source, copy).pulled == 1
    assert not linked.is_symlink() and files(copy) == files(maker.release.root)


def test_without_any_photo_there_is_no_part_and_the_next_pull_goes_on(
    maker: Maker, rebuild: Rebuild, tmp_path: Path
) -> None:
    for path in map(maker.served, (1, 2, 3)):
        path.unlink()
    assert (rebuild().missing, rebuild().title) == (3, "")
    with pytest.raises(BadInput, match=r"no manifest\.json yet: genset pull"):
        open_set(str(tmp_path / "copy"))
    for number in (1, 2, 3):
        (maker.sandbox.folder / "photos" / f"{number}.jpg").write_bytes(picture(number))
    assert rebuild().missing == 0
    assert files(tmp_path / "copy") == files(maker.release.root)
    maker.sandbox.requests.clear()
    assert (rebuild().pulled, rebuild().present) == (0, 3)
    assert not maker.sandbox.asked_images


def test_photos_that_were_rerendered_are_a_state_of_their_own_and_a_set_of_their_own(
    maker: Maker, rebuild: Rebuild, tmp_path: Path
) -> None:
    maker.served(1).write_bytes(rendered_anew(picture(1)))
    maker.served(2).write_bytes(picture(99))
    done = rebuild()
    assert (done.pulled, done.missing, set(done.changed)) == (1, 2, {maker.photo(2).file})
    assert (set(done.rerendered), done.variant) == ({maker.photo(1).file}, None)
    assert maker.photo(1).file not in files(tmp_path / "copy")
    assert Release(tmp_path / "copy").title == "1 of 3 photos of v1"
    done = rebuild(accept_rerendered=True)
    assert done.variant == str(tmp_path / "v1-rerendered") and done.missing == 2
    variant = Release(tmp_path / "v1-rerendered")
    variant.verify()
    assert variant.content_hash != maker.release.content_hash
    assert {photo.source_id for photo in variant.photos} == {"1", "3"}
    assert rendered_anew(picture(1)) in files(variant.root).values()
    assert variant.variant is not None
    [changed] = variant.variant["changed"].values()
    assert changed == {"of": maker.photo(1).file}
    assert variant.variant["excluded"] == [maker.photo(2).file]
    card = (variant.root / "docs/DATA_CARD.md").read_text("utf-8")
    assert "variant of v1" in card and "1 photo has other bytes" in card
    assert not list(tmp_path.glob(".*rerendered*"))
    with pytest.raises(BadInput, match="v1-rerendered exists"):
        rebuild(accept_rerendered=True)


def test_photos_that_are_kept_back_are_no_host_that_is_down(
    serve: Serve, new_pool: NewPool, tmp_path: Path
) -> None:
    maker = Maker(serve, new_pool(per_class=12), photos=12)
    forbidden = Reply(403, "text/plain", b"AccessDenied")
    maker.sandbox.fault = lambda request: forbidden if re.search("/[1-7]_", request.path) else None
    for pulled in (5, 0):  # the second time, nothing is left that could come
        source = maker.sandbox.source
        done = pull(maker.manifest, lambda name: source, tmp_path / "copy")  # noqa: B023
        assert (done.pulled, len(done.failed), done.gone) == (pulled, 7, {})
        assert not source.images.is_down
        asked = [path for path in maker.sandbox.asked_images if "/1_" in path]
        # More, where it was being asked when the others made the host look down: that is no try.
        assert TRIES <= len(asked) < 2 * TRIES
        maker.sandbox.requests.clear()


def of_photo(**fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["photos"][0].update(fields)


@pytest.mark.parametrize(
    "change",
    [
        of_photo(file="../../evil.jpg"),
        of_photo(file=f"test/{CAT.wnid}/../../{'0' * 64}.jpg"),
        of_photo(file="/etc/passwd"),
        of_photo(image_url=7),
        lambda document: document.update(name="../v1"),
        lambda document: document.update(name="a\nb"),
        lambda document: document.update(format="genset release 99"),
        lambda document: document.update(photos={"a": 1}),
        lambda document: None,  # and then it is changed under its hash
    ],
)
def test_a_hostile_manifest_is_refused_before_anything_is_fetched_or_written(
    maker: Maker, rebuild: Rebuild, tmp_path: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    manifest = maker.rewritten(tmp_path / "m.json", change)
    manifest.write_text(manifest.read_text("utf-8").replace('"license"', '"licence"', 1), "utf-8")
    with pytest.raises(BadInput) as rejected:
        rebuild(manifest)
    assert "m.json" in str(rejected.value)
    assert "\n" not in str(rejected.value)
    assert str(rejected.value).isprintable()
    assert not maker.sandbox.requests.of("flickr.photos.search")
    assert not maker.sandbox.asked_images
    assert not (tmp_path / "copy").exists()


PAGE = b"<script>alert(1)</script>"
OF_PAGE = hashlib.sha256(PAGE).hexdigest()
NOT_ALLOWED = "address not allowed: not on its"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        *(({"image_url": url}, NOT_ALLOWED) for url in (
            "javascript:alert(1)", "file:///etc/passwd", "http://169.254.169.254/latest/meta-data",
            "https://live.staticflickr.com.evil.example/1_b.jpg")),
        ({"file": f"test/{CAT.wnid}/{'0' * 64}.jpg"}, "not named by its hash"),
        ({"sha256": "0" * 64}, ""),  # it has changed, and nothing failed
        ({"sha256": OF_PAGE, "file": f"test/{CAT.wnid}/{OF_PAGE}.html"}, "not an image: no JPEG"),
        ({"source": "museum\x1b[2J"}, "source 'museum"),  # which is not installed
    ],
)  # fmt: skip
def test_a_photo_that_cannot_be_had_costs_itself_only(
    maker: Maker, rebuild: Rebuild, tmp_path: Path, fields: dict[str, str], reason: str
) -> None:
    first = maker.release.photos[0]
    if "html" in fields.get("file", ""):
        maker.served(int(first.source_id)).write_bytes(PAGE)
    done = rebuild(maker.rewritten(tmp_path / "m.json", of_photo(**fields)))
    assert (done.pulled, done.missing) == (2, 1)
    assert (len(maker.sandbox.asked_images) == 2) is bool({"source", "image_url"} & fields.keys())
    for said in done.failed.values():
        assert reason in said and said.isprintable()
    assert bool(done.failed) is bool(reason)
    assert len(list((tmp_path / "copy").glob("test/n*/*"))) == 2


def test_a_huge_manifest_is_not_read(rebuild: Rebuild, tmp_path: Path) -> None:
    huge = tmp_path / "m.json"
    with huge.open("wb") as file:
        os.truncate(file.fileno(), 2**40)
    with pytest.raises(BadInput, match="bytes; at most"):
        rebuild(huge)


def test_a_folder_of_something_else_is_left_alone(
    maker: Maker, rebuild: Rebuild, tmp_path: Path
) -> None:
    other = tmp_path / "copy"
    other.mkdir()
    (other / "thesis.txt").write_text("mine")
    with pytest.raises(BadInput, match="--to"):
        rebuild()
    assert files(other) == {"thesis.txt": b"mine"}
    rebuild(to="second")
    renamed = maker.rewritten(tmp_path / "m.json", lambda document: document.update(name="v2"))
    with pytest.raises(BadInput, match="--to"):
        rebuild(renamed, to="second")


def test_the_command(maker: Maker, tmp_path: Path) -> None:
    endpoint = maker.sandbox.endpoint
    words = ["pull", str(maker.manifest)]
    text = genset(*words, cwd=tmp_path, endpoint=endpoint, key="")
    assert text.startswith("v1: 3 of 3 photos pulled")
    Release(tmp_path / "v1").verify()
    maker.served(1).unlink()
    (tmp_path / "v1" / maker.photo(1).file).unlink()
    line = genset(*words, "--json", cwd=tmp_path, endpoint=endpoint, code=3)
    assert line == "genset: v1 has 2 of 3 photos of v1; 1 missing\n"
    line = genset("release", "verify", "./v1", cwd=tmp_path, code=3)
    assert line == "genset: v1 has 2 of 3 photos of v1: genset pull v1 goes on\n"
    line = genset(*words, "--to", "x", cwd=tmp_path, code=1)  # not on a host of Flickr
    assert line == "genset: x has no photo: 3 photos missing\n"
    (tmp_path / "bad.json").write_text("{")
    assert "bad.json" in genset("pull", "bad.json", cwd=tmp_path, code=2)


def test_a_document_that_cannot_be_made_again_is_told(
    maker: Maker, rebuild: Rebuild, tmp_path: Path
) -> None:
    document = json.loads(maker.manifest.read_text("utf-8"))
    document["documents"]["docs/DATA_CARD.md"] = "0" * 64
    document["manifest_hash"] = manifest_hash(document)
    (tmp_path / "m.json").write_text("".join(manifest_lines(document)), "utf-8")
    done = rebuild(tmp_path / "m.json")
    assert done.missing == 0
    assert list(done.failed) == ["docs/DATA_CARD.md"]
    assert not (tmp_path / "copy" / "docs/DATA_CARD.md").exists()
    assert open_set(str(tmp_path / "copy")).content_hash == maker.release.content_hash
