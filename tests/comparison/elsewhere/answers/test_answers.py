"""Prompts for a vision-language model, and its answers: written, asked, scored, told apart."""

import csv
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from genset.classes import imagenet1k
from genset.cli import cli
from genset.core.errors import BadInput, GensetError
from genset.score.results.runs import Accuracy, Run, find_runs, load_predictions
from genset.sets.photos import PhotoSet, open_set
from tests.score.colours import RED, WNIDS, paint
from tests.score.listed import write_list
from tests.score.scoring import evaluate

PLACES = (0, 0, 1, 134, 517)  # tench twice, goldfish, two cranes


@pytest.fixture
def photos(tmp_path: Path) -> PhotoSet:
    for number, place in enumerate(PLACES):
        paint(tmp_path / "set", place, f"{number}.png", RED)
    return open_set(str(tmp_path / "set"))


def ids(photos: PhotoSet) -> list[str]:
    """In the order of `PLACES`."""
    return sorted(photos.ids, key=lambda image: image.rpartition("/")[2])


def write(path: Path, answers: Mapping[str, str]) -> str:
    lines = (json.dumps({"image": image, "answer": said}) for image, said in answers.items())
    path.write_text("\n".join(lines) + "\n")
    return f"answers:{path}"


def score(photos: PhotoSet, spec: str) -> Run:
    (run,) = evaluate(photos, [spec], photos.root.parent / "runs")
    return run


def genset(*words: object) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words])


def asked(photos: PhotoSet, *words: object) -> list[dict[str, Any]]:
    path = photos.root.parent / "asked.jsonl"
    done = genset("evaluate", photos.root, "--write-prompts", path, *words)
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_answers_are_scored_and_what_is_no_class_is_told_apart(photos: PhotoSet) -> None:
    said = ("It is a tench.", "a fish", "Goldfish", "crane", "crane (lifting device)")
    run = score(
        photos, write(photos.root.parent / "vlm.jsonl", dict(zip(ids(photos), said, strict=True)))
    )
    assert (run.model, run.top1, run.top5) == ("vlm", Accuracy.of(3, 5), None)
    assert run.notes == [
        "Answers taken as a class: 2 exact, 1 normalized.",
        "Counted as wrong: 1 answer with no name of a class (“a fish”).",
        "Counted as wrong: 1 answer with a name that several classes share (“crane”).",
    ]
    ((folder, kept),) = find_runs(photos.root.parent / "runs", "set")
    assert kept == run
    assert {each.image: each.top for each in load_predictions(folder)}[ids(photos)[3]] == ("",)
    with (folder / "answers.csv").open(newline="") as file:
        rows = {row["image"]: row for row in csv.DictReader(file)}
    assert rows[ids(photos)[1]] == {
        "image": ids(photos)[1],
        "wnid": WNIDS[0],
        "taken": "",
        "how": "unknown",
        "answer": "a fish",
    }


def test_a_missing_line_is_not_counted_and_an_empty_answer_is_wrong(photos: PhotoSet) -> None:
    answers = {ids(photos)[0]: "tench", ids(photos)[1]: "", "elsewhere.jpg": "tench"}
    run = score(photos, write(photos.root.parent / "vlm.jsonl", answers))
    assert run.top1 == Accuracy.of(1, 2)
    assert run.unreadable == dict.fromkeys(ids(photos)[2:], "no prediction")
    assert run.notes[1:] == [
        "Counted as wrong: 1 answer with no text.",
        "The file also speaks of 1 photo that is not in the set (first in line 3).",
    ]


def test_the_same_answers_are_found_again_and_other_prompts_are_another_run(
    photos: PhotoSet,
) -> None:
    asked(photos, "--prompt-options", 3)
    spec = write(photos.root.parent / "vlm.jsonl", {ids(photos)[0]: "A"})
    first = score(photos, spec)
    assert score(photos, spec) == first
    other = score(photos, f"{spec}?prompts={photos.root.parent}/asked.jsonl")
    assert other.key != first.key
    assert "options that are not known (&prompts=FILE)" in " ".join(first.notes)


