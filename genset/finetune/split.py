"""A seeded, stratified split into a training and a test part."""

from collections.abc import Collection, Iterable
from hashlib import sha256

from genset.errors import BadInput


def check_share(test_share: float) -> None:
    """See that the share leaves something for both parts.

    Raises:
        BadInput: it does not lie between 0 and 1.
    """
    if not 0 < test_share < 1:
        raise BadInput(f"the share of test photos is {test_share:g}: it must lie between 0 and 1")


def test_part(classes: Iterable[Collection[str]], seed: int, test_share: float) -> set[str]:
    """Which photos are the test part: of each class's ids the share asked for, at least one photo.

    One photo of each class at least is left to the training part.

    Photos are put in the order of hashes of seed and id, and the first ones are taken. So the same
    photos are taken on every machine and with every version of Python, and those of one class
    whatever the others hold.
    """
    taken: set[str] = set()
    for ids in classes:
        count = max(1, round(test_share * len(ids)))
        drawn = sorted(ids, key=lambda photo: sha256(f"{seed} {photo}".encode()).digest())
        taken.update(drawn[: min(count, len(ids) - 1)])
    return taken


def in_words(seed: int, test_share: float) -> str:
    """How such a split is described: "20 % of each class, seed 0"."""
    return f"{100 * test_share:g} % of each class, seed {seed}"
