"""`genset report SET SET ...`: the same models on several sets, side by side."""

import json
from collections.abc import Mapping, Sequence
from csv import DictReader
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from genset.classes import imagenet1k
from genset.cli import cli
from genset.sets.open import open_set
from genset.sets.photos import PhotoSet
from tests.commands import says
from tests.latex import compile_latex
from tests.reporting.sets import Page, score_on
from tests.score.listed import WNIDS, write_list, write_npy

PLAIN = 60  # classes of three photos in the plain sets
PHOTOS = 120
MODELS = {"best": 0.95, "good": 0.9, "fair": 0.83, "weak": 0.77, "worst": 0.7}


def printed(*words: object) -> str:
    """What `genset report` prints."""
    return says("report", *map(str, words))


def numbers(*words: object) -> Any:
    """What the JSON has of the first other set."""
    return json.loads(printed(*words, "--json"))["sets"][0]


def ways(*words: object) -> dict[str, Any]:
    """The ways in which the first other set is compared, by what models choose among."""
    return {way["among"]: way for way in numbers(*words)["ways"]}


def refused(*words: object) -> str:
    done = CliRunner().invoke(cli, ["report", *map(str, words)])
    assert done.exit_code != 0, done.output
    return str(done.exception)


def listed(folder: Path, name: str, places: Sequence[int]) -> PhotoSet:
    """A set that is a list of photos, in a folder of its own, which names it."""
    (folder / name).mkdir()
    return open_set(str(write_list(folder / name / "labels.csv", places)))


def keep(photos: PhotoSet, shares: Mapping[str, float]) -> None:
    """Keep runs under `runs`, each right on a share of the photos drawn with a seed."""
    for number, (model, share) in enumerate(shares.items()):
        rng = np.random.default_rng([number, len(photos)])
        right = {photo.id for photo in photos.photos if rng.random() < share}
        score_on(photos, Path("runs"), model, right, weights=f"sha256:{model:0<8}")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def two(here: Path) -> tuple[str, str]:
    """Five models on two sets of 60 classes, of which 50 are in both."""
    first = listed(here, "old", [place for place in range(PLAIN) for _ in range(3)])
    second = listed(here, "new", [place for place in range(10, PLAIN + 10) for _ in range(2)])
    keep(first, MODELS)
    keep(second, {name: share - 0.12 for name, share in MODELS.items()})
    return "old/labels.csv", "new/labels.csv"


def test_the_first_set_has_the_others_beside_it(here: Path, two: Sequence[str]) -> None:
    before = sorted(here.rglob("*"))
    markdown = printed(*two, "--format", "markdown")
    numbers(*two)
    assert sorted(here.rglob("*")) == before
    assert printed(*two) == "report-old-new.html\n"
    page = Page(Path("report-old-new.html"))
    assert page.text.startswith("old – genset report")
    for form in (page.text, markdown):
        assert "Sets side by side" in form
        assert "mean of 5 models: −" in form
        assert "both have, each counted once: 150 photos (old) and 100 (new)." in form
    assert "genset report old/labels.csv new/labels.csv" in page.text
    assert "sets" not in json.loads(printed(two[0], "--json"))
    text, table, latex = (printed(*two, "--format", form) for form in ("text", "csv", "latex"))
    rows = [row for row in DictReader(StringIO(table)) if row["table"].endswith("new against old")]
    change = ways(*two)["all"]["models"][0]["difference"]["difference"]
    found = [float(rows[0][f"difference_{end}"]) for end in ("mean", "low", "high")]
    assert found == [change["value"], *change["interval"].values()]
    assert (
        "mean of 5 models: −" in text and "best & 95.0 & 85.8 & $-$5.0 ($-$12.7 to +2.3)" in latex
    )
    assert "Overfull" not in compile_latex(latex, here)


def test_a_change_is_the_mean_over_shared_classes(here: Path, two: Sequence[str]) -> None:
    """Computed again from the kept tables, without a line of genset's."""
    found = numbers(*two)
    assert (found["classes"], found["photos"]) == (50, [150, 100])
    models = ways(*two)["all"]["models"]
    assert [model["label"] for model in models] == list(MODELS)
    for model in models:
        rights = [right_by_class(name, model["label"]) for name in ("old", "new")]
        for score, right in zip((model["first"], model["second"]), rights, strict=True):
            hits = [hit for hits in right.values() for hit in hits]
            assert score["accuracy"]["correct"] == sum(hits)
            assert score["accuracy"]["photos"] == len(hits)
        shared = sorted(rights[0].keys() & rights[1].keys())
        gaps = [np.mean(rights[1][wnid]) - np.mean(rights[0][wnid]) for wnid in shared]
        change = model["difference"]["difference"]
        assert change["value"] == pytest.approx(np.mean(gaps))
        low, high = change["interval"]["low"], change["interval"]["high"]
        assert low < np.mean(gaps) < high
        # The same number by the normal approximation over classes.
        wide = 2 * 1.96 * np.std(gaps) / np.sqrt(len(gaps))
        assert high - low == pytest.approx(wide, rel=0.12)
        row = f"| {model['label']} | {100 * model['first']['accuracy']['share']:.1f} ("
        assert row in printed(*two, "--format", "markdown")


