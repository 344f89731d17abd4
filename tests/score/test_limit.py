"""``--limit``: a sample by class, which is never taken for the whole set."""

from pathlib import Path
from typing import Any

import pytest

from genset.core.errors import BadInput
from tests.commands import as_json
from tests.score.colours import BLUE, RED, WNIDS, colours, paint


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """30 photos of a class and 10 of another one."""
    for number in range(40):
        place = int(number >= 30)
        paint(tmp_path / "photos", 2 * place, f"{number:02}.png", (RED, BLUE)[place])
    return tmp_path / "photos"


def score(photos: Path, *words: str, runs: str = "runs") -> Any:
    where = ["--runs", photos.parent / runs, "--cache", photos.parent / "pixels"]
    return as_json("evaluate", photos, *where, "--model", colours(photos.parent), *words)


def images(photos: Path, runs: str) -> list[str]:
    (path,) = (photos.parent / runs).rglob("predictions.csv")
    return [line.partition(",")[0] for line in path.read_text().splitlines()[1:]]


def test_each_class_has_its_share_and_the_same_photos_again(photos: Path) -> None:
    for limit, runs in (("8", "first"), ("8", "again"), ("20%", "share"), ("16", "more")):
        found = score(photos, "--limit", limit, runs=runs)
    eight = images(photos, "first")
    assert [sum(image.startswith(WNIDS[n]) for image in eight) for n in (0, 2)] == [6, 2]
    assert eight == images(photos, "again") == images(photos, "share")
    assert set(eight) < set(images(photos, "more"))  # a larger sample holds the smaller one
    assert found["set"] == "16 of 40 photos of photos"
    (run,) = found["runs"]
    assert run["notes"] == ["16 of 40 photos of photos: a sample by class (--limit)."]


def test_a_sample_is_never_the_whole(photos: Path) -> None:
    part = score(photos, "--limit", "10.0%")
    whole = score(photos)
    assert [found["runs"][0]["top1"]["photos"] for found in (part, whole)] == [4, 40]
    assert part["set_hash"] != whole["set_hash"]
    assert (part["runs"][0]["set_whole"], whole["runs"][0]["notes"]) == ("", [])
    stored = as_json("evaluate", photos, "--runs", photos.parent / "runs")
    assert stored["runs"] == whole["runs"]  # beside which the sample's is not put
    assert score(photos, "--limit", "400") == whole


def test_runs_on_the_largest_sample_stand_for_a_set_that_has_none(photos: Path) -> None:
    other = ["--model", f"{colours(photos.parent)}&name=other"]
    for limit in ("4", "8"):
        score(photos, "--limit", limit, *other)
    where = ["--runs", photos.parent / "runs"]
    pair = as_json("compare", "colours", "other", "--on", photos, *where)
    stored, report = (as_json(command, photos, *where) for command in ("evaluate", "report"))
    assert {pair["set"], stored["set"], report["set"]["name"]} == {"8 of 40 photos of photos"}
    page = as_json("report", photos, *where, "-o", photos.parent / "page.html")["file"]
    assert "genset evaluate photos --limit 8 " in Path(page).read_text("utf-8")
    score(photos)
    assert as_json("evaluate", photos, *where)["set"] == "photos"


@pytest.mark.parametrize("limit", ["0", "-3", "ten", "0%", "101%", "1.5", "0.0%"])
def test_what_is_no_limit_is_refused(photos: Path, limit: str) -> None:
    with pytest.raises(BadInput, match=f"a share such as 10%, not {limit}"):
        score(photos, f"--limit={limit}")
    with pytest.raises(BadInput, match="--limit is for networks"):
        score(photos, "--limit", "8", "--model", "predictions:all.npy")
