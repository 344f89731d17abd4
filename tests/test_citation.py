"""CITATION.cff says how genset is cited, in the format's words."""

from pathlib import Path
from typing import Any

import pytest
import yaml

import genset

PATH = Path(__file__).parent.parent / "CITATION.cff"


@pytest.fixture
def cited() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(PATH.read_text("utf-8"))
    return found


def test_it_has_what_the_format_requires(cited: dict[str, Any]) -> None:
    assert cited["cff-version"] == "1.2.0"
    assert cited["message"]
    assert cited["title"] == "genset"
    assert cited["authors"]


def test_its_version_is_the_packages(cited: dict[str, Any]) -> None:
    assert str(cited["version"]) == genset.__version__


def test_its_date_is_that_of_the_changelog(cited: dict[str, Any]) -> None:
    changes = (PATH.parent / "CHANGELOG.md").read_text("utf-8")
    assert f"\n## [{genset.__version__}] - {cited['date-released']}\n" in changes


def test_it_names_the_works_that_genset_builds_on(cited: dict[str, Any]) -> None:
    titles = [each["title"] for each in cited["references"]]
    for words in ("Analysis of DAWNBench", "Do ImageNet Classifiers Generalize", "WordNet"):
        assert any(title.startswith(words) for title in titles), words
    for each in cited["references"]:
        assert each["type"] and each["authors"] and each["year"]