def right_by_class(name: str, label: str) -> dict[str, list[bool]]:
    (table,) = Path("runs", name).glob(f"{label}-*/predictions.csv")
    rows = [line.split(",") for line in table.read_text().splitlines()[1:]]
    found: dict[str, list[bool]] = {}
    for _, wnid, first, *_ in rows:
        found.setdefault(wnid, []).append(wnid == first)
    return found


def test_models_are_known_by_their_weights_and_the_latest_run_counts(here: Path) -> None:
    """`same` is called otherwise on the second set, where another model has its name."""
    first = listed(here, "old", range(40))
    listed(here, "new", range(40))
    Path("new/labels.csv").write_text(Path("new/labels.csv").read_text().replace("photo", "p"))
    second = open_set("new/labels.csv")
    for photos, name, weights, right, month in (
        (first, "same", "sha256:aaaaaaaa1", 30, 1),
        (second, "renamed", "sha256:aaaaaaaa1", 20, 3),
        (second, "renamed before", "sha256:aaaaaaaa1", 25, 2),
        (second, "same", "sha256:bbbbbbbb2", 10, 1),
    ):
        at = f"2026-0{month}-01T00:00:00+00:00"
        score_on(photos, Path("runs"), name, set(photos.ids[:right]), weights=weights, at=at)
    way = ways("old/labels.csv", "new/labels.csv")["all"]
    table = [
        [score and score["accuracy"]["correct"] for score in (model["first"], model["second"])]
        for model in way["models"]
    ]
    assert table == [[30, 20], [None, 10]]
    assert [model["missing"] for model in way["models"]] == ["", "run"]
    text = printed("old/labels.csv", "new/labels.csv", "--format", "markdown")
    assert "Without a change, for it was not scored on both sets: same." in text


def test_a_flagged_model_changes_no_other_model_s_numbers(here: Path, two: Sequence[str]) -> None:
    """Its answers on one set are in reversed order."""
    before = numbers(*two)
    for name, turn in (("old", 1), ("new", -1)):
        places = [WNIDS.index(photo.wnid) for photo in open_set(f"{name}/labels.csv").photos]
        write_npy(Path(name, "odd.npy"), [[place, 900, 901, 902][::turn] for place in places])
        evaluate(name, f"{name}/odd.npy")
    after = numbers(*two)
    assert after["flagged"] == ["odd"]
    assert {**after, "flagged": []} == before
    text = printed(*two, "--format", "markdown")
    assert "cannot be right as a whole (--include-flagged counts it): odd." in text
    among = ways(*two, "--include-flagged")["all"]["models"]
    assert "odd" in [model["label"] for model in among]


def test_a_model_in_part_changes_no_others(here: Path, two: Sequence[str]) -> None:
    """`part` answered on the new set the photos alone that it has right, and is the best model."""
    before = ways(*two)["all"]
    for name in ("old", "new"):
        photos = open_set(f"{name}/labels.csv")
        right = set(photos.ids[::2])
        lacks = sorted(set(photos.ids) - right) if name == "new" else []
        score_on(photos, Path("runs"), "part", right, weights="sha256:part", unreadable=lacks)
    after = ways(*two)["all"]
    (part,) = (model for model in after["models"] if model["label"] == "part")
    assert (part["first"]["part"], part["second"]["part"]) == (None, [60, 120])
    assert (part["difference"], part["missing"]) == (None, "part")
    assert [model for model in after["models"] if model != part] == before["models"]
    assert after["mean"] == before["mean"]
    text = printed(*two, "--format", "markdown")
    assert "Without a change, for it did not answer all photos: part." in text
    assert "answered 60 of 120 photos" in text


def test_a_model_lacks_no_photos_of_classes_that_it_was_not_asked_about(here: Path) -> None:
    """It lacks photos of classes that the other set does not have."""
    first, second = listed(here, "old", range(100)), listed(here, "new", range(50))
    for name, lacks in (("whole", []), ("half", first.ids[50:])):
        right = set(first.ids[:40])
        score_on(first, Path("runs"), name, right, weights=f"sha256:{name}", unreadable=lacks)
        score_on(second, Path("runs"), name, set(second.ids[:30]), weights=f"sha256:{name}")
    for way in ways("old/labels.csv", "new/labels.csv").values():
        assert [model["missing"] for model in way["models"]] == ["", ""]


