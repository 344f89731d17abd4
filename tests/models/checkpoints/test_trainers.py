"""Checkpoints that the trainers people use have written, each with its own code."""

import argparse
import collections
import dataclasses
import datetime
import enum
import functools
import re
import types
from collections.abc import Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import numpy as np
import pytest
import timm
import torch
from accelerate import Accelerator
from omegaconf import OmegaConf
from timm.scheduler import CosineLRScheduler
from timm.utils import CheckpointSaver, ModelEmaV3, NativeScaler
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel
from transformers import (
    ResNetConfig,
    ResNetForImageClassification,
    TimmWrapperConfig,
    TimmWrapperForImageClassification,
)

from genset.core.errors import BadInput, ModelError
from genset.models.load import LoadedModel, hash_of_weights
from tests.score.colours import Colours
from tests.score.scoring import load_model

AVERAGED = "These are the averaged weights (EMA) of the checkpoint."


def network(name: str = "test_resnet", seed: int = 0) -> nn.Module:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        made: nn.Module = timm.create_model(name)
    return made.eval()


def has_weights_of(model: LoadedModel, of: nn.Module | Mapping[str, Tensor]) -> bool:
    weights = of.state_dict() if isinstance(of, nn.Module) else of
    return model.weights_hash == hash_of_weights(weights)


def arguments(folder: Path) -> argparse.Namespace:
    """What training scripts' options hold, of every kind that they do."""
    return argparse.Namespace(
        model="test_resnet",
        lr=np.float32(0.1),
        batch_size=np.int64(64),
        mean=np.array([0.5, 0.5, 0.5]),
        dtype=np.dtype("float32"),
        shuffled=np.random.default_rng(0).permutation(3),
        is_best=np.bool_(True),
        output_dir=folder / "runs",
        on_windows=PureWindowsPath("C:/runs"),
        elsewhere=PurePosixPath("/runs"),
        inner=types.SimpleNamespace(depth=3),
        history=collections.defaultdict(list, loss=[1.0, 0.5]),
        counts=collections.Counter("aab"),
        started=datetime.datetime(2024, 2, 29, tzinfo=datetime.UTC),
        recent=collections.deque([1, 2], 8),
        device=torch.device("cpu"),
        torch=torch.__version__,
        shape=torch.Size([3, 64, 64]),
        frozen=frozenset({"stem"}),
        epochs=range(3),
        hydra=OmegaConf.create({"model": {"depth": 18, "name": "${..x}"}, "x": ["r", None, 0.5]}),
        interpolation=None,
    )


def test_timms_own_saver_is_read_and_its_average_is_scored_on_request(tmp_path: Path) -> None:
    made, averaged = network(), network(seed=1)
    optimizer = torch.optim.SGD(made.parameters(), lr=0.1, momentum=0.9)
    ema = ModelEmaV3(made)
    ema.module.load_state_dict(averaged.state_dict())
    saver = CheckpointSaver(
        *(made, optimizer),
        args=arguments(tmp_path),
        model_ema=ema,
        amp_scaler=NativeScaler(),
        checkpoint_dir=str(tmp_path),
        recovery_dir=str(tmp_path),
    )
    saver.save_checkpoint(0, metric=np.float64(71.5))
    spec = f"file:{tmp_path}/last.pth.tar?arch=timm:test_resnet"
    model = load_model(spec)
    assert has_weights_of(model, made)
    assert model.notes == ["The checkpoint also holds averaged weights (EMA): &ema=1 scores these."]
    model = load_model(f"{spec}&ema=1")
    assert has_weights_of(model, averaged)
    assert model.notes == [AVERAGED]


def test_what_torchvisions_reference_script_saves_is_read(tmp_path: Path) -> None:
    """references/classification/train.py; DeiT's, MAE's and ConvNeXt's are alike."""
    made = network("test_vit")
    optimizer = torch.optim.AdamW(made.parameters())
    linear = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.01, total_iters=5)
    steps = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[30, 60])
    schedule = torch.optim.lr_scheduler.SequentialLR(optimizer, [linear, steps], milestones=[5])
    checkpoint = {
        "model": made.state_dict(),
        "optimizer": optimizer.state_dict(),
        "lr_scheduler": schedule.state_dict(),
        "epoch": 3,
        "args": arguments(tmp_path),
        "model_ema": AveragedModel(nn.DataParallel(made)).state_dict(),
        "scaler": torch.amp.GradScaler("cpu").state_dict(),
        "of timm": CosineLRScheduler(optimizer, t_initial=10).state_dict(),
    }
    for zipped in (True, False):  # or of before 1.6
        torch.save(checkpoint, tmp_path / "c.pth", _use_new_zipfile_serialization=zipped)
        for more in ("", "&ema=1"):
            model = load_model(f"file:{tmp_path}/c.pth?arch=timm:test_vit{more}")
            assert has_weights_of(model, made)


