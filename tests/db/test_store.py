"""The store keeps its promises on both databases."""

import json
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, inspect, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError, StatementError

from genset.core.errors import BadInput, GensetError, MissingExtra
from genset.db import (
    Base,
    Candidate,
    Claim,
    GoldAnswer,
    GoldQuestion,
    Label,
    Photo,
    Proposal,
    ProposalRound,
    ProposedBy,
    Question,
    Ruling,
    Screen,
    ScreenPhoto,
    Store,
    Verdict,
    database,
    find_candidate,
    labels_in_force,
    now,
    votes,
)
from genset.db import add_candidates as add_found
from genset.db import stored_candidates as stored
from genset.db.database import HEAD, MIGRATIONS
from tests.labeled_workspace import photo_row

TENCH, CRANE = "n01440764", "n02012849"
CORRECT, INCORRECT, UNSURE = Verdict.CORRECT, Verdict.INCORRECT, Verdict.UNSURE


def candidate(number: int, wnid: str = TENCH, rank: int = 1, **changes: object) -> Candidate:
    """A candidate of a class and its photo."""
    stored = {"sha256": f"{number:064x}", "format": "JPEG"}
    photo = photo_row(number, **stored | changes)
    return Candidate(wnid=wnid, rank=rank, keyword="tench", photo=photo)


def add_candidates(store: Store, *candidates: Candidate) -> list[int]:
    with store.begin() as session:
        session.add_all(candidates)
        session.flush()
        return [each.id for each in candidates]


def add_labels(store: Store, labels: Iterable[tuple[int, str, Verdict]]) -> None:
    """Add labels one after the other."""
    with store.begin() as session:
        for candidate_id, worker, verdict in labels:
            session.add(Label(candidate_id=candidate_id, worker=worker, verdict=verdict))
            session.flush()


# Opening


def test_the_migrations_make_exactly_the_tables_of_the_models(store: Store, store_url: str) -> None:
    with store.engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, Base.metadata) == []
        assert context.get_current_revision() == HEAD
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_current_head() == HEAD
    with store.begin() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(BadInput, match=r"newer genset.*upgrade genset") as refused:
        Store.open(store_url)
    assert "\n" not in str(refused.value)


# Splits off processes that work with each of these words, all from the same moment on.
PROCESSES = """
import json, sys, tempfile
from multiprocessing import get_context
from genset.db import *

def work(*words):
    together.wait()
    {work}

with tempfile.TemporaryDirectory() as folder:  # imports what opening needs
    Store.open(f"sqlite:///{{folder}}/first.db").close()
words = json.loads(sys.argv[1])
fork = get_context("fork")
together = fork.Barrier(len(words), timeout=60)
with fork.Pool(len(words)) as pool:
    pool.starmap(work, words, chunksize=1)
"""


