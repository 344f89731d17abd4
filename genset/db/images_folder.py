"""The folder of originals: the same one for every machine that works on a store.

Its marker file holds an id that the database knows too. A machine that does not see that file where
its settings say the originals are looks into another folder, and is refused: it would store photos
where the others do not look, and call theirs lost.
"""

from contextlib import suppress
from uuid import uuid4

from genset.core.errors import BadInput
from genset.core.files import write_text
from genset.db.database import Store
from genset.db.models import Fact
from genset.workspace import Workspace

MARKER = ".genset-images"
_FACT, _BEGUN = "images", "images_new"


def claim_images(workspace: Workspace, store: Store, *, again: bool = False) -> None:
    """Make the folder of originals this workspace's, before something is stored in it.

    Where no other machine can be meant, a folder that was deleted is begun again; `again` does that
    with one of several machines, whose originals are lost.

    Raises:
        BadInput: it is not the folder of this workspace's originals.
    """
    images = workspace.images
    if images.exists() and not images.is_dir():
        raise BadInput(f"{images} is no folder: name another in genset.toml ([images] folder)")
    begun = _begun(store)
    with store.begin_alone() as session:
        known = session.get(Fact, _FACT)
        found = _marker(workspace)
        if known is not None and found == known.value:
            return
        # Of who was killed before this was committed, or of a database that was restored.
        if found is not None and known is None and (found == begun or not workspace.is_shared):
            session.add(Fact(name=_FACT, value=found))
            return
        if found is not None and not again:
            raise _refusal(workspace, "another workspace's marker")
        if known is None:
            see_images(workspace)
            known = Fact(name=_FACT, value=begun)
            session.add(known)
        elif workspace.is_shared and not again:
            raise _refusal(workspace, "no marker")
        write_text(images / MARKER, known.value)


def see_images(workspace: Workspace) -> None:
    """See that a folder of originals that is not made here is there.

    Raises:
        BadInput: it is not.
    """
    images = workspace.images
    if images != workspace.root / "images" and not images.is_dir():
        raise BadInput(f"{images} is not there: mount the disk that it is on, or make the folder")


def _begun(store: Store) -> str:
    """The id that a marker gets, which the database knows before any file has it."""
    with store.begin_alone() as session:
        begun = session.get(Fact, _BEGUN)
        if begun is None:
            begun = Fact(name=_BEGUN, value=uuid4().hex)
            session.add(begun)
        return begun.value


def check_images(workspace: Workspace, store: Store) -> None:
    """See that the originals that the database names are to be looked for in this folder.

    Raises:
        BadInput: they are on another machine, or on a disk that is not there.
    """
    with store.session() as session:
        known = session.get(Fact, _FACT)
    found = _marker(workspace)
    if known is not None and found != known.value and (found or workspace.is_shared):
        raise _refusal(workspace, "another workspace's marker" if found else "no marker")


def _marker(workspace: Workspace) -> str | None:
    with suppress(FileNotFoundError, NotADirectoryError, UnicodeDecodeError):
        return (workspace.images / MARKER).read_text("utf-8").strip()
    return None


def _refusal(workspace: Workspace, there: str) -> BadInput:
    return BadInput(
        f"{workspace.images} is not the folder of this workspace's originals: it has {there} "
        f"({MARKER}). Mount the folder that the other machines use, and name it in genset.toml "
        "([images] folder); where it is lost: genset doctor --images-lost"
    )
