"""`genset report --tta`: an entry's training beside the accuracy of the model that it gave."""

import hashlib
import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from playwright.sync_api import Browser

from genset.cli import cli
from genset.core.errors import BadInput
from genset.reporting.collect import collect
from genset.reporting.forms import report_json
from genset.reporting.options import ReportOptions, parse_counterpart, parse_entry
from genset.reporting.sections import entries, finetuning
from genset.reporting.write import Report
from genset.sets.photos import PhotoSet
from tests.reporting.heads import CLASSES, keep_finetuned
from tests.reporting.sets import Page, everywhere, release_of, score, score_on
from tests.score.painted import painted_set
from tests.tta.dawnbench_entries import write_entry, write_tsv
from tests.tta.profile.events import kernel, launch, operator, write


@pytest.fixture
def photos(tmp_path: Path) -> PhotoSet:
    """A release on which "low", "fast" and "high" are right on 10, 20 and 38 of 40 photos."""
    photos = release_of(tmp_path / "set", 40)
    for name, right in (("low", 10), ("fast", 20), ("high", 38)):
        score(photos, tmp_path / "runs", name, right, weights=f"sha256:{name}")
    return photos


def joined(
    *words: str, counterparts: Sequence[str] = (), margin: float | None = None, **bounds: str
) -> ReportOptions:
    return ReportOptions(
        tta=tuple(map(parse_entry, words)),
        counterparts=tuple(map(parse_counterpart, counterparts)),
        margin=margin,
        **bounds,  # type: ignore[arg-type]
    )


def told(photos: PhotoSet, options: ReportOptions) -> tuple[Page, str, dict[str, object]]:
    """The page, the Markdown and the JSON of its first entry."""
    page, markdown, found = everywhere(photos, photos.root.parent / "runs", options)
    return page, markdown, found["entries"][0]


def test_each_entry_says_when_it_gets_there_and_how_stable_it_is(
    tmp_path: Path, photos: PhotoSet
) -> None:
    """One run, several of which one does not, and runs that never do; paths may hold a =."""
    folder = tmp_path / "lr=0.1" / "ImageNet"
    quick = write_entry(folder / "quick.tsv", [50, 80, 93.5, 93.6], hour=0.1)
    head, *rows = quick.read_text().splitlines()
    used = [f"{row}\t{15 * number}" for number, row in enumerate(rows, 1)]
    metered = folder / "metered.tsv"
    metered.write_text("\n".join([f"{head}\twattHours", *used, ""]))
    for number, hour in enumerate((0.9, 1.0, 1.1), 1):
        write_entry(folder / "speedy" / f"run-{number}.tsv", [50, 93.5], hour=hour)
    write_entry(folder / "speedy" / "run-4.tsv", [50, 92.0, 92.5])
    slow = write_tsv(folder / "slow.tsv", [50, 92.1, 91])
    write_tsv(folder / "never" / "a.tsv", [50])
    write_tsv(folder / "never" / "b.tsv", [60])
    logs = [quick, metered, folder / "speedy", slow, folder / "never"]
    page, markdown, found = everywhere(
        photos, tmp_path / "runs", joined(*(f"{log}=fast" for log in logs))
    )
    one, energy, several, late, never = found["entries"]
    assert (one["hours"], one["cost"]) == pytest.approx((0.3, 3.0))  # 0.3 hours at $10
    assert (one["epochs"], one["runs"], one["reached"]) == ([3, 3], 1, 1)
    assert (one["share"], one["variation"]) == (None, None)
    assert energy["watt_hours"] == pytest.approx(45)
    assert (several["name"], several["runs"], several["reached"]) == ("speedy", 4, 3)
    assert (several["hours"], several["cost"]) == pytest.approx((2.0, 20.0))
    assert several["variation"] == pytest.approx(0.1)
    assert (late["hours"], late["cost"], late["epochs"]) == (None, None, None)
    assert never["reached"] == 0
    for form in (page.text, markdown):
        assert "lower reference" not in form
    for words in (
        "18 min 0 s to 93 % top-5 on ImageNet; epoch 3, $3.00 one run",
        "to 93 % top-5 on ImageNet; epoch 3, –, 45 Wh one run",
        "2 h 0 min to 93 % top-5 on ImageNet; epoch 2, $20.00",
        "3 of 4 runs 95 %: 19 to 99 %; varies by 10.0 % (95 %: 5.2 to 67.2 %)",
        "never to 93 % top-5 on ImageNet; best 92.10 %",
    ):
        assert words in page.text
    for words in (
        "| 18 min 0 s (to 93 % top-5 on ImageNet; epoch 3, $3.00) | one run |",
        "| 2 h 0 min (to 93 % top-5 on ImageNet; epoch 2, $20.00) | 3 of 4 runs (95",
        "| never (to 93 % top-5 on ImageNet; best 92.10 %) | one run |",
        "| never (to 93 % top-5 on ImageNet; best 60.00 %) | 0 of 2 runs (95 %: 0 to 84 %) |",
    ):
        assert words in markdown
    assert "| quick (fast" in markdown
    assert "fast stands for 5 trainings here: one gave it at most" in page.text
    assert "genset report small --tta quick.tsv=fast" in page.text
    assert str(tmp_path) not in json.dumps(found) + page.text


