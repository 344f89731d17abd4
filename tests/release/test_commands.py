"""The commands of `genset release`, as a maintainer types them."""

import json
import shutil
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from genset.core.errors import ReleaseIncomplete
from genset.db import DuplicatePair, Fact, Photo
from genset.release.reader import Release
from genset.sets.open import locate_set
from tests.labeled_workspace import CLASSES, CRANE, GOLDFISH, TABBY, TENCH
from tests.questions import BASSINET
from tests.release.conftest import Genset, Pool, genset_in
from tests.release.test_sources import search


@pytest.fixture
def genset(pool: Pool) -> Genset:
    return partial(genset_in(pool.workspace.root), "release")


def test_what_a_dry_run_says_is_what_create_makes(pool: Pool, genset: Genset) -> None:
    pool.label_all_correct()
    words = ("--strategy", "threshold", "--per-class", 1, "--seed", 5, "--max-per-owner", 1)
    seen = json.loads(genset("create", "v1", *words, "--dry-run", "--json"))
    genset("create", "v1", *words)
    genset("create", "v2", *words)
    made, again = (Release(pool.workspace.releases / name) for name in ("v1", "v2"))
    assert dict.fromkeys(made.wnids, 1) == seen["classes"]
    assert made.excluded == seen["excluded"] == {"not drawn": 4}
    assert made.content_hash == again.content_hash
    told = {"threshold": 0.7, "relax": False, "min_labels": 1, "max_per_owner": 1, "rule": 1}
    assert made.strategy == {"name": "threshold", "per_class": 1, "seed": 5} | told


def test_each_candidate_left_out_is_listed_with_its_reason(pool: Pool, genset: Genset) -> None:
    both = pool.also_found_for(GOLDFISH, 0)
    for task in (f"{TENCH}/flickr:0", both, f"{GOLDFISH}/flickr:100"):
        pool.label(task, ann="correct")
    pool.label(f"{TENCH}/flickr:1", ann="incorrect", bob="incorrect", cem="correct")
    seen = json.loads(genset("create", "v1", "--dry-run", "--json"))
    later = (f"{CRANE}/flickr:200", f"{CRANE}/flickr:201")
    later += (f"{TABBY}/flickr:300", f"{TABBY}/flickr:301", f"{GOLDFISH}/flickr:101")
    assert seen["reasons"] == dict.fromkeys(later, "not labeled") | {
        f"{TENCH}/flickr:0": "correct for several classes",
        both: "correct for several classes",
        f"{TENCH}/flickr:1": "not called correct by a majority",
    }
    # A threshold of zero is one, too.
    genset("create", "v1", "--strategy", "threshold", "--per-class", 1, "--threshold", 0)
    assert Release(pool.workspace.releases / "v1").wnids == (TENCH, GOLDFISH)


def test_a_class_that_nobody_chose_is_no_gap_and_a_chosen_one_without_photos_is(
    pool: Pool, genset: Genset
) -> None:
    pool.label_all_correct()
    with pool.store.begin() as session:
        session.add_all(search(pool, "flickr", wnid) for wnid in (*CLASSES, BASSINET))
    said = "4 of 5 chosen classes have photos; the other 995 were not chosen"
    assert said in genset("create", "v1", "--dry-run")
    assert said in genset("create", "v1")
    card = (pool.workspace.releases / "v1" / "docs" / "DATA_CARD.md").read_text("utf-8")
    assert f"{said}.\n\n1 class without a photo: {BASSINET}." in card


