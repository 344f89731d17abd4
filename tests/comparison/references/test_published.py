"""The table of published accuracies that genset ships, against where it is from."""

import csv
from pathlib import Path

import pytest

from genset.comparison.references.published import (
    LADDER,
    SETS,
    one_a_weights,
    published,
    rungs,
    sources,
)


def test_each_figure_has_its_source_with_licence_and_date() -> None:
    libraries = {row.weights.partition(":")[0] for row in published()}
    assert set(sources()) == libraries == {"timm", "torchvision"}
    assert "Apache-2.0, as of 2026-08" in sources()["timm"]
    assert "BSD-3-Clause" in sources()["torchvision"]


def test_torchvisions_figures_are_torchvisions() -> None:
    from benchmarks.published_accuracies import of_torchvision

    made = {(row["weights"], row["pixels"]): row for row in of_torchvision()}
    shipped = [row for row in published() if row.weights.startswith("torchvision:")]
    assert len(shipped) == 114
    # A newer torchvision may know more models, or other default weights.
    for row in shipped:
        found = made[row.weights, row.pixels]
        assert (row.top1["imagenet"], row.top5) == (
            pytest.approx(float(str(found["imagenet"])) / 100),
            pytest.approx(float(str(found["imagenet_top5"])) / 100),
        )


@pytest.mark.realdata
def test_timms_figures_are_timms_all_of_them(realdata: Path) -> None:
    names = ("imagenet", "imagenet-real", "imagenetv2-matched-frequency")
    shipped = [row for row in published() if row.weights.startswith("timm:")]
    for column, name in zip(SETS, names, strict=False):
        with (realdata / "timm" / f"results-{name}.csv").open(newline="") as file:
            theirs = {
                (f"timm:{row['model']}", int(row["img_size"])): float(row["top1"])
                for row in csv.DictReader(file)
            }
        ours = {(row.weights, row.pixels): 100 * row.top1[column] for row in shipped}
        assert ours == pytest.approx(theirs)
    assert (len(shipped), len({row.weights for row in shipped})) == (1556, 1266)


def test_weights_of_several_sizes_count_once_at_the_smallest() -> None:
    found = one_a_weights()
    sizes: dict[str, list[int]] = {}
    for row in published():
        sizes.setdefault(row.weights, []).append(row.pixels)
    assert len(found) == len({row.weights for row in found}) == 1266
    assert all(row.pixels == min(sizes[row.weights]) for row in found)


def test_the_ladder_goes_from_weak_to_strong_over_as_many_architectures() -> None:
    known = {row.weights: row for row in reversed(published())}
    shares = [known[spec].top1["imagenet"] for spec in LADDER]
    assert shares == sorted(shares)
    assert shares[0] < 0.6 < 0.85 < shares[-1]
    assert len({known[spec].architecture for spec in LADDER}) == len(LADDER) >= 6
    assert rungs({LADDER[2]}) == (*LADDER[:2], *LADDER[3:])
