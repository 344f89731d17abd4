"""A run's own table in place of its model, on classes of one's own: it has one convention."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.commands import says
from tests.score.colours import GREEN, RED, WNIDS, colours
from tests.score.test_own_classes import painted

OWN = ("evaluate", "photos", "--taxonomy", "own.toml", "--json")
MAX, SUBSET = ("--pool", "max"), ("--among", "subset")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return painted(tmp_path)


def run(spec: str, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(says(*OWN, *words, "--model", spec))["runs"][0]
    return found


def refused(spec: str, *words: str) -> str:
    said = says(*OWN, *words, "--model", spec, code=2)
    assert "\n" not in said
    return said


def table(here: Path, *words: str) -> Path:
    """The table of a run of the model, by this convention."""
    key = run(colours(here), *words)["key"]
    return here / "runs" / "photos" / f"colours-{key[:12]}" / "predictions.csv"


def test_pooled_answers_are_refused_and_logits_are_the_mend(here: Path) -> None:
    path = table(here)
    said = refused(f"predictions:{path}", *MAX)
    assert f"{path} has the classes of my <b>colours</b>, already pooled: score the model" in said
    assert "with --logits and give the predictions.csv of that run" in said
    assert table(here, "--logits") == path
    direct, again = run(colours(here), *MAX), run(f"predictions:{path}?name=again", *MAX)
    assert (again["top1"], again["hits"]) == (direct["top1"], direct["hits"])


def test_a_run_on_imagenet_s_classes_is_mapped_as_before(here: Path) -> None:
    """Its answers are among all 1,000: with one output a class nothing is summed."""
    for number, colour in enumerate((RED, GREEN)):
        folder = here / "named" / WNIDS[number]
        folder.mkdir(parents=True)
        shutil.copy(here / "photos" / "Крас" / f"{number}.png", folder / f"{colour}.png")
    said = says("evaluate", "named", "--json", "--model", colours(here))
    key = json.loads(said)["runs"][0]["key"]
    spec = f"predictions:runs/named/colours-{key[:12]}/predictions.csv?name=table"
    (here / "two.toml").write_text("".join(f"[classes.{wnid}]\n" for wnid in WNIDS[:2]))
    words = ("evaluate", "named", "--taxonomy", "two.toml", "--json", "--model", spec)
    found = json.loads(says(*words))["runs"][0]
    assert (found["top1"]["correct"], found["mapping"]["among"]) == (2, "all")
    said = says(*words, *SUBSET, code=2)
    assert "those of no class cannot be struck out" in said
