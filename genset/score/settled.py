"""Which engine has a run that is not finished: settled once, and kept beside its shards."""

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from genset.core.files import write_text
from genset.score.engines import ENGINES
from genset.score.results.runs import load_run

_FILE = "engine.json"


def settle(folder: Path, engine: str, notes: Sequence[str]) -> None:
    """Keep which engine has the run in this folder, and what is to say of its selection."""
    write_text(folder / _FILE, json.dumps({"engine": engine, "notes": list(notes)}))


def settled(folder: Path) -> tuple[str, list[str]]:
    """The engine that has the run in this folder, and its notes; "" where none was settled."""
    try:
        kept = json.loads((folder / _FILE).read_text("utf-8"))
        engine, notes = kept["engine"], [str(note) for note in kept["notes"]]
    except (OSError, ValueError, KeyError, TypeError):
        return "", []
    return (engine, notes) if engine in ENGINES else ("", [])


def forget(folder: Path) -> None:
    """Of a run that is finished, or failed: its record says which engine it had."""
    with suppress(OSError):
        (folder / _FILE).unlink()


def engine_of(folder: Path) -> str:
    """The engine that made the run in this folder, or has it; "" where that is open.

    Raises:
        GensetError: the run's record is not one of ours.
    """
    run = load_run(folder)
    return run.engine if run else settled(folder)[0]


def leave_no_failure(folder: Path) -> None:
    """Remove the folder of a run of which no answer is kept."""
    with suppress(OSError):
        if [path.name for path in folder.iterdir()] == [_FILE]:
            forget(folder)
        folder.rmdir()
