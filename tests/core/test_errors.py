"""An error is the same in the process that it is sent to."""

import pickle

import pytest

from genset.core import errors
from genset.core.errors import GensetError, MissingExtra, PhotoRejected, ReleaseDamaged, SourceError


@pytest.mark.parametrize(
    "error",
    [
        GensetError("a"),
        errors.BadInput("b"),
        errors.SeveralMistakes("line 1", "line 2"),
        MissingExtra("the engine openvino", "engines"),
        SourceError("not there", code=105),
        PhotoRejected("unreadable", "cut"),
        ReleaseDamaged("v1", ["a is missing", "b was changed"]),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_survives_the_way_to_another_process(error: GensetError) -> None:
    sent = pickle.loads(pickle.dumps(error))
    assert type(sent) is type(error)
    assert (str(sent), sent.__dict__, sent.exit_code) == (
        str(error),
        error.__dict__,
        error.exit_code,
    )
