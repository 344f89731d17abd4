"""``hf:FOLDER``: an image classifier of transformers'."""

import json
import os
import pickle
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest
import torch
from huggingface_hub import constants
from PIL import Image
from safetensors.torch import load_file, save_file
from transformers import AutoModelForImageClassification

from genset.core.errors import BadInput, ModelError
from genset.score.results.runs import find_runs, load_predictions
from genset.sets.open import open_set
from tests.models.checkpoints.test_malicious import Calls
from tests.models.huggingface.folders import LABELS, vit
from tests.score.colours import WNIDS
from tests.score.scoring import evaluate, load_model


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return vit(tmp_path_factory.mktemp("hub") / "vit")


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    """A copy, to be spoiled."""
    return Path(shutil.copytree(saved, tmp_path / "vit"))


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return noise(tmp_path_factory.mktemp("set") / "photos")


def noise(folder: Path) -> Path:
    """Twelve different photos of four classes."""
    torch.manual_seed(3)
    for number in range(12):
        path = folder / WNIDS[number % 4] / f"{number}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        values = torch.randint(0, 256, (5, 6, 3), dtype=torch.uint8).numpy()
        Image.fromarray(values).resize((60 + number, 50), Image.Resampling.BICUBIC).save(path)
    return folder


def answers(photos: Path, spec: str, runs: Path) -> dict[str, tuple[str, ...]]:
    evaluate(open_set(str(photos)), [spec], runs)
    ((folder, _),) = find_runs(runs, photos.name)
    return {said.image: said.top for said in load_predictions(folder)}


def test_labels_in_another_order_are_followed(tmp_path: Path) -> None:
    """The network is the same, and so are its numbers; only what they stand for is not."""
    places = [n for n in range(999, -1, -1) if LABELS[n] != "crane"]
    other = vit(tmp_path / "other", [LABELS[n] for n in places])
    network = AutoModelForImageClassification.from_pretrained(other).eval()
    model = load_model(f"hf:{other}")
    assert model.order == tuple(WNIDS[n] for n in places)
    pixels = torch.randn(2, 3, 32, 32)
    with torch.inference_mode():
        assert torch.equal(model.network(pixels), network(pixels).logits)


def test_a_run_is_found_again_where_the_folder_has_moved(
    folder: Path, photos: Path, tmp_path: Path
) -> None:
    runs = tmp_path / "runs"
    (first,) = evaluate(open_set(str(photos)), [f"hf:{folder}"], runs)
    assert first.versions["transformers"]
    moved = folder.rename(tmp_path / "elsewhere")
    (again,) = evaluate(open_set(str(photos)), [f"hf:{moved}?name=vit"], runs)
    assert (again.key, again.seconds) == (first.key, first.seconds)
    _change(moved, "hidden_act", "relu")  # the same weights are another network
    (other,) = evaluate(open_set(str(photos)), [f"hf:{moved}?name=vit"], runs)
    assert other.key != first.key


def test_half_precision_and_pickled_weights_are_read(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    expected = {key: value.bfloat16().float() for key, value in weights.items()}
    (folder / "model.safetensors").unlink()
    torch.save(
        {key: value.bfloat16() for key, value in weights.items()}, folder / "pytorch_model.bin"
    )
    found = load_model(f"hf:{folder}").network.state_dict()
    for key in ("classifier.weight", "classifier.bias"):
        assert torch.equal(found[f"classifier.{key}"], expected[key])
    assert {value.dtype for value in found.values()} == {torch.float32}


def test_nothing_of_a_folder_is_run(folder: Path, tmp_path: Path) -> None:
    (folder / "mine.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    for name in ("config.json", "preprocessor_config.json"):
        before = (folder / name).read_bytes()
        _change(folder, "auto_map", {"AutoModelForImageClassification": "mine.Net"}, name)
        _refused(folder, BadInput, rf"{name} names code of its own \(auto_map\)")
        (folder / name).write_bytes(before)
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Calls(os.mkdir, tmp_path / "ran")))
    _refused(folder, ModelError, "cannot be loaded")
    torch.save({"weight": Calls(os.mkdir, tmp_path / "ran")}, folder / "pytorch_model.bin")
    _refused(folder, ModelError, "it holds posix.mkdir, .*; save it with torch.save")
    assert not (tmp_path / "ran").exists()


def test_weights_that_are_missing_are_not_made_up(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    head = weights.pop("classifier.weight")
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    _refused(folder, ModelError, r"1 of its weights is missing \(classifier.weight\)")
    weights["classifier.weight"] = head[:9].clone()
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    _refused(folder, ModelError, r"1 of its weights is of another shape \(classifier.weight\)")


def test_labels_that_say_nothing_need_classes(folder: Path) -> None:
    _change(folder, "id2label", {str(n): f"LABEL_{n}" for n in range(1000)})
    _refused(folder, BadInput, "LABEL_0, LABEL_1, ..., which name no classes")
    assert load_model(f"hf:{folder}?classes=imagenet1k").order == tuple(WNIDS)


def test_what_is_not_there_or_cannot_be_scored_is_one_line(folder: Path) -> None:
    with pytest.raises(BadInput, match=r"it is a classifier, .*: prompts is for models that"):
        load_model(f"hf:{folder}?prompts=simple")
    config = (folder / "config.json").read_bytes()
    for key, value, said in (
        ("model_type", "bert", "a bert classifies no photos"),
        ("model_type", "nothing", "cannot be loaded|classifies no photos"),
        ("model_type", "\x1b[31mred", "cannot be loaded: .*red"),  # which steers no terminal
        ("quantization_config", {"quant_method": "gptq"}, "its weights are quantized"),
        ("_attn_implementation", "somebody/kernel", "names a kernel to be fetched"),
    ):
        _change(folder, key, value)
        _refused(folder, (BadInput, ModelError), said)
        (folder / "config.json").write_bytes(config)
    for name, said in (
        ("preprocessor_config.json", "has no preprocessor_config.json"),
        ("model.safetensors", "cannot be loaded"),
        ("config.json", "has no config.json"),
    ):
        (folder / name).unlink()
        _refused(folder, (BadInput, ModelError), said)


def test_a_name_on_the_hub_without_a_network_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_network(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match=r"could not be fetched .* name a folder: hf:FOLDER") as no:
        load_model("hf:somebody/net")
    assert "\n" not in str(no.value)
    with pytest.raises(BadInput, match=r"there is no folder \./nowhere"):
        load_model("hf:./nowhere")


def _change(folder: Path, key: str, value: Any, name: str = "config.json") -> None:
    config = json.loads((folder / name).read_text())
    (folder / name).write_text(json.dumps({**config, key: value}))


def _refused(folder: Path, kind: Any, said: str) -> None:
    with pytest.raises(kind, match=said) as refused:
        load_model(f"hf:{folder}")
    assert "\n" not in str(refused.value)
    assert "\x1b" not in str(refused.value)
