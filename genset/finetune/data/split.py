"""A seeded, stratified split into a training and a test part."""

from collections.abc import Collection, Iterable
from hashlib import sha256
from itertools import accumulate

from genset.core.errors import BadInput
from genset.finetune.data.copies import NO_COPIES, Copies


def check_share(test_share: float) -> None:
    """Check that the share leaves photos for both parts.

    Raises:
        BadInput: it does not lie between 0 and 1.
    """
    if not 0 < test_share < 1:
        raise BadInput(f"the share of test photos is {test_share:g}: it must lie between 0 and 1")


def test_part(
    classes: Iterable[Collection[str]], seed: int, test_share: float, copies: Copies = NO_COPIES
) -> set[str]:
    """Choose the photos of the test part: a share of each class.

    Both parts get at least one photo of each class that has two different ones.

    Photos are sorted by a hash of seed and id, and the first ones are taken. So the choice is the
    same on every machine and with every version of Python, and that of one class does not depend
    on other classes.

    Copies are drawn as one photo, by the id of the first one. So a class with copies comes as close
    to its share as whole groups of copies allow. Photos that are also there under another label are
    not drawn: each of them would be a test photo that has been trained on, or one whose right
    answer is wrong for its copy.

    Args:
        classes: the ids of each class's photos.
        seed: of the choice.
        test_share: the share of test photos, between 0 and 1.
        copies: the photos with the same bytes.

    Returns:
        The ids of the test photos.
    """
    taken: set[str] = set()
    for ids in classes:
        units: dict[str, list[str]] = {}  # photos, each with its copies
        for photo in ids:
            if photo not in copies.contested:
                units.setdefault(copies.first.get(photo, photo), []).append(photo)
        drawn = sorted(units, key=lambda photo: sha256(f"{seed} {photo}".encode()).digest())
        others_to_train_on = sum(map(len, units.values())) < len(ids)
        most = max(len(drawn) - 1, int(others_to_train_on))
        sizes = list(accumulate(len(units[photo]) for photo in drawn[:most]))
        wanted = max(1, round(test_share * len(ids)))
        nearest = min(range(len(sizes)), key=lambda n: abs(sizes[n] - wanted), default=-1)
        taken.update(photo for unit in drawn[: nearest + 1] for photo in units[unit])
    return taken


def in_words(seed: int, test_share: float) -> str:
    """A description of such a split: "20 % of each class, seed 0"."""
    return f"{100 * test_share:g} % of each class, seed {seed}"