def test_weights_that_timm_would_have_to_stretch_are_refused(tmp_path: Path) -> None:
    """Positions of another size of photos are other weights, and another accuracy."""
    spec = f"file:{tmp_path}/c.pth?arch=timm:test_vit"
    larger = timm.create_model("test_vit", img_size=224)
    torch.save({"model": larger.state_dict()}, tmp_path / "c.pth")
    with pytest.raises(ModelError, match=r"pos_embed is \[1, "):
        load_model(spec)
    made = network("test_vit")
    for saved, fits in ((larger, False), (made, True)):
        # As open_clip names them, where timm finds the head elsewhere.
        weights = {f"visual.trunk.{name}": of for name, of in saved.state_dict().items()}
        weights["visual.head.proj.weight"] = weights.pop("visual.trunk.head.weight")
        del weights["visual.trunk.head.bias"]
        torch.save(weights, tmp_path / "c.pth")
        if fits:
            assert torch.equal(load_model(spec).network.pos_embed, made.pos_embed)
            continue
        with pytest.raises(ModelError, match=r"do not fit timm:test_vit: 2 missing \(head"):
            load_model(spec)


def by_lightning(folder: Path, *callbacks: Any, steps: int = 1) -> dict[str, Tensor]:
    """Save ``one.ckpt`` with Lightning's Trainer after some steps; return the network's weights."""
    import lightning

    class Classifier(lightning.LightningModule):
        def __init__(self, config: Any, out: Path) -> None:
            super().__init__()
            self.save_hyperparameters()
            self.net = Colours(10)
            self.loss = nn.CrossEntropyLoss(weight=torch.ones(10))

        def training_step(self, batch: Any, _: int) -> Tensor:
            loss: Tensor = self.loss(self.net(batch[0]), batch[1])
            return loss

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    classifier = Classifier(OmegaConf.create({"lr": 0.1, "layers": [1, 2]}), folder)
    saver = lightning.pytorch.callbacks.ModelCheckpoint(folder, filename="one")
    quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False}
    more = {"accelerator": "cpu", "max_steps": steps, "callbacks": [*callbacks, saver]}
    trainer = lightning.Trainer(default_root_dir=folder, **quiet, **more)
    batch = torch.utils.data.TensorDataset(torch.rand(4, 3, 8, 8), torch.arange(4))
    trainer.fit(classifier, torch.utils.data.DataLoader(batch, batch_size=4))
    return classifier.net.state_dict()


def test_what_lightning_saves_is_read_and_its_average_known_as_one(tmp_path: Path) -> None:
    from lightning.pytorch.callbacks import EMAWeightAveraging

    weights = by_lightning(tmp_path)
    spec = f"file:{tmp_path}/one.ckpt?arch={__name__}:ten_colours"
    model = load_model(spec)
    assert has_weights_of(model, weights)
    assert model.notes == [
        "The weights are those behind 'state_dict.net' in the checkpoint.",
        "Beside them 1 other weight of the checkpoint is left: state_dict.loss.weight.",
    ]

    (tmp_path / "one.ckpt").unlink()
    by_lightning(tmp_path, EMAWeightAveraging(decay=0.5), steps=3)
    saved = torch.load(tmp_path / "one.ckpt", weights_only=False)  # this test wrote it
    averaged, last = (
        {name[4:]: value for name, value in saved[place].items() if name.startswith("net.")}
        for place in ("state_dict", "current_model_state")
    )
    assert hash_of_weights(averaged) != hash_of_weights(last)
    usual, asked, plain = (load_model(spec + more) for more in ("", "&ema=1", "&ema=0"))
    assert has_weights_of(usual, averaged)
    assert has_weights_of(asked, averaged)
    assert has_weights_of(plain, last)
    also = "The checkpoint also holds those of the last step: &ema=0 scores these."
    assert usual.notes[:2] == [AVERAGED, also]
    assert asked.notes[0] == AVERAGED


def ten_colours() -> nn.Module:
    return Colours(10)


