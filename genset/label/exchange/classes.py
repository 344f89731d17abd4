"""The classes of a workspace as a table of an archive, so that labels of others are not taken in.

A workspace on ImageNet's classes writes none: a wnid means the same everywhere.
"""

from pathlib import Path

from sqlalchemy.orm import Session

from genset.classes import IMAGENET, hash_of
from genset.core.errors import BadInput
from genset.db import stored_taxonomy
from genset.db.taxonomies import was_kept
from genset.label.exchange.sheet import Cells, naming, read_if_there

TAXONOMY = "taxonomy"
_COLUMNS = ("taxonomy", "hash", "wnid", "name")


def taxonomy_sheet(session: Session) -> dict[str, tuple[tuple[str, ...], Cells]]:
    """Columns and rows: a row for each class; no table where they are ImageNet's."""
    taxonomy = stored_taxonomy(session)
    if taxonomy.is_imagenet:
        return {}
    named = taxonomy.name, hash_of(taxonomy)
    return {TAXONOMY: (_COLUMNS, ((*named, each.wnid, each.name) for each in taxonomy))}


def check_taxonomy(session: Session, folder: Path) -> None:
    """Check that the archive's classes mean what they mean here. One that is not here may be there.

    A name that was mended here since the archive was written is no other meaning.

    Raises:
        BadInput: they are of another taxonomy, or one has another name.
    """
    here, theirs = stored_taxonomy(session), IMAGENET
    for place, row in read_if_there(folder / f"{TAXONOMY}.csv", *_COLUMNS):
        theirs = row["taxonomy"]
        if theirs != here.name:
            break
        with naming(place):
            known = here.get(row["wnid"])
            same = known is None or known.name == row["name"] or was_kept(session, row["hash"])
            if known is not None and not same:
                raise BadInput(
                    f"{known.wnid} is {row['name']!r} there and {known.name!r} in this workspace: "
                    "its labels mean another thing"
                )
    if theirs != here.name:
        raise BadInput(
            f"{folder} has labels of the classes of {theirs}, and this workspace is on those of "
            f"{here.name}: import them into a workspace of {theirs}"
        )
