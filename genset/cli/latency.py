"""What `genset evaluate --latency` adds: times, prices, entries of DAWNBench's."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from genset.cli.common import show_table
from genset.errors import BadInput, GensetError
from genset.progress import progress

if TYPE_CHECKING:
    from genset.evaluate.latency import Latency, Times
    from genset.evaluate.options import Options
    from genset.evaluate.photos import PhotoSet
    from genset.evaluate.runs import Run

_FRAMEWORKS = {"torch": "PyTorch", "onnxruntime": "ONNX Runtime", "openvino": "OpenVINO"}
_NETWORK = "from pixels in memory to scores: normalization, copies to a GPU and back, the network"
_FROM_FILE = "from the photo's file, as the system keeps it in memory, to its best classes"


@dataclass(frozen=True, slots=True)
class Timed:
    """A model's times beside its run, the price of an hour (US dollars), and the entry's file."""

    run: "Run"
    latency: "Latency"
    price: float | None
    entry: Path

    def cost_10k(self, times: "Times") -> float | None:
        """What 10,000 photos cost."""
        from genset.tta.inference import cost_of

        cost = cost_of(times.mean, self.price)
        return None if cost is None else 10_000 * cost

    def as_json(self) -> dict[str, object]:
        """The times and costs; the run has its own place."""
        return {
            **asdict(self.latency),
            "cost_per_hour": self.price,
            "cost_10k": self.cost_10k(self.latency.network),
            "cost_10k_from_file": self.cost_10k(self.latency.from_file),
            "entry": str(self.entry),
        }


def check_latency(folder: Path | None, price: float | None) -> None:
    """Refuse what would only fail after hours of scoring.

    Raises:
        BadInput: the folder cannot be made, or there is a price and nothing to be priced.
    """
    if folder is None:
        if price is not None:
            raise BadInput("--price-per-hour is for --latency FOLDER, which is not asked for")
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"--latency {folder}: {error.strerror}") from None


def timed(
    photos: "PhotoSet",
    runs: Path,
    options: "Options",
    models: "Sequence[tuple[str, Run]]",
    folder: Path,
    price: float | None,
) -> "Iterator[tuple[str, Timed | GensetError]]":
    """Time models, given by their specs with their runs, one after the other; write the entries.

    By spec, the times, or why there are none: a model that fails does not stop the others. What
    only has answers from elsewhere cannot be timed, and is left out.
    """
    # One model that was named twice is one run.
    networks = {run.key: (spec, run) for spec, run in models if not spec.startswith("predictions:")}
    if not networks:
        return
    from genset.evaluate.latency import measure

    for spec, run in progress(
        networks.values(), total=len(networks), what="one photo at a time", unit="model"
    ):
        try:
            latency = measure(photos, spec, run, runs, options)
            made = Timed(run, latency, price, _entry(run, latency, folder, price))
        except GensetError as error:
            yield spec, error
        else:
            yield spec, made


def _entry(run: "Run", latency: "Latency", folder: Path, price: float | None) -> Path:
    from getpass import getuser

    from genset.evaluate.latency import WARM_UP
    from genset.tta.inference import cost_of, write_inference
    from genset.tta.machine import hardware
    from genset.tta.recording import Header
    from genset.tta.tasks import TASKS, TOP1, TOP5

    header = Header(
        task=TASKS["imagenet"],
        author=getuser(),
        author_email="",
        model=run.model,
        hardware=hardware(),
        framework=f"{_FRAMEWORKS[latency.engine]} {latency.engine_version}",
        cost_per_hour=price,
    )
    scores = {TOP1: 100 * run.top1.share}
    if run.top5:
        scores[TOP5] = 100 * run.top5.share
    network, whole = latency.network, latency.from_file
    priced = {} if price is None else {"cost": cost_of(whole.mean, price)}
    misc = {
        "latency": f"mean; {_NETWORK}",
        **_beside_mean(network),
        "fromFile": {
            "what": _FROM_FILE,
            "latency": whole.mean,
            **priced,
            **_beside_mean(whole),
        },
        "warmUp": WARM_UP,
        "photos": latency.photos,
        "sameTop5AsScored": f"{latency.same} of {latency.compared}",
        "batch": latency.batch,
        "threads": latency.threads,
        "device": latency.device,
        "precision": latency.precision,
        "decoding": run.preprocessing.get("decoding", "exact"),
        "set": run.set_name,
        "setHash": run.set_hash,
        "setPhotos": run.top1.photos,
        "weightsHash": run.weights_hash,
    }
    try:
        return write_inference(folder, header, network.mean, scores, misc)
    except OSError as error:
        why = error.strerror or error
        raise GensetError(f"no entry can be written to {folder}: {why}") from None


def _beside_mean(times: "Times") -> dict[str, float]:
    found = asdict(times)
    del found["mean"]
    return found


def show_timed(found: "Sequence[Timed]", given: "Sequence[str]") -> None:
    """Print times and costs beside the accuracies; and that `given` answers have none."""
    from genset.report.words import percent
    from genset.tta.show import dollars

    priced = any(each.price is not None for each in found)
    head = ["one photo at a time", "top-1 %", "top-5 %"]
    for what in ("network", "from file"):
        head += [f"{what} ms", "p95 ms", *(["10,000 photos"] if priced else [])]
    rows = []
    for each in found:
        tops = (each.run.top1, each.run.top5)
        cells = [each.run.model, *(percent(top.share, top.photos) if top else "-" for top in tops)]
        for times in (each.latency.network, each.latency.from_file):
            cells += [f"{times.median:.4g}", f"{times.p95:.4g}"]
            cells += [dollars(each.cost_10k(times))] if priced else []
        rows.append(cells)
    if rows:
        show_table(head, rows)
        click.echo(f"network: {_NETWORK}.\nfrom file: {_FROM_FILE}.")
    for each in found:
        click.echo(f"{each.run.model}: {_said(each.latency)} Written to {each.entry}.")
    for model in given:
        click.echo(f"{model}: not timed, its answers come from elsewhere")


def _said(found: "Latency") -> str:
    threads = f"{found.threads} thread{'s' * (found.threads > 1)} of the CPU"
    where = threads if found.device == "cpu" else f"{found.device}, {threads}"
    network, whole = found.network, found.from_file
    said = (
        f"Medians of {network.timings} and {whole.timings} timings of {found.photos} photos, "
        f"{_FRAMEWORKS[found.engine]} {found.engine_version}, {found.precision}, {where}."
    )
    if found.batch > 1:
        said += f" The network takes {found.batch} photos at once, and that is its time."
    if not (network.steady and whole.steady):
        said += " Not steady: is the machine at rest?"
    if found.same < found.compared:
        said += f" {found.same} of {found.compared} photos got the five classes of the run."
    return said
