"""The command: ``python -m tests.mutants [--sample N] [--seed S] [MODULE ...]``."""

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.mutants.changes import Change, changes
from tests.mutants.targets import TARGETS
from tests.mutants.trial import unnoticed

ENOUGH = 0.95
ROOT = Path(__file__).parents[2]
_EQUIVALENT = Path(__file__).with_name("equivalent.txt")


def main() -> int:
    """Try the changes; print those that nothing noticed; 1 if they are too many, 0 if not."""
    asked = _asked()
    modules = asked.modules or list(TARGETS)
    if unknown := [each for each in modules if each not in TARGETS]:
        sys.exit(f"{unknown[0]} is no module of tests/mutants/targets.py")
    every = [each for name in modules for each in changes(name, (ROOT / name).read_text("utf-8"))]
    said = _said_equivalent()
    theirs = {name for name in said if name.partition(" | ")[0] in modules}
    if stale := theirs - {each.name for each in every}:
        sys.exit(f"{_EQUIVALENT.name} names a change that there is not: {min(stale)}")
    tried = [each for each in every if each.name not in said]
    if asked.sample is not None and asked.sample < len(tried):
        tried = random.Random(asked.seed).sample(tried, asked.sample)
    survivors = 0
    for change, lives in _tried(tried):
        if lives:
            survivors += 1
            print(f"{change.module}:{change.line}: {change.place}")
            print(f"    {change.before}\n    {change.after}", flush=True)
    killed = len(tried) - survivors
    equivalent = sum(each.name in said for each in every)
    share = killed / len(tried) if tried else 1.0
    print(
        f"{killed} of {len(tried)} changes noticed ({share:.1%}); {len(every)} there are, of which "
        f"{equivalent} are not tried ({_EQUIVALENT.name} says why)"
    )
    return 0 if share >= ENOUGH else 1


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument(
        "modules", nargs="*", metavar="MODULE", help="such as genset/core/hashes.py"
    )
    parser.add_argument("--sample", type=int, help="try so many of all changes, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="of that draw")
    return parser.parse_args()


def _said_equivalent() -> set[str]:
    """The names in equivalent.txt; lines that begin with "#" give the reasons."""
    lines = _EQUIVALENT.read_text("utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def _tried(changes: Sequence[Change]) -> Iterator[tuple[Change, bool]]:
    """Each change, and whether it lives: no test noticed. Changes of the same tests together."""
    done = 0
    by_tests: dict[tuple[str, ...], list[Change]] = {}
    for change in changes:
        by_tests.setdefault(TARGETS[change.module], []).append(change)
    for tests, theirs in by_tests.items():
        for change, lives in zip(theirs, unnoticed(tests, theirs), strict=True):
            done += 1
            print(f"{done} of {len(changes)}", end="\r", file=sys.stderr, flush=True)
            yield change, lives


if __name__ == "__main__":
    sys.exit(main())
