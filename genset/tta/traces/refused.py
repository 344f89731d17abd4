"""How a file that is no trace is refused."""

from pathlib import Path

from genset.core.errors import BadInput


def refused(path: Path, why: str) -> BadInput:
    """A refusal in one line that names the file."""
    return BadInput(f"{path} cannot be read as a trace: {why}")
