"""How many requests of one client are being answered at once."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class Crowd:
    """Counts the requests that came and have no answer yet, by client; `most` is the most ever."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now: Counter[str] = Counter()
        self.most = 0

    @contextmanager
    def enter(self, client: str) -> Iterator[int]:
        """Count a request of this client as long as it is being answered: how many there are."""
        with self._lock:
            self._now[client] += 1
            at_once = self._now[client]
            self.most = max(self.most, at_once)
        try:
            yield at_once
        finally:
            with self._lock:
                self._now[client] -= 1
