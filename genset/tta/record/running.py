"""Runs somebody's training command and keeps what it tells of its epochs."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
import tty
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO, Self

from genset import __version__
from genset.core.errors import BadInput
from genset.tta.record.energy import Meter
from genset.tta.record.header import Header, code_of, read_checkpoint
from genset.tta.record.recorder import read_line
from genset.tta.record.recording import Recording, reserved
from genset.tta.runs import Epoch

# A line longer than this is no epoch's; what lies in the memory of a program that ends none is not
# kept.
_LONGEST = 65_536

_PATIENCE = 0.5  # seconds that a signal may have to wait


@dataclass(frozen=True, slots=True)
class Job:
    """A training command, and what is to be recorded of it.

    Attributes:
        command: the program and its words.
        header: what the author says of the entry.
        checkpoint: where the command leaves its weights; None if that is not said.
        facts: what else is known of this run, for ``misc``.
        in_place: see `Recording`.
        energy: whether to record the energy that the machine uses.
    """

    command: Sequence[str]
    header: Header
    checkpoint: Path | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    in_place: bool = False
    energy: bool = False


@dataclass(frozen=True, slots=True)
class Output:
    """Where words go while a command runs.

    Attributes:
        copy: gets the command's standard output, as it comes; None if nobody is to have it.
        say: gets one line for each thing that went wrong on the way.
    """

    copy: BinaryIO | None
    say: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a command.

    Attributes:
        path: the TSV file, or None if no epoch was logged.
        reached: the first epoch as good as the task's threshold.
        refused: lines that were meant as epochs and wrong.
        interruptions: earlier attempts that this one went on from.
        exit_code: the command's own; negative for the signal that ended it.
        checkpoint: the weights that it left, where it was said where.
        no_checkpoint: why there are none; "" where there are, and where none were asked for.
        stopped: whether it was asked to end by a signal to us.
    """

    path: Path | None
    epochs: int
    reached: Epoch | None
    refused: int
    interruptions: int
    exit_code: int
    checkpoint: Mapping[str, Any] = field(default_factory=dict)
    no_checkpoint: str = ""
    stopped: bool = False

    @property
    def failure(self) -> str:
        """Why this is no finished run, in words that follow its name; "" if it is one."""
        if self.path is None:
            line = "tta epoch=1 top1=71.2"
            ended = f", and ended with {self._ending}" if self.exit_code else ""
            return f"no epoch was recorded: the command printed no line such as {line}{ended}"
        if self.exit_code:
            return f"the command ended with {self._ending}; {self.path} holds what it logged"
        return self.no_checkpoint

    @property
    def _ending(self) -> str:
        return f"exit code {self.exit_code}" if self.exit_code > 0 else f"signal {-self.exit_code}"


def record(job: Job, output: Path, report: Output) -> Outcome:
    """Run a command to its end and record its epochs as the entry `output`.

    Both files are whole after each epoch. SIGINT and SIGTERM are handed on to the command, which
    may want to save where it is; what was logged until then is kept.

    Args:
        job: the command, and what is known of it.
        output: the entry's path without ``.json`` or ``.tsv``.
        report: where words go.

    Raises:
        BadInput: the command cannot be started, another recording writes to `output`, or energy is
            to be recorded and cannot be measured.
        OSError: the last writing failed.
    """
    code = code_of(job.command)
    facts = {**job.facts, "genset": __version__, **({"code": code} if code else {})}
    meter = Meter(report.say) if job.energy else None
    recording = Recording(output, job.header, facts, in_place=job.in_place, meter=meter)
    with reserved(output):
        since, began = time.time(), time.monotonic()
        with _Signals() as signals:
            child, source = _start(job.command)
            signals.go_to(child.pid)
            for text in _lines(source, report, meter, recording):
                _add(recording, text, began, report)
            exit_code = child.wait()
        elapsed = time.monotonic() - began
        # One that ends well because it was asked to has saved where it is, and is not done.
        finished = exit_code == 0 and not signals.received
        checkpoint: dict[str, Any] = {}
        reason = ""
        if job.checkpoint and recording.path and finished:
            checkpoint, reason = read_checkpoint(job.checkpoint, since)
            recording.facts |= {"checkpoint": checkpoint} if checkpoint else {}
        recording.write(elapsed, finished=finished, stopped=bool(signals.received))
    return Outcome(
        path=recording.path,
        epochs=len(recording.epochs),
        reached=recording.reached(),
        refused=recording.refused,
        interruptions=recording.before.interruptions,
        exit_code=exit_code,
        checkpoint=checkpoint,
        no_checkpoint=reason,
        stopped=bool(signals.received),
    )


