"""What a platform says of a study's visits, and what it is told."""

import csv
from datetime import timedelta
from pathlib import Path

import pytest

from genset.core.errors import BadInput
from genset.db import LabelerAct, LabelerEvent, Screen, Store, now
from genset.label.ballots import votes_table
from genset.label.crowd.studies import Studies, Study, Terms
from genset.label.crowd.visits import reconcile, report_visits, write_decisions
from genset.label.decisions import clear, void
from genset.label.exchange import export_labels
from genset.label.labelers import Labelers
from genset.label.session.desk import Desk
from genset.workspace import Workspace
from tests.label.desks import do, do_all, hold, under
from tests.labeled_workspace import TENCH, add_candidate

Opened = tuple[Workspace, Store]

PROLIFIC = "Submission id,Participant id,Status,Started at,Completion code\n"
MTURK = '"HITId","AssignmentId","WorkerId","AssignmentStatus","Approve","Reject"\n'


def visit(opened: Opened, study: Study, person: str, key: str, screens: int | None = None) -> Desk:
    """Somebody's visit, with this many screens done, or all."""
    workspace, store = under(opened, votes=9)
    desk = Desk(workspace, store, Labelers(store).by_study(study.platform, study.key, person, key))
    if screens is None:
        do_all(desk)
    else:
        for _ in range(screens):
            do(desk, desk.screens()[0])
    desk.progress()
    return desk


def exported(folder: Path, rows: str, head: str = PROLIFIC, name: str = "export.csv") -> Path:
    (folder / name).write_text("\ufeff" + head + rows, "utf-8")
    return folder / name


def workers(store: Store) -> set[str]:
    return {vote.worker for vote in votes_table(store)}


@pytest.fixture
def study(store: Store) -> Study:
    return Studies(store).add("prolific", "S1", 1)


def test_visits_that_prolific_does_not_list_count_nowhere_until_it_does(
    opened: Opened, study: Study, tmp_path: Path
) -> None:
    store = opened[1]
    visit(opened, study, "P1", "V1")
    visit(opened, study, "made-up", "V2")
    listed = "V1,P1,APPROVED,,C\nV7,P7,RETURNED,,\n"

    found = reconcile(store, exported(tmp_path, listed))
    assert (found.visits, found.listed, found.unknown) == (2, 1, 1)
    assert found.held_out == found.unlisted == ("prolific:made-up (V2)",)
    assert found.statuses == {"APPROVED": 1}
    assert workers(store) == {"prolific:P1"}
    assert [each.listed for each in Studies(store).visits(study)] == [True, False]
    export_labels(store, tmp_path / "labels.csv")
    text = (tmp_path / "labels.csv").read_text("utf-8")
    assert "prolific:P1" in text and "made-up" not in text
    # No id of the platform's but the person's own name leaves the workspace.
    assert "V1" not in text and "V2" not in text

    again = reconcile(store, exported(tmp_path, listed))
    assert (again.held_out, again.cleared) == ((), ())
    assert again.unlisted == found.unlisted
    with store.session() as session:
        assert session.query(LabelerEvent).count() == 1

    late = reconcile(store, exported(tmp_path, listed + "V2,made-up,APPROVED,,C\n"))
    assert (late.cleared, late.unlisted) == (("prolific:made-up (V2)",), ())
    assert workers(store) == {"prolific:P1", "prolific:made-up"}


@pytest.mark.parametrize(
    ("platform", "head", "row", "counts", "proposal"),
    [
        ("prolific", PROLIFIC, "V1,P1,AWAITING REVIEW,,C", True, "approve"),
        ("prolific", PROLIFIC, "V1,P1,APPROVED,,C", True, "none"),
        ("prolific", PROLIFIC, "V1,P1,RETURNED,,", False, "none"),
        ("prolific", PROLIFIC, "V1,P1,REJECTED,,C", False, "none"),
        ("prolific", PROLIFIC, "V1,P1,TIMED-OUT,,", False, "none"),
        ("prolific", PROLIFIC, "V1,P2,APPROVED,,C", False, "wait"),  # of another person
        ("mturk", MTURK, "H,V1,P1,Submitted,,", True, "approve"),
        ("mturk", MTURK, "H,V1,P1,Approved,,", True, "none"),
        ("mturk", MTURK, "H,V1,P1,Rejected,,", False, "none"),
    ],
)
def test_what_the_platform_says_of_a_visit_decides_whether_it_counts(
    opened: Opened, tmp_path: Path, platform: str, head: str, row: str, counts: bool, proposal: str
) -> None:
    store = opened[1]
    study = Studies(store).add(platform, "S1", 1)
    visit(opened, study, "P1", "V1")
    export = exported(tmp_path, f"{row}\n", head)
    found = reconcile(store, export)
    [report] = report_visits(store, study)
    assert (report.out, report.proposal) == (not counts, proposal)
    assert workers(store) == ({f"{platform}:P1"} if counts else set())
    out = () if counts else (f"{platform}:P1 (V1)",)
    assert found.held_out == found.taken_back + found.unlisted == out
    assert reconcile(store, export).held_out == ()
    listed = "V1,P1,AWAITING REVIEW,,C\n" if platform == "prolific" else "H,V1,P1,Submitted,,\n"
    later = reconcile(store, exported(tmp_path, listed, head))
    assert bool(later.cleared) is not counts
    assert report_visits(store, study)[0].proposal == "approve"
    assert workers(store) == {f"{platform}:P1"}