def test_letters_mean_the_options_of_their_photo(photos: PhotoSet) -> None:
    lines = asked(photos, "--prompt-options", 4, "--seed", 7)
    right = {
        line["image"]: next(
            each["letter"] for each in line["options"] if each["wnid"] == line["image"][:9]
        )
        for line in lines
    }
    wrong = {ids(photos)[0]: "D" if right[ids(photos)[0]] != "D" else "A"}
    spec = write(photos.root.parent / "vlm.jsonl", {**right, **wrong})
    run = score(photos, f"{spec}?prompts={photos.root.parent}/asked.jsonl&name=my-vlm")
    assert (run.model, run.top1) == ("my-vlm", Accuracy.of(4, 5))
    assert run.notes == [
        "Answers taken as a class: 5 letter.",
        "Each question offered 4 classes with the true one among them, which is easier than to "
        "choose among all.",
    ]


def test_a_line_with_its_answer_added_is_an_answer(photos: PhotoSet) -> None:
    lines = [{**line, "answer": "tench"} for line in asked(photos)]
    path = photos.root.parent / "vlm.jsonl"
    path.write_text("".join(json.dumps(line) + "\n\n" for line in lines))
    assert score(photos, f"answers:{path}?prompts={path}").top1 == Accuracy.of(2, 5)


def test_a_question_offers_the_true_class_confusable_ones_and_others(photos: PhotoSet) -> None:
    taxonomy = imagenet1k()
    for line in asked(photos, "--prompt-options", 5):
        offered = [each["wnid"] for each in line["options"]]
        true = line["image"][:9]
        alike = [each.wnid for each in taxonomy.confusable(true)]
        assert len(set(offered)) == 5
        assert true in offered
        assert set(alike[:2]) <= set(offered)
        assert [each["letter"] for each in line["options"]] == list("ABCDE")
        names = line["question"].splitlines()[1:]
        assert names == [f"{each['letter']}. {each['name']}" for each in line["options"]]
        assert Path(line["path"]).is_file()
        assert (line["seed"], line["set_hash"]) == (0, photos.content_hash)


def test_the_true_class_is_at_every_place_alike_often(tmp_path: Path) -> None:
    for number in range(120):
        paint(tmp_path / "set", number % 3, f"{number}.png", RED)
    photos = open_set(str(tmp_path / "set"))
    places = Counter(
        [each["wnid"] for each in line["options"]].index(line["image"][:9])
        for line in asked(photos, "--prompt-options", 4)
    )
    assert len(places) == 4
    assert min(places.values()) > 15


def test_all_names_are_offered_in_an_order_of_each_photos_own(photos: PhotoSet) -> None:
    orders = [line["question"].partition(": ")[2].split("; ") for line in asked(photos)]
    assert len({tuple(order) for order in orders}) == len(PLACES)
    assert all(line["options"] == [] for line in asked(photos))
    (names,) = {frozenset(order) for order in orders}
    assert len(names) == 1000
    assert {"crane (wading bird)", "crane (lifting device)", "tench"} <= names


def test_the_seed_alone_says_what_is_asked(photos: PhotoSet) -> None:
    first = asked(photos, "--prompt-options", 6)
    assert asked(photos, "--prompt-options", 6) == first
    other = asked(photos, "--prompt-options", 6, "--seed", 1)
    assert [line["seed"] for line in other] == [1] * 5
    assert [line["question"] for line in other] != [line["question"] for line in first]
    paint(photos.root, 2, "more.png", RED)  # further photos change no other's question
    more = {line["image"]: line for line in asked(photos, "--prompt-options", 6)}
    for line in first:
        assert more[line["image"]]["question"] == line["question"]


