"""A seeded, stratified split into a training and a test part."""

from collections.abc import Collection, Iterable
from hashlib import sha256

from genset.errors import BadInput


def check_share(test_share: float) -> None:
    """Check that the share leaves photos for both parts.

    Raises:
        BadInput: it does not lie between 0 and 1.
    """
    if not 0 < test_share < 1:
        raise BadInput(f"the share of test photos is {test_share:g}: it must lie between 0 and 1")


def test_part(classes: Iterable[Collection[str]], seed: int, test_share: float) -> set[str]:
    """Choose the photos of the test part: a share of each class.

    Both parts get at least one photo of each class that has two or more.

    Photos are sorted by a hash of seed and id, and the first ones are taken. So the choice is the
    same on every machine and with every version of Python, and that of one class does not depend
    on other classes.

    Args:
        classes: the ids of each class's photos.
        seed: of the choice.
        test_share: the share of test photos, between 0 and 1.

    Returns:
        The ids of the test photos.
    """
    taken: set[str] = set()
    for ids in classes:
        count = max(1, round(test_share * len(ids)))
        drawn = sorted(ids, key=lambda photo: sha256(f"{seed} {photo}".encode()).digest())
        taken.update(drawn[: min(count, len(ids) - 1)])
    return taken


def in_words(seed: int, test_share: float) -> str:
    """A description of such a split: "20 % of each class, seed 0"."""
    return f"{100 * test_share:g} % of each class, seed {seed}"
