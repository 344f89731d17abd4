"""What docs say of a source is what genset says of it."""

from pathlib import Path

import pytest

from genset.sources.source import source_class, source_names

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("name", source_names())
def test_docs_print_the_words_of_each_source(name: str) -> None:
    about = source_class(name).about
    docs = (ROOT / "docs" / "sources.md").read_text("utf-8")
    words = (about.needs, about.found, about.limits, about.posted, about.taken, about.terms)
    for said in (*words, about.warning, about.notice):
        assert not said or f": {said}\n" in docs, said
