"""Photos that no licence lets others hand on: what is written of them, and what never is."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from genset.cli import cli
from genset.core.errors import BadInput, ReleaseIncomplete
from genset.db import Photo
from genset.licenses import License, license_named, may_be_passed_on
from genset.release.exports import FORMATS
from genset.release.exports.export import export
from genset.release.reader import MANIFEST, Release, content_hash
from tests.labeled_workspace import CLASSES
from tests.release.conftest import Pool

BYTES = sorted(set(FORMATS) - {"manifest", "mixed"})
RESTRICTED = ("100", "301")  # by all rights reserved, and by a licence that nobody knows
OWN = "200"  # without an address


@pytest.fixture
def release(pool: Pool) -> Release:
    """Eight photos, two of them restricted, and one of these without an address."""
    pool.label_all_correct()
    with pool.store.begin() as session:
        by_id = {photo.source_id: photo for photo in session.query(Photo)}
        reserved, unknown = (by_id[id] for id in RESTRICTED)
        reserved.license = "All Rights Reserved"
        unknown.license, unknown.license_url = "Ask the museum", ""
        unknown.image_url = unknown.page_url = ""
        by_id[OWN].image_url = by_id[OWN].page_url = ""
    return pool.create()


@pytest.fixture
def restricted(release: Release) -> list[bytes]:
    """The restricted photos' bytes."""
    return [
        (release.root / photo.file).read_bytes()
        for photo in release.photos
        if photo.source_id in RESTRICTED
    ]


def every_file(folder: Path) -> Iterator[bytes]:
    yield from (path.read_bytes() for path in folder.rglob("*") if path.is_file())


def genset(pool: Pool, *words: object) -> str:
    done = CliRunner().invoke(cli, ["-w", str(pool.workspace.root), *map(str, words)])
    assert done.exit_code == 0, done.output
    return done.output


def test_which_licences_let_a_photo_be_handed_on() -> None:
    by = "https://creativecommons.org/licenses/by"
    reserved = License("All rights reserved", f"{by}/2.0/")
    for license in (license_named("All Rights Reserved"), reserved, License("", "")):
        assert not may_be_passed_on(license)
    for name in ("CC BY 2.0", "CC BY-NC-ND 4.0", "No known copyright restrictions"):
        assert may_be_passed_on(license_named(name))
    others = License("cc-by-nc", f"{by}-nc/4.0/"), License("Apache License 2.0", "")
    assert all(map(may_be_passed_on, (license_named("Public Domain Mark"), *others)))


@pytest.mark.parametrize("kind", BYTES)
def test_no_byte_of_a_restricted_photo_is_in_any_format_unless_that_is_said(
    kind: str, release: Release, restricted: list[bytes], tmp_path: Path
) -> None:
    done = export(release, kind, tmp_path / "out")
    there = list(every_file(tmp_path / "out"))
    hashes = [photo.sha256.encode() for photo in release.photos if photo.source_id in RESTRICTED]
    assert not any(trace in file for trace in (*restricted, *hashes) for file in there)
    assert (done.photos, done.of, done.restricted, done.reserved) == (6, 8, 2, 0)
    remaining = [photo for photo in release.photos if photo.source_id not in RESTRICTED]
    assert done.content_hash == content_hash(remaining) != release.content_hash
    [path] = (tmp_path / "out").rglob("DATA_CARD.md")
    card = path.read_text("utf-8")
    assert "6 of the 8 photos of v1" in card
    assert done.content_hash in card and release.content_hash in card
    done = export(release, kind, tmp_path / "all", include_restricted=True)
    if kind not in ("parquet", "huggingface"):  # whose pages are compressed
        there = list(every_file(tmp_path / "all"))
        assert all(any(photo in file for file in there) for photo in restricted)
    assert (done.photos, done.restricted, done.reserved) == (8, 0, 2)
    assert done.content_hash == release.content_hash


def test_a_part_is_a_set_of_its_own_whose_documents_say_of_what_it_is_one(
    pool: Pool, release: Release, tmp_path: Path
) -> None:
    settings = pool.workspace.root / "genset.toml"
    said = '\n[dataset]\nauthors = ["Ko, Ann"]\ndoi = { v1 = "10.5281/zenodo.7" }\n'
    settings.write_text(settings.read_text("utf-8") + said, "utf-8")
    out = tmp_path / "out"
    genset(pool, "release", "export", "v1", "--format", "huggingface", "--to", out)
    part = content_hash([p for p in release.photos if p.source_id not in RESTRICTED])
    for name in ("docs/DATA_CARD.md", "docs/DATASHEET.md", "README.md"):
        text = (out / name).read_text("utf-8")
        assert "6 of the 8 photos of v1" in text and release.content_hash in text, name
    bibtex = (out / "README.md").read_text("utf-8").partition("```bibtex")[2]
    assert "author = {Ko, Ann}" in bibtex and "zenodo" not in bibtex  # that is the whole's
    assert f"6 photos, {part}; a part of v1 ({release.content_hash})" in bibtex
    for name in ("folder", "again"):  # the same bytes, whenever it is made
        words = ("--format", "imagefolder", "--to", tmp_path / name)
        genset(pool, "release", "export", "v1", *words)
    folder = Release(tmp_path / "folder")
    folder.verify()
    assert (folder.name, folder.content_hash, len(folder)) == ("v1-unrestricted", part, 6)
    told = json.loads((folder.root / MANIFEST).read_text("utf-8"))["part_of"]
    whole = {"name": "v1", "content_hash": release.content_hash, "photos": 8, "restricted": 2}
    assert told == whole
    assert sorted(every_file(tmp_path / "again")) == sorted(every_file(folder.root))
    croissant = json.loads((folder.root / "croissant.json").read_text("utf-8"))
    assert "6 of the 8 photos of v1" in croissant["description"]
    assert croissant["identifier"] == part
    assert croissant["isPartOf"]["identifier"] == release.content_hash
    assert export(folder, "webdataset", tmp_path / "tars").photos == 6  # nothing more to leave out


