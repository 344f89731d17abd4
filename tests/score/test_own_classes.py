"""Models on classes of one's own: mapped, counted, kept, said; and compared and reported on."""

import csv
import io
import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from timm.data import ImageNetInfo

import genset
from genset.classes import read_taxonomy
from genset.core.errors import BadInput
from genset.db import Verdict
from genset.db.taxonomies import store_taxonomy
from genset.models.classes import class_order, timm_list
from genset.release.freeze import create
from genset.score.results.runs import find_runs
from tests.commands import says
from tests.labeled_workspace import add_candidate, labeled_workspace, vote
from tests.score.colours import BLUE, GREEN, RED, WNIDS, Colours, colours

# The model answers 0 to red, 1 to green, 2 to blue. "Крас" is red or green; the deer has no output.
CLASSES = f"""
name = "my <b>colours</b>"
[classes."Крас"]
name = "red & <i>green</i>"
imagenet = ["{WNIDS[0]}", "{WNIDS[1]}"]
[classes.cool]
imagenet = ["{WNIDS[2]}"]
[classes.deer]
name = "deer"
"""
PHOTOS = {"Крас": (RED, GREEN, BLUE), "cool": (BLUE, BLUE), "deer": (RED,)}


def head(num_classes: int) -> Colours:
    """The same model with another head: what a spec names as its architecture."""
    return Colours(num_classes)


def with_head(here: Path, *classes: str) -> str:
    """A spec of the model with a head of these classes."""
    (here / "head.txt").write_text("\n".join(["# not ImageNet", *classes]), "utf-8")
    network = f"{__name__}:head&classes=head.txt"
    return colours(here, classes=len(classes), name="head.pth", network=network)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return painted(tmp_path)


def painted(folder: Path) -> Path:
    """A folder with photos/ and own.toml, the classes that they are of."""
    for id, colours_of_it in PHOTOS.items():
        (folder / "photos" / id).mkdir(parents=True)
        for number, colour in enumerate(colours_of_it):
            Image.new("RGB", (48, 40), colour).save(folder / "photos" / id / f"{number}.png")
    (folder / "own.toml").write_text(CLASSES, "utf-8")
    return folder


def evaluated(here: Path, *words: str, spec: str = "") -> dict[str, Any]:
    said = says(
        "evaluate", "photos", "--taxonomy", "own.toml", "--json", *words,
        "--model", spec or colours(here),
    )  # fmt: skip
    run: dict[str, Any] = json.loads(said)["runs"][0]
    return run


def test_a_model_of_imagenet_is_scored_on_classes_that_hold_its_own(here: Path) -> None:
    run = evaluated(here)
    assert (run["top1"]["correct"], run["top1"]["photos"], run["masked"]) == (4, 5, 1)
    assert run["top5"] is None
    assert run["mapping"]["outputs"] == {"Крас": WNIDS[:2], "cool": [WNIDS[2]]}
    assert run["mapping"]["without"] == {"deer": 1}
    assert run["mapping"]["taxonomy"] == "my <b>colours</b>"
    assert run["mapping"]["taxonomy_hash"].startswith("sha256:")
    said = says("evaluate", "photos", "--taxonomy", "own.toml", "--model", colours(here))
    assert (
        ": 2 of 3 classes mapped to 3 of the model's 1,000 outputs (probabilities summed)" in said
    )
    assert "no output for deer (1 photo): 1 photo not counted" in said
    # Other conventions are other runs.
    few = evaluated(here, "--among", "subset")
    assert len({run["key"], evaluated(here, "--pool", "max")["key"], few["key"]}) == 3
    assert (few["classes"], run["classes"]) == (2, 2 + 997)
    (table,) = (here / "runs").glob(f"photos/*{few['key'][:12]}/predictions.csv")
    rows = list(csv.DictReader(table.read_text("utf-8").splitlines()))
    assert {row["top1"] for row in rows} == {"Крас", "cool"}
    assert all(float(row["p1"]) + float(row["p2"]) == pytest.approx(1, abs=1e-5) for row in rows)


