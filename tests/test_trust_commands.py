"""`genset labelers void` and its kind, as a manager types them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from genset.cli import cli
from genset.label import Store, Verdict
from genset.label.ballots import votes_table
from genset.label.labelers import Labelers
from genset.release.freeze import create
from genset.workspace import Workspace
from tests.label.desks import hold
from tests.labeled_workspace import TENCH, labeled_workspace, vote

Opened = tuple[Workspace, Store]


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    workspace, store = labeled_workspace(tmp_path / "workspace", (TENCH,))
    Labelers(store).by_name("Ann")
    for number in range(5):
        vote(store, f"{TENCH}/flickr:{number}", "Ann", Verdict.CORRECT)
    create(workspace, store, "v1")
    return workspace, store


def run(opened: Opened, *words: str) -> Result:
    return CliRunner().invoke(cli, ["-w", str(opened[0].root), *words])


def told(opened: Opened, *words: str) -> dict[str, object]:
    done = run(opened, *words, "--json")
    assert done.exit_code == 0, done.output
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_void_takes_votes_out_until_clear_and_names_frozen_releases(opened: Opened) -> None:
    done = run(opened, "labelers", "void", "Ann", "--reason", "one key throughout", "--by", "mia")
    assert done.output.splitlines() == [
        "5 votes of Ann are void: 5 candidates to label again",
        "frozen with such votes, and unchanged: v1",
        "they can go on labeling, but it will not count; to end it: genset labelers block Ann",
    ]
    assert votes_table(opened[1]) == []
    assert run(opened, "labelers", "list").output.splitlines()[1].split()[-1] == "void"
    assert json.loads(run(opened, "labelers", "list", "--json").output)[0]["votes"] == "void"
    stats = run(opened, "labels", "stats").output
    assert "Labelers whose votes do not count" in stats
    assert "one key throughout" in stats
    done = run(opened, "labelers", "clear", "ＡNN", "--by", "mia")
    assert done.output == "5 votes of Ann count again: 5 candidates done\n"
    assert len(votes_table(opened[1])) == 5

    effect = told(opened, "labelers", "void", "Ann", "--since", "2020-01-01")
    assert (effect["votes"], effect["opened"], effect["releases"]) == (5, 5, ["v1"])
    assert told(opened, "labelers", "clear", "Ann")["opened"] == -5
    hold(opened[1], opened[0], "Ann", by="genset", reason="too quick")
    assert told(opened, "labelers", "clear", "Ann")["votes"] == 5
    for time, why in (
        ("2020-01-01T10:00", "needs a time zone"),
        ("0001-01-01T00:00+14:00", "before all time"),
        ("May", "is no time"),
    ):
        assert why in run(opened, "labelers", "void", "Ann", "--since", time).output
    wrong = run(opened, "labelers", "void", "Bob")
    assert "nobody called 'Bob' labels or has labels here" in str(wrong.exception)


def test_inviting_and_blocking_take_no_votes_out_and_say_what_does(opened: Opened) -> None:
    done = run(opened, "labelers", "invite", "ann", "--json")
    assert "Ann exists already, with 5 labels: from now on they sign in by this" in done.stderr
    assert json.loads(done.stdout)["name"] == "Ann"
    Labelers(opened[1]).by_name("Rater 1")
    assert "labelers void 'Rater 1'" in run(opened, "labelers", "block", "rater 1").output
    done = run(opened, "labelers", "block", "ann")
    assert "their votes still count: genset labelers void Ann takes them out" in done.output
    assert len(votes_table(opened[1])) == 5
    assert Labelers(opened[1]).all()[0].blocked_at is not None
    assert told(opened, "labelers", "void", "Ann")["votes"] == 5
    again = run(opened, "labelers", "block", "Ann")
    assert again.output == "Ann is blocked; their votes are void already\n"


def test_review_shows_votes_only_where_it_is_asked(opened: Opened) -> None:
    assert run(opened, "labels", "review").output == "nothing waits for a ruling\n"
    vote(opened[1], f"{TENCH}/flickr:0", "Ben", Verdict.INCORRECT)
    blind = run(opened, "labels", "review").output
    assert not any(word in blind for word in ("Ann", "Ben", "1 correct", "1 incorrect"))
    shown = run(opened, "labels", "review", "--votes").output
    assert "1 correct, 1 incorrect" in shown
    assert "Ann: correct, Ben: incorrect" in shown
    for more, votes in ([], None), (["--votes"], [["Ann", "correct"], ["Ben", "incorrect"]]):
        [case] = json.loads(run(opened, "labels", "review", *more, "--json").output)
        assert case.get("votes") == votes


def test_a_table_with_a_cell_too_many_or_a_date_to_come_is_refused(
    opened: Opened, tmp_path: Path
) -> None:
    table = tmp_path / "table.csv"
    for row, said in (
        ("correct,2020-01-01T00:00:00Z,left over", "line 2: the row has more cells"),
        ("correct,2999-01-01T00:00:00Z", "line 2: decided_at is more than a day in the future"),
        ("correct,0001-01-01T00:00:00+14:00", "line 2: decided_at is before all time"),
        (f"correct,,{10**23}", "line 2: decided_order is at most 2147483647"),
    ):
        head = "task,worker,label,decided_at" + ",decided_order" * row.startswith("correct,,")
        table.write_text(f"{head}\n{TENCH}/flickr:0,Cleo,{row}\n")
        done = run(opened, "labels", "import", str(table))
        assert said in str(done.exception)
    assert len(votes_table(opened[1])) == 5
