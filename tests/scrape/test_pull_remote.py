"""Pulls by a web address and by a DOI; and of exports in all forms, of which photos went."""

import hashlib
import json
import tarfile
from collections.abc import Iterator, Set
from pathlib import Path

import pytest
from click.testing import CliRunner
from pyarrow import parquet

from genset.cli import cli
from genset.release.exports import FORMATS
from genset.release.exports.export import export
from genset.release.reader import Release, content_hash, manifest_hash, manifest_lines
from genset.sandbox import Reply, Request
from genset.scrape.manifests import ENDPOINT
from genset.scrape.pull import pull
from genset.sets.open import open_set
from tests.scrape.commands import genset
from tests.scrape.pools import Pool, Serve, image_class
from tests.scrape.test_pull import Maker, files

DOI = "10.5281/zenodo.7"


class Web:
    """A sandbox that serves other files too: `pages` by their paths."""

    def __init__(self, maker: Maker, folder: Path) -> None:
        self.maker, self.folder = maker, folder
        self.pages: dict[str, Reply] = {}
        self.root = maker.sandbox.endpoint.partition("/services")[0]
        maker.sandbox.fault = self.answer

    def answer(self, request: Request) -> Reply | None:
        return self.pages.get(request.path)

    def record(self, **content: bytes) -> None:
        """Zenodo's record 7 with these files, as its API answers."""
        listed = []
        for name, body in content.items():
            key = name.replace("__", ".")
            path = f"/api/records/7/files/{key}/content"
            self.pages[path] = Reply(200, "application/octet-stream", body)
            links = {"self": f"{self.root}{path}"}
            listed.append({"id": "0", "key": key, "checksum": "md5:0", "links": links})
        reply = {"id": 7, "doi": DOI, "metadata": {"title": "v1"}, "files": listed}
        self.pages["/api/records/7"] = Reply(200, "application/json", json.dumps(reply).encode())

    def pull(self, *words: str, code: int = 0) -> str:
        return genset(
            "pull",
            *words,
            cwd=self.folder,
            code=code,
            endpoint=self.maker.sandbox.endpoint,
            more={ENDPOINT: f"{self.root}/api"},
        )


@pytest.fixture
def web(serve: Serve, pool: Pool, tmp_path: Path) -> Iterator[Web]:
    folder = tmp_path / "reader"
    folder.mkdir()
    yield Web(Maker(serve, pool), folder)


def test_an_address_is_pulled_through_redirects_and_the_hash_is_checked_first(web: Web) -> None:
    content = web.maker.manifest.read_bytes()
    web.pages["/v1/manifest.json"] = Reply(302, "text/plain", b"", {"Location": "../files/7"})
    web.pages["/files/7"] = Reply(200, "application/json", content)
    address = f"{web.root}/v1/manifest.json"
    line = web.pull(address, "--expect", "0" * 64, code=1)
    assert "is not the release that was expected" in line
    assert web.maker.sandbox.asked_images == [] and files(web.folder) == {}
    text = web.pull(address, "--expect", web.maker.release.content_hash)
    assert text.startswith("v1: 3 of 3 photos pulled")
    assert files(web.folder / "v1") == files(web.maker.release.root)


def test_a_doi_is_pulled_from_its_record(web: Web, tmp_path: Path) -> None:
    export(web.maker.release, "manifest", tmp_path / "shared")
    shared = {path.name: path.read_bytes() for path in (tmp_path / "shared").rglob("*.*")}
    web.record(**{name.replace(".", "__"): body for name, body in shared.items()})
    for to, word in enumerate((DOI, f"https://doi.org/{DOI}", "https://zenodo.org/records/7")):
        assert web.pull(word, "--to", f"{to}").startswith(f"{to}: 3 of 3 photos pulled")
        assert files(web.folder / f"{to}") == files(web.maker.release.root)


def test_documents_of_another_version_are_had_from_the_record(web: Web) -> None:
    document = json.loads(web.maker.manifest.read_text("utf-8"))
    card = b"# Written by another version\n"
    document["documents"]["docs/DATA_CARD.md"] = hashlib.sha256(card).hexdigest()
    document["manifest_hash"] = manifest_hash(document)
    web.record(manifest__json="".join(manifest_lines(document)).encode(), DATA_CARD__md=card)
    assert "0 failed" in web.pull(DOI)
    assert (web.folder / "v1/docs/DATA_CARD.md").read_bytes() == card
    Release(web.folder / "v1").verify()


def test_what_fails_is_one_line_and_leaves_nothing(web: Web) -> None:
    content, json_type = web.maker.manifest.read_bytes(), "application/json"
    web.pages |= {
        "/cut.json": Reply(200, json_type, content, cut=1000),
        "/page.json": Reply(200, "text/html", b"<!doctype html><p>Sign in"),
        "/loop.json": Reply(302, "text/plain", b"", {"Location": "/loop.json"}),
        "/away.json": Reply(302, "text/plain", b"", {"Location": "http://169.254.169.254/x"}),
    }
    for name, words in {
        "/cut.json": "cut.json: answer of 127.0.0.1:",
        "/none.json": "answered HTTP 404: check the address",
        "/page.json": "page.json, line 1, column 1: not valid JSON",
        "/loop.json": "redirects more than 5 times",
        "/away.json": "leads to 'http://169.254.169.254/x', which is no address to download from",
    }.items():
        code = 2 if name in ("/page.json", "/away.json") else 1
        assert words in web.pull(f"{web.root}{name}", code=code)
    assert "answered HTTP 404: check the address" in web.pull(DOI, code=1)
    assert "10.1000/7 is no DOI of Zenodo" in web.pull("10.1000/7", code=2)
    web.record(data__zip=b"", notes__txt=b"")
    assert f"{DOI} has data.zip, notes.txt: give the address" in web.pull(DOI, code=2)
    web.record(v1_manifest__json=content, v2_manifest__json=content)
    assert f"{DOI} has v1_manifest.json, v2_manifest.json: give" in web.pull(DOI, code=2)
    assert files(web.folder) == {} and web.maker.sandbox.asked_images == []