def test_indices_of_a_model_of_these_classes_are_not_taken_for_imagenets(here: Path) -> None:
    np.save(here / "own.npy", np.array([[0, 1], [1, 2], [2, 0], [0, 2], [1, 0], [2, 1]]))
    words = ("evaluate", "photos", "--taxonomy", "own.toml", "--model")
    said = says(*words, "predictions:own.npy", code=2)
    assert "without classes= they mean ImageNet's" in said
    np.save(here / "empty.npy", np.zeros((0, 2), int))
    assert "empty.npy is 0 x 2 of int64" in says(*words, "predictions:empty.npy", code=2)
    (here / "list.txt").write_text("# not ImageNet\nКрас\ncool\ndeer\n", "utf-8")
    run = evaluated(here, spec="predictions:own.npy?classes=list.txt")
    assert run["mapping"]["outputs"] == {"Крас": ["Крас"], "cool": ["cool"], "deer": ["deer"]}
    with pytest.raises(BadInput, match="they mean ImageNet's"):
        genset.evaluate(
            here / "photos", predictions=np.load(here / "own.npy"), taxonomy=here / "own.toml"
        )
    np.save(here / "scores.npy", np.eye(3)[[0, 1, 2, 0, 1, 2]] + 0.5)
    assert "say &classes=" in says(*words, "predictions:scores.npy", code=2)
    (here / "classes.csv").write_text("wnid,index,name\nКрас,0,a\ncool,1,b\ndeer,2,c\n", "utf-8")
    for file in ("classes.csv", "own.toml"):
        run = evaluated(here, spec=f"predictions:scores.npy?classes={file}")
        assert (run["top1"]["correct"], run["top1"]["photos"]) == (3, 6)


def test_a_table_may_call_classes_as_their_models_do(here: Path) -> None:
    text = CLASSES.replace("[classes.cool]\n", '[classes.cool]\noutputs = ["Blue Things"]\n')
    (here / "own.toml").write_text(text, "utf-8")
    rows = [f"{id}/{n}.png,Blue Things" for id in PHOTOS for n in range(len(PHOTOS[id]))]
    (here / "named.csv").write_text("\n".join(["image,top1", *rows]), "utf-8")
    run = evaluated(here, spec="predictions:named.csv")
    assert (run["top1"]["correct"], run["top1"]["photos"]) == (2, 6)
    (here / "named.csv").write_text("\n".join(["image,top1", rows[0] + "!"]), "utf-8")
    words = ("evaluate", "photos", "--taxonomy", "own.toml", "--model", "predictions:named.csv")
    said = says(*words, code=2)
    assert "'Blue Things!' is no class of my <b>colours</b>, nor of ImageNet" in said
    assert "classes=FILE" in said


def test_ranked_classes_are_taken_where_each_has_one_output(here: Path) -> None:
    text = CLASSES.replace(f', "{WNIDS[1]}"', "")
    (here / "own.toml").write_text(text, "utf-8")
    np.save(here / "best.npy", np.array([[0, 1, 2, 3, 4]] * 6))
    run = evaluated(here, spec="predictions:best.npy")
    assert (run["top1"]["correct"], run["top1"]["photos"], run["top5"]) == (3, 5, None)
    among = ("--taxonomy", "own.toml", "--among", "subset", "--model", "predictions:best.npy")
    assert "those of no class cannot be struck out" in says("evaluate", "photos", *among, code=2)
    with_own = "image,top1,top2\n" + "".join(
        f"{id}/{n}.png,cool,Крас\n" for id in ("Крас", "cool") for n in range(len(PHOTOS[id]))
    )
    (here / "own.csv").write_text(with_own, "utf-8")
    run = evaluated(here, spec="predictions:own.csv")
    assert (run["top1"]["correct"], run["hits"]) == (2, [2, 3])


def test_a_head_of_its_own_answers_by_equal_ids(here: Path) -> None:
    run = evaluated(here, spec=with_head(here, "Крас", "other", "cool", "deer"))
    # red: the first class; green: "other", which is wrong; blue: cool
    assert (run["top1"]["correct"], run["top1"]["photos"], run["masked"]) == (3, 6, 0)
    assert run["mapping"]["outputs"] == {"Крас": ["Крас"], "cool": ["cool"], "deer": ["deer"]}
    spec = with_head(here, "one", "two", "three")
    said = says("evaluate", "photos", "--taxonomy", "own.toml", "--model", spec, code=1)
    assert "none of its 3 outputs ('one', 'two', 'three', ...) is of a class of my" in said
    assert "classes=" in said


