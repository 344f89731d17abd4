"""The sections in the order of the report. Each may use the numbers of those before it."""

from typing import Any

from genset.reporting.report import Section
from genset.reporting.sections import (
    again,
    baseline,
    board,
    bounds,
    changes,
    cost,
    each_model,
    entries,
    errors,
    finetuning,
    flagged,
    missed,
    multilabel,
    pairs,
    photos,
    sets,
    sources,
    the_set,
    training,
)

SECTIONS: tuple[Section[Any], ...] = (
    board.SECTION,
    flagged.SECTION,
    changes.SECTION,
    entries.SECTION,
    pairs.SECTION,
    cost.SECTION,
    multilabel.SECTION,
    baseline.SECTION,
    bounds.SECTION,
    sets.SECTION,
    sources.SECTION,
    training.SECTION,
    finetuning.SECTION,
    errors.SECTION,
    missed.SECTION,
    photos.SECTION,
    each_model.SECTION,
    the_set.SECTION,
    again.SECTION,
)