def test_a_release_without_an_open_photo_is_refused_as_bytes(pool: Pool, tmp_path: Path) -> None:
    pool.label_all_correct()
    with pool.store.begin() as session:
        for photo in session.query(Photo):
            photo.license = "All Rights Reserved"
    release = pool.create()
    for kind in ("parquet", "mixed"):
        with pytest.raises(BadInput, match="use --format manifest, or --include-restricted"):
            export(release, kind, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def answers(release: Release, file: Path, wrong: int) -> str:
    """A table of answers to all photos, `wrong` of them wrong, as a model's spec.

    With one wrong, photos are called as in the release's own metadata.csv.
    """
    rows = ["image,top1"]
    for number, photo in enumerate(release.photos):
        file_name = photo.file.removeprefix("test/" * wrong)
        rows.append(f"{file_name},{CLASSES[-1] if number < wrong else photo.wnid}")
    file.write_text("\n".join(rows) + "\n", "utf-8")
    return f"predictions:{file}"


def test_mixed_is_a_part_that_is_verified_scored_exported_and_compared_on_the_photos_of_both(
    pool: Pool, release: Release, restricted: list[bytes], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    told = export(release, "mixed", out)
    assert not any(photo in file for photo in restricted for file in every_file(out))
    part = Release(out)
    assert (told.photos, told.restricted, told.content_hash) == (6, 2, part.content_hash)
    assert told.without_address == 1  # the one whose bytes are there needs none
    missing = {photo.file for photo in release.photos if photo.source_id in RESTRICTED}
    assert set(part.missing()) == missing
    words = ["-w", str(pool.workspace.root), "release", "verify", str(out)]
    done = CliRunner().invoke(cli, words)
    assert isinstance(done.exception, ReleaseIncomplete) and done.exception.exit_code == 3
    assert f"6 of 8 photos of v1: genset pull {out} goes on" in str(done.exception)
    assert "6 of 8 photos of v1: 6 photos are what the manifest says" in done.output
    assert all(f"missing: {file}" in done.output for file in part.missing())
    full = answers(release, tmp_path / "full.csv", 0)
    fewer = answers(part, tmp_path / "fewer.csv", 1)
    genset(pool, "evaluate", "v1", "--model", full)
    scored = json.loads(genset(pool, "evaluate", out, "--model", fewer, "--format", "json"))
    name = f"6 of 8 photos of v1 ({part.content_hash[7:15]})"  # others have as many photos
    assert (scored["set"], scored["set_hash"]) == (name, part.content_hash)
    assert "scored on 6 of 8 photos of v1" in genset(pool, "evaluate", out, "--model", fewer)
    for on in (out, "v1"):
        found = genset(pool, "compare", "full", "fewer", "--on", on, "--format", "json")
        assert json.loads(found)["photos"] == 6, on
    from genset import compare, evaluate

    whole = evaluate(release.root, full, runs=pool.workspace.runs)
    pair = compare(whole, evaluate(out, fewer, runs=pool.workspace.runs))
    assert (pair.photos, pair.only_first, pair.only_second) == (6, 1, 0)
    assert "full: scored on v1; counted on the 6 photos that it has in common" in pair.sentence
    page = json.loads(genset(pool, "report", out, "--format", "json"))
    assert page["set"]["name"] == name
    by_name = {model["label"]: model for model in page["models"]}
    assert by_name["full"]["top1"]["photos"] == by_name["fewer"]["top1"]["photos"] == 6
    assert "counted on the 6 photos that it has in common" in by_name["full"]["notes"][-1]


def test_the_command_says_what_it_left_out_and_what_nobody_can_rebuild(
    release: Release, pool: Pool, tmp_path: Path
) -> None:
    words = ("release", "export", "v1", "--to", tmp_path / "b", "--include-restricted", "--format")
    text = genset(pool, *words, "fiftyone")
    assert "8 photos as fiftyone" in text and "no licence lets you hand on 2 of them" in text
    rejected = CliRunner().invoke(cli, ["-w", str(pool.workspace.root), *map(str, words), "mixed"])
    assert "--include-restricted does not apply to --format mixed" in str(rejected.exception)
    to = ("--to", tmp_path / "d")
    told = json.loads(genset(pool, "release", "export", "v1", "--format", "mixed", *to, "--json"))
    assert (told["photos"], told["restricted"], told["without_address"]) == (6, 2, 1)
