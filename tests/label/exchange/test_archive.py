"""All that was labeled moves to another workspace, and nothing is added twice."""

import csv
import re
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from genset.core.errors import BadInput
from genset.db import Candidate, GoldAnswer, Label, Ruling, Screen, now
from genset.label import Desk, GivenLabel, Labelers, Store, Submission, Verdict, votes_table
from genset.label.exchange.archive import export_all
from genset.label.exchange.restore import import_all
from genset.label.exchange.table import Imported, export_labels, import_labels
from genset.label.people.standing import standings
from genset.label.quality.gold import add_gold_question, retire_gold_question
from genset.label.quality.review import rule
from genset.label.quality.stats import collect
from genset.label.quality.void import clear, hold, unvoid, void
from genset.workspace import LabelRules, Workspace
from tests.labeled_workspace import CLASSES, TENCH, labeled_workspace

FILES = [
    "control_answers.csv",
    "controls.csv",
    "labeler_events.csv",
    "labels.csv",
    "rulings.csv",
    "screen_photos.csv",
    "screens.csv",
    "superseded.csv",
]
FIRST = f"{TENCH}/flickr:0"


def by_page(
    workspace: Workspace, store: Store, name: str, says: Callable[[int], Verdict], screens: int = 99
) -> None:
    """Let somebody label on the page, up to so many screens; `says` gets the photo's number."""
    desk = Desk(workspace, store, Labelers(store).by_name(name))
    for _ in range(screens):
        if not (open_screens := desk.screens(1)):
            return
        screen = open_screens[0]
        labels = tuple(
            GivenLabel(uuid.uuid4(), photo.id, says(place), now(), now(), place + 1)
            for place, photo in enumerate(screen.photos)
        )
        receipts = desk.submit(Submission(screen.id, now(), now(), labels))
        assert all(receipt.ok for receipt in receipts)


def change_mind(workspace: Workspace, store: Store, name: str, verdict: Verdict) -> None:
    """Let somebody go back to their last screen and decide its first photo anew."""
    desk = Desk(workspace, store, Labelers(store).by_name(name))
    screen = desk.earlier(None)
    assert screen is not None
    photo = next(photo for photo in screen.photos if photo.label_id is not None)
    label = GivenLabel(uuid.uuid4(), photo.id, verdict, now(), now(), 1, photo.label_id)
    assert desk.submit(Submission(screen.id, now(), now(), (label,)))[0].ok


def busy_workspace(root: Path) -> tuple[Workspace, Store]:
    """Labels by the page with gold questions, in two panels, a table's, minds changed, rulings."""
    workspace, store = labeled_workspace(root)
    rules = LabelRules(votes=2, gold=0.5, guideline="2, in brief")
    workspace = replace(workspace, label=rules)
    for number in range(4):
        # A class that they see before the photo's own: nobody is tested with what they have seen.
        later = f"{CLASSES[-1]}/flickr:{100 * (len(CLASSES) - 1) + number}"
        add_gold_question(store, later, Verdict.INCORRECT, 'no "fish"', TENCH)
    verdicts = list(Verdict)
    by_page(workspace, store, "ann", lambda place: verdicts[place % 2])
    by_page(workspace, store, "Bjørn, 2nd", lambda place: verdicts[place % 4])
    change_mind(workspace, store, "ann", Verdict.BROKEN)
    retire_gold_question(store, 1)
    fresh = replace(workspace, label=LabelRules(panel="fresh"))
    by_page(fresh, store, "eve", lambda _: Verdict.CORRECT, screens=2)
    table = root / "table.csv"
    table.write_text(f"task,worker,label\n{FIRST},crowd:7,incorrect\n", "utf-8")
    import_labels(store, table)
    rule(store, FIRST, Verdict.INCORRECT, "mia", "a carp")
    rule(store, FIRST, Verdict.CORRECT, "mia", 'a "tench"; seen\nfrom below, after all')
    return workspace, store


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def count(store: Store, table: type[Label | Ruling | GoldAnswer | Screen]) -> int:
    with store.session() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


@pytest.fixture
def busy(tmp_path: Path) -> Iterator[tuple[Workspace, Store]]:
    workspace, store = busy_workspace(tmp_path / "busy")
    yield workspace, store
    store.close()


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("exported")
    _, store = busy_workspace(root / "busy")
    export_all(store, root / "out")
    store.close()
    return root / "out"


