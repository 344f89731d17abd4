"""Photos as a labeler's browser asks for them: by names that say nothing of them, scaled.

A photo on a screen has a random name, the id of its `ScreenPhoto`: whether it is a candidate or
a gold question, and which, cannot be told from it. A photo that is shown as an example, or to a
reviewer, has a signed name, the same whenever it is shown, so that a browser keeps its picture.
"""

import hashlib
import hmac
import io
import re
import warnings
from pathlib import Path

from PIL import Image, ImageOps
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput, GensetError
from genset.core.pixels import eight_bit
from genset.db import Claim, GoldQuestion, Photo, ScreenPhoto, Store
from genset.db.failures import answering
from genset.label.access import label_secret
from genset.workspace import Workspace


def image_id(workspace: Workspace, photo_id: int) -> str:
    """The signed name of the photo with this `Photo.id`."""
    secret = label_secret(workspace).encode()
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
        if photo is None or not photo.in_use:
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


LONGER_SIDE = 1400


def shown_picture(path: Path, longer_side: int = LONGER_SIDE) -> bytes:
    """The photo as a JPEG that any browser shows, turned as its camera says, scaled down.

    The original stays as it is. No side of the picture has more than `longer_side` pixels: nobody
    should load 20 megapixels to see one.

    Raises:
        GensetError: the file is missing or cannot be read as a picture.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's warnings on sizes and odd metadata
            with Image.open(path) as image:
                image.thumbnail((longer_side, longer_side))
                upright = eight_bit(ImageOps.exif_transpose(image))
                profile = upright.info.get("icc_profile") if upright.mode == "RGB" else None
                if upright.has_transparency_data:
                    upright = Image.alpha_composite(
                        Image.new("RGBA", upright.size, "white"), upright.convert("RGBA")
                    )
                shown = io.BytesIO()
                upright.convert("RGB").save(shown, "JPEG", quality=90, icc_profile=profile)
                return shown.getvalue()
    except FileNotFoundError:
        raise GensetError(f"its file {path.name} is missing from images/") from None
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        raise GensetError(f"its file {path.name} is not a picture that can be read") from None