def test_what_accelerate_saves_is_read_whole_and_in_shards(tmp_path: Path) -> None:
    made = network()
    accelerator = Accelerator(cpu=True)
    prepared, _ = accelerator.prepare(made, torch.optim.AdamW(made.parameters()))
    accelerator.save_model(prepared, tmp_path / "whole")
    accelerator.save_model(prepared, tmp_path / "shards", max_shard_size="300KB")
    accelerator.save_state(str(tmp_path / "state"))
    accelerator.save_state(str(tmp_path / "older"), safe_serialization=False)
    assert len(list((tmp_path / "shards").glob("*.safetensors"))) > 1
    assert (tmp_path / "older" / "pytorch_model.bin").is_file()
    index = tmp_path / "shards" / "model.safetensors.index.json"
    for saved in ("whole", "shards", index.relative_to(tmp_path), "state", "older"):
        spec = f"file:{tmp_path}/{saved}?arch=timm:test_resnet"
        assert has_weights_of(load_model(spec), made), saved

    listed, first = index.read_text(), min((tmp_path / "shards").glob("*.safetensors"))
    for changed, message in (
        (listed.replace(first.name, f"../shards/{first.name}"), r"lists '../shards/model-0.*, not"),
        (listed.replace('map": {', f'map": {{"no.such": "{first.name}",'), r"lack 1 weight, as no"),
        (listed.replace(first.name, "no.safetensors"), "lacks the shard no.safetensors"),
        ("[]", r"index.json is no index of shards"),
    ):
        index.write_text(changed)
        with pytest.raises(ModelError, match=message):
            load_model(f"file:{tmp_path}/shards?arch=timm:test_resnet")


class OfTransformers(nn.Module):
    """A network that holds a classifier of transformers'."""

    def __init__(self) -> None:
        super().__init__()
        small = {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1], "num_labels": 1000}
        self.inner = ResNetForImageClassification(ResNetConfig(layer_type="basic", **small))


def test_what_transformers_saves_is_read_into_its_own_networks_and_timms(tmp_path: Path) -> None:
    made = OfTransformers()
    made.inner.save_pretrained(tmp_path / "whole")
    made.inner.save_pretrained(tmp_path / "shards", max_shard_size="20KB")
    assert (tmp_path / "shards" / "model.safetensors.index.json").is_file()
    for saved in ("whole", "shards"):
        model = load_model(f"file:{tmp_path / saved}?arch={__name__}:OfTransformers")
        assert has_weights_of(model, made)
        assert model.notes == ["The checkpoint's names lack the network's 'inner.'."]
    config = TimmWrapperConfig(architecture="test_resnet", num_labels=1000)
    wrapped = TimmWrapperForImageClassification(config)
    wrapped.save_pretrained(tmp_path / "timm")
    model = load_model(f"file:{tmp_path}/timm?arch=timm:test_resnet")
    assert has_weights_of(model, wrapped.timm_model)
    assert model.notes == ["The weights are those behind 'timm_model' in the checkpoint."]


def test_a_folder_without_weights_says_what_it_lacks(tmp_path: Path) -> None:
    spec = f"file:{tmp_path}?arch=timm:test_resnet"
    with pytest.raises(BadInput, match=r"holds no model.safetensors or pytorch_model.bin"):
        load_model(spec)
    torch.distributed.checkpoint.state_dict_saver.save(
        {"model": Colours().state_dict()}, checkpoint_id=str(tmp_path), no_dist=True
    )
    with pytest.raises(ModelError, match=r"a distributed checkpoint; .* dcp_to_torch FOLDER FILE"):
        load_model(spec)


class Optimizer(enum.Enum):
    SGD = "sgd"


@dataclasses.dataclass
class Options:
    lr: float = 0.1
    optimizer: Optimizer = Optimizer.SGD


def test_the_classes_of_a_script_beside_the_weights_are_passed_over(tmp_path: Path) -> None:
    """As Lightning's `save_hyperparameters` keeps them; and MMEngine's Runner (0.10.7) did."""
    made = network()
    hyper = {
        "optimizer": functools.partial(torch.optim.SGD, lr=0.1),
        "kind": Optimizer.SGD,
        "options": Options(),
        "statistics": Options().__repr__,  # a method, as in the history of MMEngine's epoch files
    }
    saved = {"state_dict": made.state_dict(), "hyper_parameters": hyper, "epoch": 3}
    for zipped in (True, False):
        torch.save(saved, tmp_path / "c.ckpt", _use_new_zipfile_serialization=zipped)
        assert has_weights_of(load_model(f"file:{tmp_path}/c.ckpt?arch=timm:test_resnet"), made)
    file = Path(__file__).with_name("mmengine_epoch_2.pth")  # at a learning rate of 0
    found = load_model(f"file:{file}?arch={__name__}:four_colours").network.state_dict()
    assert all(torch.equal(of, found[name]) for name, of in Colours(4).state_dict().items())