def test_everything_moves_between_databases_and_back_byte_for_byte(
    tmp_path: Path, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GENSET_STORE_URL", store_url)
    workspace, store = busy_workspace(tmp_path / "busy")
    monkeypatch.delenv("GENSET_STORE_URL")
    there, other = labeled_workspace(tmp_path / "other")

    counts = export_all(store, tmp_path / "out")
    assert sorted(content(tmp_path / "out")) == FILES
    assert counts["superseded"] == 1
    assert counts["rulings"] == 2
    assert counts["controls"] == 4
    assert counts["control_answers"] > 0
    assert counts["labels"] == len(votes_table(store))
    import_all(other, tmp_path / "out")
    export_all(other, tmp_path / "again")

    assert content(tmp_path / "again") == content(tmp_path / "out")
    for panel in (None, "main", "fresh"):
        assert votes_table(other, panel) == votes_table(store, panel)
    assert collect(other, there).by_labeler == collect(store, workspace).by_labeler
    store.close()
    other.close()


@pytest.mark.parametrize("back", [False, True])
def test_what_is_void_stays_so_and_can_be_let_in_where_it_moved_to(
    tmp_path: Path, store_url: str, monkeypatch: pytest.MonkeyPatch, back: bool
) -> None:
    monkeypatch.setenv("GENSET_STORE_URL", store_url)
    workspace, store = busy_workspace(tmp_path / "busy")
    monkeypatch.delenv("GENSET_STORE_URL")
    there, other = labeled_workspace(tmp_path / "other")
    full = votes_table(store)
    with store.session() as session:
        newest = session.scalars(select(Label).where(Label.worker == "ann")).all()[-1]
    # The first verdict, which she changed, is in force again.
    void(store, workspace, "ann", by="mia", reason="x", since=newest.decided_at)
    void(store, workspace, "crowd:7", by="mia", reason="a table, made up")
    if back:
        unvoid(store, workspace, "ann", by="mia", reason="a mistake")
        hold(store, workspace, "ann", by="genset", reason='too "quick"\nby far')
    assert votes_table(store) != full

    export_all(store, tmp_path / "out")
    assert b"crowd:7" not in (tmp_path / "out" / "labels.csv").read_bytes()
    assert b"crowd:7" in (tmp_path / "out" / "superseded.csv").read_bytes()
    assert import_all(other, tmp_path / "out")["labeler_events"].new == (4 if back else 2)
    export_all(other, tmp_path / "again")
    assert content(tmp_path / "again") == content(tmp_path / "out")
    assert votes_table(other) == votes_table(store)
    assert standings(other) == standings(store)
    assert import_all(other, tmp_path / "out")["labeler_events"].known == (4 if back else 2)

    for opened in ((workspace, store), (there, other)):
        (clear if back else unvoid)(opened[1], opened[0], "ann", by="mia", reason="x")
        unvoid(opened[1], opened[0], "crowd:7", by="mia", reason="x")
        assert votes_table(opened[1]) == full
    store.close()
    other.close()


def test_a_decision_that_is_newer_here_stays(busy: tuple[Workspace, Store], tmp_path: Path) -> None:
    workspace, store = busy
    void(store, workspace, "ann", by="mia", reason="x")
    export_all(store, tmp_path / "out")
    _, other = labeled_workspace(tmp_path / "other")
    import_all(other, tmp_path / "out")
    unvoid(store, workspace, "ann", by="mia", reason="x")
    export_all(store, tmp_path / "newer")
    clear_votes = votes_table(store)
    import_all(other, tmp_path / "newer")
    assert votes_table(other) == clear_votes
    assert import_all(other, tmp_path / "out")["labeler_events"].known == 1
    assert votes_table(other) == clear_votes
    other.close()


def test_an_archive_of_an_older_version_comes_in(
    busy: tuple[Workspace, Store], tmp_path: Path
) -> None:
    _, store = busy
    export_all(store, tmp_path / "out")
    (tmp_path / "out" / "labeler_events.csv").unlink()
    for name, new in (("labels", 1), ("superseded", 1), ("controls", 1), ("screens", 2)):
        path = tmp_path / "out" / f"{name}.csv"
        with path.open(newline="") as file:
            rows = [row[:-new] for row in csv.reader(file)]
        with path.open("w", newline="") as file:
            csv.writer(file).writerows(rows)
    _, other = labeled_workspace(tmp_path / "other")
    import_all(other, tmp_path / "out")
    assert votes_table(other) == votes_table(store)
    other.close()


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("labels", lambda line: line + ",more", "labels.csv, line 3: the row has more cells"),
        ("rulings", lambda line: line + ",more", "rulings.csv, line 3: the row has more cells"),
        ("labeler_events", lambda line: line.replace("void", "ban"), "line 2: what is decided is"),
        (
            "labeler_events",
            lambda line: re.sub(r"\d{4}-", "2999-", line),
            "line 2: at is more than a day in the future: 2999-",
        ),
    ],
)
def test_a_wrong_row_of_an_archive_is_named_and_nothing_comes_in(
    busy: tuple[Workspace, Store],
    tmp_path: Path,
    name: str,
    change: Callable[[str], str],
    said: str,
) -> None:
    workspace, store = busy
    void(store, workspace, "ann", by="mia", reason="x")
    export_all(store, tmp_path / "out")
    path = tmp_path / "out" / f"{name}.csv"
    place = int(said.partition("line ")[2][0]) - 1
    lines = path.read_text("utf-8").split("\n")
    lines[place] = change(lines[place])
    path.write_text("\n".join(lines), "utf-8")
    _, other = labeled_workspace(tmp_path / "other")
    with pytest.raises(BadInput, match=re.escape(said)):
        import_all(other, tmp_path / "out")
    assert votes_table(other) == []
    other.close()


