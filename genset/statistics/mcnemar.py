"""Whether two models differ, judged by the photos where only one of them is right."""


def exact_mcnemar(only_first: int, only_second: int) -> float:
    """The two-sided p-value of McNemar's exact test, 0 to 1.

    If the models were equally good, then each photo that only one of them has right would be the
    first's with probability 1/2. So this is a binomial test of `only_first` among `only_first` +
    `only_second`. Photos that both have right, or both have wrong, do not count.

    Source: McNemar, "Note on the sampling error of the difference between correlated proportions
    or percentages", Psychometrika 12, 1947; in the exact form of Cochran, 1950.

    Raises:
        ValueError: a count is negative.
    """
    from scipy.special import bdtr

    if only_first < 0 or only_second < 0:
        raise ValueError(f"no test of {only_first} against {only_second}")
    tail = bdtr(min(only_first, only_second), only_first + only_second, 0.5)
    return min(1.0, 2 * float(tail))  # with equal counts, both tails hold the middle
