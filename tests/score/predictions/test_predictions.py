"""Answers that were computed elsewhere: read, matched with a set, counted or refused."""

import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image
from pyarrow import parquet

import genset
from genset.classes import imagenet1k, synonyms
from genset.core.errors import BadInput, GensetError
from genset.reporting.collect import collect
from genset.score.predictions import arrays
from genset.score.predictions.names import NAMES_VERSION, imagenet_names, with_kind
from genset.score.results.runs import Prediction, Run, find_runs, load_predictions
from genset.sets.open import open_set
from tests.score.colours import WNIDS
from tests.score.listed import write_list, write_npy
from tests.score.scoring import counts, evaluate

RUNS = Path("runs")
TRUTH = [5, 700, 5, 42]
# Right at once, among the five, not at all, right at once.
ANSWERS = [[5, 1, 2, 3, 4], [1, 2, 700, 3, 4], [1, 2, 3, 4, 6], [42, 1, 2, 3, 4]]


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_list(Path("photos.csv"), TRUTH)


def score(listed: Path, *specs: str) -> list[Run]:
    return evaluate(open_set(str(listed)), specs, RUNS)


def kept(photos: str = "photos") -> dict[str, list[Prediction]]:
    """The answers that each model's run has."""
    return {run.model: load_predictions(folder) for folder, run in find_runs(RUNS, photos)}


def table(path: Path, rows: list[str], head: str = "image,top1,top2") -> str:
    path.write_text("\n".join([head, *rows]) + "\n")
    return f"predictions:{path}"


def refusal(listed: Path, spec: str) -> str:
    with pytest.raises(BadInput) as refused:
        score(listed, spec)
    message = str(refused.value)
    assert "\n" not in message
    return message


def test_indices_are_counted(listed: Path) -> None:
    (run,) = score(listed, write_npy(Path("mine.npy"), ANSWERS))
    assert (run.model, run.set_name) == ("mine", "photos")
    assert counts(run.top1) == (2, 4)
    assert counts(run.top5) == (3, 4)
    assert run.hits == [2, 0, 1, 0, 0]
    assert (run.notes, run.excluded, run.masked, run.classes) == ([], {}, 0, 1000)
    assert [record for _, record in find_runs(RUNS, "photos")] == [run]
    found = kept()["mine"]
    assert [said.image for said in found] == [f"photo{n}.jpg" for n in range(4)]
    assert found[1].top == tuple(WNIDS[place] for place in ANSWERS[1])
    assert found[1].probabilities == ()


def test_one_answer_a_photo_has_no_top5_in_any_form(listed: Path) -> None:
    """An array, as numpy packs it, and the only answer of a table, as a class's number."""
    first = [row[0] for row in ANSWERS]
    np.savez(Path("packed.npz"), np.array(first))
    rows = [f"photo{number}.jpg,{place}" for number, place in enumerate(first)]
    one, other = ("predictions:packed.npz", table(Path("a.csv"), rows, head="ImageId,prediction"))
    for run in score(listed, write_npy(Path("mine.npy"), first), one, other):  # type: ignore[arg-type]
        assert (counts(run.top1), run.top5) == ((2, 4), None)


def test_a_table_is_matched_by_photo_in_any_order_csv_as_parquet(listed: Path) -> None:
    rows = [
        (f"photo{n}.jpg", *(WNIDS[place] for place in ANSWERS[n][:2]), f"0.{n + 5}", "0.1")
        for n in (3, 1, 0, 2)
    ]
    head = "image,top1,top2,p1,p2"
    csv = table(Path("a.csv"), [",".join(row) for row in rows], head)
    columns = dict(zip(head.split(","), zip(*rows, strict=True), strict=True))
    columns |= {name: [float(share) for share in columns[name]] for name in ("p1", "p2")}
    parquet.write_table(pyarrow.table(columns), Path("b.parquet"))
    first, second = score(listed, csv, "predictions:b.parquet")
    assert first.hits == second.hits == [2, 0]
    assert counts(first.top1) == (2, 4)
    found = kept()
    assert found["a"] == found["b"]
    shares = [said.probabilities for said in found["a"]]
    assert shares == [(0.5, 0.1), (0.6, 0.1), (0.7, 0.1), (0.8, 0.1)]