@pytest.mark.parametrize(
    ("right", "says"),
    [
        (3, "-52.4 to -7.1"),
        (11, "not to be told apart from low"),
        (40, "not to be told apart from high"),
    ],
)
def test_places_are_in_the_interval(
    tmp_path: Path, photos: PhotoSet, right: int, says: str
) -> None:
    score(photos, tmp_path / "runs", "new", right, weights="sha256:new")
    log = write_entry(tmp_path / "ImageNet" / "speedy.tsv", [93.5])
    # With 3 of 40 right, and most at its second answer, it would be left out.
    options = replace(joined(f"{log}=new", lower="low", upper="high"), include_flagged=True)
    markdown = told(photos, options)[1].replace("\\", "")
    (row,) = (line for line in markdown.splitlines() if line.startswith("| speedy"))
    assert row.endswith(f"{says}) |")


def test_logs_that_cannot_be_told_are_refused_in_one_line(tmp_path: Path, photos: PhotoSet) -> None:
    def refusal(log: Path) -> str:
        with pytest.raises(BadInput) as caught:
            collect(photos, tmp_path / "runs", joined(f"{log}=fast"))
        assert "\n" not in str(caught.value)
        return str(caught.value)

    assert refusal(tmp_path / "none.tsv") == f"there is no file {tmp_path / 'none.tsv'}"
    (tmp_path / "empty").mkdir()
    assert "there is no training log that can be read" in refusal(tmp_path / "empty")
    folder = tmp_path / "ImageNet"
    good = write_entry(folder / "good.tsv", [93.5])
    bad = write_entry(folder / "run-2.tsv", [93.5, 94])
    bad.write_text(bad.read_text().replace("94", "940"))
    assert refusal(folder).startswith(f"{bad}, line 3: ")
    write_entry(folder / "run-2.tsv", [93.5, 94], model="Another")
    assert "holds runs of several entries" in refusal(folder)
    write_entry(folder / "run-2.tsv", [93.5])
    assert "holds the same epochs" in refusal(folder)
    with pytest.raises(BadInput, match=r"names .*good\.tsv twice"):
        collect(photos, tmp_path / "runs", joined(f"{good}=fast", f"{good}=high"))
    own = {"task": "moons", "score": "top1Accuracy"}
    alone = write_entry(tmp_path / "alone.tsv", [93.5], misc=own)
    assert refusal(alone) == f"{alone}: moons has no threshold: say one with --tta-threshold"
    asked = replace(joined(f"{alone}=fast"), tta_threshold=40.0)
    (entry,) = collect(photos, tmp_path / "runs", asked).of(entries.SECTION)
    assert (entry.threshold, entry.reached) == (40, 1)


@pytest.mark.browser
def test_it_fits_on_a_phone(browser: Browser, tmp_path: Path, photos: PhotoSet) -> None:
    runs = tmp_path / "runs"
    for name in ("low", "fast", "high"):
        shots = [(1, 90), (2, 70)]
        keep_finetuned(runs, name, [32, 33], weights=f"sha256:{name}", shots=shots)
    log = write_entry(tmp_path / "ImageNet" / f"{'long_name_' * 5}.tsv", [93.5])
    path = tmp_path / "report.html"
    Report(photos, runs, joined(f"{log}=fast", lower="low", upper="high")).write(path)
    with closing(browser.new_page(viewport={"width": 390, "height": 800})) as page:
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        curves = page.locator("figure", has_text="against low").locator("> svg")
        assert curves.evaluate_all("all => all.map(one => one.clientWidth > 300)") == [True, True]


# Whether a training gave the model, and how that stands beside another.


@pytest.fixture
def release(tmp_path: Path) -> PhotoSet:
    """A release of 400 photos, on which "fast" is right on 300 of them."""
    found = release_of(tmp_path / "set", 400)
    score(found, tmp_path / "runs", "fast", 300, weights="sha256:fast")
    return found


