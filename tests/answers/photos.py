"""Painted photos of six classes, and the records by which the sandbox serves them; no PyTorch."""

import json
import random
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

TENCH, GOLDFISH, CRANE = "n01440764", "n01443537", "n02012849"
TABBY, WALL, ESPRESSO = "n02123045", "n04326547", "n07920052"

Colour = tuple[int, int, int]

COLOURS: dict[str, Colour] = {
    TENCH: (70, 110, 60),
    GOLDFISH: (240, 130, 30),
    CRANE: (200, 205, 215),
    TABBY: (150, 120, 90),
    WALL: (110, 110, 115),
    ESPRESSO: (80, 45, 25),
}
WORDS = ("tench", "goldfish", "crane bird", "tabby cat", "stone wall", "espresso")
LICENSES = (4, 5, 9, 0, 4, 11)
"""Flickr's numbers, by a photo's place in its class."""


def paint(path: Path, colour: Colour, seed: str, quality: int = 90) -> None:
    """A JPEG of ellipses in shades of a colour; the same for the same seed."""
    draw = random.Random(seed)
    image = Image.new("RGB", (144, 108), colour)
    pen = ImageDraw.Draw(image)
    for _ in range(12):
        x, y, wide, high = (draw.randrange(*span) for span in ((144,), (108,), (20, 90), (20, 70)))
        shade = tuple(max(0, min(255, part + draw.randrange(-70, 71))) for part in colour)
        pen.ellipse((x - wide // 2, y - high // 2, x + wide // 2, y + high // 2), shade)
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path, "JPEG", quality=quality)


def paint_sandbox(folder: Path) -> None:
    """Write `photos/`, and `records.jsonl`: six photos of each class, posted a year apart.

    Two photos of a crane are the same at another quality, one photo of an espresso is no photo,
    and a search for goldfish returns one photo of a tench. The last of each class has half a
    tabby's colour. Two walls are in `seen/`, too.
    """
    records = []
    for number, (wnid, colour) in enumerate(COLOURS.items()):
        for place in range(6):
            file = f"{wnid}/{place}.jpg"
            same = wnid == CRANE and place == 3
            seed = f"{wnid} {0 if same else place}"
            mixed = _between(colour, COLOURS[TABBY]) if place == 5 else colour
            paint(folder / "photos" / file, mixed, seed, 60 if same else 90)
            records.append(_record(number, place, wnid, file))
    for place in (1, 2):
        paint(folder / "seen" / f"{place}.jpg", COLOURS[WALL], f"{WALL} {place}", 60)
    (folder / "photos" / ESPRESSO / "4.jpg").write_text("This is no photo.")
    records.append(records[1] | {"wnid": GOLDFISH, "search_key": "goldfish"})
    text = "".join(f"{json.dumps(record)}\n" for record in records)
    (folder / "records.jsonl").write_text(text, "utf-8")


def _between(one: Colour, other: Colour) -> Colour:
    red, green, blue = ((a + 2 * b) // 3 for a, b in zip(one, other, strict=True))
    return red, green, blue


def _record(number: int, place: int, wnid: str, file: str) -> dict[str, Any]:
    owner = (2 * number + place) % 9
    return {
        "id_search_engine": str(15_007_000_000 + 100 * number + place),
        "wnid": wnid,
        "search_key": WORDS[number],
        "date_upload_search_engine": f"{2013 + place}-0{number + 1}-10 10:00:00",
        "date_taken": f"{2012 + place}-0{number + 1}-01 09:00:00",
        "file": file,
        "owner": f"1000000{owner}@N05",
        "owner_name": f"owner {owner}",
        "title": f"{WORDS[number]} {place}",
        "license": LICENSES[place],
    }


def paint_own(folder: Path) -> None:
    """Write `own/`, photos of somebody's own: one is torn. `one/`; `shades/`, a task of three."""
    paint(folder / "one" / ESPRESSO / "cup.jpg", COLOURS[ESPRESSO], "one")
    paint(folder / "own" / WALL / "garden.jpg", COLOURS[WALL], "garden")
    paint(folder / "own" / ESPRESSO / "cup.jpg", COLOURS[ESPRESSO], "cup")
    paint(folder / "own" / ESPRESSO / "torn.jpg", COLOURS[ESPRESSO], "torn")
    torn = folder / "own" / ESPRESSO / "torn.jpg"
    torn.write_bytes(torn.read_bytes()[:900])
    for name, colour in (("ash", (128, 128, 128)), ("coal", (45, 45, 50)), ("snow", (225,) * 3)):
        for place in range(8):
            paint(folder / "shades" / name / f"{place}.jpg", colour, f"{name} {place}")
