"""Names of models where the whole of them has no room."""

from hypothesis import given
from hypothesis import strategies as st

from genset.core.safe import clean
from genset.reporting.names import short_names
from tests.reporting.many import long_names


def test_variants_are_told_apart_where_names_are_cut() -> None:
    names = [
        "vit_base_patch16_224.augreg_in21k_ft_in1k",
        "vit_base_patch16_224.augreg2_in21k_ft_in1k",
        "vit_large_patch16_224.augreg_in21k_ft_in1k",
        "resnet50",
    ]
    short = short_names(names, 24)
    assert len(set(short.values())) == 4
    assert all(len(name) <= 24 for name in short.values())
    assert short["resnet50"] == "resnet50"
    assert short[names[0]].startswith("vit_")
    assert short[names[0]].endswith("in21k_ft_in1k")


def test_all_of_timms_long_names_are_told_apart() -> None:
    names = long_names(500)
    assert len(names) > 150
    assert len(set(short_names(names, 24).values())) == len(names)


@given(
    st.lists(st.text("ab_. é猫\u202e", min_size=1, max_size=40), max_size=12, unique_by=clean),
    st.integers(8, 30),
)
def test_no_two_names_are_the_same(names: list[str], longest: int) -> None:
    short = short_names(names, longest)
    assert list(short) == names
    assert len(set(short.values())) == len(names)
    for name, shown in short.items():
        assert shown == clean(shown, 1000)
        if len(clean(name)) <= longest:
            assert shown == clean(name)
