"""Run the tests of a module once for each change, in a process that has loaded everything."""

import os
import resource
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import Phase, settings

from tests.mutants.changes import Change
from tests.mutants.order import Recorder, by_likelihood
from tests.mutants.patch import put_in

# A change that makes code run for ever is noticed: after so many times as long as the tests take
# of the module as it is, of a processor or on the clock, and so many seconds.
_OF_PROCESSOR = 4, 3
_ON_CLOCK = 20, 60
_MEMORY = 8 * 2**30  # bytes, for changes that make lists without end


def unnoticed(tests: Sequence[str], changes: Sequence[Change]) -> Iterator[bool]:
    """Whether all of these tests pass, for one change after the other.

    Args:
        tests: their files. Those on PostgreSQL are left out, since a fork cannot share its server;
            those that only `make soak` runs are not.
        changes: of modules that these tests load.

    Raises:
        RuntimeError: they do not pass where nothing is changed.
    """
    reading, writing = os.pipe()
    with TemporaryDirectory() as folder:
        child = os.fork()
        if child == 0:
            os.close(reading)
            _run_all(tests, changes, writing, Path(folder))
        os.close(writing)
        with os.fdopen(reading, "rb") as said:
            if said.read(1) != b"1":
                raise RuntimeError(
                    f"these fail though nothing is changed: pytest {' '.join(tests)}"
                )
            for _ in changes:
                yield said.read(1) == b"1"
        os.waitpid(child, 0)


def _run_all(tests: Sequence[str], changes: Sequence[Change], writing: int, folder: Path) -> None:
    """In the child: collect the tests, and run them in a fork of it for each change.

    All that they write is in `folder`: what a fork made it cannot take away when it is ended.
    """
    tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
    try:
        with Path(os.devnull).open("w") as nowhere:
            for handle in (1, 2):
                os.dup2(nowhere.fileno(), handle)
            words = ["-q", "-x", "-p", "no:xdist", "-p", "no:cacheprovider", "-s"]
            which = ["-k", "not postgresql", f"--basetemp={folder}/all", *tests]
            trials = _Trials(changes, writing, Path(folder, "seen.json"))
            pytest.main([*words, *which], plugins=[trials])
    finally:
        os._exit(0)


class _Trials:
    def __init__(self, changes: Sequence[Change], writing: int, seen: Path) -> None:
        self._changes, self._writing, self._seen = changes, writing, seen

    def pytest_collection(self) -> None:
        """The examples of property tests are the same for each change, and not made smaller."""
        phases = (Phase.explicit, Phase.generate)
        settings.register_profile(
            "mutants", settings.default, phases=phases, derandomize=True, database=None
        )
        settings.load_profile("mutants")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Iterator[None]:
        """Instead of one run of the tests: one for each change, each in a fork."""
        passes = _forked(None)
        if passes is None:
            modules = {change.module for change in self._changes}
            session.config.pluginmanager.register(Recorder(modules, self._seen))
            return (yield)  # the fork: it runs the tests
        began, before = time.monotonic(), _processor()
        if passes:
            passes = _forked(None)  # do they also pass in another order?
            if passes is None:
                by_likelihood(session.items, None, self._seen)
                return (yield)
        os.write(self._writing, b"1" if passes else b"0")
        limits = (
            _limit(_processor() - before, _OF_PROCESSOR),
            _limit(time.monotonic() - began, _ON_CLOCK),
        )
        for change in self._changes:
            passes = _forked(change, *limits)
            if passes is None:
                by_likelihood(session.items, change, self._seen)
                return (yield)
            os.write(self._writing, b"1" if passes else b"0")
        os._exit(0)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """A fork says whether the tests passed, and ends."""
        os._exit(int(exitstatus))


def _processor() -> float:
    """The seconds that forks which ended have used of a processor."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _limit(seconds: float, allowed: tuple[int, int]) -> int:
    times, more = allowed
    return int(times * seconds) + more


def _forked(change: Change | None, processor: int = 600, clock: int = 1800) -> bool | None:
    """In the fork None, once it is changed; else whether the tests of the fork passed.

    `processor` and `clock` are the seconds after which it is ended.
    """
    scratch = tempfile.mkdtemp()
    fork = os.fork()
    if fork == 0:
        tempfile.tempdir = os.environ["TMPDIR"] = scratch
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_CPU, (processor, processor))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        try:
            if change is not None:
                put_in(change)
        except BaseException:  # noqa: BLE001 - the change breaks the module's loading
            os._exit(1)
        return None
    began = time.monotonic()
    while (ended := os.waitpid(fork, os.WNOHANG))[0] == 0:
        if time.monotonic() - began > clock:
            os.killpg(fork, signal.SIGKILL)
            ended = os.waitpid(fork, 0)
            break
        time.sleep(0.01)
    shutil.rmtree(scratch, ignore_errors=True)
    return os.waitstatus_to_exitcode(ended[1]) == 0
