"""Runs somebody's training command and keeps what it tells of its epochs."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import BinaryIO

from genset.errors import BadInput
from genset.tta.entries import Epoch
from genset.tta.lines import read_line
from genset.tta.recording import Header, Recording, reserved

# A line longer than this is no epoch's; what lies in the memory of a program that ends none is not
# kept.
_LONGEST = 65_536


@dataclass(frozen=True, slots=True)
class Recorded:
    """What came of a command.

    Attributes:
        path: the TSV file, or None if no epoch was told.
        reached: the first epoch at or over the task's threshold.
        refused: lines that were meant as epochs and wrong.
        interruptions: earlier attempts that this one went on from.
        exit_code: the command's own; negative for the signal that ended it.
    """

    path: Path | None
    epochs: int
    reached: Epoch | None
    refused: int
    interruptions: int
    exit_code: int


def record(
    command: Sequence[str],
    output: Path,
    header: Header,
    passed_on: BinaryIO,
    say: Callable[[str], None],
) -> Recorded:
    """Run a command to its end and record its epochs as the entry `output`.

    Both files are whole after each epoch. SIGINT and SIGTERM are handed on to the command, which
    may want to save where it is; what was told until then is kept.

    Args:
        command: the program and its words.
        output: the entry's path without ``.json`` or ``.tsv``.
        header: what the author says of the entry.
        passed_on: gets the command's standard output, as it comes.
        say: gets one line for each thing that went wrong on the way.

    Raises:
        BadInput: the command cannot be started, or another recording writes to `output`.
        OSError: the last writing failed.
    """
    recording = Recording(output, header)
    with reserved(output):
        child = _start(command)
        began = time.monotonic()

        def keep(text: str) -> None:
            try:
                if (line := read_line(text)) is not None:
                    recording.add(line, time.monotonic() - began)
            except ValueError as error:
                recording.refused += 1
                say(f"not recorded: {error}: {text.strip()[:200]}")
            except OSError as error:
                say(f"not written yet, {error.strerror}: {recording.path}")

        with _handed_on(child):
            for text in _lines(child, passed_on):
                keep(text)
            exit_code = child.wait()
        recording.write(time.monotonic() - began, finished=exit_code == 0)
    score, least = header.task.score, header.task.threshold
    reached = (e for e in recording.epochs if least is not None and e.scores[score] >= least)
    return Recorded(
        path=recording.path,
        epochs=len(recording.epochs),
        reached=next(reached, None),
        refused=recording.refused,
        interruptions=recording.interruptions,
        exit_code=exit_code,
    )


def _start(command: Sequence[str]) -> "subprocess.Popen[bytes]":
    # A Python program prints into a pipe only every few kilobytes, unless it is told.
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    try:
        # In a group of its own: from a terminal, Ctrl-C would reach it twice.
        return subprocess.Popen(  # noqa: S603 - the user's own command
            command, stdout=subprocess.PIPE, env=environment, start_new_session=True
        )
    except OSError as error:
        raise BadInput(f"cannot run {command[0]}: {error.strerror}") from None


@contextmanager
def _handed_on(child: "subprocess.Popen[bytes]") -> Iterator[None]:
    """While in the block, the signals that ask us to end go to the command's group instead."""

    def hand_on(number: int, frame: FrameType | None) -> None:
        try:
            os.killpg(child.pid, number)
        except ProcessLookupError:
            return

    asked = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    heard = [n for n in asked if signal.getsignal(n) is not signal.SIG_IGN]  # nohup ignores one
    before = {number: signal.signal(number, hand_on) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _lines(child: "subprocess.Popen[bytes]", passed_on: BinaryIO) -> Iterator[str]:
    """The command's lines, after all of its output went on as it came."""
    assert child.stdout is not None
    rest, read_on = b"", True
    while chunk := os.read(child.stdout.fileno(), _LONGEST):
        try:
            if read_on:
                passed_on.write(chunk)
                passed_on.flush()
        except BrokenPipeError:  # nobody reads on, as after `| head`; the recording goes on
            read_on = False
        *lines, rest = (rest + chunk).replace(b"\r", b"\n").split(b"\n")
        rest = rest[-_LONGEST:]
        for line in lines:
            yield line.decode("utf-8", "replace")
    yield rest.decode("utf-8", "replace")
    child.stdout.close()
