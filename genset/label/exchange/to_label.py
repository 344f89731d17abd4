"""A table of what nobody has labeled yet, to fill in elsewhere and import."""

from pathlib import Path

from sqlalchemy import exists, select

from genset.db import Candidate, Label, Photo, Store, stored_taxonomy
from genset.label.exchange.sheet import write_sheet
from genset.label.exchange.table import NEEDED

COLUMNS = (*NEEDED, "class", "file", "page")


def export_unlabeled(store: Store, images: Path, path: Path) -> int:
    """Write the candidates whose photo is stored and that nobody has labeled; return their number.

    Columns: task (``WNID/SOURCE:PHOTO_ID``); worker and label, which are empty; then the class's
    name, the photo's file below `images`, and its page. `import_labels` reads the table when
    worker and label are filled in.

    Raises:
        BadInput: the file cannot be written.
    """
    with store.session() as session:
        taxonomy = stored_taxonomy(session)
        found = session.scalars(
            select(Candidate)
            .join(Photo)
            .where(Photo.sha256.is_not(None), Photo.refused.is_(None))
            .where(~exists().where(Label.candidate_id == Candidate.id))
            .order_by(Candidate.wnid, Candidate.rank, Candidate.id)
        )
        rows = (
            (
                each.task,
                "",
                "",
                taxonomy[each.wnid].name,
                images / each.photo.file,
                each.photo.page_url,
            )
            for each in found
        )
        return write_sheet(path, COLUMNS, rows)
