"""The label that all of a task's labelers give."""

from genset.label.aggregate.votes import Coded, Opinion, Votes


def unanimous(votes: Votes) -> dict[str, Opinion]:
    """By task: all weight on the label that everybody gives, else shared by those that were given.

    Where two labelers disagree there is no label, however many say one thing.
    """
    coded = Coded(votes)
    given = coded.counts() > 0
    return coded.opinions(given / given.sum(axis=1, keepdims=True))
