"""Write a list of ImageNet's classes in the order that a mistake gives them.

Whoever calls the folders of the classes 0 to 999, and opens them with torchvision's ImageFolder,
gets them sorted as text: 0, 1, 10, 100, 101, ... ImageNetV2's folders are called so, and numbers
on it were wrong until people noticed.
"""

import sys
from pathlib import Path

from genset.classes import imagenet1k


def main(file: Path) -> None:
    """Write the wnid of each output to `file`, one a line."""
    wnids = [each.wnid for each in imagenet1k()]
    as_text = sorted(str(number) for number in range(len(wnids)))
    file.write_text("".join(f"{wnids[int(number)]}\n" for number in as_text))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
