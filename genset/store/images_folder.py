"""The folder of originals: the same one for every machine that works on a store.

Its marker file holds an id that the database knows too. A machine that does not see that file where
its settings say the originals are looks into another folder, and is refused: it would store photos
where the others do not look, and call theirs lost.
"""

from contextlib import suppress
from uuid import uuid4

from genset.errors import BadInput
from genset.files import write_text
from genset.store.database import Store
from genset.store.models import Fact
from genset.workspace import Workspace

MARKER = ".genset-images"
_FACT = "images"


def claim_images(workspace: Workspace, store: Store, *, anew: bool = False) -> None:
    """Make the folder of originals this workspace's, before something is stored in it.

    Where no other machine can be meant, a folder that was deleted is begun again; `anew` does that
    with one of several machines, whose originals are lost.

    Raises:
        BadInput: it is not the folder of this workspace's originals.
    """
    with store.begin_alone() as session:
        known = session.get(Fact, _FACT)
        found = _marker(workspace)
        if known is None:
            number = found or uuid4().hex
            session.add(Fact(name=_FACT, value=number))
        elif found == known.value:
            return
        elif (found is None and not workspace.is_shared) or anew:
            number = known.value
        else:
            raise _refusal(workspace)
        write_text(workspace.images / MARKER, number)


def check_images(workspace: Workspace, store: Store) -> None:
    """See that the originals that the database names are to be looked for in this folder.

    Raises:
        BadInput: they are on another machine, or on a disk that is not there.
    """
    with store.session() as session:
        known = session.get(Fact, _FACT)
    if known is not None and workspace.is_shared and _marker(workspace) != known.value:
        raise _refusal(workspace)


def _marker(workspace: Workspace) -> str | None:
    with suppress(FileNotFoundError, NotADirectoryError, UnicodeDecodeError):
        return (workspace.images / MARKER).read_text("utf-8").strip()
    return None


def _refusal(workspace: Workspace) -> BadInput:
    return BadInput(
        f"{workspace.images} is not the folder of this workspace's originals: its marker "
        f"{MARKER} is not there. Mount the folder that the other machines use, and name it in "
        "genset.toml ([images] folder); where it is lost: genset doctor --images-lost"
    )
