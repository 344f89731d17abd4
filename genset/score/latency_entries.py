"""Times of models on one photo at a time, with prices, as inference entries of DAWNBench's."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from getpass import getuser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from genset.core.errors import GensetError
from genset.core.progress import progress
from genset.score.engines import ENGINES
from genset.tta.record.header import Header, cost_of, hardware, write_inference
from genset.tta.runs import TASKS, TOP1, TOP5

if TYPE_CHECKING:
    from genset.models.spec import ModelSpec
    from genset.score.latency import Latency, Times
    from genset.score.options import ScoringOptions
    from genset.score.results.runs import Run
    from genset.sets.photos import PhotoSet

NETWORK = "from pixels in memory to scores: normalization, copies to a GPU and back, the network"
FROM_FILE = "from the photo's file, as the system keeps it in memory, to its best classes"


@dataclass(frozen=True, slots=True)
class ModelTimes:
    """A model's times beside its run, the price of an hour (US dollars), and the entry's file."""

    run: "Run"
    latency: "Latency"
    price: float | None
    entry: Path

    def cost_10k(self, times: "Times") -> float | None:
        """What 10,000 photos cost."""
        cost = cost_of(times.mean, self.price)
        return None if cost is None else 10_000 * cost

    @property
    def cost_10k_many(self) -> float | None:
        """What 10,000 photos cost in batches."""
        rate = self.latency.photos_a_second
        return rate and cost_of(10_000 * 1000 / rate, self.price)

    def as_json(self) -> dict[str, object]:
        """The times and costs; the run has its own place."""
        return {
            **asdict(self.latency),
            "cost_per_hour": self.price,
            "cost_10k": self.cost_10k(self.latency.network),
            "cost_10k_from_file": self.cost_10k(self.latency.from_file),
            "photos_a_second": self.latency.photos_a_second,
            "cost_10k_many": self.cost_10k_many,
            "entry": str(self.entry),
        }


def time_models(
    photos: "PhotoSet",
    runs: Path,
    options: "ScoringOptions",
    models: "Sequence[tuple[ModelSpec, Run]]",
    folder: Path,
    price: float | None,
    batch: int | None = None,
    channels_last: bool = False,
) -> "Iterator[tuple[ModelSpec, ModelTimes | GensetError]]":
    """Time models, one after the other, and write an entry for each.

    A model that fails does not stop the others. Predictions cannot be timed, and are left out.

    Args:
        photos: the set.
        runs: the folder of runs.
        options: how the models were scored.
        models: their specs with their runs.
        folder: where the entries are written.
        price: of an hour of this machine, in US dollars; None if it is not known.
        batch, channels_last: see `measure`.

    Yields:
        Each spec, with its times or the reason why there are none.
    """
    # One model that was named twice is one run.
    networks = {run.key: (spec, run) for spec, run in models if not spec.is_predictions}
    if not networks:
        return
    from genset.score.latency import measure  # needs PyTorch

    for spec, run in progress(
        networks.values(), total=len(networks), what="one photo at a time", unit="model"
    ):
        try:
            latency = measure(photos, spec, run, runs, options, batch, channels_last)
            made = ModelTimes(run, latency, price, _entry(run, latency, folder, price))
        except GensetError as error:
            yield spec, error
        else:
            yield spec, made


def _entry(run: "Run", latency: "Latency", folder: Path, price: float | None) -> Path:
    from genset.score.latency import WARM_UP

    header = Header(
        task=TASKS["imagenet"],
        author=getuser(),
        author_email="",
        model=run.model,
        hardware=hardware(),
        framework=f"{ENGINES[latency.engine].title} {latency.engine_version}",
        cost_per_hour=price,
    )
    scores = {TOP1: 100 * run.top1.share}
    if run.top5:
        scores[TOP5] = 100 * run.top5.share
    mapping = run.mapping or {}  # on classes of a user's own
    network, whole = latency.network, latency.from_file
    priced = {} if price is None else {"cost": cost_of(whole.mean, price)}
    many = latency.many
    misc: dict[str, Any] = {
        "latency": f"mean; {NETWORK}",
        **asdict(network),
        "fromFile": {
            "what": FROM_FILE,
            "latency": whole.mean,
            **priced,
            **asdict(whole),
        },
        "warmUp": WARM_UP,
        "photos": latency.photos,
        "sameTop5AsScored": f"{latency.same} of {latency.compared}",
        "batch": latency.batch,
        **({} if many is None else {"many": {"photos": latency.many_photos, **asdict(many)}}),
        "threads": latency.threads,
        "device": latency.device,
        "precision": ", ".join(filter(None, [latency.precision, latency.form])),
        "decoding": run.preprocessing.get("decoding", "exact"),
        "set": run.set_name,
        "setHash": run.set_hash,
        "setPhotos": run.top1.photos,
        **{name: mapping[name] for name in ("taxonomy", "pool", "among") if name in mapping},
        "weightsHash": run.weights_hash,
    }
    try:
        return write_inference(folder, header, network.mean, scores, misc)
    except OSError as error:
        why = error.strerror or error
        raise GensetError(f"no entry can be written to {folder}: {why}") from None
