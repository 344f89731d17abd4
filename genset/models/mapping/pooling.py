"""From a model's scores to shares of the classes of a set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genset.classes import Taxonomy, hash_of
from genset.models.mapping.convention import Convention
from genset.models.mapping.outputs import Above, outputs_of
from genset.models.mapping.words import met_by_words

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
        by_name = met_by_words(outputs, taxonomy).by_name
        return cls(taxonomy.name, hash_of(taxonomy), convention, tuple(outputs), classes, by_name)

    @cached_property
    def known(self) -> frozenset[str]:
        """The classes that have outputs."""
        return frozenset(wnid for wnid, places in self.classes.items() if places)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """What each answer stands for: a class's id, or what an output of no class stands for."""
        own = [wnid for wnid, places in self.classes.items() if places]
        return (*own, *(self.outputs[place] for place in self._unmapped))

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

    def kept(self, asked: int) -> int:
        """How many answers of a photo are kept, of so many that are asked for."""
        most = FEW - 1 if len(self.classes) <= FEW else asked
        return min(asked, most, len(self.columns))

    @property
    def says_none(self) -> str:
        """That no class of the photos has an output, and what to do."""
        named = ", ".join(repr(output) for output in self.outputs[:3] if output)
        return (
            f"none of its {len(self.outputs):,} outputs ({named}, ...) is of a class of "
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
        competing = scores[:, self._competing].astype(np.float64)
        if not are_probabilities:
            best = competing.max(axis=1, keepdims=True)
            competing = np.exp(competing - np.where(np.isfinite(best), best, 0.0))
        total = competing.sum(axis=1, keepdims=True)
        competing /= np.where(total > 0, total, 1.0)
        pooled = np.add if self.convention.pool == "sum" else np.maximum
        found: Floats = pooled.reduceat(competing, self._starts, axis=1)
        return np.minimum(found, 1.0)

    @cached_property
    def _answers(self) -> dict[str, str]:
        return {self.outputs[place]: wnid for wnid, its in self.classes.items() for place in its}

    @cached_property
    def _unmapped(self) -> list[int]:
        """The places of outputs of no class, where they compete."""
        if self.convention.among == "subset":
            return []
        mapped = {place for places in self.classes.values() for place in places}
        return [place for place in range(len(self.outputs)) if place not in mapped]

    @cached_property
    def _competing(self) -> NDArray[np.intp]:
        """The places of outputs that compete, column by column."""
        own = [place for places in self.classes.values() for place in places]
        return np.array([*own, *self._unmapped], dtype=np.intp)

    @cached_property
    def _starts(self) -> NDArray[np.intp]:
        """Where each column begins among the outputs that compete."""
        sizes = [len(places) for places in self.classes.values() if places]
        sizes += [1] * len(self._unmapped)
        return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp)
