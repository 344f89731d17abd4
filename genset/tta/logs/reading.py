"""Reads logs from folders and files: each becomes a run or an entry, or is named as refused."""

import os
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from genset.core.errors import BadInput
from genset.tta.logs import histories
from genset.tta.logs.common import Format, ReadAs, readable
from genset.tta.logs.console import CONSOLE
from genset.tta.logs.dawnbench import DAWNBENCH, SUFFIXES, read_entry
from genset.tta.logs.mlperf import MLPERF, RESULT
from genset.tta.logs.tensorboard import TENSORBOARD, is_event_file
from genset.tta.logs.trackers import TABLE, is_lightnings
from genset.tta.runs import About, Entries, MalformedLog, Training

# As much of a file as it takes to tell its format.
_START = 65_536


# The first that recognizes a file reads it.
FORMATS = (
    MLPERF,
    CONSOLE,
    TENSORBOARD,
    histories.STATE,
    histories.MLFLOW,
    histories.MLFLOW_STORE,
    histories.WANDB,
    TABLE,
    DAWNBENCH,
)


def format_of(
    path: Path,
    read_as: ReadAs = ReadAs(),  # noqa: B008 - immutable
    in_folder: bool = False,
) -> Format | None:
    """The format that was asked for, or the one that recognizes the file; None if none does.

    Args:
        in_folder: nobody named the file: that may be of another format than was asked for.

    Raises:
        BadInput: there is no format of the name that was asked for.
        MalformedLog: the file cannot be read.
    """
    formats = [format for format in FORMATS if read_as.format in ("", format.name)]
    if not formats:
        names = ", ".join(format.name for format in FORMATS)
        raise BadInput(f"there is no format {read_as.format}: name one of {names}")
    if read_as.format and not in_folder:
        return formats[0]
    with readable(path):
        with path.open("rb") as file:
            start = file.read(_START)
        return next((format for format in formats if format.recognizes(path, start)), None)


def with_different_names(runs: Iterable[Training]) -> list[Training]:
    """The runs, where the entries of two folders never have one name.

    ``NVIDIA/dgx1/resnet`` of two rounds becomes ``v0.6/NVIDIA/results/dgx1/resnet`` and
    ``v0.7/NVIDIA/results/dgx1/resnet``: the folders from where they part.
    """
    runs = list(runs)
    folders = defaultdict[str, set[Path]](set)
    for run in runs:
        folders[run.about.entry].add(run.about.path.absolute().parent)
    found = []
    for run in runs:
        entry = run.about.entry
        if entry and len(folders[entry]) > 1:
            above = os.path.commonpath(folders[entry])
            below = run.about.path.absolute().parent.relative_to(above).as_posix()
            if below != ".":
                ends_alike = below.split("/")[-1] == entry.split("/")[-1]
                entry = below if ends_alike else f"{below}/{entry}"
        found.append(replace(run, about=replace(run.about, entry=entry)))
    return found


def _once(runs: Sequence[Training]) -> Iterator[Training]:
    """The runs, where one that Lightning logged as a table and as event files is there once."""
    tables = {_scores(run) for run in runs if is_lightnings(run.about.path)}
    files = {_scores(run): run.about.path for run in runs if is_event_file(run.about.path)}
    for run in runs:
        if _scores(run) in files and is_lightnings(run.about.path):
            remark = f"one run with {files[_scores(run)]}, which has the same scores"
            yield replace(run, about=replace(run.about, remarks=(*run.about.remarks, remark)))
        elif not (_scores(run) in tables and is_event_file(run.about.path)):
            yield run


def _scores(run: Training) -> Hashable:
    epochs = ((epoch.epoch, *sorted(epoch.scores.items())) for epoch in run.epochs)
    return run.about.task, *epochs


