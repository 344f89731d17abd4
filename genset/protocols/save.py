"""From a workspace's settings and the words of a release to a protocol."""

import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from genset import __version__
from genset.classes import ImageClass, Taxonomy
from genset.core.errors import BadInput
from genset.core.files import one_at_a_time, sha256_of, write_text
from genset.protocols.kept import (
    FILE,
    folder_of,
    is_file_name,
    read_protocol,
    written_protocol,
)
from genset.protocols.protocol import Collecting, Protocol, Window
from genset.release.publish import checked_name, folder_written_whole
from genset.workspace import Workspace

Words = Mapping[str, Any]


def save(
    workspace: Workspace,
    name: str,
    window: Window,
    collect: Collecting,
    classes: tuple[ImageClass, ...],
    choose: Words,
    rule: Words,
    taxonomy: Taxonomy,
) -> Protocol:
    """Keep a protocol in ``protocols/NAME/``, for good.

    Args:
        workspace: whose protocol it is, and whose settings on labels it keeps.
        name: the protocol's.
        window: the one of its first release.
        collect: how candidates are collected.
        classes: the classes, with what they are searched with.
        choose: the words of ``genset release create``; files in them are copied.
        rule: what a manifest says of the choice by these words.
        taxonomy: all of the workspace's classes.

    Raises:
        BadInput: the name is taken or cannot be a folder's name, or a file cannot be read.
    """
    protocols = folder_of(workspace)
    with one_at_a_time(protocols):
        folder = protocols / checked_name(name, "protocol")
        if folder.exists():
            raise BadInput(
                f"protocol {name} exists, and a protocol never changes: choose another name"
            )
        with folder_written_whole(folder) as partial:
            words, files = _with_copies(choose, partial)
            protocol = Protocol(
                name=name,
                saved_at=datetime.now(UTC).isoformat(timespec="seconds"),
                genset=__version__,
                window=window,
                collect=collect,
                label=workspace.label,
                choose=words,
                rule=rule,
                files=files,
                classes=classes,
                taxonomy=taxonomy,
            )
            write_text(partial / FILE, written_protocol(protocol))
    return read_protocol(folder)


def _with_copies(choose: Words, folder: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """The words with the names of copies in the folder for files, and the copies' hashes."""
    words, files = dict(choose), dict[str, str]()

    def copied(path: Path) -> str:
        if path.name in (FILE, *files) or not is_file_name(path.name):
            raise BadInput(
                f"{path}: a protocol keeps its files side by side: give this one a name of its "
                "own, of letters, digits, '.', '_' and '-'"
            )
        try:
            shutil.copyfile(path, folder / path.name)
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror}") from None
        files[path.name] = sha256_of(folder / path.name)
        return path.name

    if words.get("reference") is not None:
        words["reference"] = copied(Path(words["reference"]))
    words["exclude"] = [
        word if word == "duplicates" else copied(Path(word)) for word in words.get("exclude", ())
    ]
    return words, files
