"""A model's best answers among some classes alone, from what is stored of its run.

Sets like ImageNet-A and ImageNet-R have 200 of the 1,000 classes. Papers score models on them in
two ways that give different numbers: a model chooses among all 1,000 classes, or the answers of the
other 800 are struck out, and the best of the rest counts.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from genset.comparison.logits import find_logits
from genset.score.results.results import ModelAnswers, Results

RIGHT, WRONG, UNKNOWN = 1, 0, -1
_AT_ONCE = 4096  # photos, of which 200 logits are 6 MB


def best_among(results: Results, model: Scored, wnids: Sequence[str]) -> NDArray[np.int8]:
    """Whether a model's best answer among some classes is right.

    All logits tell it, where they are kept. Otherwise it is the first answer of a run's table that
    is of these classes; where none is, the best one is not known, and may be the right one.

    Args:
        results: the set of N photos.
        model: scored on it.
        wnids: the classes, sorted.

    Returns:
        N marks: RIGHT, WRONG or UNKNOWN. They mean nothing for a photo that does not count.

    Raises:
        GensetError: logits that were kept cannot be read.
    """
    counts = np.isin(results.names, wnids)
    marks = np.full(len(results.truth), UNKNOWN, np.int8)
    pending = np.flatnonzero(model.answered)
    for answers in model.answers.T:
        answer = answers[pending]
        known = counts[answer]
        marks[pending[known]] = (answer == results.numbers[pending])[known]
        pending = pending[~known]
        if not len(pending):
            return marks
    if (logits := find_logits(model)) is not None:
        names = np.array(logits.classes)
        columns = np.flatnonzero(np.isin(names, wnids))
        rows = np.searchsorted(logits.photos, pending)
        for start in range(0, len(rows) if len(columns) else 0, _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            best = np.asarray(logits.values[rows[part]])[:, columns].argmax(axis=1)
            marks[pending[part]] = names[columns[best]] == results.truth[pending[part]]
    return marks
