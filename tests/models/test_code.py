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


def test_answers_of_other_code_are_never_used(tmp_path: Path) -> None:
    hundred_photos(tmp_path / "photos")
    torch.save(Colours().state_dict(), tmp_path / "mine.pth")
    (tmp_path / "mine.py").write_text(NETWORK)
    runs = []
    for answer in ("scores", "scores", "scores.roll(1, dims=1)"):
        # In what the network's module imports.
        (tmp_path / "shift.py").write_text(f"def shifted(scores):\n    return {answer}\n")
        spec = "file:mine.pth?arch=mine:Mine&resize=32&crop=32"
        done = run_command("evaluate", "photos", "--model", spec, "--json", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        runs += json.loads(done.stdout)["runs"]
    first, again, other = ((run["key"], run["top1"]["correct"]) for run in runs)
    assert first == again
    assert first[0] != other[0] and first[1] > other[1]
