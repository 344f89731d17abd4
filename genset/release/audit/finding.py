"""One point of a checklist, and how it is printed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from genset.core.numbers import count
from genset.core.safe import printable

Verdict = Literal["pass", "fail", "not said"]

_NAMED = 10  # on a terminal; the JSON names all


@dataclass(frozen=True, slots=True)
class Finding:
    """The answer to one point.

    Attributes:
        check: its name.
        verdict: pass, fail, or not said: what would answer it is not there.
        says: why, in one sentence.
        named: what is meant: photos by their files, classes by their wnids, and so on.
    """

    check: str
    verdict: Verdict
    says: str
    named: tuple[str, ...] = ()


def verdict(wrong: Sequence[str]) -> Verdict:
    """That of a point that nothing may be wrong with."""
    return "fail" if wrong else "pass"


def unread(finding: Finding, photos: int) -> Finding:
    """A finding on what photos show, where so many of them cannot be read: then it is no pass."""
    if not photos or finding.verdict == "not said":
        return finding
    says = f"{finding.says}; {count(photos, 'photo')} cannot be read"
    return replace(finding, verdict="fail" if finding.verdict == "fail" else "not said", says=says)


def lines(findings: Sequence[Finding]) -> Iterator[str]:
    """The checklist as text."""
    widest = max(len(finding.check) for finding in findings)
    for finding in findings:
        yield f"{finding.verdict:8}  {finding.check:{widest}}  {printable(finding.says)}"
        yield from (f"{'':10}{printable(name)}" for name in finding.named[:_NAMED])
        if (rest := len(finding.named) - _NAMED) > 0:
            yield f"{'':10}... and {rest:,} more: --json names all"
    counts = {
        word: sum(finding.verdict == word for finding in findings)
        for word in ("pass", "fail", "not said")
    }
    yield ", ".join(f"{number} {word}" for word, number in counts.items())
