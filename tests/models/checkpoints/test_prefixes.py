"""What stands before the names of the weights is found, and said."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from genset.core.errors import ModelError
from genset.models.load import hash_of_weights
from tests.score.colours import Colours
from tests.score.scoring import load_model

Weights = dict[str, Tensor]


class Small(nn.Module):
    """Two parts, one with BatchNorm's counters; random weights."""

    def __init__(self, num_classes: int = 1000) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))
        self.head = nn.Linear(4, num_classes)

    def forward(self, pixels: Tensor) -> Tensor:
        scores: Tensor = self.head(self.stem(pixels).mean(dim=(2, 3)))
        return scores


def small(seed: int = 0) -> Weights:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return Small().state_dict()


def put(start: str, weights: Weights) -> Weights:
    return {start + name: value for name, value in weights.items()}


def spec_of(folder: Path, saved: object, more: str = "") -> str:
    torch.save(saved, folder / "saved.pth")
    return f"file:{folder}/saved.pth?arch={__name__}:Small{more}"


def refused(spec: str) -> str:
    with pytest.raises(ModelError) as error:
        load_model(spec)
    assert str(error.value).startswith(f"model {spec!r}: ")
    assert str(error.value).isprintable()
    return str(error.value)


def test_any_prefix_and_any_nesting_is_found(tmp_path: Path) -> None:
    weights = small()
    shapes = [{name: value.shape for name, value in weights.items()}]
    for saved, place in (
        (put("net.", weights), "net"),
        (put("_forward_module.net._orig_mod.", weights), "net"),
        ({"state": {"model": weights}}, "state.model"),
        ({"model": {"state_dict": put("module.", weights)}}, "model.state_dict"),
        # DeepSpeed's mp_rank_00_model_states.pt, with the shapes that it lists
        ({"module": weights, "param_shapes": shapes}, ""),
        ({"network": put("module.encoder_q.", weights)}, "network.encoder_q"),
    ):
        model = load_model(spec_of(tmp_path, saved))
        assert model.weights_hash == hash_of_weights(weights)
        behind = f"The weights are those behind {place!r} in the checkpoint."
        assert model.notes == ([behind] if place else [])


def test_the_usual_prefixes_need_no_word(tmp_path: Path) -> None:
    saved = {"epoch": 1, "optimizer": {"state": {0: {"exp_avg": torch.zeros(3)}}}}
    weights = small()
    for start in ("", "module.", "_orig_mod.", "model.", "module._orig_mod."):
        for under in ("state_dict", "model", "model_state_dict"):
            model = load_model(spec_of(tmp_path, {**saved, under: put(start, weights)}))
            assert model.weights_hash == hash_of_weights(weights)
            assert model.notes == []


def test_parts_that_were_wrapped_by_themselves_are_read(tmp_path: Path) -> None:
    """As PyTorch's ImageNet example saves AlexNet and VGG, whose features alone are parallel."""
    for wrap in (nn.DataParallel, lambda part: torch.compile(part, backend="eager")):
        network = Small()
        network.stem = wrap(network.stem)
        expected = {
            name.replace("module.", "").replace("_orig_mod.", ""): value
            for name, value in network.state_dict().items()
        }
        assert expected.keys() != network.state_dict().keys()
        model = load_model(spec_of(tmp_path, {"state_dict": network.state_dict()}))
        assert model.weights_hash == hash_of_weights(expected)


@pytest.mark.parametrize("begin", ["student", "module.encoder"])
def test_of_two_networks_one_must_be_chosen(tmp_path: Path, begin: str) -> None:
    """DINO keeps a student and a teacher, MoCo two encoders."""
    first, second = small(), small(1)
    saved = {"state_dict": {**put(f"{begin}_a.", first), **put(f"{begin}_b.", second)}}
    spec, shown = spec_of(tmp_path, saved), begin.removeprefix("module.")
    assert refused(spec).endswith(
        "saved.pth has weights that fit at 2 places: say "
        f"&prefix=state_dict.{shown}_a or &prefix=state_dict.{shown}_b"
    )
    for place, weights in (("a", first), ("b.", second)):
        model = load_model(f"{spec}&prefix=state_dict.{begin}_{place}")
        assert model.weights_hash == hash_of_weights(weights)
        assert f"behind 'state_dict.{shown}_{place[0]}'" in model.notes[0]
    said = refused(f"{spec}&prefix=state_dict.{begin}_c")
    assert f"no weights that fit behind 'state_dict.{begin}_c'; it has some at " in said


def test_the_right_shapes_and_the_usual_place_come_first(tmp_path: Path) -> None:
    weights = small()
    model = load_model(spec_of(tmp_path, {"query": weights, "key": Small(128).state_dict()}))
    assert model.weights_hash == hash_of_weights(weights)
    spec = spec_of(tmp_path, {"model": weights, "best": small(1)})
    model = load_model(spec)
    assert model.weights_hash == hash_of_weights(weights)
    assert model.notes == ["Other weights that fit: &prefix=best."]
    assert load_model(f"{spec}&prefix=best").weights_hash == hash_of_weights(small(1))


def test_an_average_under_any_name_is_known_as_one(tmp_path: Path) -> None:
    weights, averaged = small(), small(1)
    saved = {"state_dict": {**put("model.", weights), **put("ema_model.module.", averaged)}}
    spec = spec_of(tmp_path, saved)
    assert load_model(spec).weights_hash == hash_of_weights(weights)
    assert load_model(f"{spec}&ema=1").weights_hash == hash_of_weights(averaged)
    only = spec_of(tmp_path, {"swa_state": averaged})
    assert "These are the averaged weights (EMA)" in load_model(only).notes[0]
    assert "holds averaged weights (EMA) alone: &ema=1 scores these" in refused(f"{only}&ema=0")


def test_other_outputs_ask_for_the_background_or_their_list(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, {"model": Small(1001).state_dict()})
    assert refused(spec).endswith(
        "head.weight is [1001, 4], not [1000, 4]: one output more; if output 0 is a background "
        "class, say &background=0"
    )
    model = load_model(f"{spec}&background=0")
    assert (model.order[0], len(model.order)) == ("", 1001)
    said = refused(spec_of(tmp_path, {"model": Small(10).state_dict()}))
    assert "head.weight is [10, 4], not [1000, 4]" in said
    assert said.endswith("If its classes are others, list them with &classes=FILE")


def test_missing_and_unexpected_names_are_those_of_the_nearest_place(tmp_path: Path) -> None:
    weights = put("net.", small())
    weights["net.neck.weight"] = weights.pop("net.head.weight")
    said = refused(spec_of(tmp_path, {"optimizer": {"a": torch.zeros(1)}, "state": weights}))
    assert said.endswith("1 missing (head.weight); 1 unexpected (neck.weight)")
    said = refused(spec_of(tmp_path, {"model": Colours().state_dict()}))
    assert "missing (head.bias, head.weight, stem.0.bias, ...); 2 unexpected (scores.b" in said
    said = refused(spec_of(tmp_path, {"model": {"a\x1b[2J\nb": torch.zeros(1)}}))
    assert said.endswith("1 unexpected (a[2J b)")


def test_weights_without_values_and_dictionaries_in_themselves_are_refused(tmp_path: Path) -> None:
    for value in (torch.zeros(4, device="meta"), torch.zeros(4).to_sparse()):
        assert "model" in refused(spec_of(tmp_path, {"model": {**small(), "stem.1.weight": value}}))
    saved: dict[str, Any] = {}
    saved["a"] = saved["b"] = saved["c"] = saved
    assert refused(spec_of(tmp_path, saved)).endswith("saved.pth holds no state_dict")
