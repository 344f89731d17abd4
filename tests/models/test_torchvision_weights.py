"""``torchvision:NAME``: where its weights come from, and what to do where they cannot come."""

from pathlib import Path
from urllib.error import URLError

import pytest
import torch
from torchvision import models

from genset.core.errors import ModelError
from tests.models.checkpoints.test_malicious import Calls
from tests.score.scoring import load_model

FILE = "squeezenet1_1-b8a52dc0.pth"


@pytest.fixture
def downloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where torch keeps downloaded weights: an empty folder, on a machine without a network."""

    def no_network(*_: object, **__: object) -> None:
        raise URLError("Network is unreachable")

    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "torch"))
    monkeypatch.setattr(torch.hub, "download_url_to_file", no_network)
    return tmp_path / "torch" / "hub" / "checkpoints"


@pytest.fixture(scope="module")
def weights() -> dict[str, torch.Tensor]:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        weights: dict[str, torch.Tensor] = models.squeezenet1_1().state_dict()
    return weights


def test_without_a_network_the_message_names_the_offline_ways(downloaded: Path) -> None:
    with pytest.raises(ModelError) as refused:
        load_model("torchvision:squeezenet1_1")
    said = str(refused.value)
    assert "Network is unreachable" in said
    assert f"copy {FILE} into {downloaded}" in said
    assert f"file:{FILE}?arch=torchvision:squeezenet1_1" in said


def test_both_offline_ways_and_a_download_give_the_same_model(
    downloaded: Path,
    weights: dict[str, torch.Tensor],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def download(url: str, file: str, *_: object, **__: object) -> None:
        assert url == f"https://download.pytorch.org/models/{FILE}"
        torch.save(weights, file)

    with monkeypatch.context() as patch:
        patch.setattr(torch.hub, "download_url_to_file", download)
        fetched = load_model("torchvision:squeezenet1_1")
    assert capsys.readouterr().out == ""  # which is for the answer
    copied = load_model("torchvision:squeezenet1_1")
    monkeypatch.chdir(downloaded)
    named = load_model(f"file:{FILE}?arch=torchvision:squeezenet1_1")
    assert fetched.weights_hash == copied.weights_hash == named.weights_hash
    assert copied.preprocessing == named.preprocessing
    assert copied.preprocessing.described() == {
        "resize": 256,
        "crop": 224,
        "interpolation": "bilinear",
        "mean": [0.485, 0.456, 0.406],
        "std": [0.229, 0.224, 0.225],
    }
    changed = load_model("torchvision:squeezenet1_1@IMAGENET1K_V1?crop=200&mean=0.5")
    assert changed.preprocessing.geometry.crop == 200
    assert list(changed.preprocessing.mean) == [0.5, 0.5, 0.5]
    found = copied.network.state_dict()
    assert all(torch.equal(weight, weights[key]) for key, weight in found.items())


@pytest.mark.parametrize("what", ["text", "code", "another"])
def test_a_file_there_that_is_not_these_weights_is_named_and_runs_no_code(
    downloaded: Path, weights: dict[str, torch.Tensor], what: str
) -> None:
    downloaded.mkdir(parents=True)
    file = downloaded / FILE
    if what == "text":
        file.write_text("<html>please sign in to this network</html>")
    elif what == "code":
        torch.save(Calls(Path.touch, downloaded / "it ran"), file)
    else:
        torch.save({"fc.weight": weights["classifier.1.weight"]}, file)
    why = r"\d+ missing \(.*\.\.\.\); 1 unexpected \(fc" if what == "another" else ""
    with pytest.raises(ModelError, match=rf"{file} does not hold its weights .*{why}.*delete"):
        load_model("torchvision:squeezenet1_1")
    assert not (downloaded / "it ran").exists()
