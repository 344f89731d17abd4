"""What blurred faces cost a model: the same photos as they are and with their faces blurred."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from genset.core.numbers import count
from genset.release.reader import MANIFEST, read_manifest
from genset.score.results.runs import Run, all_runs, load_predictions, run_folder
from genset.sets.photos import PhotoSet
from genset.statistics.intervals import Interval
from genset.statistics.paired import paired_interval


@dataclass(frozen=True, slots=True)
class BlurCost:
    """A model on a variant and on the release that it was made of, over the photos of both.

    Attributes:
        model: its name.
        release: the name of the release with the faces.
        photos: how many count for both; `changed`: how many of them have blurred faces.
        right, right_before: right first answers on the variant, and on the release.
        lost, gained: photos that are right on the release alone, and on the variant alone.
        difference: top-1 on the variant less that on the release, -1 to 1.
        interval: its 95 % interval (`genset.statistics.paired`).
    """

    model: str
    release: str
    photos: int
    changed: int
    right: int
    right_before: int
    lost: int
    gained: int
    difference: float
    interval: Interval

    def as_json(self) -> dict[str, Any]:
        """As one object."""
        return asdict(self)

    def __str__(self) -> str:
        shares = [100 * number / self.photos for number in (self.right, self.right_before)]
        low, high = 100 * self.interval.low, 100 * self.interval.high
        if low <= 0 <= high:
            says = f"these photos cannot tell whether it costs anything ({low:+.1f} to {high:+.1f})"
        else:
            says = f"{100 * self.difference:+.1f} points ({low:+.1f} to {high:+.1f})"
        return (
            f"{self.model}, faces blurred in {self.changed:,} of {count(self.photos, 'photo')}: "
            f"top-1 {shares[0]:.1f} %, {shares[1]:.1f} % on {self.release}; {self.lost:,} lost, "
            f"{self.gained:,} gained: {says}"
        )


def blur_costs(photos: PhotoSet, runs: Path, made: Sequence[Run]) -> tuple[list[BlurCost], str]:
    """The cost for each model that was scored on both, and the release that the set was made of.

    Args:
        photos: the set, which `made` are of.
        runs: where runs are kept.
        made: the runs on the variant.

    Returns:
        The costs, and the release's name: "" where the set is no variant.
    """
    path = photos.root / MANIFEST
    variant = read_manifest(path).variant if path.is_file() else None
    if variant is None:
        return [], ""
    name, whole = variant["name"], variant["content_hash"]
    before = [(folder, run) for folder, run in all_runs(runs) if run.set_hash == whole]
    found = []
    for run in made:
        same = [folder for folder, each in before if _is_same_model(each, run)]
        if same:
            folder = run_folder(runs, photos.name, run.model, run.key)
            found.append(_cost(run.model, name, folder, same[-1], variant["changed"]))
    return [each for each in found if each.photos], name


def _is_same_model(one: Run, other: Run) -> bool:
    return _of_model(one) == _of_model(other)


def _of_model(run: Run) -> tuple[object, ...]:
    """What two runs have in common that differ by their photos alone."""
    return run.weights_hash, run.preprocessing, run.precision, run.convention, run.model


def _cost(
    model: str, release: str, blurred: Path, whole: Path, changed: dict[str, dict[str, Any]]
) -> BlurCost:
    before = {
        prediction.image: prediction.top[0] == prediction.wnid
        for prediction in load_predictions(whole)
    }
    pairs = []
    for prediction in load_predictions(blurred):
        original = (
            changed[prediction.image]["of"] if prediction.image in changed else prediction.image
        )
        if original in before:
            pairs.append(
                (
                    prediction.top[0] == prediction.wnid,
                    before[original],
                    prediction.image in changed,
                )
            )
    gained = sum(now and not then for now, then, _ in pairs)
    lost = sum(then and not now for now, then, _ in pairs)
    return BlurCost(
        model=model,
        release=release,
        photos=len(pairs),
        changed=sum(is_changed for _, _, is_changed in pairs),
        right=sum(now for now, _, _ in pairs),
        right_before=sum(then for _, then, _ in pairs),
        lost=lost,
        gained=gained,
        difference=(gained - lost) / len(pairs) if pairs else 0.0,
        interval=paired_interval(gained, lost, max(len(pairs), 1)),
    )
