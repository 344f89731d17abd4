"""Which class each output stands for, by the labels of a configuration."""

import pytest

from genset.classes import imagenet1k
from genset.core.errors import BadInput
from genset.models.classes import BACKGROUND
from genset.models.huggingface.labels import match_labels

CLASSES = list(imagenet1k())
WNIDS = tuple(each.wnid for each in CLASSES)
NAMES = [", ".join(each.lemmas) for each in CLASSES]


def test_a_thousand_labels_in_sorted_order_are_imagenets_classes() -> None:
    for labels in (
        NAMES,  # two of them are "crane"
        [each.lemmas[0] for each in CLASSES],  # and two "maillot"
        [each.lemmas[0].replace(" ", "_").lower() for each in CLASSES],
        WNIDS,
        [f"{each.wnid} {each.name}" for each in CLASSES],
        [str(each.index) for each in CLASSES],
    ):
        found = match_labels(labels)
        assert found.order == WNIDS
        assert found.selected is None
    moved = [NAMES[1], NAMES[0], *(name for name in NAMES[2:] if name != "crane")]
    assert match_labels(moved).order[:2] == (WNIDS[1], WNIDS[0])
    assert match_labels(["background", *NAMES]).order == (BACKGROUND, *WNIDS)


def test_new_names_among_a_thousand_are_taken_by_their_place_and_that_is_said() -> None:
    renamed = ["plain tiger butterfly" if n == 323 else name for n, name in enumerate(NAMES)]
    found = match_labels(renamed)
    assert found.order == WNIDS
    assert found.note == (
        "1 of its labels is no name of WordNet's ('plain tiger butterfly'): taken by its "
        "place, as the 999 others stand."
    )


def test_of_a_larger_set_the_thousand_are_chosen_among() -> None:
    wnids = ["n00000001", *WNIDS[::-1], "n99999999"]
    found = match_labels(wnids)
    assert found.order == WNIDS[::-1]
    assert found.selected == tuple(range(1, 1001))
    assert "1,000 of its 1,002 outputs" in found.note


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ([f"LABEL_{n}" for n in range(1000)], r"LABEL_0, .* classes=imagenet1k"),
        (["tench", "unicorn", "griffin"], r"2 of its 3 labels .*'unicorn', 'griffin'.*classes="),
        (["crane", "tench"], r"1 of its 2 labels .*'crane'"),
        (["tench", "Tinca tinca"], r"several of its labels are n01440764"),
        (["n01440764", "n01440764"], "several of its labels are n01440764"),
        (["3", "3"], "several of its labels are n01491361"),
        (["n00000001"], "none of its labels is a class of ImageNet"),
        (["cat", "dog"], "2 of its 2 labels"),
    ],
)
def test_labels_that_do_not_say_it_are_refused(labels: list[str], said: str) -> None:
    with pytest.raises(BadInput, match=said) as refused:
        match_labels(labels)
    assert "\n" not in str(refused.value)