def test_what_a_manager_decided_of_a_visit_stays(
    opened: Opened, study: Study, tmp_path: Path
) -> None:
    store = opened[1]
    desk = visit(opened, study, "P1", "V1")
    decided = LabelerEvent(
        worker=desk.labeler.name,
        visit_id=desk.labeler.visit_id,
        what=LabelerAct.CLEAR,
        by="Mia",
        reason="I know them",
    )
    with store.begin() as session:
        session.add(decided)
    found = reconcile(store, exported(tmp_path, "V9,P9,APPROVED,,C\n"), "S1")
    assert (found.held_out, found.unlisted) == ((), ("prolific:P1 (V1)",))
    assert workers(store) == {"prolific:P1"}


@pytest.mark.parametrize(
    ("head", "rows", "complaint"),
    [
        ("a,b\n", "1,2\n", "no export of submissions"),
        ("", "", "no export of submissions"),
        (PROLIFIC, "", "lists nothing"),
        (PROLIFIC, "V1,P1\n", "short of a column"),
        ("Submission id,Status\n", "V1,APPROVED\n", "no column Participant id"),
        (MTURK, '"H","A","W","Submitted","",""\n', "no visit of any study here"),
    ],
)
def test_what_is_no_export_changes_nothing(
    opened: Opened, study: Study, tmp_path: Path, head: str, rows: str, complaint: str
) -> None:
    Studies(opened[1]).add("prolific", "S2", 1)
    visit(opened, study, "P1", "V1")
    with pytest.raises(BadInput, match=complaint):
        reconcile(opened[1], exported(tmp_path, rows, head))
    with pytest.raises(BadInput):
        reconcile(opened[1], tmp_path / "none.csv")
    assert workers(opened[1]) == {"prolific:P1"}
    visit(opened, Studies(opened[1]).find("S2"), "P2", "V2")
    with pytest.raises(BadInput, match="lists visits of 2 studies: say which"):
        reconcile(opened[1], exported(tmp_path, "V1,P1,APPROVED,,C\nV2,P2,APPROVED,,C\n"))
    assert reconcile(opened[1], exported(tmp_path, "V1,P1,APPROVED,,C\n")).study == "S1"


def test_who_is_void_is_not_approved_unasked(opened: Opened, study: Study, tmp_path: Path) -> None:
    workspace, store = opened
    visit(opened, study, "P1", "V1")
    void(store, workspace, "prolific:P1", by="mia", reason="one key")
    [report] = report_visits(store, study)
    assert (report.out, report.proposal) == (True, "wait")
    assert "void" in report.reason
    assert write_decisions(tmp_path / "approve.csv", study, [report]) == 0
    clear(store, workspace, "prolific:P1", by="mia", reason="was right")
    # What they did before counts, and so does the visit.
    void(store, workspace, "prolific:P1", by="mia", reason="later", since=now())
    [report] = report_visits(store, study)
    assert (report.out, report.proposal) == (False, "approve")
    clear(store, workspace, "prolific:P1", by="mia", reason="again")
    # Genset's own doubt decides nobody's pay.
    hold(store, workspace, "prolific:P1", by="genset", reason="fast")
    [report] = report_visits(store, study)
    assert (report.out, report.proposal) == (True, "approve")


def test_a_visit_s_report_says_what_was_done_and_what_to_pay(
    opened: Opened, store: Store, tmp_path: Path
) -> None:
    study = Studies(store).add("prolific", "S1", 2, Terms(pay="£1"))
    visit(opened, study, "done", "V1")
    visit(opened, study, "half", "V2", screens=1)
    declined = visit(opened, study, "declined", "V3", screens=0).labeler.visit_id
    assert declined is not None
    Studies(store).consent(declined, agrees=False)
    reconcile(store, exported(tmp_path, "V1,done,X,,\nV2,half,X,,\nV3,declined,X,,\n"))
    visit(opened, study, "unlisted", "V4")
    reports = report_visits(store, study)
    assert [(each.platform_id, each.screens, each.photos, each.proposal) for each in reports] == [
        ("done", 2, 10, "approve"),
        ("half", 1, 5, "wait"),
        ("declined", 0, 0, "return"),
        ("unlisted", 2, 10, "approve"),
    ]
    assert reports[0].verdicts == {"correct": 10}
    reconcile(store, exported(tmp_path, "V1,done,X,,\nV2,half,X,,\nV3,declined,X,,\n"))
    assert [each.out for each in report_visits(store, study)] == [False, False, False, True]

    assert write_decisions(tmp_path / "approve.csv", study, report_visits(store, study)) == 1
    assert (tmp_path / "approve.csv").read_text() == "V1\n"


def test_who_cannot_have_looked_is_proposed_for_rejection_on_mturk_s_own_form(
    opened: Opened, store: Store, tmp_path: Path
) -> None:
    for number in range(50, 60):
        add_candidate(*opened, TENCH, number, rank=number)
    study = Studies(store).add("mturk", "HIT", 5)
    # What the page says of each screen, and since when the server knows that it was there.
    for person, key, seconds, there in (
        *(("W1", "A1", 9.0, 3600), ("W2", "A2", 0.5, 3600)),
        ("W3", "A3", 9.0, 12),  # five times nine seconds, in twelve
    ):
        visit(opened, study, person, key)
        leased = now() - timedelta(seconds=there)
        with store.begin() as session:
            session.query(Screen).filter_by(worker=f"mturk:{person}").update(
                {"seconds": seconds, "created_at": leased}
            )
    slow, fast, liar = report_visits(store, study)
    assert (slow.proposal, fast.proposal, fast.seconds) == ("approve", "reject", 0.1)
    assert liar.proposal == "reject"
    assert write_decisions(tmp_path / "out.csv", study, [slow, fast]) == 2
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["AssignmentId"], row["WorkerId"], row["Approve"]) for row in rows] == [
        ("A1", "W1", "X"),
        ("A2", "W2", ""),
    ]
    assert [row["Reject"] for row in rows] == ["", fast.reason]
