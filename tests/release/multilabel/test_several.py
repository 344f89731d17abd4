"""Photos that the first release left out as correct for several classes."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.db import Candidate, DuplicatePair, Label, Photo, Verdict, find_candidate
from genset.licenses import choose_licenses
from genset.release import publish
from genset.release.candidates import Exclusion
from genset.release.choose import ReleasePlan
from genset.release.reader import Release
from genset.release.strategies import Matched, Reference, Strategy, Threshold, Top
from tests.labeled_workspace import CRANE, GOLDFISH, TABBY, TENCH, add_candidate
from tests.questions import BASSINET, ask_about
from tests.release.conftest import Pool
from tests.release.multilabel.conftest import Asking, photo

AskingOf = Callable[[ReleasePlan], Asking]


def numbers(release: Release) -> set[int]:
    return {int(each.source_id) for each in release.photos}


def both(pool: Pool, number: int, **verdicts: str) -> None:
    """A photo of the tenches is found for goldfish too, and called correct for both."""
    pool.label(f"{TENCH}/flickr:{number}", ann="correct")
    pool.label(pool.also_found_for(GOLDFISH, number), **(verdicts or {"ann": "correct"}))


def test_it_enters_once_with_both_classes(pool: Pool, asking_of: AskingOf) -> None:
    pool.label_all_correct()
    both(pool, 0)
    pool.label(f"{TENCH}/flickr:0", "fresh", eve="incorrect", zoe="correct")
    asking = asking_of(ReleasePlan(panel="fresh"))
    assert asking.v1.excluded == {"correct for several classes": 2}
    made = asking.freeze()
    assert numbers(made) - numbers(asking.v1) == {0}
    assert len(made.photos) == 8 and made.excluded == {}
    found = photo(made, 0)
    assert found.labels_correct == (TENCH, GOLDFISH)
    assert found.file.startswith(f"test/{TENCH}/")
    # The fresh panel measures what enters, too.
    assert (found.labels, found.selection_frequency) == ({"correct": 1, "incorrect": 1}, 0.5)
    assert made.multilabel is not None and made.multilabel["entered"] == 1
    made.verify()
    card = (made.root / "docs/DATA_CARD.md").read_text("utf-8")
    assert "Nobody was asked what else they show: further classes are those of other" in card
    assert "at random" not in card and "proposed by nobody" not in card
    # Questions about it count as about all others.
    ask_about(pool.store, {f"{TENCH}/flickr:0": (BASSINET, TABBY)})
    asking.say(0, BASSINET, ann="correct")
    asking.say(0, TABBY, ann="incorrect")
    found = photo(asking.freeze("v3"), 0)
    assert found.labels_correct == (TENCH, GOLDFISH, BASSINET)
    assert found.labels_wrong == (TABBY,)


def test_its_home_is_the_class_that_most_call_correct_then_the_better_rank(
    pool: Pool, asking_of: AskingOf
) -> None:
    pool.label_all_correct()
    both(pool, 0, ann="correct", bob="correct")
    pool.label(f"{TENCH}/flickr:0", bob="incorrect", eve="correct")
    both(pool, 1)
    with pool.store.begin() as session:
        find_candidate(session, f"{TENCH}/flickr:1").rank = 12  # goldfish has it as its ninth
    # The same bytes under two names enter once.
    content = pool.original(200).read_bytes()
    twin = add_candidate(pool.workspace, pool.store, GOLDFISH, 999, content=content)
    pool.label(twin, ann="correct")
    asking = asking_of(ReleasePlan())
    made = asking.freeze()
    assert photo(made, 0).labels_correct == (GOLDFISH, TENCH)
    assert photo(made, 0).selection_frequency == 1.0 and photo(made, 0).keyword == "other"
    assert photo(made, 1).labels_correct == (GOLDFISH, TENCH)
    known = {each.sha256 for each in asking.v1.photos}
    [entered] = [
        each for each in made.photos if each.sha256 not in known and each.source_id not in "01"
    ]
    assert set(entered.labels_correct or ()) == {CRANE, GOLDFISH}


def test_what_was_labeled_since_does_not_enter(
    pool: Pool, asking_of: AskingOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else classes would grow by photos of two classes alone."""
    pool.label(f"{CRANE}/flickr:200", ann="correct")
    both(pool, 1)
    monkeypatch.setattr(publish, "now", lambda: datetime.now(UTC) + timedelta(seconds=5))
    asking = asking_of(ReleasePlan())
    moment = datetime.now(UTC) + timedelta(hours=1)
    with pool.store.begin() as session:
        session.add(Candidate(wnid=GOLDFISH, photo=_row(session, 0), keyword="other", rank=9))
        session.flush()
        for wnid in (TENCH, GOLDFISH):
            claim = find_candidate(session, f"{wnid}/flickr:0")
            session.add(
                Label(
                    candidate_id=claim.id,
                    worker="ann",
                    verdict=Verdict.CORRECT,
                    decided_at=moment,
                )
            )
    assert numbers(asking.freeze()) == {200, 1}


