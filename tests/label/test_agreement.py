"""Krippendorff's alpha against his own worked examples and crowd-kit; labelers against others."""

from collections import Counter
from itertools import combinations

import pandas as pd
import pytest
from hypothesis import given, settings

from genset.label.aggregate.votes import Coded, Vote
from genset.label.agreement import Agreement, alpha_by_class, krippendorff_alpha, with_consensus
from tests.label.test_aggregate import tables


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


def test_each_class_is_for_itself() -> None:
    votes = [
        Vote(f"{wnid}/flickr:{photo}", worker, label)
        for wnid, worker, labels in (
            ("n01440764", "ann", "ccii"),
            ("n01440764", "bob", "ccii"),
            ("n01443537", "ann", "ccii"),
            ("n01443537", "bob", "iicc"),
            ("n02012849", "ann", "cccc"),
            ("n02012849", "bob", "cccc"),
            ("n02123045", "ann", "cccc"),
        )
        for photo, label in enumerate(labels)
    ]
    found = alpha_by_class(votes)
    assert found["n01440764"] == 1
    assert (found["n01443537"] or 0) < -0.5
    by_class = {wnid: [vote for vote in votes if vote.task.startswith(wnid)] for wnid in found}
    assert {wnid: krippendorff_alpha(some).alpha for wnid, some in by_class.items()} == found
    # All correct: no chance to compare.
    assert krippendorff_alpha(by_class["n02012849"]) == Agreement(None, 1.0, 4, 8)
    assert krippendorff_alpha(by_class["n02123045"]) == Agreement(None, None, 0, 0)


def agreed(votes: list[Vote]) -> dict[str, tuple[int, int]]:
    return {worker: found[:2] for worker, found in with_consensus(Coded(votes)).items()}


@settings(max_examples=60)
@given(votes=tables())
def test_consensus_is_the_one_label_that_most_others_give(votes: list[Vote]) -> None:
    expected: dict[str, tuple[int, int]] = {}
    for vote in votes:
        others = Counter(v.label for v in votes if v.task == vote.task and v.worker != vote.worker)
        first = others.most_common(2)
        clear = len(first) == 1 or (len(first) == 2 and first[0][1] > first[1][1])
        right, of = expected.get(vote.worker, (0, 0))
        expected[vote.worker] = (right + (clear and first[0][0] == vote.label), of + clear)
    assert agreed(votes) == expected
