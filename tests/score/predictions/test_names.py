"""Which class a name in words means, in tables of predictions."""

from hashlib import sha256

import pytest

from genset.classes import imagenet1k, synonyms
from genset.score.predictions.names import NAMES_VERSION, imagenet_names, normalized, with_kind

TENCH, BIRD, LIFTER = "n01440764", "n02012849", "n03126707"


@pytest.mark.parametrize(
    ("name", "wnid"),
    [
        ("tench", TENCH),
        ("Tinca tinca", TENCH),
        (TENCH, TENCH),
        (" TENCH\n", TENCH),
        ("a tench", TENCH),
        ("hotdog", "n07697537"),
        ("great_white_shark", "n01484850"),
        ("Jack-o’-Lantern", "n03590841"),
        ("payphone", "n03902125"),
        ("st. bernard", "n02109525"),
        ("sneaker", "n04120489"),
        ("sunglasses", "n04356056"),
        ("crane (wading bird)", BIRD),
        ("Crane (Lifting device)", LIFTER),
    ],
)
def test_a_name_is_found_however_it_is_written(name: str, wnid: str) -> None:
    assert imagenet_names().find(name) == {wnid}


@pytest.mark.parametrize("name", ["", " ", "a fish", "tenches", "tnech", "tench fish", "0", "..."])
def test_nothing_is_guessed(name: str) -> None:
    assert imagenet_names().find(name) == frozenset()


def test_each_class_has_a_name_of_its_own_and_shared_ones_are_known() -> None:
    for cls in imagenet1k():
        for name in (cls.wnid, *with_kind(cls), *synonyms().get(cls.wnid, ())):
            assert imagenet_names().find(name) == {cls.wnid}, name
        for lemma in cls.lemmas:
            assert cls.wnid in imagenet_names().find(lemma), lemma


def test_19_names_are_shared() -> None:
    lemmas = {lemma for cls in imagenet1k() for lemma in cls.lemmas}
    shared = {normalized(each) for each in lemmas if len(imagenet_names().find(each)) > 1}
    assert len(shared) == 19
    assert {"crane", "maillot", "cardigan", "sunglasses"} & shared == {
        "crane",
        "maillot",
        "cardigan",
    }
    assert imagenet_names().find("crane") == {BIRD, LIFTER}


def test_synonyms_are_of_one_class_each_and_no_lemmas() -> None:
    lemmas = {normalized(lemma) for cls in imagenet1k() for lemma in cls.lemmas}
    found = [normalized(name) for names in synonyms().values() for name in names]
    assert len(found) == len(set(found)) > 150
    assert not lemmas & set(found)
    assert set(synonyms()) <= {cls.wnid for cls in imagenet1k()}


def test_names_that_change_change_the_version() -> None:
    """A stored run must not stand for answers that would be read otherwise now: count it up."""
    table = "".join(
        f"{cls.wnid} {cls.lemmas} {with_kind(cls)} {synonyms().get(cls.wnid)}\n"
        for cls in imagenet1k()
    )
    assert (NAMES_VERSION, sha256(table.encode()).hexdigest()[:16]) == (1, "ed28b0deea8524a4")