def test_photos_may_be_named_without_their_folders_where_that_names_one(listed: Path) -> None:
    for wnid in WNIDS[:2]:
        Path("set", wnid).mkdir(parents=True)
        Image.new("RGB", (8, 8)).save(Path("set", wnid, f"{wnid}_1.png"))
    spec = table(Path("a.csv"), [f"{wnid}_1.png,{WNIDS[0]}" for wnid in WNIDS[:2]], "image,top1")
    (run,) = evaluate(open_set("set"), [spec], RUNS)
    assert counts(run.top1) == (1, 2)
    for wnid in WNIDS[:2]:
        Path("set", wnid, f"{wnid}_1.png").rename(Path("set", wnid, "1.png"))
    with pytest.raises(BadInput, match="has no photo of set"):
        evaluate(open_set("set"), [table(Path("b.csv"), [f"1.png,{WNIDS[0]}"], "image,top1")], RUNS)


def test_a_table_may_name_classes_in_words(listed: Path) -> None:
    """As a vision-language model answers: a name, or nothing where it named no class."""
    names = ("sneaker", "Tench", "a Crane (lifting device)", "")
    listed = write_list(Path("more.csv"), [0, 0, 517, 5])
    rows = [f"photo{number}.jpg,{name}" for number, name in enumerate(names)]
    (run,) = score(listed, table(Path("vlm.csv"), rows, head="image,top1"))
    assert (run.model, counts(run.top1), run.top5) == ("vlm", (2, 4), None)
    tops = [prediction.top for prediction in kept("more")["vlm"]]
    assert tops == [("n04120489",), (WNIDS[0],), (WNIDS[517],), ("",)]


def scores(folder: Path, kind: str = "float32", *, columns: int = 1000) -> NDArray[Any]:
    """Logits whose best classes are `ANSWERS`, with a tie below them."""
    rows = np.full((len(ANSWERS), columns), -3.0, kind)
    for row, ranked in zip(rows, ANSWERS, strict=True):
        row[ranked] = np.linspace(6, 2, len(ranked))
    np.save(folder / "scores.npy", rows)
    return rows


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_logits_are_counted(listed: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "_AT_ONCE", 3)  # photos in two parts
    array = scores(listed.parent, kind)
    (run,) = score(listed, "predictions:scores.npy")
    assert (counts(run.top1), counts(run.top5)) == ((2, 4), (3, 4))
    found = kept()["scores"]
    given = genset.evaluate(open_set(str(listed)), predictions=array, runs=RUNS)
    softmax = np.exp(array[0].astype(float)) / np.exp(array[0].astype(float)).sum()
    assert found[0].probabilities == pytest.approx(np.sort(softmax)[:-6:-1], rel=1e-5)
    for mine, theirs in zip(found, given.predictions, strict=True):
        assert mine.top == theirs.top
        assert mine.probabilities == pytest.approx(theirs.probabilities, rel=1e-5)
    model = collect(open_set(str(listed)), RUNS).models[0]
    assert model.calibration is not None
    assert model.calibration.photos == 4


def test_probabilities_are_kept_as_they_are(listed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "_AT_ONCE", 1)
    shares = np.exp(scores(listed.parent))
    shares /= shares.sum(axis=1, keepdims=True)
    mixed = shares.copy()
    mixed[0] *= 2  # the first photo’s do not sum to 1, so none are probabilities
    forms = {"shares": shares, "mixed": mixed, "percents": (100 * shares).round(3)}
    for name, array in forms.items():
        np.save(Path(f"{name}.npy"), array)
        score(listed, f"predictions:{name}.npy")
    found = kept()
    assert found["shares"][0].probabilities == pytest.approx(np.sort(shares[0])[:-6:-1], rel=1e-5)
    assert found["percents"][0].probabilities == pytest.approx(
        found["shares"][0].probabilities, abs=2e-5
    )
    assert max(found["mixed"][3].probabilities) < 0.01