def _row(session: Session, number: int) -> Photo:
    return session.query(Photo).filter_by(source_id=str(number)).one()


def test_one_that_is_correct_for_one_class_now_stays_out(pool: Pool, asking_of: AskingOf) -> None:
    pool.label_all_correct()
    both(pool, 0)
    asking = asking_of(ReleasePlan())
    asking.ask(BASSINET)
    asking.say_of_all(BASSINET, ann="incorrect")
    asking.rule(0, GOLDFISH, "incorrect")
    made = asking.freeze()
    assert numbers(made) == numbers(asking.v1)
    assert made.excluded == {"correct for several classes": 2}


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        (ReleasePlan(licenses=choose_licenses("CC BY 2.0")), "licence CC0"),
        (ReleasePlan(max_per_owner=1), "more than 1 of one owner"),
        (ReleasePlan(Top(per_class=3), max_per_owner=1), "more than 1 of one owner"),
        (ReleasePlan(deduplicate=True), "looks like a photo that was posted before it"),
        (ReleasePlan(balance=True), "more than the smallest class has"),
        (ReleasePlan(Threshold(per_class=1)), "its class has its photos"),
    ],
)
def test_the_first_releases_plan_still_refuses(
    pool: Pool, asking_of: AskingOf, plan: ReleasePlan, reason: str
) -> None:
    pool.label_all_correct()
    both(pool, 0)
    with pool.store.begin() as session:
        row = _row(session, 0)
        if plan.licenses:
            row.license, row.license_url = "CC0", ""
        row.owner = "1@N00"
        row.posted_at = datetime(2019, 1, 1, tzinfo=UTC)  # before all: but v1's photos come first
        session.add(DuplicatePair(photo_id=row.id, other="flickr:1", distance=3))
    asking = asking_of(plan)
    asking.ask(BASSINET)
    asking.say_of_all(BASSINET, ann="incorrect")
    made = asking.freeze()
    assert numbers(made) == numbers(asking.v1)
    assert made.excluded[reason] >= 2
    assert "correct for several classes" not in made.excluded


@pytest.mark.parametrize("strategy", [Threshold(per_class=2), Top(per_class=2)])
def test_a_class_that_was_short_is_filled(
    pool: Pool, asking_of: AskingOf, strategy: Strategy
) -> None:
    pool.label_all_correct()
    both(pool, 0)
    made = asking_of(ReleasePlan(strategy)).freeze()
    assert numbers(made) == {0, 1, 100, 101, 200, 201, 300, 301}


def test_a_short_bin_of_matched_is_filled_and_no_other(
    pool: Pool, asking_of: AskingOf, tmp_path: Path
) -> None:
    pool.label_all_correct()
    both(pool, 0)
    (tmp_path / "labels.csv").write_text(
        f"task,worker,label\n{TENCH}/a,x,correct\n{TENCH}/b,x,correct\n{GOLDFISH}/c,x,incorrect\n",
        "utf-8",
    )
    reference = Reference.read(tmp_path / "labels.csv")
    asking = asking_of(ReleasePlan(Matched(reference, per_class=2)))
    assert numbers(asking.v1) == {1}
    assert numbers(asking.freeze()) == {0, 1}


def test_a_file_of_hashes_is_asked_for_again(
    pool: Pool, asking_of: AskingOf, tmp_path: Path
) -> None:
    pool.label_all_correct()
    both(pool, 0)
    both(pool, 1)
    with pool.store.session() as session:
        sums = f"{_row(session, 0).sha256}  x.jpg\n"
    (tmp_path / "sums").write_text(sums, "utf-8")
    (tmp_path / "other").write_text(f"{'0' * 64}  x.jpg\n", "utf-8")
    exclude = Exclusion.read(tmp_path / "sums")
    asking = asking_of(ReleasePlan(exclude=(exclude,)))
    with pytest.raises(BadInput, match="give that file again with --exclude sums"):
        asking.freeze()
    with pytest.raises(BadInput, match="was not chosen with --exclude other"):
        asking.freeze(exclude=(exclude, Exclusion.read(tmp_path / "other")))
    made = asking.freeze(exclude=(exclude,))
    assert numbers(made) - numbers(asking.v1) == {1}
    assert made.excluded == {"looks like a photo of sums": 2}