def test_no_model_is_scored_where_prompts_are_written(photos: PhotoSet) -> None:
    path = photos.root.parent / "asked.jsonl"
    words = ("evaluate", photos.root, "--write-prompts", path)
    refused = genset(*words, "--model", "torchvision:resnet18")
    assert isinstance(refused.exception, BadInput)
    assert "leave out --model" in str(refused.exception)
    assert not path.exists()
    done = genset(*words, "--json")
    assert json.loads(done.output) == {"file": str(path), "questions": 5, "seed": 0}
    assert genset("evaluate", photos.root).exit_code == 2  # neither a model nor prompts
    for bad in ("1", "27", "many"):
        assert genset(*words, "--prompt-options", bad).exit_code != 0
    listed = write_list(photos.root.parent / "list.csv", PLACES)
    assert "not here" in str(genset("evaluate", listed, "--write-prompts", path).exception)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"image": "IMAGE", "answer": "a"}\n' * 2, "line 2: IMAGE was answered in line 1"),
        ('{"image": "IMAGE", "answer": "a"}\n{"image": ', "line 2: it is no JSON object with"),
        ('{"image": "IMAGE", "answer": 5}', "line 1: it is no JSON object with the texts image"),
        ('["IMAGE", "a"]', "line 1: it is no JSON object with the texts image and answer"),
        ("[" * 100_000, "line 1: it is no JSON object"),
        ('{"image": "IMAGE", "answer": "' + "a" * (1 << 20) + '"}', "line 1: it is longer than"),
        ('{"image": "elsewhere", "answer": "a"}', "has no photo of set, whose photos are called"),
        ("", "has no photo of set"),
        ('\xff{"image": "IMAGE", "answer": "a"}', "line 1: it is no JSON object"),
    ],
)
def test_answers_that_cannot_be_meant_are_refused_with_their_line(
    photos: PhotoSet, text: str, said: str
) -> None:
    path = photos.root.parent / "vlm.jsonl"
    path.write_bytes(text.replace("IMAGE", ids(photos)[0]).encode("latin1"))
    with pytest.raises(BadInput) as refused:
        score(photos, f"answers:{path}")
    assert said.replace("IMAGE", ids(photos)[0]) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_prompts_of_another_set_and_files_that_are_not_there_are_refused(
    photos: PhotoSet, tmp_path: Path
) -> None:
    asked(photos, "--prompt-options", 3)
    spec = write(tmp_path / "vlm.jsonl", {ids(photos)[0]: "A"})
    paint(photos.root, 2, "more.png", RED)
    for prompts, said in (("asked", "line 1: it was written for another set"), ("no", "no.jsonl")):
        with pytest.raises(BadInput, match=said):
            score(open_set(str(photos.root)), f"{spec}?prompts={tmp_path}/{prompts}.jsonl")
    with pytest.raises(BadInput, match="there is no file"):
        score(photos, "answers:nowhere.jsonl")
    with pytest.raises(BadInput, match="no option prompts"):
        score(photos, "predictions:a.npy?prompts=b")


def test_answers_to_a_smaller_list_count_on_its_own_classes(photos: PhotoSet) -> None:
    classes = photos.root.parent / "classes.txt"
    classes.write_text(f"{WNIDS[0]}\n{WNIDS[134]}\n")
    said = ("tench", "goldfish", "goldfish", "crane", "crane")
    spec = write(photos.root.parent / "vlm.jsonl", dict(zip(ids(photos), said, strict=True)))
    run = score(photos, f"{spec}?classes={classes}")
    assert (run.top1, run.classes, run.masked) == (Accuracy.of(2, 3), 2, 2)
    assert run.notes[1] == "Counted as wrong: 1 answer with no name of a class (“goldfish”)."


def test_a_kill_while_answers_are_kept_leaves_a_run_or_none(
    photos: PhotoSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = write(photos.root.parent / "vlm.jsonl", {ids(photos)[0]: "tench"})

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("genset.score.evaluate.save_run", full)
        with pytest.raises((OSError, GensetError)):
            score(photos, spec)
    assert find_runs(photos.root.parent / "runs", "set") == []
    assert score(photos, spec).top1 == Accuracy.of(1, 1)
