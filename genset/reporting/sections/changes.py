"""What changed: the models of an older report, from its JSON, beside those of this one."""

from collections.abc import Iterator
from typing import Annotated, NamedTuple

from genset.comparison.pairs import Rank
from genset.core.numbers import count, digits, points
from genset.core.safe import clean
from genset.core.table import Column, Table
from genset.core.validation import Meta, Record, read_json
from genset.reporting.blocks import Block, Grid, Paragraph, Part
from genset.reporting.format import share, some_of
from genset.reporting.report import Inputs, ReportData, Section, TopK
from genset.score.results.names import without_key
from genset.score.results.runs import Accuracy


class _Model(Record, frozen=True, forbid_unknown_fields=False):
    run: str
    label: str
    weights_hash: str
    tops: Annotated[tuple[TopK, ...], Meta(min_length=1)]
    rank: Rank | None = None

    @property
    def top1(self) -> Accuracy:
        return self.tops[0].accuracy


class _Set(Record, frozen=True, forbid_unknown_fields=False):
    name: str
    content_hash: str


class _Pair(Record, frozen=True, forbid_unknown_fields=False):
    first: str
    second: str
    apart: bool


class _OlderReport(Record, frozen=True, forbid_unknown_fields=False):
    set: _Set
    models: tuple[_Model, ...]
    pairs: tuple[_Pair, ...] = ()
    fixed: bool | None = None


class Change(NamedTuple):
    """A model's top-1 accuracy and rank before and now; None where the report has no such model."""

    model: str
    now: Accuracy | None
    rank_now: Rank | None
    before: Accuracy | None
    rank_before: Rank | None


class Changes(NamedTuple):
    """What is another since an older report.

    `older` names its set, and `same_photos` is whether it is this one. `models` are those with
    another accuracy or rank, by name; `unchanged` counts the others. `apart` are pairs of models
    that can be told apart now and could not then, `not_apart` the other way. `fixed` is whether
    classes were fixed then, as `ReportData.fixed`; None where the report does not say it.
    """

    older: str
    same_photos: bool
    models: tuple[Change, ...]
    unchanged: int
    apart: tuple[tuple[str, str], ...]
    not_apart: tuple[tuple[str, str], ...]
    fixed: bool | None


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
        then = (was.top1, was.rank) if was else (None, None)
        models.append(Change(model.label, now, model.rank, *then))
    models += [Change(gone.label, None, None, gone.top1, gone.rank) for gone in rest]
    changed = tuple(m for m in models if (m.before, m.rank_before) != (m.now, m.rank_now))
    label = {was.label: label for label, was in before.items()}.get
    apart = {frozenset((label(pair.first), label(pair.second))): pair.apart for pair in older.pairs}
    other = [p for p in data.pairs if apart.get(frozenset((p.first, p.second)), p.apart) != p.apart]
    return Changes(
        older=older.set.name,
        same_photos=older.set.content_hash == data.set.content_hash,
        models=changed,
        unchanged=len(models) - len(changed),
        apart=tuple((pair.first, pair.second) for pair in other if pair.apart),
        not_apart=tuple((pair.first, pair.second) for pair in other if not pair.apart),
        fixed=older.fixed,
    )


def show(found: Changes | None, data: ReportData) -> Iterator[Part]:
    """Whether the photos are the same, and each model that is new, gone or scores otherwise."""
    if not found:
        return
    text = "The photos are the same."
    if not found.same_photos:
        text = f"Another set (then {clean(found.older)}): a difference may be that of the photos."
    if found.fixed not in (None, data.fixed):
        then, now = ("fixed", "a sample") if found.fixed else ("a sample", "fixed")
        text += f" Classes were {then} then and are {now} now, which changes intervals and ranks."
    for words, pairs in (("Now", found.apart), ("No longer", found.not_apart)):
        if pairs:
            names = some_of([f"{first} from {second}" for first, second in pairs])
            text += f" {words} told apart: {names}."
    if found.unchanged:
        text += f" Unchanged: {count(found.unchanged, 'model')}."
    columns = [
        Column("model", "Model"),
        Column("before", "Top-1 before", "%"),
        Column("now", "Top-1 now", "%"),
        Column("change", "Change", "points", align="right"),
    ]
    if any(m.before and m.now and m.rank_before != m.rank_now for m in found.models):
        columns += [Column("rank_before", "Rank before"), Column("rank_now", "Rank now")]
    table = Table(columns, [_row(change)[: len(columns)] for change in found.models])
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
