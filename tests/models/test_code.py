"""A network's own code is part of its run: changed code is scored anew."""

import json
from pathlib import Path

import torch

from tests.commands import run as run_command
from tests.score.colours import Colours, hundred_photos

NETWORK = """
from tests.score.colours import Colours
from shift import shifted

class Mine(Colours):
    def forward(self, pixels):
        return shifted(super().forward(pixels))
"""


def scored(folder: Path) -> tuple[str, int]:
    """The run's key, and how many photos it has right."""
    spec = "file:mine.pth?arch=mine:Mine&resize=32&crop=32"
    done = run_command("evaluate", "photos", "--model", spec, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    (run,) = json.loads(done.stdout)["runs"]
    return run["key"], run["top1"]["correct"]


def test_answers_of_other_code_are_never_used(tmp_path: Path) -> None:
    hundred_photos(tmp_path / "photos")
    torch.save(Colours().state_dict(), tmp_path / "mine.pth")
    (tmp_path / "mine.py").write_text(NETWORK)
    shift = tmp_path / "shift.py"  # which the network's module imports
    shift.write_text("def shifted(scores):\n    return scores\n")
    first = scored(tmp_path)
    assert scored(tmp_path) == first
    shift.write_text("def shifted(scores):\n    return scores.roll(1, dims=1)\n")
    key, correct = scored(tmp_path)
    assert key != first[0]
    assert correct < first[1]
