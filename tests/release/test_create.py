"""Make a release: what it holds, and what is refused."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from genset.core.errors import BadInput, GensetError
from genset.release import publish
from genset.release.reader import MANIFEST, Release, find_releases
from tests.labeled_workspace import TENCH, picture
from tests.release.conftest import Pool


def test_its_files_are_read_only(pool: Pool) -> None:
    pool.label_all_correct()
    files = [path for path in pool.create().root.rglob("*") if path.is_file()]
    assert len(files) == 8 + 1 + 7  # photos, manifest, documents
    assert {path.stat().st_mode & 0o777 for path in files} == {0o444}


def test_the_same_labels_give_the_same_content_under_another_name_and_time(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool.label_all_correct()
    first = pool.create("first")
    monkeypatch.setattr(publish, "now", lambda: datetime(2100, 1, 1, tzinfo=UTC))
    second = pool.create("second")
    assert second.created_at.startswith("2100") and first.created_at != second.created_at
    assert second.content_hash == first.content_hash
    assert second.photos == first.photos


def test_other_labels_give_another_content(pool: Pool) -> None:
    pool.label_all_correct()
    first = pool.create("first")
    pool.label(f"{TENCH}/flickr:0", bob="correct")
    assert pool.create("second").content_hash != first.content_hash


def test_releases_are_found_oldest_first(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    pool.label_all_correct()
    for name, year in (("b", 2030), ("a", 2040), ("c", 2035)):
        moment = datetime(year, 1, 1, tzinfo=UTC)
        monkeypatch.setattr(publish, "now", lambda moment=moment: moment)
        pool.create(name)
    assert [release.name for release in find_releases(pool.workspace.releases)] == ["b", "c", "a"]


def test_an_existing_name_is_refused_and_its_release_untouched(pool: Pool) -> None:
    pool.label(f"{TENCH}/flickr:0", ann="correct")
    first = pool.create()
    manifest = (first.root / MANIFEST).read_bytes()
    pool.label(f"{TENCH}/flickr:1", ann="correct")
    with pytest.raises(BadInput, match=r"release v1 exists, .* choose another name"):
        pool.create()
    assert (first.root / MANIFEST).read_bytes() == manifest
    Release(first.root).verify()
    assert len(Release(first.root).photos) == 1


def test_of_two_at_once_one_makes_the_release_and_one_is_refused(pool: Pool) -> None:
    pool.label_all_correct()
    with ThreadPoolExecutor(2) as both:
        ends = [future.exception() for future in [both.submit(pool.create) for _ in range(2)]]
    assert [type(end) for end in ends if end] == [BadInput]
    Release(pool.workspace.releases / "v1").verify()


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "/tmp/x", ".hidden", "-x", "a b", "a\n", "é", "v" * 300]
)
def test_a_name_that_is_no_plain_folder_name_is_refused(pool: Pool, name: str) -> None:
    pool.label_all_correct()
    before = sorted(pool.workspace.root.parent.rglob("*"))
    with pytest.raises(BadInput, match="a release's name has at most 100 letters, digits"):
        pool.create(name)
    assert sorted(pool.workspace.root.parent.rglob("*")) == before


def test_without_a_correct_photo_there_is_one_line_and_no_release(pool: Pool) -> None:
    pool.label(f"{TENCH}/flickr:0", ann="incorrect")
    with pytest.raises(GensetError, match=r"no photo is labeled correct yet; .*genset label"):
        pool.create()
    assert pool.files() == []


@pytest.mark.parametrize("damage", ["missing", "changed"])
def test_a_lost_original_is_named_and_no_release_is_left(pool: Pool, damage: str) -> None:
    pool.label_all_correct()
    lost = pool.original(201)
    if damage == "missing":
        lost.unlink()
    else:
        lost.write_bytes(picture(7))
    with pytest.raises(GensetError, match=rf"{lost} (is|was) {damage}.*genset doctor"):
        pool.create()
    assert pool.files() == []
    lost.write_bytes(picture(201))
    pool.create().verify()
