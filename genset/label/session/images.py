"""Names for photos that say nothing of them: what a labeler's browser asks for.

A photo on a screen has a random name, the id of its `ScreenPhoto`: whether it is a candidate or
a gold question, and which, cannot be told from it. A photo that is shown as an example, or to a
reviewer, has a signed name, the same whenever it is shown, so that a browser keeps its picture.
"""

import hashlib
import hmac
import re
from functools import lru_cache
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.db import Claim, GoldQuestion, Photo, ScreenPhoto, Store
from genset.label.answering import answering
from genset.label.people.secret import label_secret
from genset.workspace import Workspace


def image_id(workspace: Workspace, photo_id: int) -> str:
    """The signed name of the photo with this `Photo.id`."""
    secret = _secret(workspace).encode()
    signature = hmac.new(secret, f"picture {photo_id}".encode(), hashlib.sha256).hexdigest()
    return f"{photo_id:x}-{signature[:32]}"


def is_random_name(name: str) -> bool:
    """Whether this can be the random name of a screen or of a photo on one."""
    return re.fullmatch(r"[0-9a-f]{32}", name) is not None


def picture_path(workspace: Workspace, store: Store, name: str) -> Path:
    """The original of the photo that `name`, of a screen or signed, stands for.

    Raises:
        BadInput: it stands for none, or for one that was removed.
        GensetError: the store does not answer.
    """
    with answering(), store.session() as session:
        is_random = is_random_name(name)
        photo = _on_screen(session, name) if is_random else _signed(workspace, session, name)
        if photo is None or photo.sha256 is None or photo.refused is not None:
            raise BadInput("there is no such picture")
        return workspace.images / photo.file


def _signed(workspace: Workspace, session: Session, name: str) -> Photo | None:
    if not re.fullmatch(r"[0-9a-f]{1,16}-[0-9a-f]{32}", name):
        return None
    photo_id = int(name.partition("-")[0], 16)
    if not hmac.compare_digest(image_id(workspace, photo_id).encode(), name.encode()):
        return None
    return session.get(Photo, photo_id)


def _on_screen(session: Session, name: str) -> Photo | None:
    return session.scalar(
        select(Photo)
        .select_from(ScreenPhoto)
        .outerjoin(Claim, Claim.id == ScreenPhoto.candidate_id)
        .outerjoin(GoldQuestion, GoldQuestion.id == ScreenPhoto.gold_id)
        .join(Photo, Photo.id == func.coalesce(Claim.photo_id, GoldQuestion.photo_id))
        .where(ScreenPhoto.id == name)
    )


@lru_cache(maxsize=16)
def _secret(workspace: Workspace) -> str:
    return label_secret(workspace)  # read once: it is asked for with every example
