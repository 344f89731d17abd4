"""A clock that a test holds, in the place of `genset.label.queue.boards.Clock`."""

import threading


class HeldClock:
    """Time passes where the test says so.

    `takes` is how many seconds pass whenever somebody looks: above 0, boards take long to make, as
    those of a large pool do. New boards are waited for until they are there; unless `waits` is
    false, for those that take longer than anybody waits.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.takes = 0.0
        self.waits = True

    def now(self) -> float:
        self.seconds += self.takes
        return self.seconds

    def wait(self, thread: threading.Thread, seconds: float) -> None:
        if self.waits:
            thread.join()
