"""Make a release: what it holds, and what is refused."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from genset.core.errors import BadInput, GensetError
from genset.release import publish
from genset.release.reader import MANIFEST, Release, find_releases
from tests.labeled_workspace import TENCH, picture
from tests.release.conftest import Pool


def test_what_it_holds_depends_on_the_labels_and_not_on_name_or_time(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool.label_all_correct()
    made = []
    for name, year in (("b", 2030), ("a", 2040), ("c", 2035)):
        moment = datetime(year, 1, 1, tzinfo=UTC)
        monkeypatch.setattr(publish, "now", lambda moment=moment: moment)
        made.append(pool.create(name))
    first, second, _ = made
    assert second.created_at.startswith("2040") and first.created_at.startswith("2030")
    assert (second.content_hash, second.photos) == (first.content_hash, first.photos)
    files = [path for path in first.root.rglob("*") if path.is_file()]
    assert len(files) == 8 + 1 + 7  # photos, manifest, documents
    assert {path.stat().st_mode & 0o777 for path in files} == {0o444}
    oldest_first = [release.name for release in find_releases(pool.workspace.releases)]
    assert oldest_first == ["b", "c", "a"]
    pool.label(f"{TENCH}/flickr:0", bob="correct")
    assert pool.create("other").content_hash != first.content_hash


def test_an_existing_name_is_refused_and_its_release_untouched(pool: Pool) -> None:
    pool.label_all_correct()
    with ThreadPoolExecutor(2) as both:  # of two at once one makes it
        ends = [future.exception() for future in [both.submit(pool.create) for _ in range(2)]]
    assert [type(end) for end in ends if end] == [BadInput]
    first = Release(pool.workspace.releases / "v1")
    manifest = (first.root / MANIFEST).read_bytes()
    pool.label(f"{TENCH}/flickr:1", bob="correct")
    with pytest.raises(BadInput, match=r"release v1 exists, .* choose another name"):
        pool.create()
    assert (first.root / MANIFEST).read_bytes() == manifest
    Release(first.root).verify()


def test_a_name_that_is_no_plain_folder_name_is_refused(pool: Pool) -> None:
    pool.label_all_correct()
    before = sorted(pool.workspace.root.parent.rglob("*"))
    for name in ("", ".", "..", "../x", "a/b", "/tmp/x", ".hidden", "-x", "a b", "a\n", "v" * 300):
        with pytest.raises(BadInput, match="a release's name has at most 100 letters, digits"):
            pool.create(name)
    assert sorted(pool.workspace.root.parent.rglob("*")) == before


def test_a_lost_original_is_named_and_no_release_is_left(pool: Pool) -> None:
    pool.label_all_correct()
    lost = pool.original(201)
    for damage in ("missing", "changed"):
        lost.unlink()
        if damage == "changed":
            lost.write_bytes(picture(7))
        with pytest.raises(GensetError, match=rf"{lost} (is|was) {damage}.*genset doctor"):
            pool.create()
        assert pool.files() == []
        lost.write_bytes(picture(201))
    pool.create().verify()