def test_another_order_and_a_background_class_are_understood(listed: Path) -> None:
    backwards = Path("classes.txt")
    backwards.write_text("\n".join(reversed(WNIDS)))
    array = scores(listed.parent)
    np.save(Path("turned.npy"), array[:, ::-1])
    np.save(Path("more.npy"), np.hstack([np.full((4, 1), -9.0), array]))
    np.save(Path("flat.npy"), np.zeros((4, 1000)))  # equal classes count by their ids
    indices = [[999 - place for place in row] for row in ANSWERS]
    shifted = [[place + 1 for place in row] for row in ANSWERS]
    shifted[2][0] = 0  # no class, which is wrong
    runs = score(
        listed,
        f"predictions:turned.npy?classes={backwards}",
        "predictions:more.npy?background=0",
        write_npy(Path("indices.npy"), indices) + f"?classes={backwards}",
        write_npy(Path("shifted.npy"), shifted) + "?background=0",
        f"predictions:flat.npy?classes={backwards}",
    )
    assert [run.hits for run in runs] == [[2, 0, 1, 0, 0]] * 4 + [[0] * 5]
    assert kept()["flat"][0].top == tuple(WNIDS[:5])
    assert "say &background=0" in refusal(listed, "predictions:more.npy")
    # The same file read otherwise is another run.
    score(listed, f"predictions:shifted.npy?classes={backwards}&background=0")
    assert len(find_runs(RUNS, "photos")) == 6


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda array: array[:3], "scores.npy has 3 rows, and photos has 4 photos"),
        (lambda array: array[:, :90], "90 columns of numbers, and there are 1,000 classes: name"),
        (lambda array: np.where(array > 5, np.inf, array), "row 0 of scores.npy (photo0.jpg) hold"),
        (lambda array: np.full_like(array, -np.inf), "(photo0.jpg) holds NaN or"),
        (lambda array: array[None], "scores.npy is 1 x 4 x 1000 of float32; it must be"),
        (lambda array: array.astype(complex), "scores.npy is 4 x 1000 of complex128; it must"),
    ],
)
def test_logits_that_cannot_be_meant_are_refused(
    listed: Path, change: Callable[[NDArray[Any]], NDArray[Any]], says: str
) -> None:
    np.save(Path("scores.npy"), change(scores(listed.parent)))
    assert says in refusal(listed, "predictions:scores.npy")


def test_a_class_that_a_model_may_not_name_has_minus_infinity(listed: Path) -> None:
    array = scores(listed.parent)
    np.save("all.npy", array)
    best = int(array[0].argmax())
    array[0, best] = -np.inf
    np.save("masked.npy", array)
    whole, masked = score(listed, "predictions:all.npy", "predictions:masked.npy")
    found = kept()
    assert found["all"][0].top[0] == WNIDS[best]
    assert found["masked"][0].top[:4] == found["all"][0].top[1:]
    assert masked.top1.photos == whole.top1.photos


def test_a_photo_without_a_prediction_counts_as_wrong_and_is_named(listed: Path) -> None:
    rows = [f"photo{n}.jpg,{WNIDS[TRUTH[n]]},{WNIDS[0]},0.8,0.1" for n in (0, 1, 3)]
    rows.append(f"other.jpg,{WNIDS[1]},{WNIDS[2]},0.8,0.1")
    (run,) = score(listed, table(Path("a.csv"), rows, "image,top1,top2,p1,p2"))
    assert (counts(run.top1), run.excluded) == ((3, 4), {})
    assert run.notes == [
        "The file also speaks of 1 photo that is not in the set.",
        "It answered 3 of 4 photos; the other one is wrong.",
    ]
    (stored,) = (RUNS).rglob("predictions.csv")
    assert counts(score(listed, f"predictions:{stored}")[0].top1) == (3, 4)


