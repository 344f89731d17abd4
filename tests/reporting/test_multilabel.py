"""What a report says where it is known what all photos show."""

import json
from pathlib import Path

import pytest

from genset.core.errors import BadInput
from genset.reporting.collect import collect
from genset.reporting.forms import as_markdown, report_json
from genset.sets.open import open_set
from genset.sets.photos import PhotoSet
from genset.sets.truths.store import give_truth
from tests.reporting.sets import WNIDS, release_of, release_of_several, report, score_on

PHOTOS = 24


@pytest.fixture
def photos(tmp_path: Path) -> PhotoSet:
    return release_of(tmp_path / "small", PHOTOS)


@pytest.fixture
def runs(tmp_path: Path, photos: PhotoSet) -> Path:
    """`single` has 16 photos right; `several` has 12, and names what else the others show."""
    runs = tmp_path / "runs"
    score_on(photos, runs, "single", set(photos.ids[:16]))
    score_on(photos, runs, "several", set(photos.ids[:12]))
    return runs


def truth_file(path: Path, photos: PhotoSet, unclear: bool = False) -> Path:
    """Photos 12 to 15 are right as they are, later ones show what wrong answers name, too."""
    beside = "unclear" if unclear else "correct"
    content: dict[str, dict[str, list[str]]] = {}
    for n, photo in enumerate(photos.photos[:-1]):
        content[photo.id] = {"correct": [photo.wnid]}
        if n >= 12 and n % 2:
            content[photo.id].setdefault(beside, []).append(WNIDS[-6])
    content["of another set"] = {"correct": [WNIDS[0]]}
    path.write_text(json.dumps(content))
    return path


def test_a_report_shows_models_by_the_truth(tmp_path: Path, photos: PhotoSet, runs: Path) -> None:
    give_truth(photos, truth_file(tmp_path / "all.json", photos), runs)
    page = report(photos, runs)
    assert "By all right classes" in page.text
    assert ") says which classes are right for 23 of 24 photos of small" in page.text
    assert "1 photo without a right class is left out (of 1 it says nothing)." in page.text
    assert "Ranks by each truth" in page.text
    assert "--multilabel all.json" in page.text
    data = collect(photos, runs)
    by_label = {model.label: model for model in data.models}
    real = {label: model.real for label, model in by_label.items()}
    counts = {label: (each.correct, each.photos) for label, each in real.items() if each}
    assert counts == {"single": (16 + 3, 23), "several": (12 + 5, 23)}
    found = report_json(data)
    assert found["by_truth"]["ranks"]["single"]["real"]["place"] == 1
    (pair,) = found["by_truth"]["pairs"]["real"]
    assert (pair["photos"], pair["only_first"], pair["only_second"]) == (23, 2, 0)
    (single, _) = found["models"]
    assert single["multilabel"]["real"]["correct"] == 19
    assert single["multilabel"]["none_right"] == 1
    text = as_markdown(data)
    assert "### By all right classes" in text
    assert "It names 1 photo that small has not." in text
    assert "All labels (ReaL, %)" in text
    assert "| single | ReaL | 82.6 |" in text
    assert "| several | 2 (1 to 2) | 2 (1 to 2) |" in text


def test_unclear_classes_count_both_ways(tmp_path: Path, photos: PhotoSet, runs: Path) -> None:
    give_truth(photos, truth_file(tmp_path / "all.json", photos, unclear=True), runs)
    text = as_markdown(collect(photos, runs))
    assert "| several | ReaL | 52.2 |" in text  # 12 of 23
    assert "| several | multi-label, unclear counted right | 73.9 |" in text  # 17 of 23
    assert "| several | multi-label, unclear left out | 66.7 |" in text  # 12 of 18
    assert "| single | multi-label, unclear left out | 80.0 |" in text  # 16 of 20: its own photos
    assert "| Model | original label | ReaL | multi-label, unclear counted right |" in text


def test_a_truth_of_no_or_one_model_has_no_ranks(tmp_path: Path, photos: PhotoSet) -> None:
    runs = tmp_path / "alone"
    give_truth(photos, truth_file(tmp_path / "all.json", photos), runs)
    assert ") says which classes are right for 23 of 24 photos" in report(photos, runs).text
    score_on(photos, runs, "single", set(photos.ids[:16]))
    page = report(photos, runs)
    assert "By all right classes" in page.text
    assert "Ranks by" not in page.text


def test_a_release_has_a_truth_of_its_own(tmp_path: Path) -> None:
    """`maker` said further classes, which were asked about, and is right by them."""
    said = WNIDS[-6]  # what it answers to photos that it has not right
    shown: list[dict[str, list[str]]] = [
        *({said: ["maker"]} for _ in range(6)),
        *({said: ["maker", "other"]} for _ in range(6)),
        *({said: ["maker", "unclear"]} for _ in range(4)),
        *({} for _ in range(8)),
    ]
    runs = tmp_path / "runs"
    photos = release_of_several(tmp_path / "small", shown, {})
    own = {photo.id for photo in photos.photos if photo.wnid in WNIDS[16:20]}
    key = score_on(photos, runs, "maker", own).key
    photos = release_of_several(tmp_path / "small", shown, {"maker": key})
    run = score_on(photos, runs, "maker", own)
    score_on(photos, runs, "judge", set(photos.ids), weights="sha256:2")
    assert run.key == key
    assert photos.truth is not None
    assert photos.truth.is_frozen
    again = open_set(str(photos.root), hashes=tmp_path / "hashes")
    assert open_set(str(photos.root), hashes=tmp_path / "hashes").truth == again.truth
    page = report(photos, runs)
    named = f"small (sha256 {photos.truth.sha256[:12]})"
    assert f"{named} says which classes are right for 24 of 24 photos of small" in page.text
    assert "Classes were proposed by maker, which may favour them." in page.text
    assert "--multilabel" not in page.text
    with pytest.raises(BadInput, match="small has a truth of its own"):
        give_truth(photos, truth_file(tmp_path / "all.json", photos), runs)
