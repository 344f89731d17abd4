"""A network's own code and arguments are part of its run: with others it is scored anew."""

import json
from pathlib import Path

import pytest
import timm
import torch

from tests.commands import run as run_command
from tests.commands import says
from tests.score.colours import Colours, hundred_photos
from tests.score.painted import painted_set
from tests.score.scoring import load_model

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


def test_a_network_of_another_size_and_pooling_is_scored_by_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    painted_set(tmp_path / "photos")
    made = timm.create_model("test_vit", img_size=64, class_token=False, global_pool="avg")
    torch.save(made.state_dict(), "vit.pth")
    spec = "file:vit.pth?arch=timm:test_vit&model_kwargs=img_size=64,class_token=False,global_pool="
    assert says("evaluate", "photos", "--model", f"{spec}avg")
    assert says("evaluate", "photos", "--model", f"{spec}max")
    records = [json.loads(file.read_text()) for file in tmp_path.glob("**/run.json")]
    assert sorted(record["spec"] for record in records) == [f"{spec}avg", f"{spec}max"]
    assert {record["preprocessing"]["crop"] for record in records} == {64}
    assert len({record["weights_hash"] for record in records}) == 1
    loaded, photo = load_model(f"{spec}avg"), torch.rand(1, 3, 64, 64)
    assert torch.equal(loaded.network(photo), made.eval()(photo))