def test_a_download_that_is_cut_is_gone_on_with(web: Web) -> None:
    """The manifest lies in the folder before the first photo: so the folder can be pulled."""
    web.record(manifest__json=web.maker.manifest.read_bytes())
    lost = web.maker.served(1)
    lost.rename(lost.with_suffix(".away"))
    assert "2 of 3 photos of v1; 1 missing" in web.pull(DOI, code=3)
    lost.with_suffix(".away").rename(lost)
    web.pages.clear()
    assert "v1: 1 of 3 photos pulled, 2 already there" in web.pull("v1")
    assert files(web.folder / "v1") == files(web.maker.release.root)


OWN_FOLDERS = ("imagefolder", "mixed", "manifest")  # which genset pull completes


def take_away(folder: Path, gone: Set[str]) -> None:
    """Take photos, named by their hashes, out of an export, in whichever files it has them."""
    for path in [*folder.rglob("*.jpg"), *folder.rglob("*.parquet"), *folder.rglob("*.tar")]:
        if path.suffix == ".parquet":
            rows = parquet.read_table(path)
            keep = [sha256 not in gone for sha256 in rows["sha256"].to_pylist()]
            path.unlink()
            parquet.write_table(rows.filter(keep), path)
        elif path.suffix == ".tar":
            whole = path.rename(path.with_suffix(".whole"))
            with tarfile.open(whole) as before, tarfile.open(path, "w") as after:
                for member in before:
                    if member.name.partition("_")[2].partition(".")[0] not in gone:
                        after.addfile(member, before.extractfile(member))
            whole.unlink()
        elif path.stem.rpartition("_")[2] in gone:
            path.unlink()


def told_by(pool: Pool, *words: object) -> tuple[int, str]:
    done = CliRunner().invoke(cli, ["-w", str(pool.workspace.root), *map(str, words)])
    return getattr(done.exception, "exit_code", done.exit_code), done.stdout


def test_hashes_and_counts_are_the_same_in_all_forms(
    serve: Serve, pool: Pool, tmp_path: Path
) -> None:
    maker = Maker(serve, pool, photos=20, cls=image_class("n02123045", "cat"))
    release, numbers = maker.release, (1, 2, 3)
    lost = [maker.photo(number) for number in numbers]
    gone = {photo.sha256 for photo in lost}
    rest = [photo for photo in release.photos if photo.sha256 not in gone]
    part = "17 of 20 photos of v1", content_hash(rest)
    table = tmp_path / "model.csv"
    rows = [f"{p.file},{p.wnid if n % 4 else 'n01440764'}" for n, p in enumerate(release.photos)]
    table.write_text("\n".join(["image,top1", *rows]) + "\n")
    served = [maker.served(number) for number in numbers]
    for path in served:
        path.rename(path.with_suffix(".away"))
    for kind in FORMATS:
        folder = tmp_path / kind
        assert export(release, kind, folder).content_hash == release.content_hash
        take_away(folder, gone)
        if kind == "manifest":
            assert told_by(pool, "release", "verify", folder) == (3, "")  # not pulled yet
        if kind in OWN_FOLDERS:
            summary = pull(folder, lambda name: maker.sandbox.source)
            assert (summary.title, summary.content_hash) == part
            assert (len(summary.gone), summary.missing) == (3, 3)
        code, text = told_by(pool, "release", "verify", folder, "--json")
        told = json.loads(text)
        assert (code, told["title"], told["content_hash"]) == (3, *part)
        assert sorted(told["missing"]) == sorted(photo.file for photo in lost)
        opened = open_set(str(folder))
        assert opened.name == f"{part[0]} ({part[1].removeprefix('sha256:')[:8]})"
        assert (opened.content_hash, opened.whole) == (part[1], release.content_hash)
        assert [photo.id for photo in opened.photos] == [photo.file for photo in rest]
    code, text = told_by(pool, "evaluate", tmp_path / "manifest", "--model", f"predictions:{table}")
    assert code == 0 and f"scored on {part[0]}" in text
    for kind in sorted(set(FORMATS) - {"manifest"}):
        done = export(Release(tmp_path / "manifest"), kind, tmp_path / "again" / kind)
        assert (done.photos, done.content_hash) == (17, part[1])
        assert open_set(str(tmp_path / "again" / kind)).content_hash == part[1]
    for path in served:
        path.with_suffix(".away").rename(path)
    for kind in OWN_FOLDERS:
        assert pull(tmp_path / kind, lambda name: maker.sandbox.source).missing == 0
        assert files(tmp_path / kind) == files(release.root)