def test_sets_without_a_common_class_are_not_compared(here: Path) -> None:
    keep(listed(here, "old", range(10)), {"mine": 0.5})
    keep(listed(here, "new", range(10, 20)), {"mine": 0.5})
    words = ("old/labels.csv", "new/labels.csv")
    assert numbers(*words)["ways"] == []
    assert "old and new have no class in common." in printed(*words, "--format", "markdown")


def test_what_cannot_be_is_one_line(two: Sequence[str]) -> None:
    assert "are the same photos: name each set once" in refused(two[0], two[0])
    said = refused(*two, "--lower", "nobody", "--upper", "x")
    assert "no model 'nobody' was scored on old" in said
    assert "\n" not in said


def test_sets_of_one_name_are_told_apart_by_their_folders(here: Path) -> None:
    for number, name in enumerate(("x", "y", "x/z")):
        (here / name).mkdir()
        photos = open_set(str(write_list(here / name / "list.csv", range(number, 30))))
        keep(photos, {"mine": 0.8})
    found = json.loads(printed("x/list.csv", "y/list.csv", "x/z/list.csv", "--json"))["sets"]
    assert [other["name"] for other in found] == ["list (y)", "list (z)"]


# Some of the 1,000 classes: two ways to score, which never share a table


def evaluate(name: str, file: str, *words: str) -> None:
    """Count answers on a set by the command line."""
    says("evaluate", f"{name}/labels.csv", "--model", f"predictions:{file}", *words)


def scores_on(truth: NDArray[np.int64], seed: int) -> NDArray[np.float32]:
    """N x 1,000 logits of a model that is right on a part of the photos."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(len(truth), 1000)).astype(np.float32)
    logits[np.arange(len(truth)), truth] += 3.2
    return logits


def test_both_ways_are_what_counting_by_hand_gives(here: Path) -> None:
    """On a set of 40 classes and one of 30, of which 20 are in both."""
    rng = np.random.default_rng(0)
    chosen = rng.permutation(1000)
    classes = {"a": np.sort(chosen[:40]), "r": np.sort(chosen[20:50])}
    truths = {name: rng.choice(own, PHOTOS) for name, own in classes.items()}
    all_logits = {}
    for number, (name, truth) in enumerate(truths.items()):
        Path(name).mkdir()
        write_list(Path(name, "labels.csv"), truth)
        all_logits[name] = logits = scores_on(truth, number)
        shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        for model, array, words in (
            ("deep", shares, ("--k", "1000")),
            ("kept", logits, ("--logits",)),
            ("short", logits, ()),
        ):
            np.save(f"{name}/{model}.npy", array)
            evaluate(name, f"{name}/{model}.npy", *words)
    found = ways("a/labels.csv", "r/labels.csv")
    shared = np.intersect1d(truths["a"], truths["r"])
    assert numbers("a/labels.csv", "r/labels.csv")["classes"] == len(shared)
    rows = {among: {m["label"]: m for m in way["models"]} for among, way in found.items()}
    for side, (name, truth) in zip(("first", "second"), truths.items(), strict=True):
        logits, inside = all_logits[name], np.isin(truth, shared)
        among_all = int((logits.argmax(axis=1) == truth).sum())
        own = (shared[logits[:, shared].argmax(axis=1)] == truth)[inside]
        for label in ("deep", "kept", "short"):
            assert rows["all"][label][side]["accuracy"]["correct"] == among_all
        for label in ("deep", "kept"):
            accuracy = rows["subset"][label][side]["accuracy"]
            assert (accuracy["correct"], accuracy["photos"]) == (int(own.sum()), len(own))
        assert rows["subset"]["short"][side] is None
        by_class = [own[truth[inside] == place].mean() for place in shared]
        for label in ("deep", "kept"):
            matched = rows["subset"][label]["difference"][side]
            if matched is not None:  # else too few classes deviate from the others
                assert matched["value"] == pytest.approx(np.mean(by_class))
    assert rows["subset"]["short"]["missing"] == "answers"


def test_the_ways_are_named_and_sets_of_all_classes_have_one(here: Path) -> None:
    truths = {
        "val": np.arange(1000),
        "more": np.arange(1000)[::-1],
        "a": np.repeat(np.arange(0, 1000, 5), 2),
    }
    for number, (name, truth) in enumerate(truths.items()):
        Path(name).mkdir()
        write_list(Path(name, "labels.csv"), truth)
        np.save(f"{name}/mine.npy", np.argsort(-scores_on(truth, number), axis=1))
        evaluate(name, f"{name}/mine.npy")
    text = printed("val/labels.csv", "a/labels.csv", "--format", "markdown")
    assert "Choosing among all 1,000 classes: " in text
    assert "Choosing among these 200 classes alone: " in text
    assert "Answers that were computed elsewhere are joined by name alone: mine." in text
    text = printed("val/labels.csv", "more/labels.csv", "--format", "markdown")
    assert "Choosing among" not in text
    assert list(ways("val/labels.csv", "more/labels.csv")) == ["all"]


def test_a_model_of_fewer_classes_is_in_no_table_of_all_thousand(here: Path) -> None:
    """It knows the set's 20 classes alone, so its first answers are the easier kind."""
    for name, places in (("a", range(20)), ("b", range(20))):
        Path(name).mkdir()
        write_list(Path(name, "labels.csv"), [*places, *places, *([0] if name == "b" else [])])
    Path("own.txt").write_text("\n".join(WNIDS[:20]) + "\n")
    for name, photos in (("a", 40), ("b", 41)):
        answers = np.arange(photos)[:, None] % 20
        np.save(f"{name}/small.npy", answers)
        spec = f"predictions:{name}/small.npy?classes=own.txt"
        says("evaluate", f"{name}/labels.csv", "--model", spec)
    found = ways("a/labels.csv", "b/labels.csv")
    (among_all,), (among_own,) = (found[among]["models"] for among in ("all", "subset"))
    assert (among_all["first"], among_all["missing"]) == (None, "classes")
    assert among_own["first"]["accuracy"]["correct"] == 40
    text = printed("a/labels.csv", "b/labels.csv", "--format", "markdown")
    assert "for it chooses among other classes than the 1,000: small." in text


