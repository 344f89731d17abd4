"""``timm:NAME`` and ``torchvision:NAME``: where their weights come from, and where they cannot."""

import json
import socket
import time
from pathlib import Path
from typing import Any
from urllib.error import URLError

import pytest
import timm
import torch
from huggingface_hub import constants
from safetensors.torch import save_file
from torchvision import models

from genset.core.errors import BadInput, ModelError
from genset.models.preprocessing import Geometry, Preprocessing
from tests.models.checkpoints.test_malicious import Calls
from tests.score.scoring import load_model


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What was fetched from the hub before: nothing yet; on a machine without a network."""

    def no_network(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


def fetched(hub: Path, repository: str, **config: Any) -> torch.nn.Module:
    """Put a small network there as the hub's client does."""
    folder = hub / f"models--{repository.replace('/', '--')}"
    commit = "0" * 40
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text(commit)
    (folder / "snapshots" / commit).mkdir(parents=True)
    network: torch.nn.Module = timm.create_model("lcnet_035")
    save_file(network.state_dict(), folder / "snapshots" / commit / "model.safetensors")
    says = {"architecture": "lcnet_035", "num_classes": 1000, "pretrained_cfg": config}
    (folder / "snapshots" / commit / "config.json").write_text(json.dumps(says))
    return network


def test_weights_of_the_hub_load_with_their_own_preprocessing(hub: Path) -> None:
    how = {"mean": [0.5, 0.4, 0.3], "std": [0.2, 0.2, 0.2], "interpolation": "bicubic"}
    sizes = {"input_size": [3, 96, 96], "crop_pct": 0.9}
    saved = fetched(hub, "somebody/net", num_classes=1000, **sizes, **how)
    model = load_model("timm:hf-hub:somebody/net?crop=80")
    assert model.spec.name == "somebody/net"
    assert model.preprocessing.described() == {"resize": 106, "crop": 80, **how}
    found = model.network.state_dict()
    assert all(torch.equal(found[key], weight) for key, weight in saved.state_dict().items())


def test_a_network_is_scored_at_the_size_that_timm_tests_it_at(hub: Path) -> None:
    """As timm's validate.py does by default, and for the other with --use-train-size."""
    sizes = {"input_size": [3, 96, 96], "crop_pct": 0.9, "test_input_size": [3, 128, 128]}
    fetched(hub, "somebody/net", **sizes, test_crop_pct=1.0, num_classes=1000)
    for size, of_test in (("", True), ("?size=train", False)):
        model = load_model(f"timm:hf-hub:somebody/net{size}")
        expected = timm.data.resolve_data_config({}, model=model.network, use_test_size=of_test)
        assert model.preprocessing == Preprocessing.of_timm(expected)
        assert bool(model.notes) == of_test
    model = load_model("timm:hf-hub:somebody/net")
    assert model.preprocessing.geometry == Geometry(128, 128, "bicubic")
    assert model.notes == ["Scored at 128 pixels, as timm tests it; trained at 96 (size=train)."]
    squashed = load_model("timm:hf-hub:somebody/net?resize=140x140").preprocessing.geometry
    assert squashed == Geometry(140, 128, "bicubic", "both")


@pytest.mark.parametrize("name", ["resnet18", "hf-hub:somebody/nothing"])
def test_weights_that_cannot_be_fetched_are_one_clear_line_at_once(hub: Path, name: str) -> None:
    started = time.monotonic()
    with pytest.raises(ModelError) as refused:
        load_model(f"timm:{name}")
    said = str(refused.value)
    assert said.startswith(f"model 'timm:{name}': its weights could not be fetched (")
    assert said.endswith("name a checkpoint: file:PATH?arch=timm:NAME")
    assert "\n" not in said
    assert time.monotonic() - started < 30  # its client would try for a minute


def test_what_is_no_network_for_square_photos_is_refused(hub: Path) -> None:
    with pytest.raises(BadInput, match="timm has no model 'resnet19'; try resnet"):
        load_model("timm:resnet19")
    fetched(hub, "somebody/wide", input_size=[3, 96, 128], num_classes=1000)
    with pytest.raises(BadInput, match="it takes 3 x 96 x 128, not square colour photos"):
        load_model("timm:hf-hub:somebody/wide")


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
