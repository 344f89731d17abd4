"""What all leading models get wrong: `genset labels suspects`, `request-review`, and a report."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from genset.cli import cli
from genset.core.errors import GensetError
from genset.label import Store, Verdict
from genset.label.review import rule
from genset.label.suspects import read_suspects, undecided
from genset.reporting.collect import collect
from genset.reporting.forms import as_markdown, report_json
from genset.reporting.sections import photos as photos_shown
from genset.reporting.sections.photos import MAX_PHOTOS, MOST_MISSED
from genset.scrape.removal import remove
from genset.workspace import Workspace
from tests.label.test_stats import TASKS, screenful
from tests.labeled_workspace import GOLDFISH, TENCH, labeled_workspace
from tests.reporting.sets import Page, release_of, report, score
from tests.reporting.suspects import TEAPOT, scored_workspace

FISH, POT, DIVIDED = (f"{TENCH}/flickr:{number}" for number in (0, 1, 2))

Opened = tuple[Workspace, Store]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    workspace, store = scored_workspace(tmp_path / "workspace")
    yield workspace, store
    store.close()


def genset(opened: Opened, *words: str) -> Result:
    return CliRunner().invoke(cli, ["-w", str(opened[0].root), *words])


def test_a_photo_that_left_the_pool_is_marked(opened: Opened) -> None:
    remove(*opened, POT.partition("/")[2], "its owner asked")
    lines = genset(opened, "labels", "suspects", "v1").output.splitlines()
    marked = [line for line in lines if "(photo no longer in the pool)" in line]
    assert [line.split()[0] for line in marked] == [POT]
    assert lines[-1].startswith("2 to decide")
    found = json.loads(genset(opened, "labels", "suspects", "v1", "--json").stdout)
    assert found["missing_photos"] == [POT]


def test_what_all_models_get_wrong_is_listed_the_most_severe_first(opened: Opened) -> None:
    done = genset(opened, "labels", "suspects", "v1")
    assert done.exit_code == 0, done.output
    lines = [line.split() for line in done.output.splitlines()]
    assert done.output.startswith("v1: all 3 leading models get 3 of 10 photos wrong\n")
    assert "leading: a, b, c" in done.output
    assert "On 2 of them all models give the same answer." in done.output
    assert [line[0] for line in lines if line and line[0].startswith("n0")] == [POT, DIVIDED, FISH]
    assert ["teapot", "(2),", "tabby", "(1)"] in [line[-4:] for line in lines]
    assert "3 to decide" in done.output

    found = json.loads(genset(opened, "labels", "suspects", "v1", "--json").stdout)
    (workspace, _), read = opened, read_suspects(opened[0].root)
    assert Path(found["file"]) == workspace.root / "suspects.json"
    assert read is not None
    assert [each.task for each in read.suspects] == [POT, DIVIDED, FISH]
    assert [each["severity"] for each in found["suspects"]] == [15, 10, 1]
    assert found["suspects"][0]["guesses"][0] == {
        "model": "a",
        "wnid": TEAPOT,
        "probability": 0.9,
        "distance": 15,
    }
    words = ("labels", "suspects", "v1", "--sort", "agreement", "--json")
    found = json.loads(genset(opened, *words).stdout)
    assert [each["task"] for each in found["suspects"]] == [POT, FISH, DIVIDED]
    assert "suspects.json" in (workspace.root / ".gitignore").read_text().splitlines()


def test_what_was_decided_since_is_not_asked_again(opened: Opened) -> None:
    workspace, store = opened
    genset(opened, "labels", "suspects", "v1")
    found = read_suspects(workspace.root)
    assert found is not None
    rule(store, POT, Verdict.INCORRECT, "mia", "a teapot")
    done = genset(
        opened, "labels", "request-review", FISH, "--reason", "a goldfish?", "--by", "mia"
    )
    assert done.output == f"{FISH}: in review, and goes to 3 labelers in all\n"
    assert [each.task for each in undecided(store, found)] == [DIVIDED]
    review = json.loads(genset(opened, "labels", "review", "--votes", "--json").stdout)
    assert [(each["task"], each["why"]) for each in review] == [(FISH, "sent to review")]
    assert "a goldfish?" in review[0]["detail"]
    # Nor by a list that is made anew.
    assert json.loads(genset(opened, "labels", "suspects", "v1", "--json").stdout)["undecided"] == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("suspects", "v2"), "v2 is not there: name a release, a folder"),
        (("suspects", "mine"), "is no release"),
        (("suspects", "v1", "--runs", "none"), "no model was scored on v1"),
        (("request-review", f"{GOLDFISH}/flickr:1", "--reason", "x"), "there is no candidate"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    opened: Opened, words: tuple[str, ...], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = opened[0].root
    (folder / "mine" / TENCH).mkdir(parents=True)
    shutil.copy(next((folder / "images").rglob("*.jpg")), folder / "mine" / TENCH)
    monkeypatch.chdir(folder)
    done = genset(opened, "labels", *words)
    assert isinstance(done.exception, GensetError), done.output
    assert says in str(done.exception)
    assert "\n" not in str(done.exception)


# The report's page.

TITLE = "Errors that matter: photos that every leading model gets wrong"


def section(page: Page) -> str:
    return page.text.split(TITLE)[1]


def test_three_models_that_err_together(tmp_path: Path) -> None:
    photos, runs = release_of(tmp_path / "set", 40), tmp_path / "runs"
    for model, right in (("a", 20), ("b", 19), ("c", 18)):
        score(photos, runs, model, right)
    page, data = report(photos, runs), collect(photos, runs)
    markdown, found = as_markdown(data), json.loads(json.dumps(report_json(data)))["missed"]

    for form in (section(page), markdown):
        assert "Leading models: a, b and c. All of them get" in form
        assert "All of them get 20 of 40 photos wrong." in form
        assert "On 20 of these they give the same answer" in form
    assert "all 3 give the same answer" in section(page)
    assert "The next 12 of 20" in section(page)
    assert "genset labels suspects small" in section(page)
    # Photos of the page: twelve of these, and all others together no more than Flickr allows.
    assert len(page.values("img", "src")) == MAX_PHOTOS
    galleries = {each.shows: [s.id for s in each.samples] for each in data.of(photos_shown.SECTION)}
    assert len(galleries["missed"]) == MOST_MISSED
    assert len(set().union(*galleries.values())) == MAX_PHOTOS

    assert (found["counted"], found["missed"], found["unanimous"]) == (40, 20, 20)
    assert {each["image"] for each in found["photos"]} == set(photos.ids[20:])
    severities = [each["severity"] for each in found["photos"]]
    assert severities == sorted(severities, reverse=True)
    assert str(tmp_path) not in json.dumps(found)


def test_one_model_alone_has_no_such_section_and_few_photos_no_share(tmp_path: Path) -> None:
    photos, runs = release_of(tmp_path / "set", 10), tmp_path / "runs"
    score(photos, runs, "a", 7)
    assert TITLE not in report(photos, runs).text
    assert "missed" not in report_json(collect(photos, runs))
    score(photos, runs, "b", 7)
    assert "On 3 of these they give the same answer" in section(report(photos, runs))


# Doubts about labels and about models travel to everybody who reads the numbers.


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (1, "20 of 20 photos rest on labelers flagged as too fast."),
        (40, "20 of 20 photos rest on labelers flagged by genset labels stats."),
    ],
)
def test_a_release_says_who_its_labels_rest_on(tmp_path: Path, seconds: float, said: str) -> None:
    workspace, store = labeled_workspace(tmp_path / "workspace")
    for start in range(0, 20, 4):  # one thing only, of all photos
        screenful(store, "eve", TASKS[start : start + 4], seconds, "correct")
    store.close()

    def run(*words: str) -> str:
        done = CliRunner().invoke(cli, ["-w", str(workspace.root), *words])
        assert done.exit_code == 0, done.output
        return done.stdout

    single = "20 of 20 photos have one label, so that agreement on them is not known."
    for words in (["release", "create", "v1", "--dry-run"], ["release", "create", "v1"]):
        lines = run(*words).splitlines()
        assert [line for line in lines if "20 of 20" in line] == [f"  {said}", f"  {single}"]
    assert said in (workspace.releases / "v1" / "docs/DATA_CARD.md").read_text()
    run("report", "v1", "-o", str(tmp_path / "v1.html"))
    page = Page(tmp_path / "v1.html").text
    assert page.index(said) < page.index(single) < page.index("To score one")
    assert said in run("report", "v1", "--format", "markdown")


def test_copies_of_one_model_are_named_where_they_are_compared(tmp_path: Path) -> None:
    photos, runs = release_of(tmp_path / "set", 60), tmp_path / "runs"
    for name, right in (("a", 40), ("copy of a", 40), ("c", 30)):
        score(photos, runs, name, right, weights=f"sha256:{name}")
    said = "a, copy of a: equal answers and scores on every photo, as copies of one model have"
    assert f"{said}." in report(photos, runs).text
    words = ["compare", "--on", str(photos.root), "--runs", str(runs)]
    for second, count in (("copy of a", 1), ("c", 0)):
        done = CliRunner().invoke(cli, [*words, "a", second])
        assert done.stdout.count(said) == count, done.output
    few = release_of(tmp_path / "few", 49)
    for name in ("a", "b"):
        score(few, runs, name, 40, weights=f"sha256:{name}")
    assert "copies of one model" not in report(few, runs).text