# Classes of one's own: each number says by which convention it is

CLASSES = [f"c{number}" for number in range(12)]
WITHOUT = CLASSES[9:]  # no output is of them
EACH = 3  # photos of a class


@pytest.fixture
def own(here: Path) -> Path:
    """Two sets of one's own classes, and two models' logits on them."""
    wnids = [cls.wnid for cls in imagenet1k()]
    lines = ['name = "mine"']
    for number, id in enumerate(CLASSES):
        lines += [f"[classes.{id}]", f"imagenet = ['{wnids[number]}']" if id not in WITHOUT else ""]
    Path("mine.toml").write_text("\n".join(lines))
    for seed, name in enumerate(("v1", "v2")):
        Path(name).mkdir()
        rows = [f"{id}/{name}-{n}.jpg,{id}" for id in CLASSES for n in range(EACH)]
        Path(name, "labels.csv").write_text("\n".join(["image,wnid", *rows]))
        for model in ("one", "two", "most"):
            rng = np.random.default_rng([seed, len(model), ord(model[0])])
            truth = np.repeat(np.arange(len(CLASSES)), EACH)
            logits = rng.normal(size=(len(truth), 1000)).astype(np.float32)
            logits[np.arange(len(truth)), truth] += 2.6
            np.save(f"{name}/{model}.npy", logits)
    return here


def score(name: str, model: str, *words: str) -> None:
    """Count a model's answers on a set by the command line."""
    spec = f"predictions:{name}/{model}.npy"
    own = ["--taxonomy", "mine.toml", *words]
    says("evaluate", f"{name}/labels.csv", "--model", spec, *own)


OWN = ("v1/labels.csv", "v2/labels.csv", "--taxonomy", "mine.toml")


def test_each_convention_has_a_table_and_means_of_its_own(own: Path) -> None:
    for name in ("v1", "v2"):
        score(name, "one")
        score(name, "most", "--pool", "max")
        for words in ([], ["--among", "subset"]):
            score(name, "two", *words)
    found = ways(*OWN)
    rows = {among: {m["label"]: m for m in way["models"]} for among, way in found.items()}
    assert {among: sorted(models) for among, models in rows.items()} == {
        "all": ["one", "two (all)"],
        "subset": ["two (subset)"],
        "all, max": ["most"],
    }
    counted = len(CLASSES) - len(WITHOUT)
    for side, name in (("first", "v1"), ("second", "v2")):
        truth = np.repeat(np.arange(len(CLASSES)), EACH)
        counts = truth < counted
        logits = np.load(f"{name}/two.npy")
        for among, answers in (
            ("all", logits.argmax(axis=1)),
            ("subset", logits[:, :counted].argmax(axis=1)),
        ):
            right = int((answers == truth)[counts].sum())
            assert rows[among][f"two ({among})"][side]["accuracy"]["correct"] == right
    assert found["all"]["mean"]
    assert found["subset"]["mean"] is None
    text = printed(*OWN, "--format", "markdown")
    assert "Where models answer among all their outputs (all): " in text
    assert "Where models answer among the set’s classes alone (subset): " in text
    assert "by the largest output of a class (max)" in text
