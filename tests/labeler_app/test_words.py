"""Strangers' words on the page: as text, as Markdown that reads the same, as links to the web."""

import pytest

from labeler_app.instructions import photos_help


@pytest.mark.parametrize("one, other", [("correct", "incorrect"), ("incorrect", "correct")])
def test_the_help_names_the_verdict_of_every_key(one: str, other: str) -> None:
    keys = dict(photos_help(one).keys)
    assert keys["1 – 5"].endswith(f" {one}")
    assert keys["Shift + 1 – 5"].endswith(f" {other}")
    assert keys["A"].endswith(f" {one}")
    assert keys["Shift + A"].endswith(f" {other}")
    assert dict(photos_help(one, grid=True).keys)["Click X"] == f"{other}, then unsure, then {one}"
