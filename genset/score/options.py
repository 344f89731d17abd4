"""How models are scored."""

from dataclasses import dataclass
from pathlib import Path

from genset.classes import imagenet1k
from genset.core.errors import BadInput
from genset.models.mapping.pooling import Among, Convention, Pool
from genset.score.engines import ENGINES, PRECISIONS
from genset.score.workers import CLUSTERS

DECODINGS = ("exact", "fast")


@dataclass(frozen=True, slots=True)
class ScoringOptions:
    """How models are scored.

    Attributes:
        keep: how many classes of each photo are kept: 5 to 1,000; 0: none, of features.
        logits: keep all logits too.
        engine: one of `ENGINES`, or "auto": the fastest that gives PyTorch's answers.
        precision: one of `PRECISIONS`.
        decoding: "exact": photos resized by Pillow, as models' own pipelines do; or "fast".
        workers: processes that decode and score, or decode for a GPU; 0: one a core.
        cluster: "": this machine scores; or one of `CLUSTERS`.
        cache: folder where pixels are kept for later runs; None: they are not.
        allow_code: load models that are code (TorchScript).
        pool: on a set of other classes than ImageNet's, what a class gets of the probabilities of
            a model's outputs: their "sum" or "max", the largest.
        among: there, what competes: "all" outputs, or the "subset" of those of the set's classes.

    Raises:
        BadInput: a value is none of these.
    """

    keep: int = 5
    logits: bool = False
    engine: str = "auto"
    precision: str = "float32"
    decoding: str = "exact"
    workers: int = 0
    cluster: str = ""
    cache: Path | None = None
    allow_code: bool = False
    pool: Pool = "sum"
    among: Among = "all"

    @property
    def convention(self) -> Convention:
        """How outputs meet classes that are not ImageNet's."""
        return Convention(self.pool, self.among)

    def __post_init__(self) -> None:
        """Refuse what is not possible."""
        for what, number in (("keep", self.keep), ("workers", self.workers)):
            if not isinstance(number, int):
                raise BadInput(f"{what} is a whole number, not {number!r}")
        _ = self.convention  # which refuses what is not possible
        classes = len(imagenet1k())
        if self.keep and not 5 <= self.keep <= classes:
            raise BadInput(f"5 to {classes} classes of each photo can be kept, not {self.keep}")
        for what, value, known in (
            ("engine", self.engine, ("auto", *ENGINES)),
            ("precision", self.precision, PRECISIONS),
            ("decoding", self.decoding, DECODINGS),
            ("engine cluster", self.cluster, ("", *CLUSTERS)),
        ):
            if value not in known:
                raise BadInput(f"{what} is one of {', '.join(filter(None, known))}, not {value}")
        if self.engine != "auto":
            ENGINES[self.engine].check_precision(self.precision)
        if not 0 <= self.workers <= 1024:
            raise BadInput(f"0 to 1024 workers can score, not {self.workers}")
        if self.workers and self.cluster:
            raise BadInput("how many processes score is up to the cluster: leave out --workers")
