"""Which candidates a release takes."""

import json

import pytest

from genset.core.errors import BadInput, GensetError
from genset.db import Ruling, Verdict, find_candidate
from genset.release.candidates import read_table
from genset.release.choose import ReleasePlan, choose
from genset.release.reader import MANIFEST
from tests.labeled_workspace import CRANE, GOLDFISH, TABBY, TENCH
from tests.release.conftest import Pool


def test_each_candidate_left_out_is_listed_with_its_reason(pool: Pool) -> None:
    pool.label(f"{TENCH}/flickr:0", ann="correct")
    both = pool.also_found_for(GOLDFISH, 0)
    pool.label(both, ann="correct")
    pool.label(f"{TENCH}/flickr:1", ann="incorrect")
    pool.label(f"{GOLDFISH}/flickr:100", ann="correct")
    with pool.store.session() as session:
        choice = choose(read_table(session), ReleasePlan())
    assert [entry.task for entry in choice.entries] == [f"{GOLDFISH}/flickr:100"]
    assert choice.excluded == {
        f"{TENCH}/flickr:0": "correct for several classes",
        both: "correct for several classes",
        f"{TENCH}/flickr:1": "not called correct by a majority",
        f"{GOLDFISH}/flickr:101": "not labeled",
        f"{CRANE}/flickr:200": "not labeled",
        f"{CRANE}/flickr:201": "not labeled",
        f"{TABBY}/flickr:300": "not labeled",
        f"{TABBY}/flickr:301": "not labeled",
    }
    assert pool.create().excluded == {
        "correct for several classes": 2,
        "not called correct by a majority": 1,
        "not labeled": 5,
    }


def ruled(pool: Pool, task: str, *verdicts: str) -> None:
    """Rule on a task, once for each verdict."""
    with pool.store.begin() as session:
        candidate = find_candidate(session, task)
        for verdict in verdicts:
            session.add(
                Ruling(candidate_id=candidate.id, verdict=Verdict(verdict), by="mia", reason="so")
            )
            session.flush()


def test_the_newest_ruling_wins_over_any_votes(pool: Pool) -> None:
    pool.label(f"{TENCH}/flickr:0", ann="incorrect", bob="incorrect", eve="correct")
    pool.label(f"{TENCH}/flickr:1", ann="correct", bob="correct")
    pool.label(f"{GOLDFISH}/flickr:100", ann="correct")
    ruled(pool, f"{TENCH}/flickr:0", "incorrect", "correct")
    ruled(pool, f"{TENCH}/flickr:1", "correct", "broken")
    ruled(pool, f"{GOLDFISH}/flickr:101", "correct")
    made = pool.create()
    found = {photo.source_id: (photo.labels, photo.selection_frequency) for photo in made.photos}
    assert found == {
        "0": ({"correct": 1, "incorrect": 2}, 0.333333),
        "100": ({"correct": 1}, 1.0),
        "101": ({}, None),
    }
    assert made.strategy == {"name": "majority", "min_labels": 1, "seed": 0, "ruled": 2}
    assert made.excluded == {"not labeled": 4, "ruled not correct in review": 1}
    made.verify()


def test_a_fresh_panel_measures_what_the_others_chose(pool: Pool) -> None:
    """The votes that chose say 1.0 of everything; the fresh ones say what is to be expected."""
    for number in (0, 1):
        pool.label(f"{TENCH}/flickr:{number}", ann="correct", bob="correct")
    pool.label(f"{GOLDFISH}/flickr:100", ann="incorrect")
    pool.label(f"{TENCH}/flickr:0", panel="fresh", ann="incorrect", eve="correct", fay="correct")
    pool.label(f"{GOLDFISH}/flickr:100", panel="fresh", eve="correct", fay="correct")
    made = pool.create("measured", panel="fresh")
    found = {photo.source_id: (photo.labels, photo.selection_frequency) for photo in made.photos}
    assert found == {"0": ({"correct": 2, "incorrect": 1}, 0.666667), "1": ({}, None)}
    manifest = json.loads((made.root / MANIFEST).read_text("utf-8"))
    assert manifest["strategy"] == {
        "name": "majority",
        "min_labels": 1,
        "seed": 0,
        "panel": "fresh",
    }


def test_a_panel_without_votes_or_without_others_is_named(pool: Pool) -> None:
    pool.label(f"{TENCH}/flickr:0", panel="fresh", ann="correct")
    with pytest.raises(BadInput, match="no labels of panel 'frehs'"):
        pool.create(panel="frehs")
    with pytest.raises(GensetError, match="but in panel fresh, which only measures"):
        pool.create(panel="fresh")
    assert pool.files() == []