def without_copies(runs: Sequence[Training]) -> tuple[list[Training], list[MalformedLog]]:
    """The runs, each once, and what is to be said of the others.

    The first of them counts, or the first whose energy is known. The same epochs are no copy where
    authors, machines or prices differ: one training may be an entry at each of several prices.
    """
    originals: list[Training] = []
    copies: list[MalformedLog] = []
    alike = defaultdict[Hashable, list[About]](list)
    for run in sorted(runs, key=lambda run: run.epochs[-1].watt_hours is None):
        known = alike[_scores(run), tuple(epoch.hours for epoch in run.epochs)]
        first = next((about for about in known if not _differ(about, run.about)), None)
        if first:
            reason = f"it holds the same epochs as {first.path}, so it is no further run"
            copies.append(MalformedLog(run.about.path, reason))
        else:
            known.append(run.about)
            originals.append(run)
    counting = set(map(id, originals))
    return [run for run in runs if id(run) in counting], copies


def _differ(one: About, other: About) -> bool:
    """Whether both say who trained what on which machine for how much, and not the same."""
    names = ("author", "model", "hardware", "cost_per_hour")
    pairs = [(getattr(one, name), getattr(other, name)) for name in names]
    return any(a and b and a != b for a, b in pairs)


def read_entries(folder: Path, read_as: ReadAs = ReadAs()) -> Entries:  # noqa: B008 - immutable
    """Read all entries in a folder and the folders in it, in the order of their paths.

    Hidden files, and files in no format of a log, are passed over. A log may be named in place of
    a folder.

    Raises:
        BadInput: there is no such folder or log, or no log in it.
    """
    entries = Entries()
    if folder.is_dir():
        logs = _logs_in(folder, read_as, entries.refused)
    else:
        logs = iter([(folder, _reader_of(folder, read_as))])
    for path, reader in logs:
        entries.found[path] = path
        try:
            if reader is not DAWNBENCH:
                entries.trainings.extend(_read(reader, path, read_as))
                continue
            entries.found[path.with_suffix(".json")] = path
            reader.check(path, read_as)
            entry = read_entry(path, read_as.metric)
        except MalformedLog as error:
            entries.refused.append(error)
            continue
        if isinstance(entry, Training):
            entries.trainings.append(entry)
        else:
            entries.inferences.append(entry)
    entries.trainings[:] = _different(entries.trainings, entries.refused, read_as)
    entries.refused.sort(key=lambda error: error.path)
    if not (entries.trainings or entries.inferences or entries.refused):
        raise BadInput(f"{folder} has no DAWNBench entries and no other training logs")
    return entries


def read_file(path: Path, read_as: ReadAs = ReadAs()) -> list[Training]:  # noqa: B008 - immutable
    """Read the training runs of one file.

    Raises:
        BadInput: there is no such file, or it has no right reading (`MalformedLog`).
    """
    return _read(_reader_of(path, read_as), path, read_as)


def _read(reader: Format, path: Path, read_as: ReadAs) -> list[Training]:
    """Read a file's runs.

    Raises:
        MalformedLog: it has no right reading, or an option would change nothing.
    """
    reader.check(path, read_as)
    with readable(path):
        return reader.read(path, read_as)


def _different(
    runs: Sequence[Training], refused: list[MalformedLog], read_as: ReadAs
) -> list[Training]:
    """All runs that were read, each once and with the time before it; `refused` gets the copies."""
    found, copies = without_copies([*_once(with_different_names(runs))])
    refused += copies
    if read_as.starts_at is None or not found:
        return found
    if not any(run.is_rest() for run in found):
        raise BadInput("--starts-at would change nothing: no log is the rest of a resumed run")
    return [run.resumed_at(read_as.starts_at / 3600) if run.is_rest() else run for run in found]


