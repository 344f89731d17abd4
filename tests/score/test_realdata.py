"""Real weights on real photos."""

from pathlib import Path

import pytest
import torch
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.models import SqueezeNet1_0_Weights, squeezenet1_0

from genset.score.results.runs import find_runs, load_predictions
from genset.sets.open import open_set
from tests.score.colours import WNIDS
from tests.score.real import some_photos
from tests.score.scoring import evaluate

pytestmark = pytest.mark.realdata


@pytest.mark.soak
def test_a_real_checkpoint_answers_as_a_script_with_torchvision_alone(
    realdata: Path, tmp_path: Path
) -> None:
    photos = some_photos(realdata, tmp_path / "photos", classes=50, each=2)
    checkpoint = realdata / "checkpoints" / "squeezenet1_0.pth"
    spec = f"file:{checkpoint}?arch=torchvision:squeezenet1_0"
    (run,) = evaluate(open_set(str(photos)), [spec], tmp_path / "runs")
    ((folder, _),) = find_runs(tmp_path / "runs", "photos")

    network = squeezenet1_0()
    network.load_state_dict(torch.load(checkpoint))
    opened = ImageFolder(str(photos), SqueezeNet1_0_Weights.IMAGENET1K_V1.transforms())
    truth = torch.tensor([WNIDS.index(opened.classes[target]) for target in opened.targets])
    with torch.inference_mode():
        batches = [network.eval()(pixels).topk(5).indices for pixels, _ in DataLoader(opened, 20)]
    best = torch.cat(batches)

    assert run.top1.photos == run.top5.photos == 100
    assert run.top1.correct == int((best[:, 0] == truth).sum())
    assert run.top5.correct == int((best == truth[:, None]).sum())
    assert 40 <= run.top1.correct < run.top5.correct < 100  # as real as that
    about = SqueezeNet1_0_Weights.IMAGENET1K_V1.meta  # its "_ops" count a multiply-add as one
    assert run.cost["flops"] / 2e9 == pytest.approx(about["_ops"], rel=0.01)
    assert run.cost["parameters"] == about["num_params"]
    assert run.cost["image_size"] == 224
    assert run.cost["photos_per_second"] > 0
    assert run.engine_settings["tf32"] is False
    assert [prediction.top for prediction in load_predictions(folder)] == [
        tuple(WNIDS[place] for place in places) for places in best.tolist()
    ]
