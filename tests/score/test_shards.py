"""A kept shard counts only if it is whole, of this run and of these photos."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genset.score.shards import Answers, BadShard, ShardLabel, load_shard, save_shard

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
