"""Names of models where the whole of them has no room."""

from hypothesis import given
from hypothesis import strategies as st

from genset.core.safe import clean
from genset.reporting.names import short_names


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
