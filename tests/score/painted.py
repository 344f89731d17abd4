"""Photos of one colour each, in class folders; no PyTorch, which takes seconds to load."""

from pathlib import Path

from PIL import Image

from genset.classes import imagenet1k

WNIDS = [cls.wnid for cls in imagenet1k()]
RED, GREEN, BLUE = "red", "green", "blue"


def paint(folder: Path, place: int, name: str, colour: str) -> Path:
    """Put a photo of one colour into the folder of the class at this place."""
    path = folder / WNIDS[place] / name
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (48, 40), colour).save(path)
    return path


def painted_set(folder: Path) -> Path:
    """Four photos of which `colours.Colours` has two right at once and a third among its five."""
    paint(folder, 0, "a.jpg", RED)
    paint(folder, 0, "b.jpg", GREEN)  # wrong: 1, 3, 4, 5, 6
    paint(folder, 2, "c.jpg", BLUE)
    paint(folder, 3, "d.jpg", RED)  # second best: 0, 3, 4, 5, 6
    return folder


def hundred_photos(folder: Path) -> Path:
    """100 photos: seven shards. `colours.Colours` has a third right, and one cannot be read."""
    for number in range(99):
        colour = (RED, GREEN, BLUE)[number // 3 % 3]
        paint(folder, number % 3, f"{number:03}.png", colour)
    (folder / WNIDS[1] / "text.jpg").write_text("I am no photo.")
    return folder
