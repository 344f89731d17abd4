"""Whether two models differ, judged by the photos where one alone is right."""

from math import exp, lgamma, log


def exact_mcnemar(only_first: int, only_second: int) -> float:
    """The two-sided p-value of McNemar's exact test, above 0 to 1.

    Were the models equally good, each photo where one alone is right would be either's with
    probability 1/2: a binomial test of `only_first` in both together. Photos that both have right
    or wrong say nothing.

    Source: McNemar, "Note on the sampling error of the difference between correlated proportions
    or percentages", Psychometrika 12, 1947; in the exact form of Cochran, 1950.

    Raises:
        ValueError: a count is negative.
    """
    if only_first < 0 or only_second < 0:
        raise ValueError(f"no test of {only_first} against {only_second}")
    trials, fewer = only_first + only_second, min(only_first, only_second)
    if 2 * fewer >= trials - 1:  # the middle: the two tails are everything
        return 1.0
    # Sum from the largest term of the tail; in logarithms, which thousands of photos need.
    largest = lgamma(trials + 1) - lgamma(fewer + 1) - lgamma(trials - fewer + 1)
    term, total = 1.0, 1.0
    for count in range(fewer, 0, -1):
        term *= count / (trials - count + 1)
        total += term
        if term < 1e-18 * total:
            break
    return min(1.0, exp(largest + log(total) - (trials - 1) * log(2)))
