"""Which candidates a release takes."""

import pytest

from genset.core.errors import BadInput, GensetError
from genset.release.candidates import read_table
from genset.release.choose import ReleasePlan, choose
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


def test_a_panel_without_votes_or_without_others_is_named(pool: Pool) -> None:
    pool.label(f"{TENCH}/flickr:0", panel="fresh", ann="correct")
    with pytest.raises(BadInput, match="no labels of panel 'frehs'"):
        pool.create(panel="frehs")
    with pytest.raises(GensetError, match="but in panel fresh, which only measures"):
        pool.create(panel="fresh")
    assert pool.files() == []
