"""Which further classes are chosen, and what is drawn: the same for ever, and as often as said."""

from hypothesis import given
from hypothesis import strategies as st

from genset.classes import imagenet1k
from genset.label.proposals.choose import (
    ModelAnswers,
    Proposer,
    drawn_classes,
    drawn_count,
    drawn_photos,
    ranked,
)
from tests.label.proposals.released import ALL
from tests.labeled_workspace import CRANE, TABBY, TENCH

CONFUSABLE = [each.wnid for each in imagenet1k().confusable(TABBY)]
FILE = f"{TABBY}/{'0' * 64}.jpg"

files = st.sets(st.integers(0, 10**6).map(lambda number: f"{TABBY}/{number:064x}.jpg"))
seeds = st.integers(0, 2**31 - 1)


def model(name: str, *best: str) -> ModelAnswers:
    return ModelAnswers(name, f"key of {name}", {FILE: best})


def test_those_that_most_propose_come_first_then_the_best_place() -> None:
    models = [
        model("a", TABBY, TENCH, CRANE, ALL[700], ALL[701]),
        model("b", CRANE, TABBY, ALL[702], CONFUSABLE[2], ALL[703]),
    ]
    found = ranked(TABBY, FILE, models)
    assert (
        list(found)
        == [
            CRANE,  # both models; the best place is 1
            CONFUSABLE[2],  # a model, and confusable
            CONFUSABLE[0],
            TENCH,  # at place 2 as the next, which no model proposes
            CONFUSABLE[1],
            ALL[702],
            ALL[700],
            *CONFUSABLE[3:4],
            ALL[701],
            ALL[703],
            *CONFUSABLE[4:],
        ]
    )
    assert found[CRANE] == [
        Proposer("model", "a", 3, "key of a"),
        Proposer("model", "b", 1, "key of b"),
    ]
    assert found[CONFUSABLE[0]] == [Proposer("confusable", TABBY, 1)]


def test_of_classes_that_as_many_propose_the_best_place_counts() -> None:
    others = [each for each in (CRANE, TENCH, *ALL[700:710]) if each not in CONFUSABLE]
    low, high, *rest = others
    models = [model("a", rest[0], low, rest[1], high), model("b", high, low, rest[2])]
    assert list(ranked(TABBY, FILE, models))[:2] == [high, low]  # at best 1 and 2; at worst 4 and 2


def test_neither_the_photos_own_class_nor_a_sixth_answer_nor_a_foreign_class_is_proposed() -> None:
    best = (TABBY, "", "n00000000", TENCH, "tench", CRANE)
    assert {*ranked(TABBY, FILE, [model("a", *best)])} == {TENCH, *CONFUSABLE}
    assert {*ranked(TABBY, "another file", [model("a", *best)])} == {*CONFUSABLE}


@given(files, st.floats(0, 1), seeds)
def test_the_share_of_photos_is_drawn_whole(names: set[str], share: float, seed: int) -> None:
    drawn = drawn_photos(names, share, seed)
    assert drawn <= names
    assert abs(len(drawn) - share * len(names)) <= 0.5 + 1e-9
    assert drawn_photos(sorted(names, reverse=True), share, seed) == drawn


@given(files, st.floats(0, 1), st.floats(0, 1), seeds)
def test_a_larger_share_keeps_the_photos_of_a_smaller_one(
    names: set[str], one: float, other: float, seed: int
) -> None:
    small, large = sorted((one, other))
    assert drawn_photos(names, small, seed) <= drawn_photos(names, large, seed)


@given(st.lists(st.sampled_from(ALL), max_size=20), st.integers(0, 12), st.integers(0, 12), seeds)
def test_classes_at_random_are_others_and_more_of_them_begin_with_the_fewer(
    without: list[str], one: int, other: int, seed: int
) -> None:
    few, many = sorted((one, other))
    drawn = drawn_classes(without, many, FILE, seed)
    assert len(set(drawn)) == many
    assert set(drawn).isdisjoint(without)
    assert drawn_classes(without, few, FILE, seed) == drawn[:few]


@given(st.floats(0, 8), st.floats(0, 8), seeds)
def test_a_larger_average_never_gives_fewer_classes(one: float, other: float, seed: int) -> None:
    small, large = sorted((one, other))
    assert int(small) <= drawn_count(small, FILE, seed) <= int(small) + 1
    assert drawn_count(small, FILE, seed) <= drawn_count(large, FILE, seed)


def test_counts_have_the_average_as_their_mean_and_classes_are_drawn_alike() -> None:
    names = [f"{number}.jpg" for number in range(2000)]
    assert abs(sum(drawn_count(6.3, name, 1) for name in names) / 2000 - 6.3) < 0.04
    drawn = [ALL.index(drawn_classes((), 1, name, 1)[0]) for name in names[:300]]
    assert 430 < sum(drawn) / 300 < 570
    assert len(set(drawn)) > 220


def test_draws_are_what_they_were_when_they_were_made() -> None:
    """A round that is continued years later has to draw the same."""
    names = [f"{number}.jpg" for number in range(20)]
    assert sorted(drawn_photos(names, 0.1, 7)) == ["14.jpg", "18.jpg"]
    assert drawn_classes((TABBY,), 3, FILE, 7) == ["n04326547", "n04147183", "n02128385"]
    assert [drawn_count(6.5, name, 7) for name in names[:6]] == [6, 7, 7, 6, 7, 6]
