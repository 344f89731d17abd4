"""Where models err: the hardest classes, confusions, and accuracies by what is known of photos."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from genset.classes.kinds import MOST_KINDS, kinds_of
from genset.comparison.classes import (
    Breakdown,
    Confusion,
    Group,
    by_class,
    by_record,
    confusions,
    grouped,
)
from genset.core.numbers import count
from genset.core.table import Cell, Column, Table
from genset.core.to_json import to_json
from genset.reporting.blocks import Block, Columns, Grid, Heading, Paragraph, Part
from genset.reporting.format import class_cell, share
from genset.reporting.names import short_names
from genset.reporting.report import Inputs, ReportData, Section
from genset.score.results.results import Results

MANY_CLASSES = 100
"""Classes above which those of a user's own taxonomy come in groups. ImageNet's never do."""

_ROWS = 8
_FEWEST_PHOTOS = 10  # of a group that has a row
_MODELS = 6  # side by side, the best ones
_HEAD = 24  # letters of a model's name over a column


@dataclass(frozen=True, slots=True)
class KindOfClasses(Group):
    """Classes that are of a kind, and each model's top-1 accuracy on all their photos.

    Attributes:
        above: what the kind is a kind of, the nearest first.
        classes: the ids of its classes, the hardest first.
    """

    above: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Errors:
    """Accuracies by class and by what else is known of photos.

    Attributes:
        classes: each class, the hardest first.
        confusions: pairs of classes, the most confused first.
        breakdowns: accuracies by what a release records of its photos.
        kinds: the classes in groups, the hardest first, where they are a user's own and many.
    """

    classes: tuple[Group, ...]
    confusions: tuple[Confusion, ...]
    breakdowns: tuple[Breakdown, ...]
    kinds: tuple[KindOfClasses, ...]


# The numbers


def gather(inputs: Inputs, _: ReportData) -> Errors:
    """Take the answers apart by class, and by what a release records."""
    results, records = inputs.results, inputs.records
    classes = by_class(results)
    in_order = [records[photo.id] for photo in results.photos.photos] if records else []
    return Errors(
        classes=classes,
        confusions=confusions(results),
        breakdowns=by_record(results, in_order) if in_order else (),
        kinds=_kinds(results, classes),
    )


def _kinds(results: Results, classes: Sequence[Group]) -> tuple[KindOfClasses, ...]:
    """The classes of a set in groups, the hardest group first; none where they are few."""
    taxonomy = results.photos.custom_taxonomy
    if taxonomy is None or len(results.wnids) <= MANY_CLASSES:
        return ()
    kinds = kinds_of(taxonomy, results.wnids)
    if len(kinds) < 2:  # the classes have no hypernyms
        return ()
    of = {wnid: place for place, kind in enumerate(kinds) for wnid in kind.classes}
    members: list[list[str]] = [[] for _ in kinds]
    for group in classes:
        members[of[group.name]].append(group.name)
    # A group is known by its place: two kinds may have one name.
    places = [str(of[results.wnids[number]]) for number in results.classes]
    found = []
    for group in grouped(results, places):
        kind, of_kind = kinds[int(group.name)], tuple(members[int(group.name)])
        found.append(KindOfClasses(kind.name, group.photos, group.top1, kind.above, of_kind))
    return tuple(sorted(found, key=lambda kind: (kind.ease, kind.mean, kind.name)))


def _json(found: Errors, _: ReportData) -> dict[str, Any]:
    numbers = to_json(found)
    return {key: value for key, value in numbers.items() if value or key != "kinds"}


# What is shown


def show(found: Errors, data: ReportData) -> Iterator[Part]:
    """The hardest classes beside the commonest confusions, then tables by group."""
    if not data.models or all(group.mean == 1 for group in found.classes):
        return
    hardest: list[Block] = [Heading("Hardest classes"), Grid(_hardest(found, data))]
    columns = [hardest]
    if found.confusions:
        columns.append([Heading("Most confused"), Grid(_confused(found, data))])
    note = (
        "Means and counts are over all models. The order is by the upper end of the mean’s Wilson "
        f"interval; the JSON has {count(len(found.classes), 'class', 'classes')}."
    )
    blocks: list[Block] = [Columns(columns), Paragraph(note, "note"), *_by_kind(found, data)]
    for breakdown in found.breakdowns:
        blocks += _breakdown(breakdown, data)
    if (found.kinds or found.breakdowns) and len(data.models) > _MODELS:
        text = f"Side by side are the best {_MODELS} of {len(data.models):,} models."
        blocks.append(Paragraph(text, "note"))
    yield Part("errors", "Where they err", blocks)


def _hardest(found: Errors, data: ReportData) -> Table:
    columns = [
        Column("class", "Class"),
        Column("photos", "Photos", format="{:,}".format),
        Column("top1", "Mean top-1", "%", format=lambda share: f"{100 * share:.1f}"),
    ]
    rows = [
        [
            class_cell(group.name, data.taxonomy),
            group.photos,
            group.mean if group.counted else None,
        ]
        for group in [group for group in found.classes if group.mean != 1][:_ROWS]
    ]
    return Table(columns, rows)


def _confused(found: Errors, data: ReportData) -> Table:
    columns = [
        Column("photos_of", "Photos of"),
        Column("classified_as", "Classified as"),
        Column("answers", "First answers", align="right"),
        Column("models", "Models", align="right"),
    ]
    rows = [
        [
            class_cell(pair.wnid, data.taxonomy),
            class_cell(pair.other, data.taxonomy),
            Cell(pair.answers, f"{pair.answers:,} of {pair.of:,}"),
            Cell(pair.models, f"{pair.models} of {len(data.models)}"),
        ]
        for pair in found.confusions[:_ROWS]
    ]
    return Table(columns, rows)


def _by_kind(found: Errors, data: ReportData) -> Iterator[Block]:
    if not found.kinds:
        return
    yield Heading("By kind")
    yield Grid(_by_group("Kind", found.kinds, data), css="by-model")
    yield Paragraph(
        "Kinds are hypernyms of the classes: the largest one is cut into those below it again and "
        f"again, up to {MOST_KINDS} kinds. The hardest come first; their classes are in the JSON.",
        "note",
    )


def _breakdown(found: Breakdown, data: ReportData) -> Iterator[Block]:
    """Accuracies by group: the hardest groups where they are many."""
    groups = tuple(group for group in found.groups if group.photos >= _FEWEST_PHOTOS)
    if len(groups) < 2:
        return
    few = len(found.groups) - len(groups)
    all_groups = len(groups)
    if is_long := len(groups) > _ROWS:
        groups = tuple(sorted(groups, key=lambda group: (group.ease, group.mean))[:_ROWS])
    yield Heading(f"By {found.by}")
    yield Grid(_by_group(found.by.capitalize(), groups, data), css="by-model")
    if is_long:
        yield Paragraph(f"The hardest {_ROWS} of {all_groups:,}.")
    if few:
        yield Paragraph(
            f"By {found.by}: {few:,} of fewer than {_FEWEST_PHOTOS} photos left out.", "note"
        )


def _by_group(title: str, groups: Sequence[Group | KindOfClasses], data: ReportData) -> Table:
    """A row for each group, with the accuracies of the best models."""
    labels = [model.label for model in data.models[:_MODELS]]
    names = short_names(labels, _HEAD)
    has_classes = any(isinstance(group, KindOfClasses) for group in groups)
    columns = [
        Column("group", title),
        *[Column("classes", "Classes", format="{:,}".format)] * has_classes,
        Column("photos", "Photos", format="{:,}".format),
        *(Column(label, names[label], "%") for label in labels),
    ]
    rows = [
        [
            group.name,
            *([len(group.classes)] if isinstance(group, KindOfClasses) else []),
            group.photos,
            *map(share, group.top1[:_MODELS]),
        ]
        for group in groups
    ]
    return Table(columns, rows)


SECTION = Section("errors", gather, show, _json)
