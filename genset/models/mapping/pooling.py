"""From a model's scores to shares of the classes of a set."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from genset.classes import Taxonomy, hash_of, imagenet1k
from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.models.mapping.outputs import Above, match_by_words, outputs_of

Pool = Literal["sum", "max"]
"""What a class gets of the probabilities of its outputs: their sum, or the largest."""

Among = Literal["all", "subset"]
"""What a model chooses among: all its outputs, or those alone that are of the set's classes."""

POOLS: tuple[Pool, ...] = get_args(Pool)
AMONG: tuple[Among, ...] = get_args(Among)


@dataclass(frozen=True, slots=True)
class Convention:
    """How a model with other outputs is scored on a set's own classes.

    Attributes:
        pool: what a class gets of its outputs.
        among: what competes: "all" outputs, so that one of no class may be the answer, which is
            wrong then; or the "subset" of those that are of a class.

    Raises:
        BadInput: a value is none of these.
    """

    pool: Pool = "sum"
    among: Among = "all"

    def __post_init__(self) -> None:
        """Refuse what is not possible."""
        for what, value, known in (("pool", self.pool, POOLS), ("among", self.among, AMONG)):
            if value not in known:
                raise BadInput(f"{what} is {' or '.join(known)}, not {value}")


def name_of(record: Mapping[str, Any]) -> str:
    """What the convention that a run keeps is called: "all", "subset", "all, max" or "subset, max".

    Args:
        record: with its `among` and `pool`.
    """
    return f"{record['among']}, max" if record["pool"] == "max" else str(record["among"])


FEW = 5
"""Of so many classes, or fewer, the true one is easily among the best five: no top-5 is counted."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ClassMapping:
    """What a model's outputs stand for on a set of its own classes.

    Its answers are columns: first the classes that have outputs, in the taxonomy's order, then,
    where all outputs compete, those of no class, each for itself.

    Attributes:
        taxonomy, taxonomy_hash: the set's, by name and hash.
        convention: how outputs are pooled, and which compete.
        outputs: what each of the model's outputs stands for; "" for no class.
        classes: the places of each class's outputs; none for a class that the model does not have.
        by_name: the classes that have theirs because both have one name, and nothing else says so.
    """

    taxonomy: str
    taxonomy_hash: str
    convention: Convention
    outputs: tuple[str, ...]
    classes: Mapping[str, Sequence[int]]
    by_name: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, outputs: Sequence[str], taxonomy: Taxonomy, convention: Convention, above: Above
    ) -> "ClassMapping":
        """Map outputs to classes; the arguments are those of `outputs_of`.

        Raises:
            BadInput: an output is below two classes of which neither is a kind of the other.
        """
        classes = outputs_of(outputs, taxonomy, above)
        by_name = match_by_words(outputs, taxonomy).by_name
        return cls(taxonomy.name, hash_of(taxonomy), convention, tuple(outputs), classes, by_name)

    @cached_property
    def known(self) -> frozenset[str]:
        """The classes that have outputs."""
        return frozenset(wnid for wnid, places in self.classes.items() if places)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """What each answer stands for: a class's id, or what an output of no class stands for."""
        return tuple(name for name, _ in self._groups)

    @cached_property
    def _groups(self) -> list[tuple[str, Sequence[int]]]:
        """What each answer stands for, with the places of its outputs."""
        groups = [(wnid, places) for wnid, places in self.classes.items() if places]
        if self.convention.among == "all":
            mapped = {place for _, places in groups for place in places}
            rest = [place for place in range(len(self.outputs)) if place not in mapped]
            groups += [(self.outputs[place], [place]) for place in rest]
        return groups

    @property
    def identity(self) -> dict[str, object]:
        """What answers depend on: part of the key of a run."""
        return {
            "taxonomy": self.taxonomy_hash,
            "pool": self.convention.pool,
            "among": self.convention.among,
            "classes": {wnid: list(places) for wnid, places in self.classes.items()},
            "outputs": list(self.outputs),
        }

    @cached_property
    def keeps_ranks(self) -> bool:
        """Whether a ranked list of outputs is one of answers, so that no score is needed."""
        if any(len(places) > 1 for places in self.classes.values()):
            return False
        return self.convention.among == "all" or len(self.known) == len(self.outputs)

    def answer_count(self, requested: int) -> int:
        """How many answers of a photo are stored where so many are requested."""
        most = FEW - 1 if len(self.classes) <= FEW else requested
        return min(requested, most, len(self.columns))

    @property
    def no_output_message(self) -> str:
        """That no class of the photos has an output, and what to do."""
        named = ", ".join(repr(output) for output in self.outputs[:3] if output)
        what = f"none of its {len(self.outputs):,} outputs ({named}, ...)"
        if self.outputs == tuple(cls.wnid for cls in imagenet1k()):  # which nobody counted
            what = "nothing says what its outputs are but ImageNet's 1,000, of which none"
        return (
            f"{what} is of a class of "
            f"{self.taxonomy} that has photos; say what they stand for with classes=, or give the "
            "classes a synset, a list of ImageNet's classes, or of the model's own names (outputs)"
        )

    def answer(self, output: str) -> str:
        """What an output stands for, where `keeps_ranks`."""
        return self._answers.get(output, output)

    def shares(self, scores: NDArray[Any], are_probabilities: bool = False) -> Floats:
        """The share of each column.

        Outputs that do not compete are struck out before the softmax; of probabilities, the rest
        is divided by its sum.

        Args:
            scores: N x outputs logits, or probabilities.
            are_probabilities: which of the two.

        Returns:
            N x columns, from 0 to 1; of sums, each row sums to 1.
        """
        competing = scores[:, [n for _, places in self._groups for n in places]].astype(np.float64)
        starts = np.cumsum([0, *(len(places) for _, places in self._groups)])[:-1]
        if not are_probabilities:
            best = competing.max(axis=1, keepdims=True)
            competing = np.exp(competing - np.where(np.isfinite(best), best, 0.0))
        total = competing.sum(axis=1, keepdims=True)
        competing /= np.where(total > 0, total, 1.0)
        pooled = np.add if self.convention.pool == "sum" else np.maximum
        found: Floats = pooled.reduceat(competing, starts, axis=1)
        return np.minimum(found, 1.0)

    @cached_property
    def _answers(self) -> dict[str, str]:
        return {self.outputs[place]: wnid for wnid, its in self.classes.items() for place in its}


