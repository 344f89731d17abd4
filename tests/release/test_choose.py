"""Which candidates a release takes."""

from genset.release.choose import majority
from genset.store import stored_candidates, votes
from tests.labeled_workspace import CRANE, GOLDFISH, TABBY, TENCH
from tests.release.conftest import Pool


def chosen(pool: Pool) -> set[str]:
    """The photos of a release made now, as CLASS/ID."""
    return {f"{photo.wnid}/flickr:{photo.source_id}" for photo in pool.create().photos}


def test_only_what_more_labelers_call_correct_than_incorrect_is_taken(pool: Pool) -> None:
    pool.label(f"{TENCH}/flickr:0", ann="correct", bob="correct", eve="incorrect")
    pool.label(f"{TENCH}/flickr:1", ann="correct", bob="incorrect")
    pool.label(f"{GOLDFISH}/flickr:100", ann="incorrect")
    pool.label(f"{GOLDFISH}/flickr:101", ann="correct")
    assert chosen(pool) == {f"{TENCH}/flickr:0", f"{GOLDFISH}/flickr:101"}


def test_unsure_counts_for_neither_side(pool: Pool) -> None:
    pool.label(f"{TENCH}/flickr:0", ann="correct", bob="unsure", eve="unsure")
    pool.label(f"{TENCH}/flickr:1", ann="unsure")
    assert chosen(pool) == {f"{TENCH}/flickr:0"}


def test_a_changed_mind_counts_once_as_it_is_now(pool: Pool) -> None:
    for verdict in ("correct", "correct", "incorrect"):
        pool.label(f"{TENCH}/flickr:0", ann=verdict)
    for verdict in ("incorrect", "unsure", "correct"):
        pool.label(f"{TENCH}/flickr:1", ann=verdict)
    assert chosen(pool) == {f"{TENCH}/flickr:1"}


def test_a_photo_that_is_correct_for_two_classes_goes_to_neither(pool: Pool) -> None:
    pool.label(f"{TENCH}/flickr:0", ann="correct")
    pool.label(pool.also_found_for(GOLDFISH, 0), ann="correct")
    pool.label(f"{TENCH}/flickr:1", ann="correct")
    pool.label(pool.also_found_for(GOLDFISH, 1), ann="incorrect")
    assert chosen(pool) == {f"{TENCH}/flickr:1"}


def test_each_candidate_left_out_is_listed_with_its_reason(pool: Pool) -> None:
    pool.label(f"{TENCH}/flickr:0", ann="correct")
    both = pool.also_found_for(GOLDFISH, 0)
    pool.label(both, ann="correct")
    pool.label(f"{TENCH}/flickr:1", ann="incorrect")
    pool.label(f"{GOLDFISH}/flickr:100", ann="correct")
    with pool.store.session() as session:
        choice = majority(list(session.scalars(stored_candidates())), votes(session))
    assert [candidate.task for candidate in choice.chosen] == [f"{GOLDFISH}/flickr:100"]
    assert choice.left_out == {
        f"{TENCH}/flickr:0": "correct for several classes",
        both: "correct for several classes",
        f"{TENCH}/flickr:1": "not called correct by a majority",
        f"{GOLDFISH}/flickr:101": "not labeled",
        f"{CRANE}/flickr:200": "not labeled",
        f"{CRANE}/flickr:201": "not labeled",
        f"{TABBY}/flickr:300": "not labeled",
        f"{TABBY}/flickr:301": "not labeled",
    }
    assert pool.create().left_out == {
        "correct for several classes": 2,
        "not called correct by a majority": 1,
        "not labeled": 5,
    }
