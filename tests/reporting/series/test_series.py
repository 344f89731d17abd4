"""`genset report SET SET ...`: the same models on several sets, from a terminal."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from genset.cli import cli
from genset.sets.open import open_set
from genset.sets.photos import PhotoSet
from tests.reporting.sets import Page, dated_release, release_by_source, score_on
from tests.score.listed import write_list, write_npy

PLAIN = 60  # classes of three photos in the plain sets
MODELS = {"best": 0.95, "good": 0.9, "fair": 0.83, "weak": 0.77, "worst": 0.7}


def said(*words: object) -> str:
    """What `genset report` prints."""
    done = CliRunner().invoke(cli, ["report", *map(str, words)])
    assert done.exit_code == 0, done.output
    return done.stdout


def numbers(*words: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(said(*words, "--json"))
    return found


def refused(*words: object) -> str:
    done = CliRunner().invoke(cli, ["report", *map(str, words)])
    assert done.exit_code != 0, done.output
    return str(done.exception)


def listed(folder: Path, name: str, places: Sequence[int]) -> PhotoSet:
    """A set that is a list of photos, in a folder of its own, which names it."""
    (folder / name).mkdir()
    return open_set(str(write_list(folder / name / "labels.csv", places)))


def keep(photos: PhotoSet, shares: Mapping[str, float], *, spec: str = "") -> None:
    """Keep runs under `runs`, each right on a share of the photos drawn with a seed."""
    for number, (model, share) in enumerate(shares.items()):
        rng = np.random.default_rng([number, len(photos)])
        right = {photo.id for photo in photos.photos if rng.random() < share}
        score_on(photos, Path("runs"), f"{model}{spec}", right, weights=f"sha256:{model:0<8}")


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


def test_a_series_is_an_index_and_a_full_report_on_each_set(here: Path, two: Sequence[str]) -> None:
    assert said(*two, "--out", "site/") == "site/index.html\n"
    assert sorted(path.name for path in Path("site").iterdir()) == [
        "index.html",
        "new.html",
        "old.html",
    ]
    page = Page(Path("site/index.html"))
    links = {each for each in page.values("a", "href") if not each.startswith("#")}
    assert {each.partition("#")[0] for each in links} == {"old.html", "new.html"}
    assert "5 models on 2 sets, each scored on all of them." in page.text
    assert "over the 50 classes that both have, the mean of 5 models falls by" in page.text
    assert Page(Path("site/new.html")).text.startswith("new – genset report")


def test_a_series_lands_where_one_stands_and_json_alone_writes_nothing(
    here: Path, two: Sequence[str]
) -> None:
    before = sorted(here.rglob("*"))
    alone = numbers(*two)
    assert sorted(here.rglob("*")) == before
    assert said(*two, "--markdown").startswith("5 models on 2 sets")
    assert said(*two) == "report-old-new/index.html\n"
    assert numbers(*two, "-o", "x") == {"file": "x/index.html", **alone}
    assert Path("x/old.html").is_file()


def test_a_change_is_the_mean_over_the_classes_that_both_sets_have(
    here: Path, two: Sequence[str]
) -> None:
    """Computed again from the kept tables, without a line of genset's."""
    found = numbers(*two)
    (pair,) = (each for each in found["pairs"] if each["among"] == "all")
    assert (pair["classes"], pair["photos"]) == (50, [150, 100])
    for model in found["models"]:
        rights = [right_by_class(each, model["label"]) for each in ("old", "new")]
        shared = sorted(rights[0].keys() & rights[1].keys())
        gaps = [np.mean(rights[1][wnid]) - np.mean(rights[0][wnid]) for wnid in shared]
        change = model["on"][1]["change"]["difference"]
        assert change["value"] == pytest.approx(np.mean(gaps))
        low, high = change["interval"]["low"], change["interval"]["high"]
        assert low < np.mean(gaps) < high
        # The same number by the normal approximation over classes.
        wide = 2 * 1.96 * np.std(gaps) / np.sqrt(len(gaps))
        assert high - low == pytest.approx(wide, rel=0.12)


