"""A large report, written once for all tests of the page."""

from pathlib import Path

import numpy as np
import pytest

from genset.reporting.options import ReportOptions
from genset.reporting.write import Report
from tests.reporting.many import confidences, drawn, keep, score_many
from tests.reporting.sets import release_of

MODELS, PHOTOS = 70, 120
REVERSED = "upside-down"


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of 70 models on a release, and of one whose answers stand in reverse order."""
    return _written(tmp_path_factory.mktemp("large"), MODELS, PHOTOS)


@pytest.fixture(scope="session")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of ten models, which most people make."""
    return _written(tmp_path_factory.mktemp("several"), 9, 60)


def _written(root: Path, models: int, count: int) -> Path:
    photos, runs = release_of(root / "set", count), root / "runs"
    made = score_many(photos, runs, models)
    sure = confidences(np.ones(count, bool), np.random.default_rng(1))
    keep(photos, runs, REVERSED, drawn(photos, 0.75)[:, ::-1], sure)
    elsewhere = root / "elsewhere.csv"
    rows = [f"{run.model},{100 * min(0.99, run.top1.share + 0.1):.2f}" for run in made]
    elsewhere.write_text("\n".join(["model,top1", *rows]))
    Report(photos, runs, ReportOptions(reference=str(elsewhere))).write(root / "report.html")
    return root / "report.html"
