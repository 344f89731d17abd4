"""A run's own table in place of its model, on classes of one's own: it has one convention."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.score.colours import GREEN, RED, WNIDS, colours
from tests.score.test_own_classes import genset_says, painted

ONE_EACH = (("Крас", WNIDS[0]), ("cool", WNIDS[2]))
OWN = ("evaluate", "photos", "--taxonomy", "own.toml", "--json")
MAX, SUBSET = ("--pool", "max"), ("--among", "subset")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return painted(tmp_path)


def run(spec: str, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(genset_says(*OWN, *words, "--model", spec))["runs"][0]
    return found


def refused(spec: str, *words: str) -> str:
    said = genset_says(*OWN, *words, "--model", spec, code=2)
    assert "\n" not in said
    return said


def table(here: Path, *words: str) -> Path:
    """The table of a run of the model, by this convention."""
    key = run(colours(here), *words)["key"]
    return here / "runs" / "photos" / f"colours-{key[:12]}" / "predictions.csv"


@pytest.mark.parametrize("words", [(), MAX, SUBSET, (*MAX, *SUBSET)])
def test_by_the_convention_of_its_run_it_is_taken_as_it_is(
    here: Path, words: tuple[str, ...]
) -> None:
    direct = run(colours(here), *words)
    again = run(f"predictions:{table(here, *words)}?name=again", *words)
    for name in ("top1", "top5", "hits", "classes", "masked", "excluded", "mapping"):
        assert again[name] == direct[name], name
    ours, theirs = (
        sorted((here / "runs" / "photos").glob(f"{name}-*/predictions.csv"))[0].read_text()
        for name in ("again", "colours")
    )
    assert ours == theirs
    # What was made of it has its convention too.
    its = next((here / "runs" / "photos").glob("again-*/predictions.csv"))
    assert run(f"predictions:{its}?name=third", *words)["mapping"] == direct["mapping"]


@pytest.mark.parametrize(
    ("had", "asked"),
    [((), MAX), (MAX, ()), ((), SUBSET), (SUBSET, ()), ((*MAX, *SUBSET), SUBSET)],
)
def test_another_convention_is_refused_with_the_mend_and_logits_are_it(
    here: Path, had: tuple[str, ...], asked: tuple[str, ...]
) -> None:
    path = table(here, *had)
    said = refused(f"predictions:{path}", *asked)
    assert f"of a run by --pool {'max' if MAX[1] in had else 'sum'}" in said
    assert f"--among {'subset' if SUBSET[1] in asked else 'all'}: score the model with" in said
    assert "--logits and give the predictions.csv of that run" in said
    assert table(here, *had, "--logits") == path
    direct, again = run(colours(here), *asked), run(f"predictions:{path}?name=again", *asked)
    assert (again["top1"], again["hits"]) == (direct["top1"], direct["hits"])


def test_where_nothing_is_pooled_and_all_outputs_are_of_classes_any_convention_is_the_same(
    here: Path,
) -> None:
    classes = "".join(f'[classes."{name}"]\nimagenet = ["{wnid}"]\n' for name, wnid in ONE_EACH)
    (here / "own.toml").write_text(classes, "utf-8")
    path = table(here)
    assert run(f"predictions:{path}", *MAX)["mapping"]["pool"] == "max"
    assert "cannot become those by" in refused(f"predictions:{path}", *SUBSET)


def test_without_its_record_its_convention_is_not_known(here: Path) -> None:
    path = table(here, *MAX)
    (here / "alone").mkdir()
    for copy in (here / "copy.csv", here / "alone" / "predictions.csv"):
        shutil.copy(path, copy)
        said = refused(f"predictions:{copy}")
        assert f"{copy.name} looks like a run's own predictions.csv" in said
        assert "no run.json beside it says by which --pool and --among" in said
    (here / "alone" / "run.json").write_text('{"loss": 0.1}')  # another program's
    assert "looks like a run's own" in refused(f"predictions:{here}/alone/predictions.csv")
    # Anybody's table of ranked classes has no column with the true ones.
    with path.open(encoding="utf-8") as file:
        rows = [{"image": row["image"], "top1": row["top1"]} for row in csv.DictReader(file)]
    lines = [f"{row['image']},{row['top1']}" for row in rows]
    (here / "mine.csv").write_text("\n".join(["image,top1", *lines]), "utf-8")
    assert (
        run("predictions:mine.csv")["top1"]["correct"]
        == run(colours(here), *MAX)["top1"]["correct"]
    )


def test_on_classes_that_have_changed_since_it_is_refused(here: Path) -> None:
    path = table(here)
    own = (here / "own.toml").read_text("utf-8")
    (here / "own.toml").write_text(own.replace(f', "{WNIDS[1]}"', ""), "utf-8")
    said = refused(f"predictions:{path}")
    assert "is of a run on other classes than" in said
    assert "score the model with --logits" in said


def test_on_imagenet_s_classes_it_is_refused(here: Path) -> None:
    path = table(here)
    (here / "labels.csv").write_text(f"image,wnid\nКрас/0.png,{WNIDS[0]}\n", "utf-8")
    said = genset_says("evaluate", "labels.csv", "--model", f"predictions:{path}", code=2)
    assert "is of a run on the classes of my <b>colours</b>, and " in said
    assert "has ImageNet's: give --taxonomy" in said


@pytest.mark.parametrize(
    "damage",
    [
        {"outputs": ["a"]},
        {"outputs": None},
        {"model_outputs": 10**15},
        {"model_outputs": 1},
        {"pool": "mean"},
        {"taxonomy_hash": 7},
    ],
)
def test_a_record_that_somebody_changed_is_one_line(here: Path, damage: dict[str, Any]) -> None:
    path = table(here)
    record = json.loads(path.with_name("run.json").read_text("utf-8"))
    record["mapping"] |= damage
    path.with_name("run.json").write_text(json.dumps(record), "utf-8")
    said = refused(f"predictions:{path}")
    assert "the run.json beside predictions.csv is not a run's record on own classes" in said


def test_a_run_on_imagenet_s_classes_is_mapped_as_before(here: Path) -> None:
    """Its answers are among all 1,000: with one output a class nothing is summed."""
    for number, colour in enumerate((RED, GREEN)):
        folder = here / "named" / WNIDS[number]
        folder.mkdir(parents=True)
        shutil.copy(here / "photos" / "Крас" / f"{number}.png", folder / f"{colour}.png")
    said = genset_says("evaluate", "named", "--json", "--model", colours(here))
    key = json.loads(said)["runs"][0]["key"]
    spec = f"predictions:runs/named/colours-{key[:12]}/predictions.csv?name=table"
    (here / "two.toml").write_text("".join(f"[classes.{wnid}]\n" for wnid in WNIDS[:2]))
    words = ("evaluate", "named", "--taxonomy", "two.toml", "--json", "--model", spec)
    found = json.loads(genset_says(*words))["runs"][0]
    assert (found["top1"]["correct"], found["mapping"]["among"]) == (2, "all")
    said = genset_says(*words, *SUBSET, code=2)
    assert "those of no class cannot be struck out" in said