def entries_of(release: PhotoSet, asked: ReportOptions) -> list[dict[str, Any]]:
    """The entries in the report's JSON."""
    data = collect(release, release.root.parent / "runs", asked)
    found: list[dict[str, Any]] = json.loads(json.dumps(report_json(data)))["entries"]
    return found


def genset(*words: str) -> Result:
    return CliRunner().invoke(cli, list(words))


def test_a_checkpoint_and_its_model_are_joined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.score.colours import colours

    monkeypatch.chdir(tmp_path)
    painted_set(tmp_path / "photos")
    spec = colours(tmp_path)
    train = "echo tta epoch=1 top1=9{seed} seconds=60; cp colours.pth {seed}.pth"
    said = ["--model", "Colours", "--task", "colours", "--threshold", "90", "--seeds", "0..1"]
    done = genset(
        *["tta", "record", "-o", "fast", *said, "--checkpoint", "{seed}.pth"],
        *["--", "sh", "-c", f"{train}; [ {{seed}} = 1 ] || echo >> {{seed}}.pth"],
    )
    assert done.exit_code == 0, done.output
    scored = spec.replace("colours.pth", "1.pth") + "&name=fast"
    words = ["photos", "--runs", "runs"]
    assert genset("evaluate", *words, "--model", scored).exit_code == 0
    asked = ["report", *words, "--tta", "fast=fast"]
    (entry,) = json.loads(genset(*asked, "--json").stdout)["entries"]
    assert entry["weights"] == {"kind": "same", "run": "seed-1", "written": "", "scored": ""}
    assert "scored from the checkpoint that the run seed-1 left, by its sha256" in entry["remarks"]
    assert not any("stands for" in remark for remark in entry["remarks"])
    assert genset(*asked, "-o", "a.html").exit_code == 0
    assert "is the word of who asked" not in Page(Path("a.html")).text
    # A model of the same weights in another file that no run left.
    other = json.loads(Path("fast", "seed-1.json").read_text())
    other["misc"]["checkpoint"]["sha256"] = 64 * "0"
    for seed in "01":
        Path("fast", f"seed-{seed}.json").write_text(json.dumps(other))
    (entry,) = json.loads(genset(*asked, "--json").stdout)["entries"]
    digest = hashlib.sha256(Path("1.pth").read_bytes()).hexdigest()
    assert entry["weights"] | {"run": ""} == {
        "kind": "other",
        "run": "",
        "written": 12 * "0",
        "scored": digest[:12],
    }
    left = f"that file has sha256 000000000000…, the scored one {digest[:12]}…"
    said = f"not scored from the checkpoint that this training left: {left}"
    assert said in entry["remarks"]


def beside(release: PhotoSet, name: str, right: int, missed: int) -> None:
    """Keep a run right on the first photos, and without the right class on the last ones."""
    ids = [photo.id for photo in release.photos]
    score_on(
        release,
        release.root.parent / "runs",
        name,
        set(ids[:right]),
        missed=set(ids[len(ids) - missed :]),
        weights=f"sha256:{name}",
    )


@pytest.mark.soak
def test_margins(tmp_path: Path, release: PhotoSet) -> None:
    # In top-1 the same but for 2 of 400; in top-5 worse on 40 of 400.
    beside(release, "pretrained", 302, 0)
    beside(release, "trained", 300, 40)
    log = write_entry(tmp_path / "ImageNet" / "speedy.tsv", [93.5])
    asked = joined(f"{log}=trained", counterparts=["pretrained"], margin=4)
    (entry,) = entries_of(release, asked)
    first, fifth = entry["margins"]
    assert (first["k"], first["not_worse"]) == (1, True)
    assert (fifth["k"], fifth["not_worse"]) == (5, False)
    pair = first["pair"]
    assert (pair["only_first"], pair["only_second"], pair["photos"]) == (0, 2, 400)
    assert fifth["pair"]["difference"] == pytest.approx(-0.1)
    page, markdown, _ = everywhere(release, release.root.parent / "runs", asked)
    assert "Beside their pretrained counterparts" in page.text
    assert "| trained | pretrained | 4 | top-1 | −0.5 (" in markdown
    assert "| trained | pretrained | 4 | top-5 | −10.0 (" in markdown
    assert "--margin 4 " in page.text
    assert "--counterpart pretrained" in page.text


