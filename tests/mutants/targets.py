"""The modules that decide, and the tests that are to notice when one decides otherwise.

Tests of whole commands would notice more, and take a hundred times as long.
"""

_STATISTICS = "tests/statistics/"
_RELEASE = (
    "tests/release/test_strategies.py",
    "tests/release/test_choose.py",
    "tests/release/test_fair_draws.py",
)
_QUEUE = (
    "tests/label/queue/test_board.py",
    "tests/label/session/test_desk.py",
    "tests/label/session/test_desk_votes.py",
    "tests/label/queue/test_leased.py",
    "tests/label/queue/test_gold_wrong.py",
    "tests/label/queue/test_questions.py",
    "tests/label/queue/test_questions_gold.py",
    "tests/label/session/test_given_examples.py",
    "tests/label/session/test_questions.py",
    "tests/label/session/test_visits.py",
    "tests/label/quality/test_review_requests.py",
    "tests/label/quality/test_void.py",
)


def _of_statistics(*names: str) -> tuple[str, ...]:
    return tuple(f"{_STATISTICS}test_{name}.py" for name in names)


TARGETS: dict[str, tuple[str, ...]] = {
    "genset/core/hashes.py": ("tests/core/test_hashes.py",),
    "genset/statistics/average_precision.py": _of_statistics("average_precision"),
    "genset/statistics/bootstrap.py": _of_statistics("bootstrap", "pairwise", "matched"),
    "genset/statistics/calibration.py": _of_statistics("trend"),
    "genset/statistics/contrasts.py": _of_statistics("contrasts"),
    "genset/statistics/intervals.py": _of_statistics("intervals", "bootstrap"),
    "genset/statistics/matched.py": _of_statistics("matched"),
    "genset/statistics/mcnemar.py": _of_statistics("tests", "paired"),
    "genset/statistics/multiple_testing.py": _of_statistics("tests"),
    "genset/statistics/paired.py": _of_statistics("paired", "pairwise"),
    "genset/statistics/pairwise.py": _of_statistics("pairwise"),
    "genset/statistics/power.py": _of_statistics("tests"),
    "genset/statistics/ranks.py": _of_statistics("ranks"),
    "genset/statistics/resampling.py": _of_statistics("bootstrap", "pairwise"),
    "genset/statistics/restarts.py": _of_statistics("restarts"),
    "genset/statistics/small_samples.py": _of_statistics("small_samples"),
    "genset/statistics/trend.py": _of_statistics("trend"),
    "genset/release/choose.py": _RELEASE,
    "genset/release/strategies/contract.py": _RELEASE,
    "genset/release/strategies/draws.py": _RELEASE,
    "genset/release/strategies/majority.py": _RELEASE,
    "genset/release/strategies/matched.py": _RELEASE,
    "genset/release/strategies/threshold.py": _RELEASE,
    "genset/release/strategies/top.py": _RELEASE,
    "genset/label/proposals/choose.py": ("tests/label/proposals/test_choose.py",),
    "genset/label/queue/board.py": _QUEUE,
    "genset/label/queue/leases.py": _QUEUE,
    "genset/scrape/collect/selection.py": ("tests/scrape/collect/test_selection.py",),
}