def processes(work: str, *words: Sequence[str]) -> None:
    program = PROCESSES.format(work=work.replace("\n", "\n    "))
    done = subprocess.run(
        [sys.executable, "-c", program, json.dumps(words)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr


def test_a_database_without_tables_yet_may_be_opened_by_several_processes_at_once(
    store_url: str,
) -> None:
    processes("Store.open(words[0]).close()", *[[store_url]] * 4)
    store = Store.open(store_url)
    assert inspect(store.engine).has_table("label")
    store.close()


@pytest.mark.soak
def test_nobody_finds_a_new_database_locked(tmp_path: Path) -> None:
    """Where the switch to write-ahead logging did not wait, one process in 50 did."""
    urls = [f"sqlite:///{tmp_path}/{number}.db" for number in range(40)]
    processes("for url in words:\n    together.wait()\n    Store.open(url).close()", *[urls] * 8)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://ann:s3cret@127.0.0.1:1/genset",
        "postgresql+psycopg://127.0.0.1:1/genset?user=ann&password=s3cret",
    ],
)
def test_a_server_that_does_not_answer_is_named_without_the_password(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("psycopg")
    monkeypatch.setattr(database, "_A_RESTART", 0.1)
    with pytest.raises(GensetError, match=r"cannot open the store postgresql.*127\.0\.0\.1") as no:
        Store.open(url)
    assert "s3cret" not in str(no.value)
    assert "\n" not in str(no.value)


def test_what_is_no_database_is_named(
    tmp_path: Path, postgresql_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_A_RESTART", 0.1)
    (tmp_path / "letter.db").write_bytes(b"Dear Sir or Madam, " * 100)
    for url, words in (
        (postgresql_server.rpartition("/")[0] + "/no_such_database", "no_such_database"),
        (f"sqlite:///{tmp_path / 'letter.db'}", r"letter\.db: file is not a database"),
        (f"sqlite:///{tmp_path}/missing/genset.db", r"missing/genset\.db: unable to open"),
    ):
        with pytest.raises(GensetError, match=words):
            Store.open(url)


def test_a_missing_driver_is_said_with_its_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra, match=r"pip install 'genset\[postgresql\]'"):
        Store.open("postgresql+psycopg://ann@localhost/genset")


def test_a_search_that_finds_a_proposed_photo_makes_it_a_candidate_with_its_labels(
    store: Store,
) -> None:
    [number, _] = add_candidates(store, candidate(1), candidate(2, CRANE))
    with store.begin() as session:
        photo_id = session.get_one(Claim, number).photo_id
        asked = ProposalRound(release="v1", content_hash="x", seed=0, most=8)
        claim = Proposal(wnid=CRANE, photo_id=photo_id, keyword="", rank=0)
        session.add_all([asked, claim])
        session.flush()
        session.add(Question(candidate_id=claim.id, round_id=asked.id, home=TENCH))
        session.flush()
        session.add(ProposedBy(candidate_id=claim.id, kind="model", name="a", place=1, run="k"))
        number = claim.id
    add_labels(store, [(number, "bob", CORRECT)])
    with store.session() as session:
        assert session.scalar(select(func.count()).select_from(Candidate)) == 2
        assert sorted(each.wnid for each in session.scalars(stored())) == [TENCH, CRANE]
        assert votes(session)[number] == Counter({CORRECT: 1})
        assert find_candidate(session, f"{CRANE}/flickr:1").id == number
    with store.begin() as session:
        found = {"wnid": CRANE, "photo_id": photo_id, "keyword": "crane", "rank": 4}
        add_found(session, [found])
    with store.session() as session:
        assert isinstance(session.get_one(Claim, number), Candidate)
        assert votes(session)[number] == Counter({CORRECT: 1})
        assert session.scalars(select(Question.candidate_id)).all() == [number]


# What the database itself refuses


def test_labels_answers_to_gold_questions_and_rulings_cannot_be_changed(store: Store) -> None:
    [number] = add_candidates(store, candidate(1))
    add_labels(store, [(number, "ann", CORRECT)])
    with store.begin() as session:
        photo_id = session.scalars(select(Photo.id)).one()
        question = GoldQuestion(wnid=TENCH, photo_id=photo_id, expected=CORRECT, reason="seen")
        session.add(question)
        session.flush()
        session.add(GoldAnswer(gold_id=question.id, worker="ann", verdict=UNSURE))
        session.add(Ruling(candidate_id=number, verdict=CORRECT, by="eve", reason="seen"))
    for table in ("label", "gold_answer", "ruling"):
        changes = [f"UPDATE {table} SET verdict = 'incorrect'", f"DELETE FROM {table}"]
        if store.engine.dialect.name == "postgresql":  # SQLite's REPLACE: test_append_only.py
            changes.append(f"TRUNCATE {table}")
        for statement in changes:
            with (
                pytest.raises(DBAPIError, match=f"{table} is append-only"),
                store.engine.begin() as connection,
            ):
                connection.execute(text(statement))
    with store.session() as session:
        assert session.scalars(select(Label.verdict)).all() == [CORRECT]
        assert session.scalars(select(GoldAnswer.verdict)).all() == [UNSURE]
        assert session.scalars(select(Ruling.verdict)).all() == [CORRECT]


def test_what_makes_no_sense_is_refused_and_times_come_back_in_utc(store: Store) -> None:
    tokyo = datetime(2015, 1, 1, 8, 30, 0, 123456, timezone(timedelta(hours=9)))
    [number] = add_candidates(store, candidate(1, posted_at=tokyo))
    with store.session() as session:
        posted = session.scalars(select(Photo.posted_at)).one()
    assert posted == tokyo
    assert posted.isoformat() == "2014-12-31T23:30:00.123456+00:00"
    with pytest.raises(StatementError, match="a time without a zone cannot be stored"):
        add_candidates(store, candidate(2, posted_at=datetime(2015, 1, 1)))
    with store.begin() as session:
        screen = Screen(id="0" * 32, worker="ann", wnid=TENCH, panel="main", guideline="1")
        screen.candidates, screen.expires_at = 1, now()
        session.add(screen)
    with pytest.raises(IntegrityError), store.begin() as session:  # neither candidate nor gold
        session.add(ScreenPhoto(id="1" * 32, screen_id="0" * 32, place=1))
    row = {"id": uuid.uuid4().hex, "candidate": number, "at": datetime(2020, 1, 1, tzinfo=UTC)}
    with pytest.raises(IntegrityError), store.engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO label (number, id, candidate_id, worker, verdict, decided_at) "
                "VALUES (99, :id, :candidate, 'ann', 'perhaps', :at)"
            ),
            row | {"at": str(row["at"])} if store.engine.dialect.name == "sqlite" else row,
        )


