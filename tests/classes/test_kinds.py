"""Many classes in some tens of groups."""

from hypothesis import given
from hypothesis import strategies as st

from genset.classes import imagenet1k, taxonomy_of
from genset.classes.kinds import MOST_KINDS, kinds_of

WNIDS = [each.wnid for each in imagenet1k()]


@given(st.sets(st.sampled_from(WNIDS), min_size=1))
def test_each_class_is_in_one_kind_that_it_is_of(wnids: set[str]) -> None:
    kinds = kinds_of(imagenet1k(), wnids)
    listed = [wnid for kind in kinds for wnid in kind.classes]
    assert sorted(listed) == sorted(wnids)
    assert len(kinds) <= MOST_KINDS
    assert len({kind.name for kind in kinds}) == len(kinds)
    for kind in kinds:
        for wnid in kind.classes:
            path = imagenet1k()[wnid].hypernyms
            assert kind.above == path[len(path) - len(kind.above) :] or not kind.above


def test_imagenet_s_own_are_some_tens_of_kinds_that_people_know() -> None:
    kinds = kinds_of(imagenet1k(), WNIDS)
    assert 10 <= len(kinds) <= 40
    assert {"bird", "hunting dog", "musical instrument"} <= {kind.name for kind in kinds}
    assert len(kinds[0].classes) < 100


def test_classes_without_hypernyms_are_a_kind_and_alone_they_are_all() -> None:
    bare = {f"c{n}": {} for n in range(5)}
    own = taxonomy_of({"name": "x", "classes": bare})
    (kind,) = kinds_of(own, [*bare, "stranger"])
    assert (kind.name, kind.classes) == ("of no known kind", tuple(bare))
    some = {**bare, "dog": {"hypernyms": ["canine", "animal"]}}
    kinds = kinds_of(taxonomy_of({"name": "x", "classes": some}), some)
    assert [(each.name, len(each.classes)) for each in kinds] == [
        ("of no known kind", 5),
        ("all", 1),
    ]
