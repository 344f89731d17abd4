"""A seeded split: fair to each class, and the same every time."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from genset.finetune.split import test_part as taken

NAMES = st.text(min_size=1, max_size=6)
CLASSES = st.lists(st.sets(NAMES, min_size=1, max_size=30), min_size=1, max_size=6).map(
    lambda classes: [{f"{place}/{name}" for name in ids} for place, ids in enumerate(classes)]
)
SEEDS = st.integers(0, 2**32)
SHARES = st.floats(0.001, 0.999)


@given(CLASSES, SEEDS, SHARES)
def test_each_class_is_in_both_parts_in_the_share_asked_for(
    classes: list[set[str]], seed: int, share: float
) -> None:
    tested = taken(classes, seed, share)
    assert tested <= set().union(*classes)
    for ids in classes:
        if len(ids) > 1:
            assert 1 <= len(tested & ids) < len(ids)
            assert abs(len(tested & ids) - share * len(ids)) <= 1
        else:
            assert not tested & ids


@given(CLASSES, SEEDS, SHARES, SEEDS.map(Random))
def test_no_order_matters(classes: list[set[str]], seed: int, share: float, random: Random) -> None:
    shuffled = [sorted(ids, key=lambda _: random.random()) for ids in classes]
    random.shuffle(shuffled)
    assert taken(shuffled, seed, share) == taken(classes, seed, share)


@given(CLASSES, st.sets(NAMES, min_size=1), SEEDS, SHARES)
def test_photos_of_another_class_change_nothing(
    classes: list[set[str]], more: set[str], seed: int, share: float
) -> None:
    before = taken(classes[1:], seed, share)
    after = taken([classes[0] | {f"0/{name}" for name in more}, *classes[1:]], seed, share)
    assert {photo for photo in after if not photo.startswith("0/")} == before


@given(st.integers(2, 30), SEEDS)
def test_a_larger_share_keeps_what_a_smaller_one_tests(count: int, seed: int) -> None:
    ids = [f"owl/{number}.jpg" for number in range(count)]
    assert taken([ids], seed, 0.2) <= taken([ids], seed, 0.5)


def test_another_seed_is_another_split_and_all_photos_are_drawn_as_often() -> None:
    ids = [f"owl/{number}.jpg" for number in range(50)]
    drawn = [frozenset(taken([ids], seed, 0.2)) for seed in range(200)]
    assert len(set(drawn)) == 200
    often = [sum(photo in photos for photos in drawn) for photo in ids]
    assert min(often) > 15 and max(often) < 65  # 40, and four standard deviations either way


def test_the_split_of_a_seed_never_changes() -> None:
    """Results that were made with an earlier version are compared with later ones."""
    ids = [f"owl/{number}.jpg" for number in range(10)]
    assert sorted(taken([ids], 0, 0.3)) == ["owl/0.jpg", "owl/1.jpg", "owl/5.jpg"]