def _add(recording: Recording, text: str, began: float, report: Output) -> None:
    """Record a line of the command's output if it is an epoch's."""
    try:
        if (line := read_line(text)) is not None:
            recording.add(line, time.monotonic() - began)
    except ValueError as error:
        recording.refused += 1
        report.say(f"not recorded: {error}: {text.strip()[:200]}")
    except OSError as error:
        report.say(f"not written yet, {error.strerror}: {recording.path}")


def _start(command: Sequence[str]) -> tuple["subprocess.Popen[bytes]", int]:
    """The command, and where its standard output can be read."""
    # Programs print into a pipe only every few kilobytes, and onto a terminal line by line.
    try:
        source, terminal = pty.openpty()
        tty.setraw(terminal)  # its bytes as they are
    except OSError:  # there are none, as in some containers
        source, terminal = os.pipe()
    plain = {} if sys.stdout and sys.stdout.isatty() else {"NO_COLOR": "1", "TERM": "dumb"}
    environment = os.environ | {"PYTHONUNBUFFERED": "1"} | plain
    try:
        # In a group of its own: from a terminal, Ctrl-C would reach it twice.
        child = subprocess.Popen(  # noqa: S603 - the user's own command
            command, stdout=terminal, env=environment, start_new_session=True
        )
    except OSError as error:
        os.close(source)
        raise BadInput(f"cannot run {command[0]}: {error.strerror}") from None
    finally:
        os.close(terminal)
    return child, source


class _Signals:
    """In its block, signals that ask us to end go to the command's group instead.

    One that is received before there is a command is forwarded when there is.
    """

    def __init__(self) -> None:
        self.received: list[int] = []
        self._group: int | None = None

    def __enter__(self) -> Self:
        ending = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        heard = [n for n in ending if signal.getsignal(n) is not signal.SIG_IGN]  # nohup ignores it
        self._before = {number: signal.signal(number, self._forward) for number in heard}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def go_to(self, group: int) -> None:
        """Forward them to this group of processes."""
        self._group = group
        for number in self.received:
            self._send(number)

    def _forward(self, number: int, _: FrameType | None) -> None:
        self.received.append(number)
        self._send(number)

    def _send(self, number: int) -> None:
        if self._group is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._group, number)


_LATE = (
    "several epochs came at once, so the time of each is only known not to be later: have the "
    "program flush each line, run it under stdbuf -oL, or print seconds="
)


def _lines(source: int, report: Output, meter: Meter | None, recording: Recording) -> Iterator[str]:
    """The command's lines; its output goes on as it comes, after what is in it was recorded."""
    rest, copy = b"", report.copy
    while chunk := _next(source, meter):
        *lines, rest = (rest + chunk).replace(b"\r", b"\n").split(b"\n")
        rest = rest[-_LONGEST:]
        untimed = [ln for ln in lines if ln.startswith(b"tta ") and b" seconds=" not in ln]
        if len(untimed) > 1 and not recording.late:
            recording.late = True
            report.say(_LATE)
        for line in lines:
            yield line.decode("utf-8", "replace")
        try:
            if copy:
                copy.write(chunk)
                copy.flush()
        except OSError as error:  # the recording goes on
            copy = None
            if not isinstance(error, BrokenPipeError):  # nobody reads on, as after `| head`
                report.say(f"the output is passed on no more: {error.strerror}")
    yield rest.decode("utf-8", "replace")
    os.close(source)


def _next(source: int, meter: Meter | None) -> bytes:
    """What there is to be read, as soon as there is; nothing at the end."""
    # Python hears a signal that comes just before it waits only when it no longer waits.
    waiting = True
    while waiting:
        waiting = not select.select([source], [], [], _PATIENCE)[0]
        if meter:
            meter.tick()
    try:
        return os.read(source, _LONGEST)
    except OSError:  # a terminal whose last program has ended
        return b""