def test_report_and_compare_name_the_user_s_classes_and_escape_them(here: Path) -> None:
    first = colours(here)
    evaluated(here, spec=first)
    evaluated(here, "--among", "subset", spec=f"{first}&name=few")
    own = ("--taxonomy", "own.toml")
    says("report", "photos", *own, "-o", "page.html")
    page = (here / "page.html").read_text("utf-8")
    assert "red &amp; &lt;i&gt;green&lt;/i&gt;" in page
    assert "<i>green</i>" not in page
    assert "<b>colours</b>" not in page
    assert "nan %" not in page
    assert "of the 3 of" in page
    assert "not known how severe an error is" in page
    assert "1,000 outputs (probabilities summed)" in page
    data = json.loads(says("report", "photos", *own, "--json"))
    assert data["taxonomy"]["name"] == "my <b>colours</b>"
    assert [group["name"] for group in data["classes"]] == ["Крас", "cool", "deer"]
    assert data["models"][0]["mapping"]["without"] == {"deer": 1}
    assert data["missed"]["height"] == 0
    assert "| nan" not in says("report", "photos", *own, "--format", "markdown")
    said = says("compare", "few", "colours", "--on", "photos", *own)
    assert "(probabilities summed, answers among these alone)" in said


def test_python_has_the_same(here: Path) -> None:
    photos = genset.open_set("photos", taxonomy="own.toml")
    assert [each.wnid for each in photos.taxonomy] == ["Крас", "cool", "deer"]
    scores = np.full((6, 1000), 1e-9)
    scores[:, :3] = 0.3, 0.3, 0.4
    found = genset.evaluate(photos, predictions=scores, pool="max")
    assert (found.top1.correct, found.top5) == (2, None)
    assert found.record.mapping is not None
    assert "the largest probability taken" in found.notes[0]
    assert genset.evaluate("photos", predictions=scores, taxonomy="own.toml").top1.correct == 3
    with pytest.raises(BadInput, match=r"give it to genset\.open_set"):
        genset.evaluate(photos, predictions=scores, taxonomy="own.toml")
    with pytest.raises(BadInput, match="pool is sum or max, not mean"):
        genset.evaluate(photos, predictions=scores, pool="mean")  # type: ignore[typeddict-item]


def test_a_convention_means_nothing_on_imagenet_s_classes(here: Path) -> None:
    (here / "photos" / "Крас").rename(here / "photos" / WNIDS[0])
    said = says("evaluate", "photos", "--model", colours(here), "--pool", "max", code=2)
    assert "pool and among are for a set of your own" in said
    words = ("evaluate", "photos", "--model", colours(here), "--taxonomy", "pets.toml")
    assert "there is no taxonomy pets.toml" in says(*words, code=2)
    run = json.loads(says("evaluate", "photos", "--json", "--model", colours(here)))
    assert run["runs"][0]["mapping"] is None


@pytest.mark.parametrize(
    ("outputs", "name"),
    [(11821, "imagenet-12k"), (21841, "imagenet-22k"), (21843, "imagenet-21k-goog")],
)
def test_timm_s_larger_heads_are_known_by_timm_s_own_lists(outputs: int, name: str) -> None:
    wnids = tuple(ImageNetInfo(name).label_names())
    assert timm_list(outputs) == class_order(name) == wnids
    assert len(set(wnids)) == outputs
    assert timm_list(1000) is None


FOLDERS = {"red fox": RED, "Green Tea": GREEN, "CON.txt": BLUE, "blue jay, Cyanocitta": BLUE}


