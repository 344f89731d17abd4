"""A new head, saved: `genset evaluate` loads it, and it answers as the fitted layer does."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import timm
import torch
from torch import nn
from torchvision import models as zoo

from genset.core.errors import BadInput, ModelError
from genset.finetune.checkpoint import save_head
from genset.finetune.heads import find_head, trunk
from genset.models.load import LoadedModel
from tests.finetune.test_last_layer import a_head, noise
from tests.score.colours import Colours
from tests.score.scoring import load_model

BIRDS = ("Ani, smooth-billed", "Auklet (crested)", "Grèbe huppé")
SQUEEZENET = "arch=torchvision:squeezenet1_1&resize=72&crop=64"


def a_checkpoint(folder: Path, network: nn.Module, options: str) -> LoadedModel:
    """Save random weights, and load them as anybody's."""
    torch.save(network.state_dict(), folder / "net.pth")
    return load_model(f"file:{folder}/net.pth?{options}")


def squeezenet(folder: Path) -> LoadedModel:
    return a_checkpoint(folder, zoo.squeezenet1_1(), SQUEEZENET)


# Layers that end a network: alone, in a sequence, in a part of its own, a convolution, clipped.
NETWORKS: dict[str, tuple[str, Callable[[], Any]]] = {
    "torchvision:squeezenet1_1": ("classifier.1", zoo.squeezenet1_1),
    # Their pretrained weights come without other heads, or with those of 1,000 classes.
    "torchvision:googlenet": (
        "fc",
        lambda: zoo.googlenet(transform_input=True, init_weights=False),
    ),
    "torchvision:mobilenet_v3_small": ("classifier.3", zoo.mobilenet_v3_small),
    "timm:vit_tiny_patch16_224": ("head", lambda: timm.create_model("vit_tiny_patch16_224")),
    "timm:resnetv2_50": ("head.fc", lambda: timm.create_model("resnetv2_50")),
    "timm:convnext_atto": ("head.fc", lambda: timm.create_model("convnext_atto")),
}


@pytest.mark.parametrize("arch", NETWORKS)
@pytest.mark.soak
def test_the_head_is_found_and_another_is_saved_that_answers_in_its_place(
    tmp_path: Path, arch: str
) -> None:
    side = 224 if "vit" in arch else 64
    options = f"arch={arch}&resize={side + 8}&crop={side}&mean=0.5,0.25,0.1"
    path, build = NETWORKS[arch]
    model = a_checkpoint(tmp_path, build(), options)
    network: Any = model.network
    if "googlenet" in arch:  # as torchvision gives it with its pretrained weights
        network.aux_logits, network.aux1, network.aux2 = False, None, None
    before = copy.deepcopy(network.state_dict())
    head = find_head(model)
    assert (head.path, head.clipped) == (path, "squeezenet" in arch)
    weights, bias = a_head(len(BIRDS), head.inputs)
    spec = save_head(tmp_path / "heads", model, head, weights, bias, BIRDS, "birds, 1")
    saved = load_model(spec)
    assert saved.spec.name == "birds-1"
    assert saved.order == BIRDS
    assert saved.preprocessing == model.preprocessing
    with torch.inference_mode():
        features = trunk(model, head).network(noise(side))
        if not head.clipped:  # by the head's own weights, the features are the answers
            own = network.get_submodule(path)
            answers = features @ own.weight.flatten(1).T + own.bias
            torch.testing.assert_close(answers, network(noise(side)), rtol=1e-4, atol=1e-4)
        said = saved.network(noise(side)).log_softmax(1)
    expected = torch.from_numpy(features.numpy() @ weights.T + bias).log_softmax(1)
    torch.testing.assert_close(said, expected, rtol=1e-4, atol=1e-4)
    # No weight and no statistic is another, but for the new head's.
    after, still = saved.network.state_dict(), network.state_dict()
    for key, value in before.items():
        assert torch.equal(still[key], value), key
        assert key.startswith(f"{path}.") or torch.equal(after[key], value), key


def test_features_of_a_saved_head_are_those_that_were_computed(tmp_path: Path) -> None:
    model = squeezenet(tmp_path)
    head = find_head(model)
    folder = tmp_path / "100 % & more=+ #é"  # a spec names files with any letters
    saved = load_model(save_head(folder, model, head, *a_head(3, 512), BIRDS))
    assert saved.weights_hash != model.weights_hash
    wnids = ("n02123045", "n01440764")
    spec = save_head(tmp_path / "heads", model, head, *a_head(2, 512), wnids)
    assert (tmp_path / "heads" / "net.classes.txt").read_text() == "n02123045\nn01440764\n"
    assert load_model(spec).order == wnids
    assert trunk(saved, find_head(saved)).weights_hash == trunk(model, head).weights_hash


def fixed() -> Colours:
    """Has five outputs, whoever asks."""
    return Colours(5)


def test_an_architecture_that_cannot_hold_the_head_is_one_line_and_nothing_is_written(
    tmp_path: Path,
) -> None:
    model = a_checkpoint(tmp_path, fixed(), f"arch={__name__}:fixed&crop=8")
    weights, bias = a_head(len(BIRDS), 3)
    with pytest.raises(ModelError, match="must take num_classes, and have a bias") as refused:
        save_head(tmp_path / "heads", model, find_head(model), weights, bias, BIRDS)
    assert str(refused.value).startswith(f"model {model.spec.text!r}: ")
    assert not (tmp_path / "heads").exists()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("# not ImageNet\nowl\nowl\n", "line 3: owl is there twice"),
        ("# not ImageNet\nowl\n\nlark\n", "line 3 is empty"),
        ("owl\n# not ImageNet\n", "line 1: 'owl' is not a class of ImageNet"),
    ],
)
def test_a_bad_list_of_other_classes_is_refused(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "classes.txt").write_text(text)
    model = squeezenet(tmp_path)
    with pytest.raises(BadInput, match=says):
        load_model(f"{model.spec.text}&classes={tmp_path}/classes.txt")


def test_what_cannot_be_saved_is_one_line_and_nothing_is_written(tmp_path: Path) -> None:
    model = squeezenet(tmp_path)
    head, (weights, bias) = find_head(model), a_head(3, 512)
    folder = tmp_path / "heads"
    for name in ("", "two\nlines"):
        with pytest.raises(BadInput, match="cannot be in a list with one class per line"):
            save_head(folder, model, head, weights, bias, (*BIRDS[:2], name))
    with pytest.raises(BadInput, match=r"cannot name a folder with a \? in it"):
        save_head(tmp_path / "why?", model, head, weights, bias, BIRDS)
    weights[1, 7] = np.nan
    with pytest.raises(ModelError, match="does not answer as it should"):
        save_head(folder, model, head, weights, bias, BIRDS)
    assert not folder.exists()
