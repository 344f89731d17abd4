"""Photos as they are shown: upright, and no larger than a screen needs."""

import io
import warnings
from pathlib import Path

from PIL import Image, ImageOps

from genset.core.errors import GensetError
from genset.core.pixels import eight_bit

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