def test_the_folder_of_which_classes_were_made_is_read_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, colour in FOLDERS.items():
        Path("fresh", name).mkdir(parents=True)
        Image.new("RGB", (48, 40), colour).save(f"fresh/{name}/1.png")
    says("classes", "from-folder", "fresh", "-o", "own.toml")
    subprocess.run(["tar", "-cf", "fresh.tar", "fresh"], check=True)
    for named in ("fresh", "fresh.tar"):
        found = genset.open_set(named, taxonomy="own.toml")
        assert found.notes == ()
        classes = {each.wnid for each in found.photos}
        assert classes == {"red_fox", "Green_Tea", "CON_txt", "blue_jay"}
        assert {each.id for each in found.photos} == {f"{name}/1.png" for name in FOLDERS}
    # A folder that could mean two classes is none of them.
    two = {"a": "red fox", "b": "Red_Fox", "c": "Red_Fox"}
    lines = (f'[classes.{id}]\nname = "{name}"\n' for id, name in two.items())
    Path("two.toml").write_text("".join(lines))
    Path("fresh", "Green Tea").rename(Path("fresh", "Red_Fox"))
    found = genset.open_set("fresh", taxonomy="two.toml")
    assert {each.id: each.wnid for each in found.photos} == {"red fox/1.png": "a"}
    assert "3 folders are not classes of two (" in found.notes[0] and "Red_Fox" in found.notes[0]


def test_what_is_left_out_is_said_as_it_is_now_also_of_a_kept_run(here: Path) -> None:
    first = evaluated(here)
    paint = Image.new("RGB", (8, 8))
    (here / "photos" / "zzz").mkdir()
    paint.save(here / "photos" / "zzz" / "1.png")
    then = evaluated(here)
    assert then["created_at"] == first["created_at"]
    said = "The folder zzz is not a class of my <b>colours</b>, and is left out."
    assert first["notes"] == [] and then["notes"] == [said]
    (here / "photos" / "zzz").rename(here / "gone")
    assert evaluated(here)["notes"] == []
    [(_, kept)] = find_runs(here / "runs", "photos")
    assert kept.notes == []


def test_all_right_classes_are_ranked_by_what_each_class_gets(here: Path) -> None:
    """Average precision takes the pooled logits, by the run's convention."""
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(6, 1000)).astype(np.float32)
    scores[:, :3] += 3
    probabilities = np.exp(scores.astype(float))
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    np.save(here / "logits.npy", scores)
    np.save(here / "probabilities.npy", probabilities)
    photos = genset.open_set("photos", taxonomy="own.toml").photos
    rows = [f"{each.id},{each.wnid},correct" for each in photos]
    (here / "truth.csv").write_text("\n".join(["image,wnid,verdict", *rows]), "utf-8")
    pooled = {"sum": probabilities[:, 0] + probabilities[:, 1]}
    pooled["max"] = probabilities[:, :2].max(axis=1)
    for pool, first in pooled.items():
        found = []
        for place, photo in enumerate(photos):
            own, other = first[place], probabilities[place, 2]
            if photo.wnid == "cool":
                own, other = other, own
            if photo.wnid != "deer":
                found.append(1 / (1 + (other >= own) + (probabilities[place, 3:] >= own).sum()))
        for name in ("logits", "probabilities"):
            said = says(
                "evaluate", "photos", "--taxonomy", "own.toml", "--json", "--logits",
                "--pool", pool, "--multilabel", "truth.csv", "--model", f"predictions:{name}.npy",
            )  # fmt: skip
            (measured,) = json.loads(said)["by_truth"]["models"].values()
            assert measured["average_precision"]["photos"] == 5
            assert measured["average_precision"]["value"] == pytest.approx(np.mean(found))


def test_a_run_s_pooled_answers_are_refused_and_its_logits_are_the_mend(here: Path) -> None:
    path = Path("runs/photos", f"colours-{evaluated(here)['key'][:12]}", "predictions.csv")
    words = ("evaluate", "photos", "--taxonomy", "own.toml", "--pool", "max", "--model")
    np.save(here / "best.npy", np.array([[0, 1, 2, 3, 4]] * 6))
    said = says(*words[:-3], "--model", "predictions:best.npy", code=2)
    assert "those of Крас (2 outputs) cannot be summed" in said
    assert "--logits" in said
    said = says(*words, f"predictions:{path}", code=2)
    assert f"{path} has the classes of my <b>colours</b>, already pooled: score the model" in said
    assert "with --logits and give the predictions.csv of that run" in said
    evaluated(here, "--logits")
    direct = evaluated(here, "--pool", "max")
    again = evaluated(here, "--pool", "max", spec=f"predictions:{path}?name=again")
    assert (again["top1"], again["hits"]) == (direct["top1"], direct["hits"])


