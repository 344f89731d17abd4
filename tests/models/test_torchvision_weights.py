"""``torchvision:NAME``: where its weights come from, and what to do where they cannot come."""

from collections.abc import Callable
from pathlib import Path
from urllib.error import URLError

import pytest
import torch
from torchvision import models

from genset.core.errors import BadInput, ModelError
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


def test_both_offline_ways_work_and_give_the_same_model(
    downloaded: Path, weights: dict[str, torch.Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    downloaded.mkdir(parents=True)
    torch.save(weights, downloaded / FILE)
    copied = load_model("torchvision:squeezenet1_1")
    monkeypatch.chdir(downloaded)
    named = load_model(f"file:{FILE}?arch=torchvision:squeezenet1_1")
    assert copied.weights_hash == named.weights_hash
    assert copied.preprocessing == named.preprocessing
    assert all(
        torch.equal(weight, weights[key]) for key, weight in copied.network.state_dict().items()
    )


def test_weights_bring_the_preprocessing_they_were_published_with(
    downloaded: Path, weights: dict[str, torch.Tensor]
) -> None:
    downloaded.mkdir(parents=True)
    torch.save(weights, downloaded / FILE)
    assert load_model("torchvision:squeezenet1_1").preprocessing.described() == {
        "resize": 256,
        "crop": 224,
        "interpolation": "bilinear",
        "mean": [0.485, 0.456, 0.406],
        "std": [0.229, 0.224, 0.225],
    }
    changed = load_model("torchvision:squeezenet1_1@IMAGENET1K_V1?crop=200&mean=0.5")
    assert (changed.preprocessing.geometry.crop, list(changed.preprocessing.mean)) == (
        200,
        [0.5, 0.5, 0.5],
    )


def test_a_download_leaves_standard_output_to_the_answer(
    downloaded: Path,
    weights: dict[str, torch.Tensor],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def download(url: str, file: str, *_: object, **__: object) -> None:
        assert url == f"https://download.pytorch.org/models/{FILE}"
        torch.save(weights, file)

    monkeypatch.setattr(torch.hub, "download_url_to_file", download)
    load_model("torchvision:squeezenet1_1")
    assert capsys.readouterr().out == ""


def write_text(_weights: dict[str, torch.Tensor], file: Path) -> None:
    file.write_text("<html>please sign in to this network</html>")


def write_code(_weights: dict[str, torch.Tensor], file: Path) -> None:
    torch.save(Calls(Path.touch, file.with_name("it ran")), file)


def write_another(weights: dict[str, torch.Tensor], file: Path) -> None:
    torch.save({"fc.weight": weights["classifier.1.weight"]}, file)


@pytest.mark.parametrize("write", [write_text, write_code, write_another])
def test_a_file_there_that_is_not_these_weights_is_named_and_runs_no_code(
    downloaded: Path,
    weights: dict[str, torch.Tensor],
    write: Callable[[dict[str, torch.Tensor], Path], None],
) -> None:
    downloaded.mkdir(parents=True)
    write(weights, downloaded / FILE)
    with pytest.raises(
        ModelError, match=rf"{downloaded / FILE} does not hold its weights .*delete"
    ):
        load_model("torchvision:squeezenet1_1")
    assert not (downloaded / "it ran").exists()


def test_unknown_weights_of_a_known_model_bring_those_there_are(downloaded: Path) -> None:
    with pytest.raises(
        BadInput, match="resnet50 has no weights V3; it has IMAGENET1K_V1, IMAGENET"
    ):
        load_model("torchvision:resnet50@V3")