def test_copies_and_other_sets_are_left_out(pool: Pool, genset: Genset, tmp_path: Path) -> None:
    pool.label_all_correct()
    (tmp_path / "sums").write_text(f"{pool.create('v0').photos[-1].sha256}  a.jpg\n", "utf-8")
    words = ("--exclude", tmp_path / "sums", "--exclude", "duplicates")
    assert "looked for duplicates yet: genset duplicates find" in genset("create", "v1", *words)
    with pool.store.begin() as session:
        one, other = (
            session.query(Photo).filter_by(source_id=number).one() for number in ("0", "1")
        )
        one.posted_at = other.posted_at + timedelta(days=1)
        session.add(DuplicatePair(photo=one, other="flickr:1", distance=3, verdict="same"))
        session.add(Fact(name="looks", value="8"))  # what duplicates find leaves
    assert "left out: 1 looks like a photo of sums" in genset("create", "v1", *words)
    made = Release(pool.workspace.releases / "v1")
    assert made.strategy["exclude"][0]["file"] == "sums" and made.strategy["deduplicate"] is True
    # The one posted first stays, whatever their names.
    assert [photo.source_id for photo in made.photos if photo.wnid == TENCH] == ["1"]


def test_bad_words_are_refused_in_one_line(pool: Pool, genset: Genset) -> None:
    pool.label(f"{TENCH}/flickr:1", ann="incorrect")
    nothing = genset("create", "v1")
    assert "1: no photo is labeled correct yet; " in nothing and "genset label" in nothing
    pool.label(f"{TENCH}/flickr:0", panel="fresh", ann="correct")
    assert "but in panel fresh, which only measures" in genset("create", "v1", "--panel", "fresh")
    pool.label_all_correct()
    for words, complaint in (
        (("--per-class", 5), "2: --per-class does not apply to --strategy majority"),
        (("--strategy", "top", "--relax"), "2: --relax does not apply to --strategy top"),
        (("--strategy", "top", "--per-class", 0), "2: --per-class must be at least 1"),
        (("--strategy", "threshold", "--threshold", 70), "2: --threshold must be from 0 to 1"),
        (("--strategy", "matched"), "2: --strategy matched needs the labels"),
        (("--licenses", "free"), "2: no licence 'free'"),
        (("--max-per-owner", 0), "2: --max-per-owner must be at least 1"),
        (("--exclude", "nowhere"), "2: nowhere: No such file"),
        (("--panel", "frehs"), "2: there are no labels of panel 'frehs'"),
        (("--licenses", "CC BY 4.0"), "1: no photo is left to release: 8 licence CC BY 2.0"),
    ):
        assert genset("create", "v1", *words).startswith(complaint), words
    assert pool.files() == []


def test_an_option_that_changes_nothing_is_named(pool: Pool, genset: Genset) -> None:
    pool.label_all_correct()
    words = ("--licenses", "open", "--balance", "--max-per-owner", 1, "--min-labels", 1)
    for more in ((), ("--dry-run",)):
        assert "  without effect: --licenses" in genset("create", "v1", *words, *more)
    genset("create", "v2", "--source", "flickr", "--max-per-owner", 9)
    assert Release(pool.workspace.releases / "v2").without_effect == ["--source", "--max-per-owner"]


def test_a_name_means_the_workspace_s_release_and_a_path_the_folder(
    pool: Pool, genset: Genset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(pool.workspace.root)
    pool.label_all_correct()
    made = pool.create()
    shutil.copytree(made.root, "v1")
    (Path("v1") / made.photos[0].file).unlink()  # such as a pull that was not finished leaves
    assert "8 photos are what the manifest says" in genset("verify", "v1")
    for word in ("./v1", "v1/", str(Path("v1").absolute())):
        lost = f"3: {Path(word)} has 7 of 8 photos of v1, without {made.photos[0].file}"
        assert genset("verify", word) == f"{lost}: genset pull {Path(word)}"
    assert genset("export", "v1", "--format", "mixed").startswith("v1-mixed: 8 photos")
    assert genset("verify", "v1-mixed").startswith("v1: 8 photos")  # no release has this name
    assert locate_set("v1", pool.workspace.root).root == made.root
    with pytest.raises(ReleaseIncomplete):
        locate_set("v1/", pool.workspace.root)