# The questions of more than one stage


def test_stored_candidates_come_by_class_and_rank_and_without_the_merely_known(
    store: Store,
) -> None:
    add_candidates(
        store,
        candidate(1, CRANE, rank=2),
        candidate(2, CRANE, rank=1),
        candidate(3, TENCH, rank=9),
        candidate(4, TENCH, rank=1, sha256=None),
        candidate(5, TENCH, rank=2, sha256=None, rejected="gone"),
    )
    with store.session() as session:
        assert [c.task for c in session.scalars(stored())] == [
            f"{TENCH}/flickr:3",
            f"{CRANE}/flickr:2",
            f"{CRANE}/flickr:1",
        ]
        assert [c.photo.source_id for c in session.scalars(stored(CRANE))] == ["2", "1"]


def reference(labels: list[tuple[int, str, Verdict]]) -> dict[int, Counter[Verdict]]:
    """What `votes` means, in plain Python."""
    newest: dict[tuple[int, str], Verdict] = {}
    for number, worker, verdict in labels:
        newest[number, worker] = verdict
    counted: dict[int, Counter[Verdict]] = {}
    for (number, _), verdict in newest.items():
        counted.setdefault(number, Counter())[verdict] += 1
    return counted


LABELS = st.lists(
    st.tuples(
        st.integers(1, 3), st.sampled_from(["ann", "Ann", "bob", ""]), st.sampled_from(Verdict)
    ),
    max_size=20,
)


@given(labels=LABELS)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_votes_are_the_newest_label_of_each_labeler(
    tmp_path: Path, labels: list[tuple[int, str, Verdict]]
) -> None:
    store = Store.open(f"sqlite:///{tmp_path / uuid.uuid4().hex}.db")
    add_candidates(store, *(candidate(number) for number in (1, 2, 3)))
    add_labels(store, labels)
    with store.session() as session:
        assert votes(session) == reference(labels)
        force = session.scalars(labels_in_force()).all()
        assert {(label.candidate_id, label.worker): label.verdict for label in force} == {
            (number, worker): verdict for number, worker, verdict in labels
        }
    store.close()


# Many writers


def test_writers_in_threads_lose_no_label(store: Store) -> None:
    [number] = add_candidates(store, candidate(1))

    def work(worker: str) -> None:
        for verdict in [CORRECT, INCORRECT, UNSURE] * 5:
            with store.begin() as session:
                session.scalars(labels_in_force()).all()  # read first, as the page does
                session.add(Label(candidate_id=number, worker=worker, verdict=verdict))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, [f"worker {n}" for n in range(8)]))
    with store.session() as session:
        assert session.scalar(select(func.count(Label.number))) == 8 * 15
        assert votes(session) == {number: Counter({UNSURE: 8})}


def test_writers_in_processes_lose_no_label(store: Store, store_url: str) -> None:
    [number] = add_candidates(store, candidate(1))
    program = (
        "store = Store.open(words[0])\n"
        "for _ in range(25):\n"
        "    with store.begin() as session:\n"
        "        session.scalars(labels_in_force()).all()\n"
        "        session.add(Label(candidate_id=int(words[1]), worker=words[2],\n"
        "                          verdict=Verdict.CORRECT))\n"
    )
    processes(program, *([store_url, str(number), f"worker {n}"] for n in range(3)))
    with store.session() as session:
        assert session.scalar(select(func.count(Label.number))) == 3 * 25
        assert votes(session) == {number: Counter({CORRECT: 3})}


def test_readers_and_a_writer_do_not_wait_for_each_other(store: Store) -> None:
    [number] = add_candidates(store, candidate(1))
    # The writer commits while the transaction of the reader is open.
    with store.session() as reader, store.begin() as writer:
        writer.add(Label(candidate_id=number, worker="ann", verdict=CORRECT))
        writer.flush()
        assert votes(reader) == {}
    with store.session() as reader:
        assert votes(reader) == {number: Counter({CORRECT: 1})}
