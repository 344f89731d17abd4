"""Which models answered nearly all photos."""

from pathlib import Path

import pytest

from genset.comparison.marks import answered_in_part
from genset.score.results.results import load_results
from genset.sets.open import open_set
from tests.reporting.sets import score_on
from tests.score.listed import write_list

N = 200


def in_part(folder: Path, **lacking: range) -> list[str]:
    """The labels of models that answered in part, of some that lack these photos."""
    photos = open_set(str(write_list(folder / "set.csv", list(range(N)))))
    names = [photo.id for photo in photos.photos]
    for model, places in lacking.items():
        lack = [names[place] for place in places]
        score_on(photos, folder / "runs", model, set(names) - set(lack), unreadable=lack)
    results = load_results(photos, folder / "runs")
    return [model.label for model in answered_in_part(results)]


@pytest.mark.parametrize(("lack", "found"), [(0, []), (2, []), (3, ["few"]), (N - 1, ["few"])])
def test_a_model_may_lack_one_photo_in_a_hundred(
    tmp_path: Path, lack: int, found: list[str]
) -> None:
    assert in_part(tmp_path, all=range(0), few=range(lack)) == found


def test_photos_that_no_model_answered_count_against_none(tmp_path: Path) -> None:
    assert in_part(tmp_path, one=range(50), two=range(50)) == []


def test_models_that_answered_different_photos_are_all_left_out(tmp_path: Path) -> None:
    assert sorted(in_part(tmp_path, one=range(100), two=range(100, N))) == ["one", "two"]
