"""`model_kwargs=`: networks that are made with other arguments than their library's."""

import json
from pathlib import Path

import pytest
import timm
import torch

from tests.commands import says
from tests.score.painted import painted_set
from tests.score.scoring import load_model


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
