"""No interleaving, repetition or truncation of a log gives a time that the full log does not imply.

What a log implies for a threshold are the times of its evaluations that reach it, and for its own
threshold the time of its stop: by the clock of any worker that told both ends.
"""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genset.core.errors import BadInput
from genset.tta.logs.reading import read_file
from tests.tta.logs.mlperf_logs import ROUNDS, lines

OWN = 74.9
THRESHOLDS = (30.0, OWN, 75.0, 90.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logs")


def times(path: Path, data: bytes) -> list[float | None]:
    """The seconds to each threshold; nothing where the log is refused."""
    path.write_bytes(data)
    try:
        (run,) = read_file(path)
    except BadInput:
        return [None for _ in THRESHOLDS]
    found = [run.first_at(threshold) for threshold in THRESHOLDS]
    return [None if epoch is None else 3600 * epoch.hours for epoch in found]


def implied(scores: list[float], threshold: float, late: list[float], ended: bool) -> list[float]:
    """All times that a run with these scores may be said to take, by its workers' clocks."""
    first = next((at for at, score in enumerate(scores, 1) if 100 * score >= threshold), None)
    if first is None:
        return []
    ends = [3600.0 * first] + ([3600.0 * len(scores) + 1] if threshold == OWN and ended else [])
    return [end + one - other for end in ends for one in late for other in late]


@given(st.data())
def test_mlperf(folder: Path, data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(ROUNDS))
    scores = data.draw(
        st.lists(st.integers(0, 1000).map(lambda n: n / 1000), min_size=1, max_size=4)
    )
    good = 100 * max(scores) >= OWN
    status = data.draw(st.sampled_from(["success", "none", None] if good else ["aborted", None]))
    late = data.draw(st.lists(st.sampled_from([0.0, 0.25, 3.5]), min_size=1, max_size=3))
    told = [lines(form, scores, OWN / 100, status=status, late=each) for each in late]
    if data.draw(st.booleans()):  # some log their target after the first evaluation
        for each in told:
            each.insert(3, each.pop(2))
    workers = data.draw(st.permutations([at for at, each in enumerate(told) for _ in each]))
    mixed = []
    for worker in workers:
        mixed += [told[worker].pop(0)] * data.draw(st.sampled_from([1, 1, 2]))
    whole = "".join(f"{each}\n" for each in mixed).encode()
    cut = data.draw(st.integers(0, len(whole)))
    for text in (whole, whole[:cut]):
        found = times(folder / "result_0.txt", text)
        for threshold, seconds in zip(THRESHOLDS, found, strict=True):
            right = implied(scores, threshold, late, status is not None)
            assert seconds is None or any(abs(seconds - each) < 0.01 for each in right)
    found = times(folder / "result_0.txt", whole)
    assert [seconds is None for seconds in found] == [100 * max(scores) < t for t in THRESHOLDS]
