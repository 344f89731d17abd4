"""What a candidate's labelers say together, and how far they agree, checked against crowd-kit."""

from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genset.aggregators import METHODS
from genset.core.errors import BadInput
from genset.label.aggregate import aggregate
from genset.label.aggregate.dawid_skene import dawid_skene, estimate
from genset.label.aggregate.votes import Opinion, Vote, majority, selection_frequency
from genset.label.agreement import Agreement, krippendorff_alpha

# crowd-kit calls pandas in ways that pandas means to drop.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")


VERDICTS = ("correct", "incorrect", "unsure", "broken")


@st.composite
def tables(draw: st.DrawFn) -> list[Vote]:
    """Votes of up to 5 labelers on up to 8 tasks, at most one of a labeler on a task."""
    pairs = st.tuples(st.integers(0, 7), st.integers(0, 4))
    who = draw(st.lists(pairs, min_size=1, max_size=40, unique=True))
    return [
        Vote(f"n01440764/flickr:{task}", f"w{worker}", draw(st.sampled_from(VERDICTS)))
        for task, worker in who
    ]


def crowd(
    seed: int, tasks: int, skills: Sequence[float], votes: int
) -> tuple[list[Vote], list[str]]:
    """Labelers who say what is true with a probability of their own; the votes and the truth."""
    rng = np.random.default_rng(seed)
    truth = [str(label) for label in rng.choice(VERDICTS, tasks, p=(0.6, 0.3, 0.05, 0.05))]
    table = []
    for task, true in enumerate(truth):
        for worker in rng.choice(len(skills), votes, replace=False):
            right = rng.random() < skills[worker]
            said = true if right else str(rng.choice([v for v in VERDICTS if v != true]))
            table.append(Vote(f"t{task:03}", f"w{worker}", said))
    return table, truth


def frame(votes: Sequence[Vote]) -> pd.DataFrame:
    return pd.DataFrame(votes, columns=["task", "worker", "label"])


def weights(opinions: dict[str, Opinion]) -> dict[str, dict[str, float]]:
    return {task: opinion.weights for task, opinion in opinions.items()}


def assert_same(ours: dict[str, Opinion], theirs: pd.DataFrame, tolerance: float) -> None:
    """Every task's every weight, as crowd-kit has it."""
    assert sorted(ours) == sorted(theirs.index)
    for task, opinion in ours.items():
        assert opinion.weights == pytest.approx(theirs.loc[task].to_dict(), abs=tolerance), task


def test_three_labelers_by_hand() -> None:
    votes = [
        *(Vote("a", worker, "correct") for worker in ("ann", "bob")),
        Vote("a", "eve", "broken"),
        Vote("b", "ann", "correct"),
        Vote("b", "bob", "incorrect"),
        Vote("c", "eve", "unsure"),
    ]
    none = dict.fromkeys(("broken", "correct", "incorrect", "unsure"), 0.0)
    assert majority(votes) == {
        "a": Opinion("correct", {**none, "correct": 1.0}, 3),
        "b": Opinion(None, {**none, "correct": 0.5, "incorrect": 0.5}, 2),
        "c": Opinion("unsure", {**none, "unsure": 1.0}, 1),
    }
    assert selection_frequency(votes) == {
        "a": Opinion("correct", {**none, "correct": 2 / 3, "broken": 1 / 3}, 3),
        "b": Opinion(None, {**none, "correct": 0.5, "incorrect": 0.5}, 2),
        "c": Opinion("unsure", {**none, "unsure": 1.0}, 1),
    }


@settings(max_examples=60)
@given(votes=tables())
@pytest.mark.soak
def test_majority_and_frequency_are_crowd_kits(votes: list[Vote]) -> None:
    from crowdkit.aggregation import MajorityVote

    theirs = MajorityVote()
    assert_same(selection_frequency(votes), theirs.fit_predict_proba(frame(votes)), 1e-12)
    labels = theirs.fit_predict(frame(votes))
    for task, opinion in majority(votes).items():
        if opinion.label is None:
            assert opinion.weights[labels[task]] > 0  # crowd-kit takes one of those that are tied
        else:
            assert opinion.label == labels[task]


@pytest.mark.parametrize(("seed", "votes"), [(1, 3), (2, 5), (3, 10)])
def test_dawid_skene_ends_where_crowd_kits_does(seed: int, votes: int) -> None:
    from crowdkit.aggregation import DawidSkene

    skills = [0.95, 0.9, 0.9, 0.85, 0.85, 0.8, 0.8, 0.7, 0.6, 0.25]
    table, _ = crowd(seed, 150, skills, votes)
    ours, theirs = dawid_skene(table), DawidSkene().fit(frame(table))
    assert theirs.probas_ is not None and theirs.labels_ is not None
    assert_same(ours, theirs.probas_, 1e-10)
    assert {task: opinion.label for task, opinion in ours.items()} == theirs.labels_.to_dict()


