"""What all leading models get wrong: which photos, how severe, in which order."""

import json
from dataclasses import replace
from pathlib import Path

from genset.comparison.missed import MissedByAll, leading, missed_by_all
from genset.comparison.pairs import compare
from genset.score.results.results import load_results
from genset.sets.open import open_set
from genset.sets.truths.files import read_truth
from tests.score.colours import WNIDS
from tests.score.listed import write_list, write_npy
from tests.score.scoring import evaluate

INDEX = {wnid: place for place, wnid in enumerate(WNIDS)}
TABBY, TIGER_CAT, RETRIEVER, TEAPOT, TENCH = (
    INDEX[wnid] for wnid in ("n02123045", "n02123159", "n02099601", "n04398044", "n01440764")
)


def missed(
    folder: Path,
    truth: list[int],
    *answers: list[int],
    right: object = None,
) -> MissedByAll:
    """What models with these first answers get wrong together."""
    photos = write_list(folder / "set.csv", truth)
    specs = []
    for number, said in enumerate(answers):
        rows = [[first, *(n for n in range(5) if n != first)][:5] for first in said]
        specs.append(write_npy(folder / f"m{number}.npy", rows))
    runs = folder / "runs"
    evaluate(open_set(str(photos)), specs, runs)
    results = load_results(open_set(str(photos)), runs)
    if right is not None:
        (folder / "right.json").write_text(json.dumps(right))
        truth_of_set = read_truth(folder / "right.json", results.photos)
        results = replace(results, photos=replace(results.photos, truth=truth_of_set))
    models = leading(results, compare(results, results.models))
    return missed_by_all(results, models)


def test_an_answer_says_how_far_it_is_from_the_nearest_right_class(tmp_path: Path) -> None:
    right = {
        "photo0.jpg": [WNIDS[TEAPOT], WNIDS[TABBY]],
        "photo1.jpg": [WNIDS[TABBY], WNIDS[RETRIEVER]],
        "photo2.jpg": [],
        "photo3.jpg": {"correct": [WNIDS[TABBY]], "unclear": [WNIDS[TEAPOT]]},
    }
    said = [TIGER_CAT, RETRIEVER, TEAPOT, TEAPOT]
    found = missed(tmp_path, [TABBY] * 4, said, said, said, right=right)
    # One photo has the answer among its right classes, one among the unclear ones, one has none.
    assert (found.photos, found.without) == (3, 1)
    (only,) = found.missed
    assert (only.image, only.right) == ("photo0.jpg", (WNIDS[TABBY], WNIDS[TEAPOT]))
    assert [each.distance for each in only.answers] == [1, 1, 1]
    assert (only.common, only.agreeing) == (WNIDS[TIGER_CAT], 3)


def test_the_best_three_lead_and_all_that_cannot_be_told_apart_from_the_best(
    tmp_path: Path,
) -> None:
    truth = list(range(600))

    def right_on(count: int) -> list[int]:
        return [place if place < count else (place + 1) % 1000 for place in truth]

    found = missed(tmp_path, truth, *map(right_on, (550, 300, 280, 100)))
    assert len(found.leading) == 3
    assert len(found.missed) == 50
    for name in ("far", "more"):
        (tmp_path / name).mkdir()
    assert missed(tmp_path / "far", truth, *map(right_on, (550, 0))).leading == ("m0",)
    near = missed(tmp_path / "more", truth, *map(right_on, (550, 549, 548, 547, 100)))
    assert len(near.leading) == 4