def test_a_column_says_over_which_classes_its_changes_are(here: Path, two: Sequence[str]) -> None:
    """The accuracies beside them are of all 60 classes of each set."""
    says = "change since old over the 50 classes that both have"
    head = said(*two, "--markdown").partition("| Model | ")[2].splitlines()[0]
    first, second = head.split(" | ")
    assert (says in first, says in second) == (False, True)
    said(*two, "-o", "site")
    assert Page(Path("site/index.html")).text.count(says.replace("change", "Change on new")) == 1


def right_by_class(name: str, label: str) -> dict[str, list[bool]]:
    (table,) = Path("runs", name).glob(f"{label}-*/predictions.csv")
    rows = [line.split(",") for line in table.read_text().splitlines()[1:]]
    found: dict[str, list[bool]] = {}
    for _, wnid, first, *_ in rows:
        found.setdefault(wnid, []).append(wnid == first)
    return found


def test_in_the_other_order_the_change_is_the_opposite(here: Path, two: Sequence[str]) -> None:
    one, other = numbers(*two), numbers(*reversed(two))
    changes = [
        {model["label"]: model["on"][1]["change"]["difference"] for model in each["models"]}
        for each in (one, other)
    ]
    for label, found in changes[0].items():
        back = changes[1][label]
        assert found["value"] == pytest.approx(-back["value"])
        assert found["interval"]["low"] == pytest.approx(-back["interval"]["high"])


def test_models_are_known_by_their_weights_and_not_by_their_names(here: Path) -> None:
    """`same` is called otherwise on the second set, where another model has its name."""
    first = listed(here, "old", range(40))
    second = listed(here, "new", range(40, 80))
    for photos, name, weights, right in (
        (first, "same", "sha256:aaaaaaaa1", 30),
        (second, "renamed", "sha256:aaaaaaaa1", 20),
        (second, "same", "sha256:bbbbbbbb2", 10),
    ):
        score_on(photos, Path("runs"), name, set(photos.ids[:right]), weights=weights)
    found = numbers("old/labels.csv", "new/labels.csv")
    table = {
        model["label"]: [on and on["all"]["accuracy"]["correct"] for on in model["on"]]
        for model in found["models"]
    }
    assert table == {"same [aaaaaaaa]": [30, 20], "same [bbbbbbbb]": [None, 10]}


def test_a_model_that_one_set_lacks_has_a_gap_and_the_command_that_fills_it(
    here: Path, two: Sequence[str]
) -> None:
    keep(open_set("old/labels.csv"), {"it's new": 0.7})
    found = numbers(*two)
    assert [on is None for m in found["models"] if m["label"] == "it's new" for on in m["on"]] == [
        False,
        True,
    ]
    (gap,) = found["gaps"]
    assert (gap["set"], gap["models"]) == ("new", ["it's new"])
    first, second = gap["command"].split(" \\\n    ")
    assert first == "genset evaluate new/labels.csv"
    assert second.startswith("--model 'file:")
    assert "it'\"'\"'s new" in second
    assert "not scored" in said(*two, "--markdown")


def test_answers_computed_elsewhere_are_joined_by_name_and_the_page_says_so(here: Path) -> None:
    places = {"old": range(40), "new": range(40, 80)}
    for name, classes in places.items():
        listed(here, name, classes)
        spec = write_npy(here / name / "mine.npy", [[place] for place in classes])
        words = ["evaluate", f"{name}/labels.csv", "--model", spec]
        assert CliRunner().invoke(cli, words).exit_code == 0
    only = write_npy(here / "old" / "only.npy", [[place] for place in places["old"]])
    assert CliRunner().invoke(cli, ["evaluate", "old/labels.csv", "--model", only]).exit_code == 0
    said(*(f"{name}/labels.csv" for name in places), "-o", "site")
    text = Page(Path("site/index.html")).text
    assert "only the name joins them: mine, only." in text
    assert "only: its answers were computed elsewhere; give those on this set" in text


