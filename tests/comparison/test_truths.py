"""Models by all classes that photos show: the metrics, and the commands that show them."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from genset.cli import cli
from genset.comparison.given import count_array
from genset.comparison.truths import MultiLabel, measure
from genset.core.errors import BadInput, GensetError
from genset.reporting.sections import multilabel
from genset.score.results.results import Results, results_of
from genset.sets.open import open_set
from genset.sets.truths.truth import Truth
from tests.commands import as_json
from tests.score.colours import WNIDS, colours, paint
from tests.score.listed import write_list, write_npy

CLASSES = 6


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, words)))


def refused(*words: object) -> str:
    """The one line that a command ends with."""
    done = run(*words)
    assert done.exit_code == 1
    assert isinstance(done.exception, GensetError), done.output
    said = str(done.exception)
    assert "\n" not in said
    return said


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    """A list of 40 photos of eight classes."""
    return write_list(tmp_path / "photos.csv", [n // 5 for n in range(40)])


@pytest.fixture
def specs(tmp_path: Path) -> list[str]:
    """`plain` knows each photo's own class; `other` says the next class on every fourth."""
    own = [n // 5 for n in range(40)]
    turned = [place + (n % 4 == 0) for n, place in enumerate(own)]
    plain = [place if n % 5 else 999 for n, place in enumerate(own)]
    return [
        write_npy(tmp_path / f"{name}.npy", [[place] for place in said])
        for name, said in (("plain", plain), ("other", turned))
    ]


def truth_file(path: Path, unclear: bool = False) -> Path:
    """The next class is right, too, in every fourth photo; the last photo shows nothing."""
    content: dict[str, Any] = {}
    for n in range(39):
        own, following = n // 5, [n // 5 + 1] if n % 4 == 0 else []
        shown = {"correct": [own], "unclear": following}
        content[f"photo{n}.jpg"] = shown if unclear else [own, *following]
    content["photo39.jpg"] = []
    path.write_text(json.dumps(content))
    return path


@st.composite
def judged(draw: st.DrawFn) -> tuple[list[int], list[list[int]], list[dict[str, set[int]]]]:
    """Photos' own classes, two models' first answers, and what is right and unclear."""
    photos = draw(st.integers(2, 12))
    place = st.integers(0, CLASSES - 1)
    own = draw(st.lists(place, min_size=photos, max_size=photos))
    said = [draw(st.lists(place, min_size=photos, max_size=photos)) for _ in range(2)]
    truth = []
    for _ in range(photos):
        correct = draw(st.sets(place, max_size=3))
        truth.append({"correct": correct, "unclear": draw(st.sets(place, max_size=2)) - correct})
    return own, said, truth


def results_by(
    folder: Path, own: Sequence[int], said: Sequence[Sequence[int]], truth: Truth | None
) -> Results:
    photos = replace(open_set(str(write_list(folder / "p.csv", own))), truth=truth)
    models = [
        count_array(photos, np.array(answers)[:, None], f"m{number}", None, folder / "none")
        for number, answers in enumerate(said)
    ]
    return results_of(photos, [model.as_source() for model in models])


# Of photos: their classes, the models' answers, and what raters said.
Drawn = tuple[list[int], list[list[int]], list[dict[str, set[int]]]]
DRAWINGS = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def truth_of(shown: Sequence[dict[str, set[int]]], **more: Any) -> Truth:
    correct, unclear = (
        {f"photo{n}.jpg": frozenset(WNIDS[c] for c in each[part]) for n, each in enumerate(shown)}
        for part in ("correct", "unclear")
    )
    return Truth(correct, unclear, "drawn", "0" * 64, **more)


@DRAWINGS
@given(judged())
def test_metrics_are_their_definitions(
    tmp_path_factory: pytest.TempPathFactory, drawn: Drawn
) -> None:
    own, said, shown = drawn
    results = results_by(tmp_path_factory.mktemp("drawn"), own, said, truth_of(shown))
    found = measure(results)
    for number, answers in enumerate(said):
        ours = found[f"m{number}"]
        photos = list(zip(answers, own, shown, strict=True))
        counted = [(first, each) for first, _, each in photos if each["correct"]]
        right = sum(first in each["correct"] for first, each in counted)
        unclear = sum(first in each["unclear"] for first, each in counted)
        assert of(ours, "original") == (sum(a == b for a, b, _ in photos), len(photos))
        assert of(ours, "real") == (right, len(counted))
        assert of(ours, "multilabel") == (right + unclear, len(counted))
        assert of(ours, "clear") == (right, len(counted) - unclear)
        assert ours.none_right == len(photos) - len(counted)
        for by in ("real", "multilabel", "clear"):
            accuracy = getattr(ours, by)
            assert accuracy.low <= accuracy.share <= accuracy.high or not accuracy.photos


def of(found: MultiLabel, by: str) -> tuple[int, int]:
    accuracy = getattr(found, by)
    return accuracy.correct, accuracy.photos


# The truth of a set, and every later command.


def test_a_set_keeps_its_truth(
    tmp_path: Path, listed: Path, specs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = tmp_path / "runs"
    models = [f"--model={spec}" for spec in specs]
    before = as_json("evaluate", listed, *models, "--runs", runs)
    assert "by_truth" not in before
    kept = {path: path.read_bytes() for path in runs.rglob("*") if path.is_file()}
    given = run("evaluate", listed, "--runs", runs, "--multilabel", truth_file(tmp_path / "t.json"))
    assert given.exit_code == 0, given.output
    assert ") says which classes are right for 39 of 40 photos of photos" in given.output
    assert "several for 10. 1 photo without a right class is left out." in given.output
    sha256 = hashlib.sha256((tmp_path / "t.json").read_bytes()).hexdigest()
    assert f"t.json (sha256 {sha256[:12]}) says" in given.output
    assert run("evaluate", listed, "--runs", runs).output == given.output  # it is kept
    lines = [line.split() for line in given.output.splitlines()[3:]]
    assert [line[:3] for line in lines] == [
        ["plain", "original", "label"],
        ["plain", "ReaL", "79.5"],
        ["other", "original", "label"],
        ["other", "ReaL", "100.0"],
    ]
    assert all(path.read_bytes() == content for path, content in kept.items())
    after = as_json("evaluate", listed, *models, "--runs", runs)
    assert after["runs"] == before["runs"]
    real = {name: each["real"] for name, each in after["by_truth"]["models"].items()}
    assert {name: (each["correct"], each["photos"]) for name, each in real.items()} == {
        "plain": (31, 39),
        "other": (39, 39),
    }
    assert after["by_truth"]["truth"]["with_several"] == 10
    two = as_json("compare", "plain", "other", "--on", listed, "--runs", runs, "--truth", "real")
    assert (two["truth"], two["photos"], two["only_first"], two["only_second"]) == (
        "real",
        39,
        0,
        8,
    )
    assert (two["truth_source"], two["truth_sha256"]) == ("t.json", sha256)
    original = as_json("compare", "plain", "other", "--on", listed, "--runs", runs)
    assert "truth" not in original
    assert original["photos"] == 40
    said = run("compare", "plain", "other", "--on", listed, "--runs", runs, "--truth", "multilabel")
    assert "39 photos that count for both, by all right classes and the unclear ones" in said.output


def test_another_file_replaces_the_first(tmp_path: Path, listed: Path, specs: list[str]) -> None:
    runs = tmp_path / "runs"
    words = ("evaluate", listed, "--runs", runs, "--multilabel")
    first = truth_file(tmp_path / "first.json")
    assert "replaces" not in run(*words, first).output
    said = run(*words, first).output  # the same again
    assert "replaces" not in said and "Warning" not in said
    # Its lines are shifted by four photos.
    shifted = {f"photo{n}.jpg": [n // 5 + (n >= 4)] for n in range(40)}
    (second := tmp_path / "second.json").write_text(json.dumps(shifted))
    said = run(*words, second).output
    assert "It replaces first.json." in said
    assert "40 of 40 photos of photos: their own class among them for 4, several for 0." in said
    assert "Warning: only 10.0 % of photos have their own class among the right ones" in said
    assert as_json(*words, first)["by_truth"]["replaced"] == "second.json"
    assert as_json(*words, first)["by_truth"]["models"] == {}
    scored = as_json("evaluate", listed, "--runs", runs, "--model", specs[0])
    assert scored["by_truth"]["truth"]["source"] == "first.json"
    # Also where the command fails.
    done = run(*words, second, "--model", f"predictions:{tmp_path}/nope.npy")
    assert done.exit_code != 0
    assert "second.json is the truth of photos from now on, not first.json" in done.stderr


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({"photo40.jpg": [0]}, "t.json has no labels of a photo of photos"),
        ({"photo0.jpg": [1000]}, "the labels of photo0.jpg are no list"),
        ([[0]], "t.json is a list, which says no photo's name"),
    ],
)
def test_a_wrong_file_is_refused(
    tmp_path: Path, listed: Path, specs: list[str], content: object, says: str
) -> None:
    (tmp_path / "t.json").write_text(json.dumps(content))
    words = ("evaluate", listed, "--runs", tmp_path / "runs", "--model", specs[0])
    assert says in refused(*words, "--multilabel", tmp_path / "t.json")
    assert not (tmp_path / "runs").exists()


# Average precision over the right classes.


def test_average_precision_is_there_where_logits_are(tmp_path: Path) -> None:
    """Class 0 for a red photo, 1 for a green one; then 2, or what has less of it, then 3, 4."""
    for place, colour in enumerate(["red", "lime"]):
        for n in range(3):
            paint(tmp_path / "photos", place, f"{colour}{n}.png", colour)
    truth = {f"{WNIDS[0]}/red{n}.png": [0, 3] for n in range(3)}
    truth[f"{WNIDS[1]}/lime0.png"] = [1]
    (tmp_path / "t.json").write_text(json.dumps(truth))
    spec = colours(tmp_path)
    words = ("evaluate", tmp_path / "photos", "--runs", tmp_path / "runs", "--engine", "torch")
    plain = as_json(*words, "--model", spec, "--multilabel", tmp_path / "t.json")
    (name,) = plain["by_truth"]["models"]
    assert plain["by_truth"]["models"][name]["average_precision"] is None
    with_logits = as_json(*words, "--model", f"{spec}&name=kept", "--logits")
    found = with_logits["by_truth"]["models"]["kept"]["average_precision"]
    # Red: class 0, then 3, 4, ... (bias), and 1 and 2 last: both right ones come first.
    assert (found["photos"], found["value"]) == (4, 1.0)
    truth[f"{WNIDS[1]}/lime0.png"] = [4]  # green: 1, 3, 4
    (tmp_path / "t.json").write_text(json.dumps(truth))
    again = as_json(*words, "--model", f"{spec}&name=kept", "--multilabel", tmp_path / "t.json")
    found = again["by_truth"]["models"]["kept"]["average_precision"]
    assert found["value"] == pytest.approx((3 + 1 / 3) / 4)
    assert found["interval"]["low"] <= found["value"] <= found["interval"]["high"]
    assert "kept" in run(*words, "--model", f"{spec}&name=kept").output
    logits = next((tmp_path / "runs").rglob("logits.npy"))
    whole = logits.read_bytes()
    logits.write_bytes(whole[: len(whole) // 2])
    assert "logits.npy cannot be read" in refused(*words, "--model", f"{spec}&name=kept")
    logits.write_bytes(whole)
    np.save(logits, np.roll(np.load(logits), 1, axis=1))
    # Its columns are other classes.
    said = refused(*words, "--model", f"{spec}&name=kept")
    assert "logits.npy cannot be read (its highest values are not the run's answers)" in said


# In Python.


def test_in_python_too(tmp_path: Path, listed: Path) -> None:
    import genset

    runs = tmp_path / "runs"
    own = np.array([[n // 5] for n in range(40)])
    photos = genset.open_set(listed)
    first = genset.evaluate(photos, predictions=own, name="own", runs=runs)
    assert first.multilabel is None
    truth = truth_file(tmp_path / "t.json")
    how: Any = {"predictions": own + 1, "name": "next", "runs": runs}
    second = genset.evaluate(photos, **how, multilabel=truth)
    assert first.multilabel is not None
    assert second.multilabel is not None
    assert str(first.multilabel.real).startswith("100.0 %")
    assert second.multilabel.real.correct == 10
    by_real = genset.compare(first, second, truth="real")
    assert (by_real.photos, by_real.only_first, by_real.only_second) == (39, 29, 0)
    assert genset.compare(first, second).photos == 40
    data = genset.report([first, second], tmp_path / "r.html", runs=runs)
    assert (by_truth := data.of(multilabel.SECTION)) is not None
    assert by_truth.truth.source == "t.json"
    with pytest.raises(BadInput, match="truth= is original or real or multilabel"):
        genset.compare(first, second, truth="best")  # type: ignore[arg-type]
    shifted = {f"photo{n}.jpg": [n // 5 + (n >= 4)] for n in range(40)}
    with pytest.warns(UserWarning) as told:
        genset.evaluate(str(listed), **how, multilabel=shifted)
    replaced, order = (str(each.message) for each in told)
    assert replaced == "a dict is the truth of photos from now on, not t.json."
    assert order.startswith("Warning: only 10.0 % of photos have their own class")
    for wrong, says in (
        ({"x.jpg": [WNIDS[0]]}, "multilabel= has no labels of a photo of photos"),
        ({"photo0.jpg": WNIDS[0]}, "multilabel=: the labels of photo0.jpg are no list"),
        ([[0]], "multilabel= is a file, or a dict .*, not a list"),
    ):
        with pytest.raises(BadInput, match=says):
            genset.evaluate(str(listed), **how, multilabel=wrong)


def test_logits_keep_their_classes_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The list that the spec names by a path from here is gone, or another, elsewhere."""
    for place, colour in enumerate(["red", "lime"]):
        paint(tmp_path / "photos", place, f"{colour}.png", colour)
    (tmp_path / "t.json").write_text(
        json.dumps({f"{WNIDS[0]}/red.png": [0], f"{WNIDS[1]}/lime.png": [1]})
    )
    order = [WNIDS[1], WNIDS[0], *WNIDS[2:]]
    (tmp_path / "turned.txt").write_text("\n".join(order) + "\n")
    monkeypatch.chdir(tmp_path)
    spec = f"{colours(tmp_path)}&classes=turned.txt"
    words = ("evaluate", tmp_path / "photos", "--runs", tmp_path / "runs")
    scoring = ("--engine", "torch", "--model", spec, "--logits")
    before = as_json(*words, *scoring, "--multilabel", tmp_path / "t.json")["by_truth"]["models"]
    (precision,) = [each["average_precision"] for each in before.values()]
    assert precision["photos"] == 2
    monkeypatch.chdir("/")
    assert as_json(*words)["by_truth"]["models"] == before
    (beside,) = (tmp_path / "runs").rglob("logits.json")
    beside.write_text(json.dumps({"classes": WNIDS[::-1]}))  # of another run
    assert "logits.npy cannot be read" in refused(*words)


def test_given_classes_keep_no_logits(tmp_path: Path, listed: Path, specs: list[str]) -> None:
    done = run("evaluate", listed, "--runs", tmp_path / "r", "--model", specs[0], "--logits")
    assert "plain: classes are given and no scores, so that no logits are kept" in done.stderr
