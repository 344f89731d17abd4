"""`genset report --tta`: an entry's training beside the accuracy of the model that it gave."""

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from genset.core.errors import BadInput
from genset.reporting.collect import collect
from genset.reporting.options import EntrySpec, ReportOptions, parse_entry
from genset.reporting.sections import entries
from genset.reporting.write import Report
from genset.sets.photos import PhotoSet
from tests.reporting.heads import keep_finetuned
from tests.reporting.sets import Page, everywhere, release_of, score
from tests.tta.dawnbench_entries import write_entry, write_tsv


@pytest.fixture
def photos(tmp_path: Path) -> PhotoSet:
    """A release on which "low", "fast" and "high" are right on 10, 20 and 38 of 40 photos."""
    photos = release_of(tmp_path / "set", 40)
    for name, right in (("low", 10), ("fast", 20), ("high", 38)):
        score(photos, tmp_path / "runs", name, right, weights=f"sha256:{name}")
    return photos


def joined(*words: str, lower: str = "", upper: str = "") -> ReportOptions:
    return ReportOptions(tta=tuple(map(parse_entry, words)), lower=lower, upper=upper)


def told(photos: PhotoSet, options: ReportOptions) -> tuple[Page, str, dict[str, object]]:
    """The page, the Markdown and the JSON of its first entry."""
    page, markdown, found = everywhere(photos, photos.root.parent / "runs", options)
    return page, markdown, found["entries"][0]


def test_one_run_says_when_it_gets_there_and_not_how_stable_it_is(
    tmp_path: Path, photos: PhotoSet
) -> None:
    log = write_entry(tmp_path / "ImageNet" / "speedy.tsv", [50, 80, 93.5, 93.6], hour=0.1)
    page, markdown, entry = told(photos, joined(f"{log}=fast"))
    assert entry["hours"] == pytest.approx(0.3)
    assert entry["cost"] == pytest.approx(3.0)  # 0.3 hours at $10
    assert (entry["epochs"], entry["runs"], entry["reached"]) == ([3, 3], 1, 1)
    assert (entry["share"], entry["variation"]) == (None, None)
    for form in (page.text, markdown):
        assert "lower reference" not in form
    assert "18 min 0 s to 93 % top-5 on ImageNet; epoch 3, $3.00 one run" in page.text
    assert "| speedy (fast) |" in markdown
    assert "| 18 min 0 s (to 93 % top-5 on ImageNet; epoch 3, $3.00) | one run |" in markdown
    assert "genset report small --tta speedy.tsv=fast" in page.text
    assert str(tmp_path) not in json.dumps(entry) + page.text
    head, *rows = log.read_text().splitlines()
    used = [f"{row}\t{15 * number}" for number, row in enumerate(rows, 1)]
    log.write_text("\n".join([f"{head}\twattHours", *used, ""]))
    page, _, entry = told(photos, joined(f"{log}=fast"))
    assert entry["watt_hours"] == pytest.approx(45)
    assert "epoch 3, $3.00, 45 Wh one run" in page.text


def test_several_runs_say_how_stable_it_is(tmp_path: Path, photos: PhotoSet) -> None:
    folder = tmp_path / "ImageNet" / "speedy"
    for number, hour in enumerate((0.9, 1.0, 1.1), 1):
        write_entry(folder / f"run-{number}.tsv", [50, 93.5], hour=hour)
    write_entry(folder / "run-4.tsv", [50, 92.0, 92.5])
    page, markdown, entry = told(photos, joined(f"{folder}=fast"))
    assert (entry["name"], entry["runs"], entry["reached"]) == ("speedy", 4, 3)
    assert entry["hours"] == pytest.approx(2.0)
    assert entry["cost"] == pytest.approx(20.0)
    assert entry["variation"] == pytest.approx(0.1)
    assert "2 h 0 min to 93 % top-5 on ImageNet; epoch 2, $20.00" in page.text
    assert "3 of 4 runs 95 %: 19 to 99 %; varies by 10.0 % (95 %: 5.2 to 67.2 %)" in page.text
    assert "| 2 h 0 min (to 93 % top-5 on ImageNet; epoch 2, $20.00) | 3 of 4 runs (95" in markdown


def test_an_entry_that_never_gets_there_says_so(tmp_path: Path, photos: PhotoSet) -> None:
    log = write_tsv(tmp_path / "ImageNet" / "slow.tsv", [50, 92.1, 91])
    page, markdown, entry = told(photos, joined(f"{log}=fast"))
    assert (entry["hours"], entry["cost"], entry["epochs"]) == (None, None, None)
    assert "never to 93 % top-5 on ImageNet; best 92.10 %" in page.text
    assert "| never (to 93 % top-5 on ImageNet; best 92.10 %) | one run |" in markdown
    again = write_tsv(tmp_path / "ImageNet" / "slow" / "a.tsv", [50])
    write_tsv(again.with_name("b.tsv"), [60])
    _, markdown, _ = told(photos, joined(f"{again.parent}=fast"))
    assert (
        "| never (to 93 % top-5 on ImageNet; best 60.00 %) | 0 of 2 runs (95 %: 0 to 84 %) |"
        in markdown
    )


@pytest.mark.parametrize(
    ("right", "says"),
    [
        (3, "-52.4 to -7.1"),
        (11, "not to be told apart from low"),
        (37, "not to be told apart from high"),
        (40, "not to be told apart from high"),
    ],
)
def test_no_place_is_claimed_that_the_interval_does_not_hold(
    tmp_path: Path, photos: PhotoSet, right: int, says: str
) -> None:
    score(photos, tmp_path / "runs", "new", right, weights="sha256:new")
    log = write_entry(tmp_path / "ImageNet" / "speedy.tsv", [93.5])
    # With 3 of 40 right, and most at its second answer, it would be left out.
    options = replace(joined(f"{log}=new", lower="low", upper="high"), include_flagged=True)
    markdown = told(photos, options)[1].replace("\\", "")
    (row,) = (line for line in markdown.splitlines() if line.startswith("| speedy"))
    assert row.endswith(f"{says}) |")


def test_the_last_sign_divides_since_paths_may_hold_others() -> None:
    assert parse_entry("lr=0.1/run.tsv=fast") == EntrySpec(Path("lr=0.1/run.tsv"), "fast")


def test_logs_that_cannot_be_told_are_refused_in_one_line(tmp_path: Path, photos: PhotoSet) -> None:
    def refusal(log: Path) -> str:
        with pytest.raises(BadInput) as caught:
            collect(photos, tmp_path / "runs", joined(f"{log}=fast"))
        assert "\n" not in str(caught.value)
        return str(caught.value)

    assert refusal(tmp_path / "none.tsv") == f"there is no file {tmp_path / 'none.tsv'}"
    (tmp_path / "notes.txt").write_text("it went well")
    assert "is no training log" in refusal(tmp_path / "notes.txt")
    empty = tmp_path / "empty"
    empty.mkdir()
    assert refusal(empty) == f"{empty}: there is no training log that can be read"
    folder = tmp_path / "ImageNet"
    good = write_entry(folder / "good.tsv", [93.5])
    bad = write_entry(folder / "run-2.tsv", [93.5, 94])
    bad.write_text(bad.read_text().replace("94", "940"))
    assert refusal(bad).startswith(f"{bad}, line 3: ")
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
def test_a_phone_shows_it_without_scrolling_sideways(
    browser: Browser, tmp_path: Path, photos: PhotoSet
) -> None:
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
