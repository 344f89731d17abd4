"""What changed: the models of an older report, from its JSON, beside those of this one."""

from collections.abc import Iterator
from typing import Annotated, NamedTuple

from genset.comparison.pairs import Rank
from genset.core.numbers import count, digits, points
from genset.core.safe import clean
from genset.core.table import Column, Table
from genset.core.validation import Meta, Record, read_json
from genset.reporting.blocks import Block, Grid, Paragraph, Part
from genset.reporting.format import share
from genset.reporting.report import Inputs, ReportData, Section
from genset.score.results.names import without_key
from genset.score.results.runs import Accuracy


class _Top(Record, frozen=True, forbid_unknown_fields=False):
    accuracy: Accuracy


class _Model(Record, frozen=True, forbid_unknown_fields=False):
    run: str
    label: str
    weights_hash: str
    tops: Annotated[tuple[_Top, ...], Meta(min_length=1)]
    rank: Rank | None = None

    @property
    def top1(self) -> Accuracy:
        return self.tops[0].accuracy


class _Set(Record, frozen=True, forbid_unknown_fields=False):
    name: str
    content_hash: str


class _OlderReport(Record, frozen=True, forbid_unknown_fields=False):
    set: _Set
    models: tuple[_Model, ...]


class Change(NamedTuple):
    """A model's top-1 accuracy and rank before and now; None where the report has no such model."""

    model: str
    before: Accuracy | None
    now: Accuracy | None
    rank_before: Rank | None = None
    rank_now: Rank | None = None

    @property
    def is_none(self) -> bool:
        """Whether nothing that is shown is another."""
        return self.before == self.now and self.rank_before == self.rank_now


class Changes(NamedTuple):
    """What is another since an older report.

    `older` names its set, and `same_photos` is whether it is this one. `models` are those with
    another accuracy or rank, by name; `unchanged` counts the others.
    """

    older: str
    same_photos: bool
    models: tuple[Change, ...]
    unchanged: int


def _identities(run: str, weights: str, label: str) -> tuple[object, ...]:
    """What a model is found again by, the surest first. A label may end with its run's key."""
    return run, (weights, without_key(label)), label


def gather(_: Inputs, data: ReportData) -> Changes | None:
    """Compare with the report that the options name; None without.

    A model is found again by its run, else by its weights, else by its name.

    Raises:
        BadInput: the file is no report as JSON.
    """
    if (path := data.options.compare) is None:
        return None
    older = read_json(path, _OlderReport)
    rest, before = list(older.models), dict[str, _Model]()
    for step in range(3):
        for model in (model for model in data.models if model.label not in before):
            identity = _identities(model.run.key, model.run.weights_hash, model.label)[step]
            for old in rest:
                if _identities(old.run, old.weights_hash, old.label)[step] == identity:
                    before[model.label] = old
                    rest.remove(old)
                    break
    models = []
    for model in data.models:
        was, now = before.get(model.label), model.top1.accuracy
        ranks = was.rank if was else None, model.rank
        models.append(Change(model.label, was.top1 if was else None, now, *ranks))
    models += [Change(gone.label, gone.top1, None, gone.rank) for gone in rest]
    changed = tuple(model for model in models if not model.is_none)
    is_same = older.set.content_hash == data.set.content_hash
    return Changes(older.set.name, is_same, changed, len(models) - len(changed))


def show(found: Changes | None, data: ReportData) -> Iterator[Part]:
    """Whether the photos are the same, and each model that is new, gone or scores otherwise."""
    if not found:
        return
    text = "The photos are the same."
    if not found.same_photos:
        text = f"Another set (then {clean(found.older)}): a difference may be that of the photos."
    if found.unchanged:
        text += f" Unchanged: {count(found.unchanged, 'model')}."
    columns = [
        Column("model", "Model"),
        Column("before", "Top-1 before", "%"),
        Column("now", "Top-1 now", "%"),
        Column("change", "Change", "points", align="right"),
        Column("rank_before", "Rank before"),
        Column("rank_now", "Rank now"),
    ]
    table = Table(columns, [_row(change) for change in found.models])
    blocks: list[Block] = [Paragraph(text), Grid(table)] if table.rows else [Paragraph(text)]
    yield Part("changes", "Since the older report", blocks)


def _row(change: Change) -> list[object]:
    before, now = change.before, change.now
    what = "new" if now else "gone"
    if before and now:
        what = points(now.share - before.share, digits(min(now.photos, before.photos)))
    ranks = [rank and str(rank) for rank in (change.rank_before, change.rank_now)]
    return [change.model, share(before), share(now), what, *ranks]


SECTION = Section("changes", gather, show)
