"""Accuracies by source, as Markdown."""

from collections.abc import Iterator

from genset.core.markdown import escape, table
from genset.core.numbers import NONE
from genset.reporting.data.report import ReportData
from genset.reporting.data.sources import BySource, ModelAtSources, SourcePair
from genset.reporting.narrative import sources as narrative

_LICENSES = 12


def sources_in_markdown(data: ReportData, found: BySource) -> list[str]:
    """What a release has of each source, and each model at every two of them."""
    parts = [_composition(found)]
    for pair in found.pairs:
        first, second = (found.source(name).title for name in (pair.first, pair.second))
        parts.append(f"#### {escape(second)} against {escape(first)}")
        parts.append(escape(" ".join(narrative.sentences(found, pair))))
        if ks := narrative.tabled(pair):
            parts += [escape(narrative.shared(found, pair)), _models(found, pair, ks)]
    if narrative.any_tabled(found):
        parts.append(escape(narrative.intervals(data)))
    return parts


def _composition(found: BySource) -> str:
    rows = []
    for source in found.sources:
        licenses = [f"{each.name} ({each.photos:,})" for each in source.licenses[:_LICENSES]]
        if (more := len(source.licenses) - _LICENSES) > 0:
            licenses.append(f"and {more} more")
        rows.append(
            (source.title, ", ".join(licenses), f"{source.photos:,}", f"{source.classes:,}")
        )
    return table(("Source", "Licences (photos)", "Photos", "Classes"), rows, words=2)


def _models(found: BySource, pair: SourcePair, ks: list[int]) -> str:
    first, second = (found.source(name).title for name in (pair.first, pair.second))
    head = ["Model"]
    for k in ks:
        for what in ("second less first (points)", f"{first} (%)", f"{second} (%)"):
            head += [f"Top-{k}, {what}", "95 % interval"]
    return table(head, [_row(pair, model, ks) for model in pair.rows])


def _row(pair: SourcePair, model: ModelAtSources, ks: list[int]) -> list[str]:
    remark = narrative.remark(pair, model)
    return [f"{model.label} ({remark})" if remark else model.label, *_cells(model, ks)]


def _cells(model: ModelAtSources, ks: list[int]) -> Iterator[str]:
    tops = {top.k: top.matched for top in model.tops}
    for k in ks:
        if (found := tops.get(k)) is None:
            yield from [NONE] * 6
            continue
        for shown in (
            narrative.difference(found),
            narrative.accuracy(found.first),
            narrative.accuracy(found.second),
        ):
            yield from (shown[0], shown[1] or NONE)
