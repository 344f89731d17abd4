"""Runs' tables read as arrays say what Python's CSV reader says, whatever they hold."""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genset.core.errors import GensetError
from genset.score.results.arrays import Names, answers_of, read_answers
from genset.score.results.results import load_results
from genset.score.results.runs import PREDICTIONS, Prediction, load_predictions, save_run
from genset.score.shards import Answers, BadShard, ShardLabel, load_shard, save_shard
from genset.sets.open import open_set
from tests.reporting.many import many_made_up
from tests.score.colours import WNIDS

IMAGES = st.text(st.characters(codec="utf-8", exclude_characters="\x00\r"), min_size=1, max_size=12)
CLASSES = st.sampled_from([*WNIDS[:20], *WNIDS[-20:], "", "n1", "n0144076x", "bird, blue", 'a"b'])
SHARES = st.floats(0, 1) | st.sampled_from([1e-9, float("nan")])


@st.composite
def predictions(draw: st.DrawFn) -> list[Prediction]:
    """A run's answers: mostly to plain names with ImageNet's classes alone."""
    plain = draw(st.booleans())
    images = st.from_regex(r"[a-z0-9/_.]{1,12}", fullmatch=True) if plain else IMAGES
    classes = st.sampled_from(WNIDS) if plain else CLASSES
    ranks, has_shares = draw(st.integers(1, 5)), draw(st.booleans())
    top = st.tuples(*[classes] * ranks)
    shares = st.tuples(*[SHARES] * ranks) if has_shares else st.just(())
    rows = st.builds(Prediction, images, classes, top, shares)
    return draw(st.lists(rows, min_size=1, max_size=8))


@settings(max_examples=150)
@given(predictions())
@pytest.mark.soak
def test_a_table_as_arrays_says_what_it_says_line_by_line(kept: list[Prediction]) -> None:
    with tempfile.TemporaryDirectory() as place:
        run = many_made_up(Path(place, "any"), models=1, photos=5).made[0]
        folder = Path(place, "run")
        save_run(folder, run, kept)
        read, names = load_predictions(folder), Names()
        found, expected = read_answers(folder, names), answers_of(read, names)
    assert list(found.images) == list(expected.images) == [each.image for each in read]
    by_number = names.all()
    assert by_number[found.ranked].tolist() == [list(each.top) for each in read]
    assert by_number[found.truth].tolist() == [each.wnid for each in read]
    if expected.confidence is None:
        assert found.confidence is None
    else:
        np.testing.assert_array_equal(found.confidence, expected.confidence)
    assert found.counts() == expected.counts()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace(",n0", ",n0,n0", 1),
        lambda text: text.partition("\n")[0] + "\n",
        lambda text: text.replace("0.", "zero", 1),
        lambda text: text.replace("photo00003", "photo99999"),
        lambda text: "\n".join(sorted(text.splitlines()[1:])),
        lambda text: "",
    ],
    ids=["cut", "one cell more", "head alone", "no number", "another photo", "no head", "empty"],
)
def test_a_table_that_was_damaged_is_named(tmp_path: Path, spoil: object) -> None:
    many = many_made_up(tmp_path, models=2, photos=40)
    table = next(many.runs.rglob(PREDICTIONS))
    assert callable(spoil)
    table.write_text(spoil(table.read_text()))
    photos = open_set(str(tmp_path / "photos.csv"))
    with pytest.raises(GensetError, match=r"predictions .*; delete the folder and run genset"):
        load_results(photos, many.runs)


# A kept shard counts only if it is whole, of this run and of these photos.


LABEL = ShardLabel("key", "photos", range(16, 20), logits=7)
ANSWERS = Answers(
    indices=np.array([16, 17, 19]),
    classes=np.arange(15, dtype=np.int32).reshape(3, 5),
    probabilities=np.full((3, 5), 0.2, np.float32),
    losses=np.full(3, 1.6, np.float32),
    logits=np.ones((3, 7), np.float32),
    unreadable={18: "cut"},
)


@pytest.mark.parametrize(
    ("answers", "label"),
    [
        (ANSWERS, replace(LABEL, key="other")),
        (ANSWERS, replace(LABEL, photos="other")),
        (ANSWERS, replace(LABEL, indices=range(16, 21))),
        (ANSWERS, replace(LABEL, logits=8)),
        (replace(ANSWERS, logits=None), LABEL),
        (replace(ANSWERS, unreadable={}), LABEL),
        (replace(ANSWERS, indices=np.array([16, 17, 17])), LABEL),
        (replace(ANSWERS, classes=ANSWERS.classes[:2]), LABEL),
        (replace(ANSWERS, probabilities=np.full((3, 5), np.nan, np.float32)), LABEL),
        (replace(ANSWERS, logits=np.full((3, 7), np.inf, np.float32)), LABEL),
    ],
)
def test_another_shard_is_refused(tmp_path: Path, answers: Answers, label: ShardLabel) -> None:
    path = tmp_path / "new" / "1.npz"
    save_shard(path, ANSWERS, LABEL)
    assert load_shard(path, LABEL).indices.tolist() == [16, 17, 19]
    save_shard(path, answers, LABEL)
    with pytest.raises(BadShard, match="is not a shard of this run"):
        load_shard(path, label)


@given(st.data())
def test_a_damaged_file(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.npz"
    save_shard(path, ANSWERS, LABEL)
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        del content[place:]
    else:
        content[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    try:
        found = load_shard(path, LABEL)
    except BadShard:
        return
    assert (found.indices == ANSWERS.indices).all()
    assert (found.classes == ANSWERS.classes).all()
    assert (found.probabilities == ANSWERS.probabilities).all()
    assert found.unreadable == ANSWERS.unreadable