TABLES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda table: table,
    "categories": lambda table: table.astype("category"),
    "arrow": pa.Table.from_pandas,
    "polars' dictionaries": lambda table: pa.Table.from_pandas(table).cast(
        pa.schema((name, pa.dictionary(pa.uint32(), pa.string())) for name in table.columns)
    ),
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("method", METHODS)
def test_a_table_of_the_field_gives_what_its_votes_give(method: str, kind: str) -> None:
    votes, _ = crowd(4, 60, [0.9, 0.8, 0.8, 0.7, 0.3], 3)
    table = TABLES[kind](frame(votes))
    assert aggregate(method, table) == aggregate(method, votes)
    # A part of a table, which may name what it does not have; and none of it.
    assert aggregate(method, table[90:]) == aggregate(method, votes[90:])
    assert aggregate(method, table[:0]) == {}


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_that_lacks_something_is_refused(kind: str) -> None:
    table = frame([Vote("a", "ann", "correct"), Vote("b", "bob", "correct")])
    with pytest.raises(BadInput, match="columns task, worker, label: worker is missing"):
        dawid_skene(TABLES[kind](table.drop(columns="worker")))
    with pytest.raises(BadInput, match="vote 2 of the table has no label"):
        dawid_skene(TABLES[kind](table.assign(label=["correct", None])))


@pytest.mark.parametrize("votes", [3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_dawid_skene_discounts_two_who_guess(seed: int, votes: int) -> None:
    """Three who know and two who say anything, three or five votes a photo."""
    table, truth = crowd(seed, 400, [0.9, 0.9, 0.9, 0.25, 0.25], votes)
    by_votes, weighed = (
        sum(found[f"t{n:03}"].label == true for n, true in enumerate(truth))
        for found in (majority(table), dawid_skene(table))
    )
    assert weighed > by_votes + 20, (by_votes, weighed)  # 5 points


@pytest.mark.realdata
@pytest.mark.soak
def test_decisions_on_reals_votes_agree_with_the_published_ones(realdata: Path) -> None:
    """924,810 votes of 85 raters: 93.0 % with maybe as an answer of its own, 97.4 % as yes."""
    with np.load(realdata / "real" / "raters.npz") as file:
        rater, question, answer = np.nonzero(file["tensor"])
    with np.load(realdata / "real" / "scores.npz") as file:
        published = file["tensor"] >= 0.8
    assert len(answer) == 924_810
    for answers, yes, agreement in ((answer, 2, 0.930), (answer.clip(max=1), 1, 0.974)):
        sizes = len(published), 85, yes + 1
        decided = estimate(question, rater, answers, sizes)[:, yes] >= 0.8
        assert (decided == published).mean() == pytest.approx(agreement, abs=0.0005)


def test_dawid_skene_leaves_two_equal_witnesses_tied() -> None:
    votes = [Vote("a", "ann", "correct"), Vote("a", "bob", "incorrect")]
    assert dawid_skene(votes)["a"].label is None


def observers(*rows: str) -> list[Vote]:
    """Votes from Krippendorff's tables: a row for each observer, a letter a unit, "." missing."""
    return [
        Vote(f"unit {unit}", f"observer {observer}", label)
        for observer, row in enumerate(rows)
        for unit, label in enumerate(row)
        if label != "."
    ]


# Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011: sections A, B and C.
BINARY = ("0100000010", "1110010000")


NOMINAL = ("aabbdcccedda", "babbbccceddd")

MISSING = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


@pytest.mark.parametrize(
    ("rows", "alpha", "votes"), [(BINARY, 0.095, 20), (NOMINAL, 0.692, 24), (MISSING, 0.743, 40)]
)
def test_the_published_examples(rows: tuple[str, ...], alpha: float, votes: int) -> None:
    found = krippendorff_alpha(observers(*rows))
    assert found.alpha == pytest.approx(alpha, abs=0.0005)
    assert found.votes == votes


@settings(max_examples=60)
@given(votes=tables())
def test_alpha_is_crowd_kits_and_the_share_of_pairs_that_agree_is_counted(
    votes: list[Vote],
) -> None:
    found = krippendorff_alpha(votes)
    by_task: dict[str, list[str]] = {}
    for vote in votes:
        by_task.setdefault(vote.task, []).append(vote.label)
    pairs = [pair for labels in by_task.values() for pair in combinations(labels, 2)]
    pairable = [label for labels in by_task.values() if len(labels) > 1 for label in labels]
    if not pairs:
        assert found == Agreement(None, None, 0, 0)
        return
    assert found.observed == pytest.approx(sum(a == b for a, b in pairs) / len(pairs))
    assert found.votes == len(pairable)
    if len(set(pairable)) == 1:
        assert found.alpha is None
        return
    from crowdkit.metrics.data import alpha_krippendorff

    several = [vote for vote in votes if len(by_task[vote.task]) > 1]
    theirs = alpha_krippendorff(pd.DataFrame(several, columns=["task", "worker", "label"]))
    assert found.alpha == pytest.approx(theirs)
