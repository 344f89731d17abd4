"""A clock that a test holds, in the place of `genset.label.queue.boards.Clock`."""

import threading


class HeldClock:
    """No time passes, and new boards are waited for until they are there."""

    def now(self) -> float:
        return 0.0

    def wait(self, thread: threading.Thread, seconds: float) -> None:
        thread.join()
