"""Whether a labeler can guess which screens hold gold questions: by what they see and count.

    python -m benchmarks.gold_guesses

Labelers label pools of chance to the end. Somebody who knows which screens of the other half of the
pools had gold questions bets on each screen by one clue, or by several together. The area under
the curve of the bets is 0.5 by chance, and 1 for who always knows.
"""

import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from pathlib import Path

from sqlalchemy import select, update

from genset.classes import imagenet1k
from genset.db import Photo, Store
from genset.db import Screen as ScreenRow
from genset.db import ScreenPhoto as OnScreen
from genset.label.gold import add_gold_question
from genset.workspace import Workspace
from tests.label.desks import CORRECT, INCORRECT, desk_of, do_all, under
from tests.labeled_workspace import labeled_workspace

Opened = tuple[Workspace, Store]
WNIDS = [cls.wnid for cls in imagenet1k()]
LABELERS = ("ann", "bob", "cid", "dot", "eve")

# What a labeler can see or count of a screen, and whether a gold question is on it.
Seen = tuple[dict[str, Hashable], bool]


def seen(opened: Opened, worker: str) -> list[Seen]:
    rows = (
        select(ScreenRow.id, ScreenRow.wnid, OnScreen.gold_id)
        .join(OnScreen, OnScreen.screen_id == ScreenRow.id)
        .where(ScreenRow.worker == worker)
        .order_by(ScreenRow.created_at, ScreenRow.id)
    )
    with opened[1].session() as session:
        shown = session.execute(rows).all()
    size = Counter(row.id for row in shown)
    gold = Counter(row.id for row in shown if row.gold_id is not None)
    assert all(gold[screen] < size[screen] for screen in size), "a screen of gold questions alone"
    class_of = {row.id: row.wnid for row in shown}
    screens, photos = Counter(class_of.values()), Counter(row.wnid for row in shown)
    before: Counter[str] = Counter()
    found = []
    for place, (screen, wnid) in enumerate(class_of.items()):
        clues: dict[str, Hashable] = {
            "size": size[screen],
            "order": min(place, 10),
            "place in class": before[wnid],
            "class returns": screens[wnid],
            "photos of class": photos[wnid],
        }
        clues["size and photos of class"] = size[screen], photos[wnid]
        clues["size, place and returns"] = size[screen], before[wnid], screens[wnid]
        before[wnid] += 1
        found.append((clues, screen in gold))
    return found


def guessed(
    learned: Iterable[Seen], guessed_of: Iterable[Seen], clue: str
) -> list[tuple[float, bool]]:
    """What somebody who knows other pools would bet on each screen by a clue, and what is so."""
    learned = list(learned)
    mean = sum(gold for _, gold in learned) / len(learned)
    screens: dict[Hashable, list[bool]] = defaultdict(list)
    for clues, gold in learned:
        screens[clues[clue]].append(gold)
    return [
        ((sum(like) + 2 * mean) / (len(like) + 2), gold)
        for clues, gold in guessed_of
        for like in [screens[clues[clue]]]
    ]


def area_under_curve(bets: Sequence[tuple[float, bool]]) -> float:
    yes = [bet for bet, gold in bets if gold]
    no = [bet for bet, gold in bets if not gold]
    wins = sum((one > other) + (one == other) / 2 for one in yes for other in no)
    return wins / (len(yes) * len(no))


def pool_of_chance(root: Path, seed: int, photos: int = 5, gold: float = 0.1) -> Opened:
    """Six classes of ten to 40 photos, of which a fifth is known; for five labelers."""
    chance = random.Random(seed)
    opened = labeled_workspace(root, WNIDS[:6], photos=40)
    store = opened[1]
    for place, wnid in enumerate(WNIDS[:6]):
        there = chance.randint(10, 40)
        gone = [str(100 * place + number) for number in range(there, 40)]
        with store.begin() as session:
            session.execute(
                update(Photo).where(Photo.source_id.in_(gone)).values(rejected="too small")
            )
        for number in range(there):
            if chance.random() < 0.2:
                expected = chance.choice((CORRECT, INCORRECT))
                add_gold_question(store, f"{wnid}/flickr:{100 * place + number}", expected, "seen")
    return under(opened, votes=5, gold=gold, photos=photos, order="random")


# Screens of up to 48 photos, of which some have gold questions and some have none.
grids_of_chance = partial(pool_of_chance, photos=48, gold=0.03)


def equal_pool(root: Path, seed: int, added: bool) -> Opened:
    """Twelve classes of five photos, as of `scrape --per-class 5`, with up to two known of each.

    These are `added` from outside, as by `add --gold`, or named from among the five.
    """
    chance = random.Random(seed)
    opened = labeled_workspace(root, WNIDS[:12], photos=7)
    for place, wnid in enumerate(WNIDS[:12]):
        known = chance.choice((0, 1, 1, 2))
        gold = range(5, 5 + known) if added else chance.sample(range(5), known)
        gone = [str(100 * place + number) for number in {5, 6} - set(gold)]
        with opened[1].begin() as session:
            session.execute(
                update(Photo).where(Photo.source_id.in_(gone)).values(rejected="too small")
            )
        for number in gold:
            expected = chance.choice((CORRECT, INCORRECT))
            add_gold_question(opened[1], f"{wnid}/flickr:{100 * place + number}", expected, "seen")
    return under(opened, votes=5, gold=0.2, order="random")


def areas(
    root: Path, pools: int, pool: Callable[[Path, int], Opened] = pool_of_chance
) -> dict[str, float]:
    """The area under the curve, by clue; of five labelers a pool."""
    labeled = []
    for seed in range(pools):
        opened = pool(root / str(seed), seed)
        for name in LABELERS:
            do_all(desk_of(opened, name))
        labeled.append([screen for name in LABELERS for screen in seen(opened, name)])
        opened[1].close()
    halves = [[screen for pool in labeled[start::2] for screen in pool] for start in (0, 1)]
    return {
        clue: area_under_curve(guessed(*halves, clue) + guessed(*reversed(halves), clue))
        for clue in labeled[0][0][0]
    }


def main() -> int:
    """Print the areas; 1 where one is above 0.55 in pools of chance."""
    with tempfile.TemporaryDirectory() as folder:
        found = areas(Path(folder), pools=40)
        grids = areas(Path(folder, "grids"), 40, grids_of_chance)
        added = areas(Path(folder, "added"), 10, partial(equal_pool, added=True))
        named = areas(Path(folder, "named"), 10, partial(equal_pool, added=False))
    print(f"{'':24} of chance  grids  equal, gold added  equal, gold named from these")
    for clue, area in found.items():
        row = f"{area:9.3f} {grids[clue]:6.3f} {added[clue]:18.3f} {named[clue]:29.3f}"
        print(f"{clue:24} {row}")
    return int(max(*found.values(), *grids.values()) > 0.55)


if __name__ == "__main__":
    sys.exit(main())
