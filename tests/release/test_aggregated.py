"""Releases whose photos are chosen by labels that a method made of the votes: ``--labels``."""

import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace
from pyarrow import parquet

from genset.db import LabelerAct, LabelerEvent, Ruling, Verdict, find_candidate
from genset.release.reader import Release
from tests.labeled_workspace import CLASSES, GOLDFISH, TENCH
from tests.release.conftest import Genset, Pool

FIRST = f"{TENCH}/flickr:0"
SECOND = f"{TENCH}/flickr:1"
THIRD = f"{GOLDFISH}/flickr:100"


def create(genset: Genset, pool: Pool, name: str, *words: object) -> Release:
    answer = genset("release", "create", name, *words)
    assert re.search(r"\d photos? of", answer), answer
    made = Release(pool.workspace.releases / name)
    made.verify()
    return made


def confidence(release: Release) -> dict[str, float | None]:
    return {f"{each.wnid}/flickr:{each.source_id}": each.confidence for each in release.photos}


def spammed(pool: Pool) -> None:
    """Two labelers who look, and three who say correct of all."""
    for place, wnid in enumerate(CLASSES):
        for number, truth in ((100 * place, "correct"), (100 * place + 1, "incorrect")):
            said = dict.fromkeys(("ann", "bob"), truth) | dict.fromkeys("xyz", "correct")
            pool.label(f"{wnid}/flickr:{number}", **said)


def test_dawid_skene_takes_what_a_majority_of_spammers_cannot_carry(
    pool: Pool, genset: Genset, tmp_path: Path
) -> None:
    spammed(pool)
    counted = create(genset, pool, "counted", "--strategy", "top")
    assert len(counted.photos) == 8
    assert len(create(genset, pool, "most", "--labels", "majority").photos) == 8
    made = create(genset, pool, "weighed", "--labels", "dawid-skene")
    right = {f"{wnid}/flickr:{100 * place}" for place, wnid in enumerate(CLASSES)}
    assert set(confidence(made)) == right
    assert all(value and value > 0.99 for value in confidence(made).values())
    assert made.excluded == {"not called correct by dawid-skene": 4}
    assert made.strategy["labels"] == {"method": "dawid-skene"}
    tables = [(each.root / "test/metadata.csv").read_text() for each in (counted, made)]
    assert ["confidence" in table for table in tables] == [False, True]
    described = json.loads((made.root / "croissant.json").read_text())
    fields = {each["name"]: each for each in described["recordSet"][0]["field"]}
    assert fields["confidence"]["dataType"] == "sc:Float"
    genset("release", "export", "weighed", "--format", "parquet", "--to", tmp_path / "parquet")
    exported = parquet.read_table(tmp_path / "parquet")["confidence"].to_pylist()
    assert exported == [photo.confidence for photo in made.photos]
    # Those who say correct of all give even the wrong photos a selection frequency of 0.6.
    pool.label(FIRST, ann="incorrect")
    for name, words, taken in (
        ("low", ("threshold", "--threshold", 0.6), right),
        ("high", ("threshold", "--threshold", 0.9), right - {FIRST}),
        ("relaxed", ("threshold", "--threshold", 0.9, "--relax"), right),
        ("top", ("top",), right),
    ):
        made = create(genset, pool, name, "--strategy", *words, "--labels", "dawid-skene")
        assert set(confidence(made)) == taken
        assert made.excluded["not called correct by dawid-skene"] == 4