def test_a_second_time_adds_nothing(busy: tuple[Workspace, Store], tmp_path: Path) -> None:
    _, store = busy
    export_all(store, tmp_path / "out")
    _, other = labeled_workspace(tmp_path / "other")
    for target in (store, other, other):
        import_all(target, tmp_path / "out")

    again = import_all(other, tmp_path / "out")

    assert {found.new for found in again.values()} == {0}
    for table in (Label, Ruling, GoldAnswer, Screen):
        assert count(other, table) == count(store, table)
    export_all(other, tmp_path / "again")
    assert content(tmp_path / "again") == content(tmp_path / "out")


def test_what_came_to_be_known_later_is_added_to_what_is_there(
    busy: tuple[Workspace, Store], tmp_path: Path
) -> None:
    workspace, store = busy
    _, other = labeled_workspace(tmp_path / "other")
    export_all(store, tmp_path / "out")
    import_all(other, tmp_path / "out")
    change_mind(workspace, store, "Bjørn, 2nd", Verdict.UNSURE)
    rule(store, FIRST, Verdict.UNSURE, "mia", "who knows")
    export_all(store, tmp_path / "out")

    found = import_all(other, tmp_path / "out")

    assert found["labels"].new == found["rulings"].new == 1
    assert found["superseded"] == Imported(0, 2)
    assert sorted(votes_table(other)) == sorted(votes_table(store))


@pytest.mark.soak
def test_a_superseded_label_that_comes_late_is_left_out(
    busy: tuple[Workspace, Store], tmp_path: Path
) -> None:
    """First the table of labels in force alone, then everything: what holds stays what it is."""
    _, store = busy
    export_labels(store, tmp_path / "labels.csv")
    export_all(store, tmp_path / "out")
    _, other = labeled_workspace(tmp_path / "other")
    import_labels(other, tmp_path / "labels.csv")

    assert import_all(other, tmp_path / "out")["superseded"] == Imported(0, 0, older=1)

    assert votes_table(other) == votes_table(store)


def test_labels_can_be_had_without_the_other_files(
    busy: tuple[Workspace, Store], tmp_path: Path
) -> None:
    _, store = busy
    export_all(store, tmp_path / "out")
    for name in FILES:
        if name != "labels.csv":
            (tmp_path / "out" / name).unlink()
    _, other = labeled_workspace(tmp_path / "other")

    import_all(other, tmp_path / "out")

    assert votes_table(other) == votes_table(store)


