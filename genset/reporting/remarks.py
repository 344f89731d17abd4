"""What must stand beside a model's numbers, wherever a report shows them."""

from genset.classes import hash_of
from genset.core.numbers import count
from genset.reporting.report import ReportData, ScoredModel
from genset.score.results.count import remarks as remarks_of

_IN_WORDS = "answers:"  # specs of answers in free text, which name the set's own classes


def answered(model: ScoredModel, data: ReportData) -> list[str]:
    """That a model answered a part of the photos, where it did."""
    if model.rank or model.flags:
        return []
    photos = model.top1.accuracy.photos
    return [f"answered {photos:,} of {count(data.set.photos, 'photo')}: in no rank"]


def remarks(model: ScoredModel, data: ReportData) -> list[str]:
    """All else."""
    taxonomy, mapping = data.taxonomy, model.run.mapping
    texts = []
    if taxonomy is not None and mapping is None and not model.run.spec.startswith(_IN_WORDS):
        texts.append("was not scored by the set’s own classes: score it again with --taxonomy")
    elif taxonomy is not None and mapping and mapping["taxonomy_hash"] != hash_of(taxonomy):
        texts.append("was scored by another version of the classes: score it again")
    return [*texts, *remarks_of(model.run)]