def read_runs(
    paths: Iterable[Path],
    refused: list[MalformedLog],
    read_as: ReadAs = ReadAs(),  # noqa: B008 - immutable
) -> list[Training]:
    """Read training runs: files one by one, and all that folders hold.

    A run's .json and .tsv file, both named, are one run. What a folder holds that has no right
    reading, or is a copy of another log, is added to `refused`.

    Raises:
        BadInput: a file that was named cannot be read or is a copy, or nothing is left.
    """
    runs: list[Training] = []
    files: set[Path] = set()
    for path in paths:
        if not path.is_dir():
            found = [run for run in read_file(path, read_as) if run.about.path not in files]
            files |= {run.about.path for run in found}
            runs += found
            continue
        for file, reader in _logs_in(path, read_as, refused):
            if reader is DAWNBENCH and file.suffix.lower() == ".json":
                continue  # without a .tsv, it is no run
            try:
                runs += _read(reader, file, read_as)
            except MalformedLog as error:
                refused.append(error)
    if not runs:
        more = f" (and {len(refused) - 1} more like it)" if len(refused) > 1 else ""
        why = f": {refused[0]}{more}" if refused else ""
        raise BadInput(f"there is no training log that can be read{why}")
    copies: list[MalformedLog] = []
    runs = _different(runs, copies, read_as)
    if named := next((copy for copy in copies if copy.path in files), None):
        raise named
    refused += copies
    return runs


def _reader_of(path: Path, read_as: ReadAs) -> Format:
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    if (reader := format_of(path, read_as)) is None:
        mend = "name a table of epochs, or say with --pattern what the lines of a console's log say"
        raise BadInput(f"{path} is no training log that is known by its content: {mend}")
    return reader


def _logs_in(
    folder: Path, read_as: ReadAs, refused: list[MalformedLog]
) -> Iterator[tuple[Path, Format]]:
    """The logs in a folder and below, each with what reads it; other files are passed over.

    A format that was asked for leaves out what is not of it.
    """
    found: list[tuple[Path, Format]] = []
    others: list[Path] = []
    for path in _files_in(folder, refused):
        try:
            if reader := format_of(path, read_as, in_folder=True):
                found.append((path, reader))
            else:
                others.append(path)
        except MalformedLog as error:
            refused.append(error)
    if any(reader is MLPERF for _, reader in found):
        # A run that left no line is a run that failed: without it, a share would be too high.
        lost = [path for path in others if RESULT.fullmatch(path.name)]
        refused += [MalformedLog(path, "no line of MLPerf's in it") for path in lost]
    for path, reader in found:
        # An entry is read with its table; beside one of other columns, a JSON file is no entry's.
        is_json = reader is DAWNBENCH and path.suffix.lower() == ".json"
        has_table = is_json and path.with_suffix(".tsv").is_file()
        if not (has_table or histories.is_of_earlier_checkpoint(path)):
            yield path, reader


def _files_in(folder: Path, refused: list[MalformedLog]) -> list[Path]:
    """The files in a folder and below; hidden ones are not meant."""

    def refuse(error: OSError) -> None:
        """Name a folder that cannot be read, unless it is all that was asked for."""
        path = Path(error.filename or folder)
        if path == folder:
            raise error
        refused.append(MalformedLog(path, f"it cannot be read: {error.strerror}"))

    found: list[Path] = []
    seen: set[str] = set()
    # Not Path.rglob, which passes over folders that it may not read without a word.
    for place, folders, files in os.walk(folder, onerror=refuse, followlinks=True):
        # No folder twice: links may lead in a circle, so they come after the others.
        folders[:] = [name for name in folders if not name.startswith(".")]
        folders.sort(key=lambda name: (Path(place, name).is_symlink(), name))
        if (real := os.path.realpath(place)) in seen:
            folders.clear()
            continue
        seen.add(real)
        found += [Path(place, name) for name in files if not name.startswith(".")]
    # Not a pipe or a device, which may never end; nor a link to nothing, but for an entry's.
    found = [p for p in found if p.is_file() or (p.suffix.lower() in SUFFIXES and not p.exists())]
    # By names without suffix: NAME comes before NAME-2.
    return sorted(found, key=lambda path: (path.with_suffix(""), path.suffix))
