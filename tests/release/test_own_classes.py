"""Releases on a workspace's own classes, with ids of any script and names of any words."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
import yaml

import genset
from genset.classes import hash_of
from genset.classes.files import taxonomy_in
from genset.core.errors import BadInput
from genset.db import Candidate, Photo, Store, Verdict
from genset.db.taxonomies import store_taxonomy
from genset.release.choose import ReleasePlan
from genset.release.documents.citation import Citation, citation_cff, zenodo
from genset.release.exports.export import export
from genset.release.freeze import create, dry_run
from genset.release.multilabel.earlier import Earlier
from genset.release.multilabel.plan import MultilabelPlan
from genset.release.reader import MANIFEST, Release, content_hash, manifest_hash, read_manifest
from genset.release.versions import diff, takedown
from genset.scrape.removal import remove
from genset.workspace import Workspace
from tests.labeled_workspace import add_candidate, labeled_workspace, vote

DOTTED, ARABIC, LONG, UNDER = "dog.v2", "كلب", "猫" * 64, "__a__"
NAMED = 'pets | *all* <b>&amp;</b> "q" {x} % \\end #1 ünï'
EVIL = 'a "dog" | <script>alert(1)</script> \u202e *x* `y` {z} --- \\n'
OWN = f"""name = '{NAMED}'
[classes."{DOTTED}"]
name = '{EVIL}'
definition = "what barks, \\n---\\n and ```"
queries = ["puppy"]
[classes."{ARABIC}"]
name = "dog"
hypernyms = ["person"]
queries = ["walker"]
[classes."{LONG}"]
name = "dog"
queries = ["kitten"]
[classes.{UNDER}]
name = "letter"
queries = ["letter"]
[classes.empty]
[classes.n02123045]
lemmas = ["tabby"]
"""
FULL = (DOTTED, ARABIC, LONG, UNDER, "n02123045")


@pytest.fixture
def made(tmp_path: Path) -> Iterator[tuple[Workspace, Store]]:
    workspace, store = labeled_workspace(tmp_path / "workspace", classes=())
    with store.begin_alone() as session:
        store_taxonomy(session, taxonomy_in(OWN, "own.toml"))
    store._looked_at = -1e9
    for place, wnid in enumerate(FULL):
        for number in (10 * place, 10 * place + 1):
            vote(store, add_candidate(workspace, store, wnid, number), "ann", Verdict.CORRECT)
    yield workspace, store
    store.close()


@pytest.fixture
def release(made: tuple[Workspace, Store]) -> Release:
    return create(*made, "v1")


def test_the_release_and_its_documents_speak_of_its_own_classes(
    made: tuple[Workspace, Store], tmp_path: Path
) -> None:
    lines = "\n".join(dry_run(*made, ReleasePlan()).lines())
    assert "10 photos; 5 of 6 classes have photos" in lines
    release = create(*made, "v1")
    opened = genset.Release(release.root)
    opened.verify()
    assert opened.classes == [DOTTED, ARABIC, LONG, UNDER, "empty", "n02123045"]
    assert sorted(opened.targets) == [0, 0, 1, 1, 2, 2, 3, 3, 5, 5]
    assert opened[0][1] == opened.targets[0]
    assert opened.taxonomy[ARABIC].name == "dog"
    manifest = json.loads((release.root / MANIFEST).read_text("utf-8"))
    assert set(manifest["taxonomy"]) == {"name", "hash", "classes"}
    assert manifest["taxonomy"]["hash"] == hash_of(opened.taxonomy)
    assert hash_of(taxonomy_in(OWN, "own.toml")) == hash_of(opened.taxonomy)
    texts = {name: (release.root / name).read_text("utf-8") for name in release.documents}
    export(release, "huggingface", tmp_path / "out")
    texts["README.md"] = (tmp_path / "out" / "README.md").read_text("utf-8")
    _, head, _ = texts["README.md"].split("---\n", 2)
    assert yaml.safe_load(head)["tags"] == ["test-set", "generalization"]
    for name, text in texts.items():
        assert "ImageNet" not in text, name
        assert "<script>" not in text or name == "classes.csv"
    card = texts["docs/DATA_CARD.md"]
    assert r"10 photos of 5 of its 6 classes (pets \| \*all\* &lt;b&gt;" in card
    assert "1 class without a photo: empty." in card
    assert "2 of dog" in card  # of persons
    rows = list(csv.reader(io.StringIO(texts["classes.csv"])))[1:]
    assert [row[:2] for row in rows] == [[id, str(n)] for n, id in enumerate(release.classes)]
    assert len({row[2] for row in rows}) == 6
    assert rows[0][2].startswith('a "dog" | <script>') and "\u202e" not in rows[0][2]
    croissant = json.loads(texts["croissant.json"])
    assert {each["includes"] for each in croissant["distribution"][1:]} == {"test/*/*.jpg"}
    assert NAMED in croissant["keywords"]
    found = Citation.of(release.manifest, len(release), {})
    cff = yaml.safe_load(citation_cff(found))
    assert cff["title"] == f"v1: a test set of photos for classifiers of {NAMED}"
    assert NAMED in cff["keywords"] and zenodo(found)["metadata"]["keywords"][2] == NAMED


def test_a_part_a_new_version_and_a_diff_know_its_classes(
    made: tuple[Workspace, Store], tmp_path: Path
) -> None:
    workspace, store = made
    reserved = {"license": "All Rights Reserved", "license_url": ""}
    vote(store, add_candidate(workspace, store, ARABIC, 900, **reserved), "ann", Verdict.CORRECT)
    release = create(workspace, store, "v1")
    export(release, "imagefolder", tmp_path / "out")
    part = Release(tmp_path / "out")
    part.verify()
    assert len(part) == 10 and part.name == "v1-unrestricted"
    remove(workspace, store, "flickr:900", "its owner asked")
    new = takedown(workspace, store, release).new
    new.verify()
    own = hash_of(release.taxonomy)
    assert [hash_of(each.taxonomy) for each in (part, new)] == [own, own]
    assert "of 5 of its 6 classes" in (new.root / "docs/DATA_CARD.md").read_text("utf-8")
    with store.begin_alone() as session:
        store_taxonomy(session, taxonomy_in(OWN + '[classes.newt]\nname = "newt"\n', "own.toml"))
    found = diff(new, create(workspace, store, "v2"))
    assert found.same == 10
    assert [set(each) for each in found.facts["taxonomy"]] == [{"name", "hash"}] * 2


def test_several_right_answers_are_of_its_classes(
    made: tuple[Workspace, Store], release: Release, tmp_path: Path
) -> None:
    workspace, store = made
    with store.begin() as session:
        photo = session.query(Photo).filter_by(source_id="0").one()
        session.add(candidate := Candidate(wnid=LONG, photo=photo, keyword="other", rank=9))
        session.flush()
        task = candidate.task
    for worker in ("ann", "bob", "cem"):
        vote(store, task, worker, Verdict.CORRECT)
    create(workspace, store, "m1", MultilabelPlan(Earlier.read(release), allow_unanswered=True))
    several = genset.Release(workspace.releases / "m1")
    several.verify()
    [place] = [n for n, photo in enumerate(several.photos) if photo.source_id == "0"]
    for kind in ("parquet", "fiftyone", "webdataset"):
        export(several, kind, tmp_path / kind)
    [path] = (tmp_path / "parquet").rglob("*.parquet")
    rows = pyarrow.parquet.read_table(path).to_pylist()
    assert rows[place]["labels_correct"] == [0, 2]
    answers = (several.root / "answers.csv").read_text("utf-8")
    assert f",{LONG},2,correct,0," in answers


def _rewritten(release: Release, to: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """Its manifest with a change, whose own hashes fit again."""
    document = json.loads((release.root / MANIFEST).read_text("utf-8"))
    change(document)
    document["content_hash"] = content_hash(release.photos)
    document["manifest_hash"] = manifest_hash(document)
    to.write_text(json.dumps(document), "utf-8")
    return to


def _reorder(taxonomy: dict[str, Any]) -> None:
    taxonomy["classes"] = dict(reversed(taxonomy["classes"].items()))


@pytest.mark.parametrize(
    "change",
    [
        lambda taxonomy: taxonomy["classes"][ARABIC].update(name="cat"),
        _reorder,
        lambda taxonomy: taxonomy["classes"].pop(ARABIC),
        lambda taxonomy: taxonomy["classes"].update({"..": {"name": "up"}}),
        lambda taxonomy: taxonomy.clear(),
        lambda taxonomy: taxonomy["classes"][ARABIC].update(hypernyms=["\ud800x"]),
    ],
)
def test_a_strangers_classes_are_not_believed(
    change: Callable[[dict[str, Any]], None], release: Release, tmp_path: Path
) -> None:
    read_manifest(_rewritten(release, tmp_path / "same.json", lambda document: None))
    other = _rewritten(release, tmp_path / "other.json", lambda doc: change(doc["taxonomy"]))
    with pytest.raises(BadInput, match=r"other\.json[:,]"):
        read_manifest(other)


@pytest.mark.parametrize("wnid", ["n01440764", "..", "a/b"])
def test_a_photo_of_another_class_or_folder_is_refused(
    release: Release, tmp_path: Path, wnid: str
) -> None:
    def change(document: dict[str, Any]) -> None:
        photo = document["photos"][0]
        photo |= {"wnid": wnid, "file": f"{wnid}/{photo['sha256']}.jpg"}

    with pytest.raises(BadInput, match=r"is no file of a photo|is none of its classes"):
        read_manifest(_rewritten(release, tmp_path / "other.json", change))
