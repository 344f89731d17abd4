"""CIFAR-10's classes scored by a model of ImageNet, through WordNet's hierarchy.

Which of ImageNet's wnids are below which noun is found here from WordNet's own files, as Debian's
wordnet-base installs them, and not from genset's table.
"""

from collections import Counter
from pathlib import Path

import pytest

from genset.classes import Taxonomy, read_taxonomy
from genset.models.mapping.outputs import above, outputs_of
from tests.score.colours import WNIDS

WORDNET = Path("/usr/share/wordnet/data.noun")
SYNSETS = {
    "airplane": "n02691156",
    "automobile": "n02958343",
    "bird": "n01503061",
    "cat": "n02121620",
    "deer": "n02430045",
    "dog": "n02084071",
    "frog": "n01639765",
    "horse": "n02374451",
    "ship": "n04194289",
    "truck": "n04490091",
}
MINIVAN = "n03770679"  # a car and a truck to WordNet


@pytest.fixture(scope="module")
def up() -> dict[str, list[str]]:
    """What each noun is a kind or an instance of, from WordNet's file."""
    found = {}
    for line in WORDNET.read_text("ascii").splitlines():
        if line.startswith(" "):  # the licence
            continue
        fields = line.partition("|")[0].split()
        words = int(fields[3], 16)
        pointers = fields[5 + 2 * words :]
        found[f"n{fields[0]}"] = [
            f"n{offset}"
            for sign, offset in zip(pointers[0::4], pointers[1::4], strict=False)
            if sign in ("@", "@i")
        ]
    return found


def below(up: dict[str, list[str]], noun: str) -> set[str]:
    """ImageNet's wnids that are a noun or below it."""

    def is_below(wnid: str) -> bool:
        return wnid == noun or any(map(is_below, up[wnid]))

    return set(filter(is_below, WNIDS))


def cifar10(folder: Path, up: dict[str, list[str]]) -> Taxonomy:
    """The ten classes with their nouns; the minivan is said to be a car."""
    lines = ['name = "ten"']
    for id, synset in SYNSETS.items():
        lines += [f"[classes.{id}]", f'synset = "{synset}"']
        if id == "automobile":
            lines += [f"imagenet = {sorted(below(up, synset))}"]
    (folder / "ten.toml").write_text("\n".join(lines))
    return read_taxonomy(folder / "ten.toml")


@pytest.mark.soak
def test_each_of_imagenet_s_1000_is_of_the_class_that_wordnet_s_files_say(
    up: dict[str, list[str]], tmp_path: Path
) -> None:
    rows = dict.fromkeys(WNIDS, "")
    for id, synset in SYNSETS.items():
        for wnid in below(up, synset) - ({MINIVAN} if id == "truck" else set()):
            assert not rows[wnid]
            rows[wnid] = id
    found = outputs_of(WNIDS, cifar10(tmp_path, up), above)
    said = {WNIDS[place]: id for id, places in found.items() for place in places}
    assert {wnid: said.get(wnid, "") for wnid in WNIDS} == rows
    assert found["deer"] == []
    assert Counter(rows.values())["dog"] == 118
