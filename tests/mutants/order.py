"""Which tests are tried on a change: those that enter the changed function, the quickest first."""

import json
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.mutants.changes import Change


class Recorder:
    """Notes how long each test takes, and which functions of some modules it enters."""

    def __init__(self, modules: set[str], file: Path) -> None:
        self._modules, self._file = tuple(modules), file
        self._seen: dict[str, tuple[float, list[str]]] = {}
        self._entered: set[tuple[str, str]] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._entered.clear()
        began = time.monotonic()
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        try:
            return (yield)
        finally:
            sys.setprofile(None)
            entered = sorted(_name(*each) for each in self._entered)
            self._seen[item.nodeid] = time.monotonic() - began, entered

    def pytest_sessionfinish(self) -> None:
        self._file.write_text(json.dumps(self._seen), "utf-8")

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.endswith(self._modules):
            self._entered.add((frame.f_code.co_filename, frame.f_code.co_qualname))


def by_likelihood(items: list[pytest.Item], change: Change | None, seen: Path) -> None:
    """Leave the tests that may notice a change, the quickest first; of None, all.

    Where no test enters the changed function, or what is changed is outside of functions, all are
    left. A test that has what it looks at from a fixture or a cache that another test filled does
    not enter the function: a change that only such a test would notice is said to be unnoticed.
    """
    noted: dict[str, Any] = json.loads(seen.read_text("utf-8"))
    items.sort(key=lambda item: noted[item.nodeid][0])
    if change is not None:
        name = _name(change.module, change.place)
        likely = [
            item for item in items if any(each.endswith(name) for each in noted[item.nodeid][1])
        ]
        items[:] = likely or items


def _name(file: str, function: str) -> str:
    return f"{file} {function.replace('.<locals>', '')}"
