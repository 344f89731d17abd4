"""An open store on each of the two databases."""

from collections.abc import Iterator

import pytest

from genset.store import Store


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """An open store without a row."""
    opened = Store.open(store_url)
    yield opened
    opened.close()