@pytest.mark.parametrize(
    ("name", "column", "wrong", "complaint"),
    [
        ("labels", "task", f"{TENCH}/flickr:99", "there is no candidate"),
        ("superseded", "label", "fine", "a label is correct"),
        ("rulings", "id", "7", "UUID"),
        ("controls", "task", f"{TENCH}/flickr:99", "there is no photo flickr:99"),
        ("controls", "task", "n00000000/flickr:1", "no class 'n00000000'"),
        ("control_answers", "task", f"{TENCH}/flickr:4", "there is no gold question"),
        ("screens", "id", "../../etc/passwd", "32 hexadecimal digits"),
        ("screens", "wnid", "tench", "no class 'tench'"),
        ("screens", "created_at", "2024-01-01T00:00:00", "needs a time zone"),
        ("screens", "created_at", "0001-01-01T00:00:00+14:00", "before all time"),
        ("screens", "seconds", "1e300", "seconds cannot be 1e300"),
        ("screens", "seconds", "nan", "seconds cannot be nan"),
        ("screen_photos", "place", "9999999999", "at most"),
        ("screen_photos", "place", "first", "first"),
        ("screen_photos", "task", f"{TENCH}/flickr:99", "there is no"),
    ],
)
def test_a_wrong_row_is_named_and_nothing_is_added(
    exported: Path,
    tmp_path: Path,
    name: str,
    column: str,
    wrong: str,
    complaint: str,
) -> None:
    shutil.copytree(exported, tmp_path / "out")
    path = tmp_path / "out" / f"{name}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    rows[0][column] = wrong
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    _, other = labeled_workspace(tmp_path / "other")

    with pytest.raises(BadInput, match=complaint) as caught:
        import_all(other, tmp_path / "out")

    assert f"{name}.csv, line 2: " in str(caught.value)
    for each in (Label, Ruling, GoldAnswer, Screen):
        assert count(other, each) == 0


def test_what_is_no_export_is_named(busy: tuple[Workspace, Store], tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"has no labels\.csv"):
        import_all(busy[1], tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match="is a file"):
        export_all(busy[1], tmp_path / "file")


EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["ann", "bob"]),
        st.sampled_from([f"{wnid}/flickr:{100 * place}" for place, wnid in enumerate(CLASSES[:2])]),
        st.sampled_from(list(Verdict)),
        st.sampled_from(["main", "fresh"]),
        st.integers(0, 5),  # the hour of a clock that may be wrong
        st.booleans(),
    ),
    max_size=12,
)


@pytest.fixture(scope="module")
def two_candidates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a workspace that has two candidates and no label."""
    workspace, store = labeled_workspace(tmp_path_factory.mktemp("two"), CLASSES[:2], photos=1)
    store.close()
    return workspace.root / "genset.db"


REASONS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)


@settings(max_examples=20)
@given(events=EVENTS, reasons=st.lists(REASONS, max_size=3))
@pytest.mark.soak
def test_any_history_of_labels_comes_out_as_it_went_in(
    two_candidates: Path,
    events: list[tuple[str, str, Verdict, str, int, bool]],
    reasons: list[str],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        store, other = (
            Store.open(f"sqlite:///{shutil.copy(two_candidates, root / name)}")
            for name in ("one.db", "other.db")
        )
        with store.begin() as session:
            ids = {each.task: each.id for each in session.scalars(select(Candidate))}
            earlier: uuid.UUID | None = None
            for worker, task, verdict, panel, hour, replaces in events:
                label = Label(
                    id=uuid.uuid4(),
                    candidate_id=ids[task],
                    worker=worker,
                    verdict=verdict,
                    panel=panel,
                    decided_at=datetime(2024, 1, 1, tzinfo=UTC) + timedelta(hours=hour),
                    supersedes=earlier if replaces else None,
                )
                earlier = label.id
                session.add(label)
                session.flush()
            for text in reasons:
                session.add(Ruling(candidate_id=1, verdict=Verdict.UNSURE, by=text, reason=text))
        export_all(store, root / "out")
        import_all(other, root / "out")
        export_all(other, root / "again")
        assert content(root / "again") == content(root / "out")
        for name in (None, *{event[3] for event in events}):
            assert sorted(votes_table(other, name)) == sorted(votes_table(store, name))
        store.close()
        other.close()
