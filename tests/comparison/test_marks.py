"""Which models answered nearly all photos."""

from pathlib import Path

import pytest

from genset.comparison.marks import answered_in_part
from genset.score.results.results import load_results
from genset.sets.open import open_set
from tests.reporting.sets import score_on
from tests.score.listed import write_list

N = 200


@pytest.mark.parametrize(("lack", "found"), [(0, []), (2, []), (3, ["few"]), (N - 1, ["few"])])
def test_a_model_may_lack_one_photo_in_a_hundred(
    tmp_path: Path, lack: int, found: list[str]
) -> None:
    photos = open_set(str(write_list(tmp_path / "set.csv", list(range(N)))))
    for model, lacking in (("all", []), ("few", photos.ids[:lack])):
        right = set(photos.ids) - set(lacking)
        score_on(photos, tmp_path / "runs", model, right, unreadable=lacking)
    results = load_results(photos, tmp_path / "runs")
    assert [model.label for model in answered_in_part(results)] == found