@pytest.mark.soak
def test_each_model_can_have_a_counterpart_of_its_own(tmp_path: Path, release: PhotoSet) -> None:
    beside(release, "small", 250, 0)
    beside(release, "large", 350, 0)
    logs = [write_entry(tmp_path / "ImageNet" / f"{name}.tsv", [93.5]) for name in ("one", "two")]
    words = [f"{logs[0]}=fast", f"{logs[1]}=small"]
    found = entries_of(release, joined(*words, counterparts=["fast=small", "large"], margin=1))
    assert [e["margins"][0]["pair"]["second"] for e in found] == ["small", "large"]
    found = entries_of(release, joined(*words, counterparts=["small=large"], margin=1))
    assert [len(e["margins"]) for e in found] == [0, 2]


@pytest.mark.parametrize(
    ("counterparts", "margin", "says"),
    [
        (["low"], None, "--counterpart MODEL and --margin POINTS go together: say both"),
        ([], 1.0, "--counterpart MODEL and --margin POINTS go together: say both"),
        (["fast"], 1.0, "--counterpart fast: it is the model itself"),
        (["low=fast"], 1.0, "--counterpart low=...: no --tta names the model low"),
        (["nobody"], 1.0, "no model 'nobody'"),
    ],
)
@pytest.mark.soak
def test_a_question_that_cannot_be_answered_is_refused(
    tmp_path: Path, release: PhotoSet, counterparts: list[str], margin: float | None, says: str
) -> None:
    beside(release, "low", 250, 0)
    log = write_entry(tmp_path / "ImageNet" / "speedy.tsv", [93.5])
    asked = joined(f"{log}=fast", counterparts=counterparts, margin=margin)
    with pytest.raises(BadInput) as caught:
        collect(release, tmp_path / "runs", asked)
    assert str(caught.value).startswith(says)
    with pytest.raises(BadInput):
        collect(release, tmp_path / "runs", replace(asked, tta=()))


# `genset tta report`: one page on training runs.


def test_a_page_on_training_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_entry(Path("runs/ImageNet/speedy.tsv"), [50, 80, 93.5], hour=0.1)
    write_entry(Path("runs/ImageNet/slow.tsv"), [50, 92], hour=1)
    rows = [
        f"{epoch},{60 * epoch},{60 + 12 * epoch + s},{s}" for s in range(3) for epoch in (1, 2, 3)
    ]
    Path("runs/mine.csv").write_text("\n".join(["epoch,time,val_acc,seed", *rows]))
    Path("runs/cut.csv").write_text("epoch,time,val_acc,seed\n1,60,61,7\n2,120,62,7")
    Path("runs/odd.tsv").write_text("epoch\thours\ttop5Accuracy\n1\tsoon\t3\n")
    events = [operator("aten::mm", 0, 9), launch(1, 1), kernel("gemm", 2, 6, 1)]
    trace = write(Path("fast.json"), events)
    done = genset("tta", "report", "runs", "--threshold", "90", "--trace", f"fast={trace}")
    page = Page(Path(done.stdout.strip()))
    assert "Training runs runs ImageNet: 2 of 2 entries reach 90 % top-5" in page.text
    assert "the fastest, speedy, in 18 min 0 s" in page.text
    assert "3 of 3 runs reach 90" in page.text
    assert "reaches 90 % val_acc (cannot tell: 1)" in page.text
    assert "How stable: mine" in page.text
    assert "coefficient of variation" in page.text
    assert "Not counted" in page.text
    assert "odd.tsv" in page.text
    assert "What the hardware did fast: busy: computing" in page.text
    assert [source[:18] for source in page.values("img", "src")] == ["data:image/svg+xml"] * 3


# The report's section on fine-tuning: there where results are kept, and nowhere else.

OLD, NEW = "sha256:old", "sha256:new"


@pytest.fixture
def twenty(tmp_path: Path) -> PhotoSet:
    """A release on which the models "pretrained" and "optimized" are scored."""
    twenty = release_of(tmp_path / "set", 20)
    score(twenty, tmp_path / "runs", "optimized", 9, weights=NEW)
    score(twenty, tmp_path / "runs", "pretrained", 8, weights=OLD)
    return twenty


@pytest.fixture
def finetuned(tmp_path: Path, twenty: PhotoSet) -> Path:
    """Both fine-tuned on birds; "optimized" is wrong on 16 more of 160 photos."""
    finetuned = tmp_path / "runs"
    keep_finetuned(finetuned, "pretrained", [32, 32, 32], weights=OLD, shots=[(1, 80), (5, 50)])
    keep_finetuned(
        finetuned,
        "optimized",
        [48, 44, 52],
        weights=NEW,
        shots=[(1, 90), (5, 60)],
        created_at="2026-01-02T03:04:05.000002+00:00",
    )
    return finetuned