def four_colours() -> nn.Module:
    made = Colours(4)
    nn.init.ones_(made.scores.weight)
    return made


def test_swins_own_names_are_translated_by_timm(tmp_path: Path) -> None:
    """They name what reduces a stage by the stage before, and keep tables that timm makes."""
    for name in ("swin_tiny_patch4_window7_224", "swinv2_tiny_window8_256"):
        made, names = network(name), {"layers.0.blocks.1.attn_mask": torch.zeros(64, 49, 49)}
        for key, value in made.state_dict().items():
            old = re.sub(r"(\d)(?=\.downs)", lambda found: str(int(found[1]) - 1), key)
            names[old.replace("head.fc.", "head.")] = value
        if "v2" in name:
            names = {f"module.model.{key}": value for key, value in names.items()}
        torch.save({"model": names}, tmp_path / "swin.pth")
        model = load_model(f"file:{tmp_path}/swin.pth?arch=timm:{name}")
        assert has_weights_of(model, made)
        assert "timm translated the names of the weights, which lay at " in model.notes[0]


def arrays_of_jax(made: Any) -> dict[str, Any]:
    """A ViT's weights as Google's vit_jax saves Flax's parameters: np.savez, by these names."""
    own = {name: value.numpy() for name, value in made.state_dict().items()}
    found = {"cls": own["cls_token"], "Transformer/posembed_input/pos_embedding": own["pos_embed"]}

    def put(of_flax: str, name: str, kind: str = "kernel") -> None:
        found[f"{of_flax}/{kind}"] = own[f"{name}.weight"].T
        found[f"{of_flax}/bias"] = own[f"{name}.bias"]

    put("head", "head")
    put("embedding", "patch_embed.proj")
    found["embedding/kernel"] = own["patch_embed.proj.weight"].transpose(2, 3, 1, 0)
    put("Transformer/encoder_norm", "norm", "scale")
    for number, block in enumerate(made.blocks):
        of_flax, name = f"Transformer/encoderblock_{number}", f"blocks.{number}"
        for at in (0, 1):
            put(f"{of_flax}/LayerNorm_{2 * at}", f"{name}.norm{at + 1}", "scale")
            put(f"{of_flax}/MlpBlock_3/Dense_{at}", f"{name}.mlp.fc{at + 1}")
        attention, heads = f"{of_flax}/MultiHeadDotProductAttention_1", block.attn.num_heads
        put(f"{attention}/out", f"{name}.attn.proj")
        out = found[f"{attention}/out/kernel"]
        found[f"{attention}/out/kernel"] = out.reshape(heads, -1, out.shape[-1])
        for part, at in (("query", 0), ("key", 1), ("value", 2)):
            weight = np.split(own[f"{name}.attn.qkv.weight"], 3)[at].T
            found[f"{attention}/{part}/kernel"] = weight.reshape(len(weight), heads, -1)
            bias = np.split(own[f"{name}.attn.qkv.bias"], 3)[at]
            found[f"{attention}/{part}/bias"] = bias.reshape(heads, -1)
    return found


def test_a_vits_arrays_of_jax_are_read_whole_or_not_at_all(tmp_path: Path) -> None:
    made = network("vit_tiny_patch16_224")
    arrays = arrays_of_jax(made)
    spec = f"file:{tmp_path}/vit.npz?arch=timm:vit_tiny_patch16_224"
    np.savez(tmp_path / "vit.npz", **arrays)
    assert has_weights_of(load_model(spec), made)
    for changed, message in (
        ({"head/bias": np.zeros(10)}, r"2 missing \(head.weight, head.bias\)"),
        ({"Transformer/posembed_input/pos_embedding": np.zeros((1, 577, 192))}, "pos_embed"),
        ({"cls": np.array([print])}, "Object arrays cannot be loaded"),
    ):
        np.savez(tmp_path / "vit.npz", **arrays | changed)  # type: ignore[arg-type]
        with pytest.raises(ModelError, match=message):
            load_model(spec)
    np.savez_compressed(tmp_path / "vit.npz", **arrays | {"cls": np.zeros(9_000_000)})
    with pytest.raises(ModelError, match="it is compressed"):
        load_model(spec)
