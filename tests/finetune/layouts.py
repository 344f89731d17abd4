"""Small made-up data sets in the layouts of the real ones."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from PIL import Image

from genset.core.errors import BadInput
from genset.finetune.tasks import TaskData, open_task

SPECIES = ("001.Black_footed_Albatross", "002.Groove_billed_Ani", "003.Parakeet_Auklet")


def paint(path: Path, number: int = 0) -> Path:
    """A small photo; another number, other bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (8, 8), (number % 256, number // 256 % 256, 90)).save(path)
    return path


def class_folders(root: Path, counts: Mapping[str, int]) -> Path:
    """A folder of photos for each class, ``owl/0.png`` and so on; bytes differ between photos."""
    for place, (name, count) in enumerate(counts.items()):
        (root / name).mkdir(parents=True)
        for number in range(count):
            paint(root / name / f"{number}.png", 1000 * place + number)
    return root


def birds(root: Path) -> Path:
    """Three species of four photos in CUB's layout; the first two of each are for training."""
    paths = [f"{name}/{name[4:]}_{number}.png" for name in SPECIES for number in range(4)]
    for number, path in enumerate(paths):
        paint(root / "images" / path, number)
    write_list(root / "classes.txt", enumerate_from_one(SPECIES))
    write_list(root / "images.txt", enumerate_from_one(paths))
    labels = [str(number // 4 + 1) for number in range(len(paths))]
    write_list(root / "image_class_labels.txt", enumerate_from_one(labels))
    parts = [str(int(number % 4 < 2)) for number in range(len(paths))]
    write_list(root / "train_test_split.txt", enumerate_from_one(parts))
    return root


def enumerate_from_one(values: list[str] | tuple[str, ...]) -> dict[int, str]:
    return dict(enumerate(values, 1))


def write_list(path: Path, values: Mapping[int, str]) -> None:
    path.write_text("".join(f"{number} {value}\n" for number, value in values.items()))


def set_line(path: Path, number: int, value: str | None) -> None:
    """Change what a list says of one number; None takes its line away."""
    table = dict(line.split(" ", 1) for line in path.read_text().splitlines())
    if value is None:
        del table[str(number)]
    else:
        table[str(number)] = value
    write_list(path, {int(key): said for key, said in table.items()})


def cats_and_dogs(root: Path, each: int = 5) -> Path:
    """Photos named as Kaggle names them."""
    for number in range(each):
        paint(root / f"cat.{number}.jpg", 25 * number)  # JPEG rounds: nearer ones are the same
        paint(root / f"dog.{number}.jpg", 20_000 + 25 * number)
    return root


def butterflies(root: Path, each: int = 3) -> Path:
    """Three categories in the layout of Leeds Butterfly, two of them described."""
    for code in (1, 2, 3):
        for number in range(each):
            paint(root / "images" / f"{code:03}{number:04}.png", 1000 * code + number)
    (root / "descriptions").mkdir()
    (root / "descriptions/001.txt").write_text("Danaus plexippus\nMonarch\nVery large.\n")
    (root / "descriptions/002.txt").write_text("Heliconius charitonius\n\n")
    return root


def ids(data: TaskData, part: str) -> list[str]:
    """The photos of a part, by their ids."""
    return [data.photos[place].id for place in data.indices(part)]


def refused(task: str, data: Path, **split: float) -> str:
    """What is said, in one line, of data that a task cannot use."""
    with pytest.raises(BadInput) as refusal:
        open_task(task, data, **split)  # type: ignore[arg-type]
    said = str(refusal.value)
    assert "\n" not in said
    return said
