"""A store that fails, said in one line."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnection

from genset.core.errors import GensetError


@contextmanager
def answering() -> Iterator[None]:
    """Say in one line that the database failed: a page of SQL helps no labeler."""
    try:
        yield
    except DBAPIError as error:
        reason = str(error.orig).strip().partition("\n")[0]
        raise GensetError(f"the store does not answer: {reason}") from error
    except NoConnection as error:
        raise GensetError("the store does not answer: too many ask at once") from error
