"""CITATION.cff says how genset is cited, in the format's words."""

from pathlib import Path
from typing import Any

import yaml

import genset

PATH = Path(__file__).parent.parent / "CITATION.cff"


def test_it_says_what_the_format_requires_of_this_version_and_the_works_it_builds_on() -> None:
    cited: dict[str, Any] = yaml.safe_load(PATH.read_text("utf-8"))
    assert cited["cff-version"] == "1.2.0"
    assert cited["message"] and cited["authors"]
    assert cited["title"] == "genset"
    assert str(cited["version"]) == genset.__version__
    changes = (PATH.parent / "CHANGELOG.md").read_text("utf-8")
    assert f"\n## [{genset.__version__}] - {cited['date-released']}\n" in changes
    titles = [each["title"] for each in cited["references"]]
    for words in ("Analysis of DAWNBench", "Do ImageNet Classifiers Generalize", "WordNet"):
        assert any(title.startswith(words) for title in titles), words
    for each in cited["references"]:
        assert each["type"] and each["authors"] and each["year"]