def test_a_line_goes_through_five_models_and_not_through_three(
    here: Path, two: Sequence[str]
) -> None:
    (pair,) = (each for each in numbers(*two)["pairs"] if each["among"] == "all")
    assert {fit["scale"] for fit in pair["fits"]} == {"logit", "linear"}
    linear = next(fit for fit in pair["fits"] if fit["scale"] == "linear")
    x, y = ([model[side] for model in pair["models"]] for side in ("first", "second"))
    slope, intercept = np.polyfit(x, y, 1)
    assert (linear["slope"], linear["intercept"]) == pytest.approx((slope, intercept))
    for model in pair["models"]:
        above = model["second"] - (intercept + slope * model["first"])
        assert model["above"]["linear"]["value"] == pytest.approx(above)
    for model in ("weak", "worst"):
        (folder,) = Path("runs/new").glob(f"{model}-*")
        (folder / "run.json").unlink()
    (fewer,) = (each for each in numbers(*two)["pairs"] if each["among"] == "all")
    assert (len(fewer["models"]), fewer["fits"]) == (3, [])
    assert "3 models cannot show a line: it takes 4 of different accuracy." in said(
        *two, "--markdown"
    )


def test_a_flagged_model_changes_no_other_model_s_numbers(here: Path, two: Sequence[str]) -> None:
    """Its answers on one set are in reversed order."""
    before = numbers(*two)
    for name in ("old", "new"):
        photos = open_set(f"{name}/labels.csv")
        write_reversed(photos, is_odd=name == "new")
    after = numbers(*two)
    assert after["models"][-1]["label"] == "odd"
    assert after["models"][-1]["on"][1]["flags"]
    assert after["models"][:-1] == before["models"]
    for one, other in zip(before["pairs"], after["pairs"], strict=True):
        assert other["flagged"] == ["odd"]
        assert {**other, "flagged": []} == one
    said(*two, "-o", "site")
    text = Page(Path("site/index.html")).text
    assert "--include-flagged brings them in" in text
    assert re.search(r"odd on new *, 0\.0 %: The ranks look reversed", text)

    among = numbers(*two, "--include-flagged")
    assert not any(on["flags"] for model in among["models"] for on in model["on"])
    (pair,) = (each for each in among["pairs"] if each["among"] == "all")
    assert "odd" in [model["label"] for model in pair["models"]]


def write_reversed(photos: PhotoSet, *, is_odd: bool) -> None:
    """Keep a run named `odd`; where it is odd, the right class comes last of five."""
    right = {photo.id for photo in photos.photos[:100]}
    run = score_on(photos, Path("runs"), "odd", right, weights="sha256:odd")
    if not is_odd:
        return
    (folder,) = Path("runs", photos.name).glob("odd-*")
    table = (folder / "predictions.csv").read_text().splitlines()
    rows = [line.split(",") for line in table[1:]]
    turned = [[*row[:2], *row[2:7][::-1], *row[7:]] for row in rows]
    hits = [sum(row[1] == row[2 + place] for row in turned) for place in range(5)]
    (folder / "predictions.csv").write_text(
        "\n".join([table[0], *(",".join(row) for row in turned)]) + "\n"
    )
    record = json.loads((folder / "run.json").read_text())
    assert record["key"] == run.key
    record["top1"]["correct"] = hits[0]
    record["top1"]["share"] = hits[0] / len(rows)
    (folder / "run.json").write_text(json.dumps(record))


