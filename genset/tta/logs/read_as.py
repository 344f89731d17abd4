"""What a user says of how a log is to be read."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReadAs:
    """What a user says of how logs are to be read. Empty, or None, where the content says it.

    Attributes:
        format: the `NAME` of a format.
        metric: the column, tag or key of the score that counts.
        epoch, time, run: the columns of a table of epochs with the epoch, the time since training
            began, and what tells its runs apart.
        lower_is_better: whether less of the metric is better.
    """

    format: str = ""
    metric: str = ""
    epoch: str = ""
    time: str = ""
    run: str = ""
    lower_is_better: bool | None = None