def test_the_other_model_is_held_against_the_first_one(twenty: PhotoSet, finetuned: Path) -> None:
    page, markdown, _ = everywhere(twenty, finetuned)
    (task,) = report_json(collect(twenty, finetuned))["finetuning"]
    first, second = task["models"]
    assert (first["run"]["model"], first["curve"][-1]["difference"]) == ("pretrained", None)
    assert first["curve"][-1]["accuracy"]["correct"] == 128
    assert (first["curve"][-1]["spread"], len(first["run"]["attempts"])) == (0.0, 5)
    held = second["curve"][-1]["difference"]
    assert held["difference"] == pytest.approx(-0.1)
    assert held["interval"]["low"] < -0.1 < held["interval"]["high"] < 0
    assert (held["only_model"], held["only_baseline"]) == (0, 16)
    for form in (page.text, markdown):
        assert "−10.0" in form
        assert "16 classes, 240 training and 160 test photos; split: official" in form
    assert "birds-200: optimized against pretrained" in page.text
    assert "| birds-200 | pretrained | 5 | 160 | 68.8 | " in markdown
    assert "| birds-200 | pretrained | 160 | 80.0 | 73.1–85.5 | 0.00 | 3 | – |" in markdown
    assert "| birds-200 | optimized | 160 | 70.0 | 62.5–76.6 | 2.50 | 3 | −10.0 | −15.6" in markdown


def test_the_lower_reference_is_the_baseline_if_named(twenty: PhotoSet, finetuned: Path) -> None:
    score(twenty, finetuned, "best", 20, weights="sha256:best")
    keep_finetuned(finetuned, "optimized", [16], weights=NEW, name="cats-dogs")
    tasks = collect(twenty, finetuned, ReportOptions(lower="optimized", upper="best")).of(
        finetuning.SECTION
    )
    assert [[model.label for model in task.models] for task in tasks] == [
        ["optimized", "pretrained"],
        ["optimized"],
    ]
    difference = tasks[0].models[1].curve[-1].difference
    assert difference and difference.difference == pytest.approx(0.1)


def test_a_model_goes_by_its_weights_and_remarks_stand_below_once(
    tmp_path: Path, twenty: PhotoSet
) -> None:
    finetuned = tmp_path / "runs"
    notes = ("4 classes are missing.",)
    keep_finetuned(finetuned, "other name", [32], weights=OLD, notes=notes)
    keep_finetuned(finetuned, "optimized", [16], weights=NEW, notes=notes, precision="bf16")
    keep_finetuned(finetuned, "third", [16], weights="sha256:others")
    (task,) = collect(twenty, finetuned).of(finetuning.SECTION)
    assert [model.label for model in task.models] == ["optimized", "pretrained"]
    page, markdown, _ = everywhere(twenty, finetuned)
    for form in (page.text, markdown):
        assert form.count("4 classes are missing.") == 1
        assert "optimized: scored in bf16." in form


def test_two_ways_to_fit_are_not_compared(tmp_path: Path, twenty: PhotoSet) -> None:
    finetuned = tmp_path / "runs"
    keep_finetuned(finetuned, "pretrained", [32], weights=OLD, shots=[(1, 80)])
    keep_finetuned(
        finetuned,
        "pretrained",
        [16],
        weights=OLD,
        shots=[(1, 90)],
        created_at="2026-01-02T03:04:05.000002+00:00",
        key="b" * 64,
        settings={"strengths": [1.0]},
    )
    page, markdown, _ = everywhere(twenty, finetuned)
    tasks = collect(twenty, finetuned).of(finetuning.SECTION)
    assert [(task.task, len(task.models)) for task in tasks] == [
        ("birds-200", 1),
        ("birds-200 (2)", 1),
    ]
    assert "birds-200 (2): 16 classes" in markdown
    ids = [found["id"] for _, found in page.tags if "id" in found]
    assert len(ids) == len(set(ids)) > 0


def test_names_of_classes_and_tasks_stay_words(tmp_path: Path, twenty: PhotoSet) -> None:
    finetuned = tmp_path / "runs"
    words = "<script>alert(1)</script>"
    keep_finetuned(
        finetuned,
        "pretrained",
        [32],
        weights=OLD,
        name=words,
        classes=(words, *CLASSES[1:]),
        split=words,
        notes=(words,),
        shots=[(1, 80)],
    )
    page, markdown, _ = everywhere(twenty, finetuned)
    assert [tag for tag, _ in page.tags].count("script") == 1  # the page's own
    assert words in page.text
    assert "<script" not in markdown
    json.dumps(report_json(collect(twenty, finetuned)), allow_nan=False)