@pytest.mark.parametrize("lacking", ["old", "new"])
def test_a_model_without_answers_changes_no_other_model_s_numbers(
    here: Path, two: Sequence[str], lacking: str
) -> None:
    """`part` answered on one set the photos alone that it has right, which is the best model."""
    before = numbers(*two)
    for name in ("old", "new"):
        photos = open_set(f"{name}/labels.csv")
        right = set(photos.ids[::2])
        lacks = set(photos.ids) - right if name == lacking else set()
        score_on(
            photos, Path("runs"), "part", right, weights="sha256:part", unreadable=sorted(lacks)
        )
    after = numbers(*two)
    (part,) = (model for model in after["models"] if model["label"] == "part")
    n = {"old": 180, "new": 120}[lacking]
    assert part["on"][lacking == "new"]["partial"] == [n // 2, n]
    assert part["on"][lacking == "old"]["partial"] is None
    assert [model for model in after["models"] if model != part] == before["models"]
    assert after["changes"] == [before["changes"][0]]
    for one, other in zip(before["pairs"], after["pairs"], strict=True):
        assert other["partial"] == ["part"]
        assert {**other, "partial": []} == one
    if lacking == "old":  # it would be the first there, by its 100 per cent
        assert after["models"][-1] == part
    text = said(*two, "--markdown")
    assert "Left out, because it did not answer all photos: part." in text
    assert text.count(f"answered {n // 2} of {n} photos") == 2  # among all classes, and its own
    said(*two, "-o", "site")
    text = Page(Path("site/index.html")).text
    assert "Left out, because it did not answer all photos: part." in text
    assert text.count(f"answered {n // 2} of {n} photos") == 2  # among all classes, and its own


def test_a_model_lacks_no_photos_of_classes_that_it_was_not_asked_about(here: Path) -> None:
    """It lacks photos of classes that the other set does not have."""
    first, second = listed(here, "old", range(100)), listed(here, "new", range(50))
    for name, lacks in (("whole", []), ("half", first.ids[50:])):
        right = set(first.ids[:40])
        score_on(first, Path("runs"), name, right, weights=f"sha256:{name}", unreadable=lacks)
        score_on(second, Path("runs"), name, set(second.ids[:30]), weights=f"sha256:{name}")
    found = numbers("old/labels.csv", "new/labels.csv")
    for pair in found["pairs"]:
        assert [model["label"] for model in pair["models"]] == ["half", "whole"]
        assert pair["partial"] == []


@pytest.mark.parametrize("models", [1, 2, 5])
def test_models_that_answered_no_class_on_both_sets_are_not_compared(
    here: Path, models: int
) -> None:
    """All answered the first class of the one set, and the second class of the other."""
    first, second = listed(here, "old", [0, 0, 0, 1, 1, 1]), listed(here, "new", [0, 0, 0, 1, 1])
    named = [f"apart{number}" for number in range(models)]
    for photos, lacks in ((first, first.ids[3:]), (second, second.ids[:3])):
        for name in named:
            right = set(photos.ids[::2]) - set(lacks)
            weights = f"sha256:{name}"
            score_on(photos, Path("runs"), name, right, weights=weights, unreadable=lacks)
    words = ("old/labels.csv", "new/labels.csv")
    found = numbers(*words, "-o", "site")
    for pair in found["pairs"]:
        assert (pair["models"], pair["apart"], pair["fits"]) == ([], named, [])
    it = "it" if models == 1 else "they"
    for text in (said(*words, "--markdown"), Page(Path("site/index.html")).text):
        assert f"Left out, because {it} answered no class on both: {', '.join(named)}." in text
        assert "No model can be compared on old and new" in text


def test_five_photos_cannot_tell(here: Path) -> None:
    first, second = listed(here, "old", range(5)), listed(here, "new", range(5))
    Path("new/labels.csv").write_text(Path("new/labels.csv").read_text().replace("photo", "p"))
    second = open_set("new/labels.csv")
    for photos, right in ((first, 5), (second, 4)):
        score_on(photos, Path("runs"), "mine", set(photos.ids[:right]))
    words = ("old/labels.csv", "new/labels.csv")
    assert "Whether mine does better on old or on new, these photos cannot tell." in said(
        *words, "--markdown"
    )
    assert numbers(*words)["models"][0]["on"][1]["change"]["difference"] is None


def test_releases_are_taken_apart_by_source_and_by_year_posted(here: Path) -> None:
    (here / "sources").mkdir()
    (here / "years").mkdir()
    by_source = release_by_source(
        here / "sources", {"flickr": [4] * 6, "commons": [2] * 6, "inaturalist": [1] * 3}, {}
    )
    by_year = dated_release(
        here / "years", 8, [(f"{year}-05-01T00:00:00+00:00", None) for year in (2019, 2024, 2024)]
    )
    for photos in (by_source, by_year):
        right = set(photos.ids[::2])
        score_on(photos, Path("runs"), "mine", right)
    found = numbers("sources", "years")
    names = [each["name"] for each in found["sets"]]
    assert names == ["small (sources)", "small (years)"]  # both call themselves "small"
    groups = {each["by"]: each["rows"] for each in found["groupings"]}
    assert groups["source"]["inaturalist"] == [{"photos": 3, "mean": None}, None]
    assert [cell and cell["photos"] for cell in groups["source"]["flickr"]] == [24, 24]
    assert groups["year posted"]["2019"][0] is None
    assert groups["year posted"]["2024"][1]["photos"] == 16
    mean = groups["source"]["flickr"][0]["mean"]
    kept = {photo.id for photo in by_source.photos}
    record = json.loads((here / "sources" / "manifest.json").read_text())["photos"]
    flickr = [each["file"] for each in record if each["source"] == "flickr"]
    assert set(flickr) <= kept
    assert mean["value"] == pytest.approx(len(set(flickr) & set(by_source.ids[::2])) / 24)
    text = said("sources", "years", "--markdown")
    assert "3 photos cannot tell" in text


def test_a_model_without_answers_is_in_no_mean_of_a_source(here: Path) -> None:
    sets = {}
    for name, counts in (("x", [4] * 6), ("y", [3] * 6)):
        (here / name).mkdir()
        sources = {"flickr": counts, "commons": [2] * 6, "inaturalist": [1] * 3}
        sets[name] = release_by_source(here / name, sources, {})
        for model, step in (("mine", 2), ("other", 3)):
            right = set(sets[name].ids[::step])
            score_on(sets[name], Path("runs"), model, right, weights=f"sha256:{model}")
    before = numbers("x", "y")["groupings"]
    for photos in sets.values():
        right, lacks = set(photos.ids[::2]), photos.ids[1::2]
        score_on(photos, Path("runs"), "part", right, weights="sha256:part", unreadable=lacks)
    after = numbers("x", "y")["groupings"]
    assert [each.pop("partial") for each in after] == [["part"]]
    assert [each.pop("partial") for each in before] == [[]]
    assert after == before
    (by_source,) = after
    assert by_source["models"] == ["mine", "other"]
    assert "resampled. Left out, because it did not answer all photos: part." in said(
        "x", "y", "--markdown"
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("old/labels.csv", "old/labels.csv"), "are the same photos: name each set once"),
        (("old/labels.csv", "nowhere"), "nowhere is not there: name a release, a folder"),
        (("old/labels.csv", "new/labels.csv", "-o", "x.html"), "as a folder: --out x/"),
        (("old/labels.csv", "new/labels.csv", "--labels", "real.json"), "--labels is for"),
        (("old/labels.csv", "new/labels.csv", "--tta", "a.tsv=best"), "--tta is for"),
        (
            ("old/labels.csv", "new/labels.csv", "-o", "site", "--lower", "nobody", "--upper", "x"),
            "no model 'nobody' was scored on old",
        ),
    ],
)
def test_what_cannot_be_is_one_line(here: Path, two: Sequence[str], words: Any, says: str) -> None:
    assert says in refused(*words)
    assert "\n" not in refused(*words)