# One model by several conventions on own classes: each run is told apart wherever it is named.

SHOWN = (("Крас", RED), ("Крас", GREEN), ("Крас", BLUE), ("cool", BLUE), ("cool", BLUE))
CONVENTIONS = {
    "all": (),
    "all, max": ("--pool", "max"),
    "subset": ("--among", "subset"),
    "subset, max": ("--pool", "max", "--among", "subset"),
}
NAMES = [f"colours ({each})" for each in CONVENTIONS]


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace on own classes with a release of them, v1."""
    (tmp_path / "own.toml").write_text(CLASSES, "utf-8")
    workspace, store = labeled_workspace(tmp_path / "mine", classes=())
    with store.begin_alone() as session:
        store_taxonomy(session, read_taxonomy(tmp_path / "own.toml"))
    store._looked_at = -1e9  # some seconds pass
    for number, (wnid, colour) in enumerate(SHOWN):
        content = png(colour, number)
        task = add_candidate(workspace, store, wnid, number, content=content)
        vote(store, task, "ann", Verdict.CORRECT)
    create(workspace, store, "v1")
    store.close()
    monkeypatch.chdir(workspace.root)
    return workspace.root


def png(colour: str, number: int) -> bytes:
    content = io.BytesIO()
    Image.new("RGB", (48 + number, 40), colour).save(content, "PNG")
    return content.getvalue()


def score_by(workspace: Path, *conventions: str, name: str = "colours") -> None:
    for each in conventions:
        spec = f"{colours(workspace)}&name={name}"
        says("evaluate", "v1", *CONVENTIONS[each], "--model", spec)


def test_compare_says_how_to_name_each_and_takes_these_names(workspace: Path) -> None:
    score_by(workspace, *CONVENTIONS)
    score_by(workspace, "all", name="other")
    said = says("compare", "colours", "other", code=2)
    start, _, listed = said.partition("; say which: ")
    assert start == "'colours' names several runs"
    names = [name.removesuffix(",") for name in shlex.split(listed)]
    assert sorted(names) == sorted(NAMES)
    for name in names:
        found = json.loads(says("compare", name, "other", "--json"))
        assert {found["first"], found["second"]} == {name, "other"}
        (remark, *_) = found["remarks"][name]
        assert ("answers among these alone" in remark) == ("subset" in name)
        assert ("the largest probability taken" in remark) == ("max" in name)
    text = says("compare", "colours (all)", "colours (subset, max)")
    assert re.search(r"^colours \(subset, max\)  ", text, re.MULTILINE)
    assert "colours (all) was scored by (all) and colours (subset, max) by (subset, max)" in text
    alike = says("compare", "colours (all)", "other")
    assert "was scored by" not in alike
    # A convention may be said where it is the only one, too; and what was not run is not found.
    assert "other  " in says("compare", "other (all)", "colours (all)")
    said = says("compare", "other (subset)", "colours (all)", code=2)
    assert "no model 'other (subset)' was scored on v1; known: colours (" in said


def test_reports_tell_them_apart_in_every_form(workspace: Path) -> None:
    score_by(workspace, *CONVENTIONS)
    score_by(workspace, "subset", name="other")
    wanted = sorted([*NAMES, "other"])
    data = json.loads(says("report", "v1", "--json", "-o", "page.html"))
    assert sorted(model["label"] for model in data["models"]) == wanted
    assert {each["first"] for each in data["pairs"]} <= set(wanted)
    text = says("report", "v1", "--format", "markdown")
    board = [line for line in text.splitlines() if line.startswith("|")][2:7]
    cells = sorted(line.split(" | ")[1].partition(" (my")[0] for line in board)
    assert cells == wanted
    page = (workspace / "page.html").read_text("utf-8")
    assert sorted(re.findall(r"<summary><bdi>(.+?)</bdi>", page)) == wanted
