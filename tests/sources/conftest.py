"""The fixtures of the tests that scrape."""

from tests.scrape.conftest import new_pool, pool, serve, start

__all__ = ["new_pool", "pool", "serve", "start"]