def test_a_set_named_index_does_not_take_the_index_s_place(here: Path) -> None:
    for name, places in (("index", range(20)), ("Index", range(20, 40))):
        keep(listed(here, name, places), {"mine": 0.5})
    said("index/labels.csv", "Index/labels.csv", "-o", "site")
    assert {path.name for path in Path("site").iterdir()} == {
        "index.html",
        "index-2.html",
        "Index-3.html",
    }
    assert "2 sets side by side" in Page(Path("site/index.html")).text


def test_sets_of_one_name_are_told_apart_by_their_folders(here: Path) -> None:
    for number, name in enumerate(("x", "y", "x/z")):
        (here / name).mkdir()
        photos = open_set(str(write_list(here / name / "list.csv", range(number, 30))))
        keep(photos, {"mine": 0.8})
    words = ("x/list.csv", "y/list.csv", "x/z/list.csv", "-o", "site")
    found = numbers(*words)
    assert [each["name"] for each in found["sets"]] == ["list (x)", "list (y)", "list (z)"]
    assert {each["page"] for each in found["sets"]} == {
        "list-x.html",
        "list-y.html",
        "list-z.html",
    }
    assert all(Path("site", each["page"]).is_file() for each in found["sets"])


def test_a_name_is_no_markup_and_no_command(here: Path) -> None:
    name = "<b>$(touch owned)`x`"
    photos = listed(here, "old", range(40))
    keep(photos, {name: 0.6})
    keep(listed(here, "new", range(40, 80)), {"other": 0.6})
    said("old/labels.csv", "new/labels.csv", "-o", "site")
    page = Path("site/index.html").read_text("utf-8")
    assert "<b>" not in page
    command = next(re.finditer(r"genset evaluate new/labels.csv.*?</code>", page, re.DOTALL))
    assert "$(touch owned)" in command[0]
    assert "&#39;file:" in command[0]
