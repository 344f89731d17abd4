"""What each of MLPerf's benchmarks is judged by. A log's own ``eval_target`` goes before it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime

from genset.tta.logs.tasks import TOP1

# An eval_accuracy may hold several scores, which must all reach their targets.
Targets = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark of MLPerf Training.

    Attributes:
        score: what it is judged by.
        targets: by round, which scores count as reached, in the log's own unit.
        fractions: logs hold fractions of 1, from this round on; empty: they hold no fractions.
        percent: people read the score in per cent; else in a unit of its own.
        hundredfold: fractions of it are read a hundredfold without being per cent, as BLEU.
    """

    score: str
    targets: Mapping[str, Targets]
    fractions: str = "0.5"
    percent: bool = False
    hundredfold: bool = False
    lower_is_better: bool = False

    def is_fraction(self, form: str) -> bool:
        """Whether a log of this form holds fractions of 1."""
        return bool(self.fractions) and float(form or "0.7") >= float(self.fractions)

    def target(self, form: str, seconds: float) -> Targets | None:
        """The scores that count as reached, by a log's form and its time; None if not known.

        From v0.7 on lines do not tell their round. Then it is the one of the day.
        """
        day = datetime.fromtimestamp(seconds, UTC).date() if seconds < _YEAR_5000 else date.max
        held = form or next(name for name, until in _ROUNDS if day <= until)
        past = [at for name, at in self.targets.items() if float(name) <= float(held)]
        return past[-1] if past else None


_YEAR_5000 = 95_617_584_000

# Rounds that changed a target, and when the next one's work began: halfway between the deadlines.
_ROUNDS = (
    ("0.7", date(2020, 12, 1)),
    ("1.0", date(2022, 1, 1)),
    ("2.0", date.max),
)

# Source: the rules of MLPerf Training, rounds v0.5 to v2.1.
_BENCHMARKS = {
    "resnet": Benchmark(TOP1, {"0.5": (0.749,), "0.6": (0.759,)}, percent=True),
    "ssd": Benchmark("mAP", {"0.5": (0.212,), "0.6": (0.23,), "2.0": (0.34,)}),
    "maskrcnn": Benchmark("box mAP", {"0.5": (0.377, 0.339)}),  # of boxes, of segments
    "gnmt": Benchmark(
        "BLEU", {"0.5": (21.8,), "0.6": (24.0,), "0.7": (0.24,)}, "0.7", hundredfold=True
    ),
    "transformer": Benchmark("BLEU", {"0.5": (25.0,), "0.7": (0.25,)}, "0.7", hundredfold=True),
    "ncf": Benchmark("hit rate", {"0.5": (0.635,)}, percent=True),
    "minigo": Benchmark("win rate", {"0.5": (0.4,), "0.6": (0.5,)}, percent=True),
    "bert": Benchmark("masked-LM accuracy", {"0.7": (0.712,), "1.0": (0.72,)}, percent=True),
    "dlrm": Benchmark("AUC", {"0.7": (0.8025,)}),
    "rnnt": Benchmark("word error rate", {"1.0": (0.058,)}, "", lower_is_better=True),
    "unet3d": Benchmark("mean DICE", {"1.0": (0.908,)}),
}
_ALSO = {
    "resnet50": "resnet",
    "mask": "maskrcnn",
    "mask_rcnn": "maskrcnn",
    "single_stage_detector": "ssd",
    "rnn_translator": "gnmt",
    "recommendation": "ncf",
    "rnn_t": "rnnt",
}


def known_name(name: str) -> str:
    """The name of a benchmark that goes by several; empty if it is none of those known."""
    plain = name.strip().lower().replace("-", "_")
    plain = _ALSO.get(plain, plain)
    return plain if plain in _BENCHMARKS else ""


def benchmark(name: str) -> Benchmark:
    """What a benchmark is judged by; one that is not known, by its ``eval_accuracy``."""
    return _BENCHMARKS.get(known_name(name), Benchmark("eval_accuracy", {}, fractions=""))