def test_a_smaller_class_list_is_counted_on_its_own_classes_alone(listed: Path) -> None:
    classes = Path("classes.txt")
    classes.write_text("\n".join(WNIDS[place] for place in (700, 5, 9)) + "\n")
    spec = write_npy(Path("mine.npy"), [[1, 0], [1, 0], [0, 1], [2, 1]])
    (run,) = score(listed, f"{spec}?classes={classes}")
    assert (counts(run.top1), run.top5) == ((1, 3), None)
    assert (run.classes, run.masked) == (3, 1)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (ANSWERS[:3], "has 3 rows, and photos has 4 photos: it needs one row a photo"),
        ([*ANSWERS[:3], [1000, 1, 2, 3, 4]], "row 3 of bad.npy (photo3.jpg) has the class index"),
        ([*ANSWERS[:3], [1000, 1, 2, 3, 4]], "if output 0 is a background class, say &back"),
        ([[-1, 1, 2, 3, 4], *ANSWERS[1:]], "row 0 of bad.npy (photo0.jpg) has the class index -1"),
        ([*ANSWERS[:2], [1, 2, 3, 4, 1], ANSWERS[3]], "bad.npy (photo2.jpg) has a class twice"),
        ([[0.5, 0.5]] * 4, "bad.npy has 2 columns of numbers, and there are 1,000 classes"),
        ([[1.0, 5.0]] * 4, "1,000 classes; if these are class indices, save them as whole numbers"),
        ([[[1]]] * 4, "bad.npy is 4 x 1 x 1 of int64"),
    ],
)  # fmt: skip
def test_impossible_indices_are_refused(listed: Path, rows: list[list[int]], says: str) -> None:
    assert says in refusal(listed, write_npy(Path("bad.npy"), rows))


@pytest.mark.parametrize(
    ("rows", "head", "says"),
    [
        (["photo0.jpg,n01440764,crane"], "image,top1,top2", "photo 1: 'crane' is the name of se"),
        (["photo0.jpg,a fish,n01440764"], "image,top1,top2", "photo 1: 'a fish' is no class of"),
        (["photo0.jpg,tench,n01440764"], "image,top1,top2", "photo 1: it has a class twice"),
        ([f"photo0.jpg,{WNIDS[0]}"] * 2, "image,top1", "photo 2: photo0.jpg is there twice"),
        (
            [f"photo0.jpg,{WNIDS[6]},{WNIDS[0]}"],
            "image,wnid,top1",
            f"is {WNIDS[6]} there and {WNIDS[5]}",
        ),
        ([f"photo0.jpg,{WNIDS[0]}"], "photo,top1", "needs rows with the columns image, top1"),
        ([], "image,top1", "needs rows with the columns image, top1"),
        ([f"elsewhere.jpg,{WNIDS[0]}"], "image,top1", "has no photo of photos, whose photos"),
        ([f"photo0.jpg,{WNIDS[0]},1.5"], "image,top1,p1", "probabilities from 0 to 1"),
    ],
)
def test_impossible_tables_are_refused(listed: Path, rows: list[str], head: str, says: str) -> None:
    assert says in refusal(listed, table(Path("bad.csv"), rows, head))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from([".npy", ".csv", ".parquet"]),
    st.binary(max_size=200)
    | st.builds(b"\x93NUMPY\x01\x00v\x00".__add__, st.binary(min_size=118, max_size=200))
    | st.builds(b"image,top1,p1\nphoto0.jpg,".__add__, st.binary(max_size=60)),
)
@example(".csv", b"image,top1\nphoto0.jpg,n01440764,more,and more\nphoto1.jpg\n")
@example(".csv", b"image,top1\n\x00")
def test_any_bytes_are_counted_or_refused(listed: Path, suffix: str, content: bytes) -> None:
    path = Path(f"any{suffix}")
    path.write_bytes(content)
    try:
        score(listed, f"predictions:{path}")
    except GensetError as refused:
        assert "\n" not in str(refused)


def test_a_pickle_is_never_opened_and_none_of_two_arrays_is_guessed(listed: Path) -> None:
    np.save(Path("bad.npy"), np.array([{"a": 1}], dtype=object), allow_pickle=True)
    assert "cannot be read" in refusal(listed, "predictions:bad.npy")
    np.savez("two.npz", logits=np.eye(2), labels=np.arange(2))
    assert "holds 2 arrays (logits, labels); save" in refusal(listed, "predictions:two.npz")


