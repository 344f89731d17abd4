"""The seeds of several runs of one command, and the words that they stand in."""

import re
from collections.abc import Sequence

from genset.core.errors import BadInput

PLACE = "{seed}"
_MOST = 1000  # runs of one command
_RANGE = re.compile(r"([0-9]{1,9})(?:\.\.([0-9]{1,9}))?")


def parse_seeds(text: str) -> tuple[int, ...]:
    """Seeds written as ``0..4`` or ``0,1,5`` or both, in that order.

    Raises:
        BadInput: it is not of that form, names one twice, or more than 1,000.
    """
    seeds: list[int] = []
    for part in text.split(","):
        if not (found := _RANGE.fullmatch(part.strip())):
            raise BadInput(f"--seeds {text}: write them like 0..4 or 0,1,5")
        first, last = int(found[1]), int(found[2] or found[1])
        if last < first:
            raise BadInput(f"--seeds {text}: {first} is more than {last}")
        if len(seeds) + last - first >= _MOST:
            raise BadInput(f"--seeds {text}: more than {_MOST:,} runs")
        seeds += range(first, last + 1)
    if len(set(seeds)) < len(seeds):
        raise BadInput(f"--seeds {text}: one is there twice")
    return tuple(seeds)


def choose_seeds(words: Sequence[str], runs: int | None, seeds: str) -> tuple[int, ...]:
    """The seeds of the runs that are asked for; none where the words have no place for one.

    Args:
        words: of the command, and where its checkpoint will be.
        runs: how many runs; None where that is not said.
        seeds: as they were written; "" for 0 to `runs` - 1.

    Raises:
        BadInput: they are not of one number, are no seeds, or have no place to go.
    """
    has_place = any(PLACE in word for word in words)
    if runs is None and not seeds:
        if has_place:
            raise BadInput(f"{PLACE} stands for the seed of a run: say --runs N or --seeds 0..4")
        return ()
    if not seeds:
        return tuple(range(runs or 0)) if has_place else ()
    if not has_place:
        raise BadInput(f"--seeds {seeds}: the command has no {PLACE}: write it where one belongs")
    found = parse_seeds(seeds)
    if runs is not None and runs != len(found):
        raise BadInput(f"--runs {runs}, but --seeds {seeds} are {len(found)}: say one of the two")
    return found


def with_seed(word: str, seed: int | None) -> str:
    """A word of the command with its seed in the place for it."""
    return word if seed is None else word.replace(PLACE, str(seed))
