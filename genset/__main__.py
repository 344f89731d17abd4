"""Entry of the command line: run the command, and end with one line where it fails."""

import gc
import sys

from genset.cli import cli
from genset.errors import GensetError

# Python looks for garbage after so many new objects. Packages make hundreds of thousands that stay,
# and to look through them every 700 takes a tenth of a second at each start.
_NEW_OBJECTS = 50_000


def main() -> None:
    """Run ``genset``; exit code 0, 1 (the work failed) or 2 (the words are wrong)."""
    gc.set_threshold(_NEW_OBJECTS)
    try:
        cli(prog_name="genset")
    except GensetError as error:
        _end(str(error), error.exit_code)
    except OSError as error:
        _end(f"{error.filename or 'the system'}: {error.strerror or error}", 1)


def _end(message: str, code: int) -> None:
    print(f"genset: {' '.join(message.split())}", file=sys.stderr)  # noqa: T201 - its output
    sys.exit(code)


if __name__ == "__main__":
    main()