_NAMED = 5  # classes
_POOLED = {"sum": "probabilities summed", "max": "the largest probability taken"}


def record_of(
    mapping: ClassMapping, truth: Iterable[str], words: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """What a run keeps, as JSON's own types.

    Args:
        mapping: the model's, on the set.
        truth: the class of each photo of the set.
        words: what a model that compares photos with texts calls each class, if it is one.

    Returns:
        `taxonomy` and `taxonomy_hash`; `pool` and `among`; `model_outputs`, how many outputs the
        model has; `outputs`, what the outputs of each class stand for; `by_name`, where there are
        any, the classes that have theirs by an equal name alone; `words`, where they are given; and
        `without`, for each class that has none the number of its photos, which are not counted.
    """
    photos = Counter(truth)
    classes = mapping.classes.items()
    return {
        "taxonomy": mapping.taxonomy,
        "taxonomy_hash": mapping.taxonomy_hash,
        "pool": mapping.convention.pool,
        "among": mapping.convention.among,
        "model_outputs": len(mapping.outputs),
        "outputs": {
            wnid: [mapping.outputs[n] for n in places] for wnid, places in classes if places
        },
        **({"by_name": list(mapping.by_name)} if mapping.by_name else {}),
        **({"words": dict(words)} if words else {}),
        "without": {wnid: photos[wnid] for wnid, places in classes if not places},
    }


def explain(record: Mapping[str, Any]) -> list[str]:
    """What was mapped, in a sentence; what was matched by name alone; and what has no output."""
    outputs, without = record["outputs"], record["without"]
    used = sum(map(len, outputs.values()))
    classes = count(len(outputs) + len(without), "class", "classes")
    how = [_POOLED[record["pool"]]] if used > len(outputs) else []
    how += ["answers among these alone"] if record["among"] == "subset" else []
    sentences = [
        f"{record['taxonomy']}: {f'{len(outputs):,} of' if without else 'all'} {classes} mapped to "
        f"{used:,} of the model's {record['model_outputs']:,} outputs"
        + (f" ({', '.join(how)})" if how else "")
    ]
    if by_name := record.get("by_name"):
        named = ", ".join(f"{outputs[wnid][0]!r} as {wnid}" for wnid in by_name[:_NAMED])
        more = f" and {len(by_name) - _NAMED:,} more" if len(by_name) > _NAMED else ""
        sentences.append(f"outputs mapped by name alone: {named}{more}")
    there = [wnid for wnid in without if without[wnid]]
    if there:
        there.sort(key=lambda wnid: (-without[wnid], wnid))
        named = ", ".join(f"{wnid} ({count(without[wnid], 'photo')})" for wnid in there[:_NAMED])
        more = f" and {len(there) - _NAMED:,} more" if len(there) > _NAMED else ""
        photos = count(sum(without.values()), "photo")
        sentences.append(f"no output for {named}{more}: {photos} not counted")
    return sentences
