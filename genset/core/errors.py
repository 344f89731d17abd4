"""Everything genset raises on purpose.

    GensetError                 the work failed                    exit code 1
    ├── BadInput                the user's words are wrong         exit code 2
    │   ├── SeveralMistakes     ... in several places: a line for each
    │   ├── NotAWorkspace       no genset.toml here or above
    │   └── MissingExtra        an optional package is not installed
    ├── SourceError             a photo source answered an error; `scope` says what it concerns
    │   ├── SourceRefused       ... this call will not do (a bad key, a bad argument)
    │   └── SourceUnavailable   ... that may pass
    ├── PhotoRejected           a photo cannot become a candidate's picture; `reason` says why
    ├── Stopped                 Ctrl-C or SIGTERM ended it          exit code 128 + the signal's
    ├── ReleaseDamaged          a release is not what its manifest says
    ├── ReleaseIncomplete       it is, and is a part of one         exit code 3
    └── ModelError              a model cannot be loaded or run

A room may have a finer kind that only its callers need:
`genset.score.evaluate.SomeModelsFailed` (a ModelError),
`genset.tta.runs.MalformedLog` (a BadInput).

Messages are one line: they name the thing and the mend. The command line prints them as they
are, so they carry no secrets.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Literal

Scope = Literal["photo", "query", "entry", "key", "host", "run"]


class GensetError(Exception):
    """The work failed; the message is one line for the user."""

    exit_code = 1
    _lines: list[str] | None = None

    @property
    def lines(self) -> list[str]:
        """What the command line prints: the message, or a line for each thing that failed."""
        return [str(self)] if self._lines is None else self._lines

    def __reduce__(self) -> tuple[Any, ...]:
        """What a process sends to another is the same there, whatever its kind is made with."""
        return _made_again, (type(self), self.args, self.__dict__)


def _made_again(
    kind: type[GensetError], args: tuple[Any, ...], state: dict[str, Any]
) -> GensetError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(state)
    return error


class BadInput(GensetError):
    """What the user typed, or a file the user wrote, is wrong."""

    exit_code = 2


class SeveralMistakes(BadInput):
    """Several things are wrong, or one that takes several lines to tell.

    The message is these lines, and the command line prints each by itself.
    """

    def __init__(self, *lines: str) -> None:
        super().__init__(*lines)

    def __str__(self) -> str:
        return "\n".join(self.args)

    @property
    def lines(self) -> list[str]:
        """The lines."""
        return list(self.args)


class NotAWorkspace(BadInput):
    """No ``genset.toml`` in the folder or any folder above it."""


class MissingExtra(BadInput):
    """An optional part of genset is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional part: pip install 'genset[{extra}]'")


@contextmanager
def needs_extra(what: str, extra: str) -> Iterator[None]:
    """Import what an extra brings, in here.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        yield
    except ModuleNotFoundError:
        raise MissingExtra(what, extra) from None


class SourceError(GensetError):
    """A photo source answered an error, or nothing.

    `code` is the source's own, where it gave one. `scope` is what the failure concerns, and all
    that it may cost: one photo, one query, one entry of an answer, one of several keys, a host, or
    the run.
    """

    usual_scope: ClassVar[Scope] = "query"

    def __init__(self, message: str, code: int | None = None, scope: Scope | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.scope: Scope = scope or self.usual_scope


class SourceRefused(SourceError):
    """The source answered that this call will not do: a bad argument, a bad key."""


class SourceUnavailable(SourceError):
    """The source did not answer this time; the same call may go through later."""

    usual_scope = "host"


class PhotoRejected(GensetError):
    """A photo cannot be used. `reason` is a short word that is stored with it."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason


class Stopped(GensetError):
    """Somebody stopped the command: by Ctrl-C, or by the signal that the interrupt names."""

    def __init__(self, message: str, interrupt: BaseException | None) -> None:
        super().__init__(message)
        self.exit_code = 128 + next(iter(getattr(interrupt, "args", ())), signal.SIGINT)


class ReleaseDamaged(GensetError):
    """A release differs from its manifest; `problems` has a line for each difference."""

    def __init__(self, name: str, problems: list[str]) -> None:
        shown = "; ".join(problems[:3]) + ("; ..." if len(problems) > 3 else "")
        super().__init__(f"release {name} is not what its manifest says: {shown}")
        self.problems = problems


class ReleaseIncomplete(GensetError):
    """Photos of a release are missing; those that are there are what its manifest says."""

    exit_code = 3


class ModelError(GensetError):
    """A model cannot be loaded or run; the message says what would mend it."""


def first_line(error: BaseException) -> str:
    """What an exception of someone else's code says, in one line."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
