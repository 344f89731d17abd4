"""No symbolic links in a release: what its files hold must not be changed from outside of it.

The folder itself may be reached through one, such as a ``releases/`` on another disk.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from genset.core.errors import GensetError

WHAT_TO_DO = "a release has files of its own: copy it with cp -RL, then verify the copy"


def links(root: Path, names: Iterable[str]) -> Iterator[str]:
    """The symbolic links on the way from a release's folder to its files, each once.

    Args:
        root: the release's folder.
        names: its files, relative to it, with forward slashes.
    """
    seen = set()
    for name in names:
        steps = PurePosixPath(name).parts
        for part in map("/".join, (steps[:end] for end in range(1, len(steps) + 1))):
            if part not in seen and os.path.islink(f"{root}/{part}"):  # noqa: PTH114 - many files
                yield part
            seen.add(part)


def own_file(root: Path, name: str) -> Path:
    """The path of a release's file.

    Raises:
        GensetError: it, or a folder that it lies in, is a symbolic link.
    """
    for link in links(root, [name]):
        raise GensetError(f"{root / link} is a symbolic link; {WHAT_TO_DO}")
    return root / name