@pytest.mark.parametrize(
    ("spec", "text", "says"),
    [
        (
            "predictions:list.txt",
            "",
            "a .npy, .npz, .csv or .parquet file: in Python, import numpy",
        ),
        ("predictions:nowhere.npy", "", "there is no file"),
        ("", "tench\n", "line 1: 'tench' is not a class of ImageNet"),
        ("", f"{WNIDS[0]}\n{WNIDS[0]}\n", f"line 2: {WNIDS[0]} is there twice"),
        ("", "\n", "is empty"),
        ("predictions:mine.npy?background=1001", "", "0 to 1000, not 1001"),
    ],
)
def test_what_specs_name_wrongly_is_refused(listed: Path, spec: str, text: str, says: str) -> None:
    Path("list.txt").write_text(text)
    write_npy(Path("mine.npy"), ANSWERS)
    assert says in refusal(listed, spec or "predictions:mine.npy?classes=list.txt")


def test_a_model_without_a_class_of_the_set_cannot_be_counted(listed: Path) -> None:
    Path("classes.txt").write_text(f"{WNIDS[800]}\n{WNIDS[801]}\n")
    spec = write_npy(Path("mine.npy"), [[0]] * 4)
    with pytest.raises(GensetError, match="not one photo of photos can be counted"):
        score(listed, f"{spec}?classes=classes.txt")


@pytest.mark.soak
def test_predictions_are_scored_and_reported_where_pytorch_is_not_installed(listed: Path) -> None:
    spec = write_npy(Path("mine.npy"), ANSWERS)
    for words in (["evaluate", str(listed), "--model", spec], ["report", str(listed)]):
        code = "import sys; sys.modules.update(torch=None, torchvision=None); import genset.cli; "
        code += f"genset.cli.cli({words!r})"
        subprocess.run([sys.executable, "-c", code], cwd=listed.parent, check=True)
    assert (Path("report-photos.html")).is_file()


# Which class a name in words means, in tables of predictions.

TENCH, BIRD, LIFTER = "n01440764", "n02012849", "n03126707"


@pytest.mark.parametrize(
    ("name", "wnid"),
    [
        ("tench", TENCH),
        ("Tinca tinca", TENCH),
        (TENCH, TENCH),
        (" TENCH\n", TENCH),
        ("a tench", TENCH),
        ("hotdog", "n07697537"),
        ("great_white_shark", "n01484850"),
        ("Jack-o’-Lantern", "n03590841"),
        ("payphone", "n03902125"),
        ("st. bernard", "n02109525"),
        ("sneaker", "n04120489"),
        ("sunglasses", "n04356056"),
        ("crane (wading bird)", BIRD),
        ("Crane (Lifting device)", LIFTER),
    ],
)
def test_a_name_is_found_however_it_is_written(name: str, wnid: str) -> None:
    assert imagenet_names().find(name) == {wnid}


@pytest.mark.parametrize("name", ["", " ", "a fish", "tenches", "tnech", "tench fish", "0", "..."])
def test_nothing_is_guessed(name: str) -> None:
    assert imagenet_names().find(name) == frozenset()


def test_each_class_has_a_name_of_its_own_and_shared_ones_are_known() -> None:
    for cls in imagenet1k():
        for name in (cls.wnid, *with_kind(cls), *synonyms().get(cls.wnid, ())):
            assert imagenet_names().find(name) == {cls.wnid}, name
        for lemma in cls.lemmas:
            assert cls.wnid in imagenet_names().find(lemma), lemma


def test_names_that_change_change_the_version() -> None:
    """A stored run must not stand for answers that would be read otherwise now: count it up."""
    table = "".join(
        f"{cls.wnid} {cls.lemmas} {with_kind(cls)} {synonyms().get(cls.wnid)}\n"
        for cls in imagenet1k()
    )
    assert (NAMES_VERSION, sha256(table.encode()).hexdigest()[:16]) == (1, "ed28b0deea8524a4")
