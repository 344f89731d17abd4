"""What Dawid-Skene takes and what it gains over majority, on real votes: ReaL's, five a question.

    python benchmarks/aggregate.py --real DIR
    python benchmarks/aggregate.py --real DIR --raters 10 --merge-maybe

DIR has `raters.npz` and `scores.npz` of google-research/reassessed-imagenet: 924,810 votes of 85
raters on 184,962 questions ("does this photo show this class?": no, maybe, yes), and the published
probability that the answer is yes, from which a label of ReaL's is kept at 0.80.

First it is timed from numbers, and from a table of names as pandas and as Arrow have it, beside
crowd-kit's where that is installed: seconds of the processor. Then the decisions at 0.80 are
compared with the published ones. At last each rater is held out, and what they say is predicted
from the votes of the others, of which each question keeps 1, 2, 3 or 4 that are drawn at random. A
tie of majority counts as the share of guesses that would be right.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genset.label.aggregate.dawid_skene import dawid_skene, estimate

NO, MAYBE, YES = range(3)
KEPT = 0.8  # the score from which ReaL keeps a label

Numbers = NDArray[np.int64]
Weights = NDArray[np.float64]


@dataclass(frozen=True)
class Votes:
    """Votes as numbers, each (votes,): whose they are, of which question, and what they say."""

    task: Numbers
    worker: Numbers
    label: Numbers
    tasks: int

    def of(self, which: NDArray[np.bool_] | Numbers) -> "Votes":
        """Some of them."""
        return Votes(self.task[which], self.worker[which], self.label[which], self.tasks)

    def shares(self) -> Weights:
        """(tasks, 3): each label's share of a question's votes; 0 without any."""
        counts = np.bincount(self.task * 3 + self.label, minlength=3 * self.tasks).reshape(-1, 3)
        return counts / counts.sum(axis=1, keepdims=True).clip(1)

    def dawid_skene(self) -> Weights:
        """(tasks, 3): how probable each label is."""
        names, worker = np.unique(self.worker, return_inverse=True)
        return estimate(self.task, worker, self.label, (self.tasks, len(names), 3))


def main() -> None:
    """Print both comparisons."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--real", type=Path, required=True, help="the folder of ReaL's files")
    words.add_argument("--raters", type=int, help="hold out only this many, drawn at random")
    words.add_argument("--merge-maybe", action="store_true", help="take maybe for yes")
    words.add_argument("--seed", type=int, default=0)
    given = words.parse_args()
    votes = read(given.real / "raters.npz")
    with np.load(given.real / "scores.npz") as file:
        published = file["tensor"] >= KEPT
    print(f"{len(votes.task):,} votes, {votes.tasks:,} questions")
    timed(votes)
    for name, table in (("an answer of its own", votes), ("yes", merged(votes))):
        started = time.perf_counter()
        decided = table.dawid_skene()[:, YES] >= KEPT
        print(
            f"maybe as {name}: {100 * (decided == published).mean():.2f} % of decisions as "
            f"published ({time.perf_counter() - started:.1f} s); of majority "
            f"{100 * ((table.shares()[:, YES] > 0.5) == published).mean():.2f} %"
        )
    if given.merge_maybe:
        votes = merged(votes)
    rng = np.random.default_rng(given.seed)
    raters = np.unique(votes.worker)
    if given.raters:
        raters = rng.choice(raters, given.raters, replace=False)
    print(f"\n{len(raters)} raters held out, seed {given.seed}\nvotes majority dawid-skene gain")
    for count in range(1, 5):
        print(f"{count:5} {held_out(votes, raters, count, rng)}", flush=True)


def timed(votes: Votes) -> None:
    """Print what Dawid-Skene takes from numbers and from names, and how far crowd-kit's is off."""
    import pandas as pd
    import pyarrow as pa

    table = pd.DataFrame(
        {
            "task": [f"photo {number}" for number in votes.task],
            "worker": [f"rater {number}" for number in votes.worker],
            "label": np.array(["no", "maybe", "yes"])[votes.label],
        }
    )
    print(f"from numbers: {seconds(votes.dawid_skene)[0]:.2f} s of the processor")
    for kind, names in (("a DataFrame", table), ("an Arrow table", pa.Table.from_pandas(table))):
        taken, ours = seconds(lambda names=names: dawid_skene(names))
        print(f"from the names of {kind}: {taken:.2f} s")
    try:
        from crowdkit.aggregation import DawidSkene
    except ImportError:
        print("crowd-kit is not installed")
        return
    taken, found = seconds(lambda: DawidSkene().fit_predict_proba(table))
    weights = [[ours[task].weights[label] for label in found.columns] for task in found.index]
    off = np.abs(np.array(weights) - found.to_numpy()).max()
    print(f"crowd-kit's from the names of a DataFrame: {taken:.2f} s; at most {off:.1e} off")


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """What it takes of the processor, and what it returns."""
    started = time.process_time()
    found = work()
    return time.process_time() - started, found


def read(path: Path) -> Votes:
    """The votes of `raters.npz`."""
    with np.load(path) as file:
        tensor = file["tensor"]
    worker, task, label = np.nonzero(tensor)
    return Votes(task, worker, label, tensor.shape[1])


def merged(votes: Votes) -> Votes:
    """The same with maybe as yes."""
    label = np.where(votes.label == MAYBE, YES, votes.label)
    return Votes(votes.task, votes.worker, label, votes.tasks)


def held_out(votes: Votes, raters: Numbers, count: int, rng: np.random.Generator) -> str:
    """How well both predict, with `count` of the others' votes a question, as a line."""
    right, said, better = np.zeros(2), 0, []
    for rater in raters:
        mine = votes.of(votes.worker == rater)
        known = drawn(votes.of(votes.worker != rater), count, rng)
        found = np.array([agreed(way, mine) for way in (known.shares(), known.dawid_skene())])
        right += found
        said += len(mine.task)
        better.append((found[1] - found[0]) / len(mine.task))
    majority, skene = 100 * right / said
    # Raters, not votes, are what is drawn: of another crowd's raters others would be held out.
    spread = 100 * np.std(better, ddof=1) / len(better) ** 0.5
    return (
        f"{majority:7.2f} % {skene:7.2f} % {skene - majority:+.2f} points; mean of raters "
        f"{100 * np.mean(better):+.2f} +- {1.96 * spread:.2f}, better for "
        f"{sum(each > 0 for each in better)} of {len(better)}"
    )


def drawn(votes: Votes, count: int, rng: np.random.Generator) -> Votes:
    """At most `count` votes of each question, drawn at random."""
    order = np.lexsort((rng.random(len(votes.task)), votes.task))
    task = votes.task[order]
    first = np.searchsorted(task, task)  # where a question's votes begin
    return votes.of(order[np.arange(len(task)) - first < count])


def agreed(weights: Weights, votes: Votes) -> float:
    """How many votes say the label with the largest weight; a tie counts in part."""
    largest = weights >= weights.max(axis=1, keepdims=True) - 1e-9
    return float((largest / largest.sum(axis=1, keepdims=True))[votes.task, votes.label].sum())


if __name__ == "__main__":
    main()
