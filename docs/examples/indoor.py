"""MIT's indoor scenes: a list for each part, of photos in folders of classes."""

from pathlib import Path

from genset.finetune.layouts.listing import Listing, listing_of, published


@published(
    "indoor-67",
    "MIT Indoor Scenes",
    (6_700, 67),
    "https://web.mit.edu/torralba/www/indoor.html",
    "TrainImages.txt",
)
def indoor(root: Path, variant: str) -> Listing:
    """``TrainImages.txt``: "gameroom/bt_132294gameroom2.jpg", in Images/."""
    rows = [
        (f"Images/{photo}", photo.partition("/")[0], part.lower())
        for part in ("Train", "Test")
        for photo in (root / f"{part}Images.txt").read_text("utf-8").splitlines()
    ]
    return listing_of(root, rows)
