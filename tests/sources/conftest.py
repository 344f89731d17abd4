"""The fixtures of the tests that scrape, and what a stranger's JSON may be."""

from hypothesis import strategies as st

from tests.scrape.conftest import new_pool, pool, serve, start

__all__ = ["new_pool", "pool", "serve", "start"]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