@pytest.mark.parametrize("method", ["majority", "frequency"])
def test_confidence_is_the_share_of_votes_and_a_ruling_wins(
    pool: Pool, genset: Genset, method: str
) -> None:
    pool.label(FIRST, ann="correct", bob="correct", eve="broken")
    pool.label(SECOND, ann="correct", bob="incorrect")  # a tie is no label
    pool.label(THIRD, ann="correct", bob="incorrect", eve="broken", fay="correct")
    made = create(genset, pool, "v1", "--labels", method)
    assert confidence(made) == {FIRST: 0.666667, THIRD: 0.5}
    assert made.excluded == {f"not called correct by {method}": 1, "not labeled": 5}
    words = ("--labels", method, "--min-confidence", 0.6)
    sure = create(genset, pool, "v2", *words)
    assert confidence(sure) == {FIRST: 0.666667}
    assert sure.excluded["confidence below 0.6"] == 1
    assert sure.strategy["min_confidence"] == 0.6
    with pool.store.begin() as session:
        for task, verdict in ((SECOND, Verdict.CORRECT), (FIRST, Verdict.BROKEN)):
            number = find_candidate(session, task).id
            session.add(Ruling(candidate_id=number, verdict=verdict, by="mia", reason="so"))
    ruled = create(genset, pool, "v3", *words)
    assert confidence(ruled) == {SECOND: None}
    assert ruled.excluded["ruled not correct in review"] == 1


def test_a_photo_goes_to_the_class_that_its_aggregated_label_says(
    pool: Pool, genset: Genset
) -> None:
    """By counted votes it is correct for two classes; unsure is no verdict against it there."""
    other = pool.also_found_for(GOLDFISH, 0)
    pool.label(FIRST, ann="correct")
    pool.label(other, ann="correct", bob="unsure", eve="unsure")
    pool.label(SECOND, ann="correct")
    assert confidence(create(genset, pool, "counted")) == {SECOND: None}
    by_majority = create(genset, pool, "v1", "--labels", "majority")
    assert confidence(by_majority) == {FIRST: 1.0, SECOND: 1.0}


def test_what_makes_no_sense_together_is_refused_and_the_method_changes_no_content(
    pool: Pool, genset: Genset, tmp_path: Path
) -> None:
    pool.label_all_correct()
    reference = tmp_path / "reference.csv"
    reference.write_text(f"task,worker,label\n{TENCH}/1,ann,correct\n")
    matched = ("--strategy", "matched", "--reference", reference, "--labels", "majority")
    for words, line in (
        (matched, "--labels does not apply to --strategy matched, which takes photos of every "),
        (("--min-confidence", 0.5), "--min-confidence needs --labels: votes alone have no conf"),
        (
            ("--labels", "majority", "--min-confidence", 1.5),
            "--min-confidence must be from 0 to 1",
        ),
    ):
        assert genset("release", "create", "v1", *words).startswith(f"2: {line}")
    assert pool.files() == []
    counted = create(genset, pool, "counted")
    weighed = create(genset, pool, "weighed", "--labels", "dawid-skene")
    assert weighed.content_hash == counted.content_hash
    assert [replace(each, confidence=None) for each in weighed.photos] == list(counted.photos)


def test_void_votes_and_the_panel_that_measures_have_no_part_in_the_labels(
    pool: Pool, genset: Genset
) -> None:
    """What the others call wrong, the fresh panel calls right, and the other way round."""
    pool.label(FIRST, ann="correct", x="incorrect", y="incorrect")
    pool.label(SECOND, ann="incorrect", x="correct", y="correct")
    pool.label(FIRST, panel="fresh", **dict.fromkeys("pqrst", "correct"))
    pool.label(SECOND, panel="fresh", **dict.fromkeys("pqrst", "incorrect"))
    words = ("--panel", "fresh", "--labels", "majority")
    made = create(genset, pool, "before", *words)
    assert confidence(made) == {SECOND: 0.666667}
    assert made.photos[0].labels == {"incorrect": 5}
    assert made.strategy["labels"] == {"method": "majority", "without": "fresh"}
    with pool.store.begin() as session:
        session.add(LabelerEvent(worker="x", what=LabelerAct.VOID, by="mia", reason="so"))
        session.add(LabelerEvent(worker="y", what=LabelerAct.HOLD, by="mia", reason="so"))
    assert confidence(create(genset, pool, "after", *words)) == {FIRST: 1.0}
