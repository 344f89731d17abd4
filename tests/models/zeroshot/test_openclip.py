"""``openclip:ARCH?weights=FILE``: zero-shot, as open_clip's own classifier."""

import json
import os
import shutil
from pathlib import Path

import open_clip
import pytest
import torch
from PIL import Image

from genset.core.errors import BadInput, ModelError
from tests.models.checkpoints.test_malicious import Calls
from tests.models.huggingface.folders import tokenizer
from tests.models.huggingface.test_classifier import answers, noise
from tests.score.colours import WNIDS
from tests.score.scoring import load_model

SEES = {"image_size": 32, "layers": 2, "width": 64, "patch_size": 8}
READS = {"context_length": 32, "vocab_size": 49408, "width": 64, "heads": 2, "layers": 1}
TINY = {"embed_dim": 32, "vision_cfg": SEES, "text_cfg": READS}
FROM_HUB = {**TINY, "text_cfg": {**READS, "hf_tokenizer_name": "nobody/tokenizer"}}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weights of two tiny architectures that open_clip is told of, and photos."""
    folder = tmp_path_factory.mktemp("openclip")
    for name, config in (("tiny-test", TINY), ("tiny-test-hub", FROM_HUB)):
        (folder / f"{name}.json").write_text(json.dumps(config))
        open_clip.add_model_config(folder / f"{name}.json")
    torch.manual_seed(4)
    model = open_clip.create_model("tiny-test")
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim > 1:
                weight.normal_(0, 0.3)
    torch.save({"epoch": 3, "state_dict": model.state_dict()}, folder / "tiny.pt")
    noise(folder / "photos")
    return folder


def by_open_clip(
    made: Path, names: list[str], templates: object, order: list[str]
) -> dict[str, tuple[str, ...]]:
    """The way that open_clip's README has it."""
    model, _, transform = open_clip.create_model_and_transforms(
        "tiny-test", pretrained=str(made / "tiny.pt")
    )
    model.eval()
    classifier = open_clip.build_zero_shot_classifier(
        model, open_clip.get_tokenizer("tiny-test"), names, templates
    )
    found = {}
    for path in sorted((made / "photos").glob("*/*")):
        with torch.inference_mode():
            image = transform(Image.open(path).convert("RGB"))[None]
            logits = 100.0 * model.encode_image(image, normalize=True) @ classifier
        best = logits[0].topk(5).indices.tolist()
        found[path.relative_to(made / "photos").as_posix()] = tuple(order[n] for n in best)
    return found


def test_it_answers_as_open_clips_own_classifier(made: Path, tmp_path: Path) -> None:
    few = [0, 1, 2, 3, 134, 517]
    order = [WNIDS[n] for n in few]
    (tmp_path / "few.txt").write_text("\n".join(order))
    spec = f"openclip:tiny-test?weights={made}/tiny.pt&classes={tmp_path}/few.txt"
    names = ["tench", "goldfish", "great white shark", "tiger shark"]
    names += ["crane (wading bird)", "crane (lifting device)"]
    eighty = open_clip.OPENAI_IMAGENET_TEMPLATES
    found = answers(made / "photos", spec, tmp_path / "default")
    assert found == by_open_clip(made, names, eighty, order)
    assert "in 80 prompts (openai80, sha256 " in load_model(spec).notes[0]
    spec += "&prompts=simple&names=openai"
    theirs = [open_clip.IMAGENET_CLASSNAMES[n] for n in few]
    found = answers(made / "photos", spec, tmp_path / "simple")
    simple = open_clip.SIMPLE_IMAGENET_TEMPLATES
    assert found == by_open_clip(made, theirs, simple, order)


def two_classes(made: Path, folder: Path, arch: str = "tiny-test", weights: str = "") -> str:
    """A spec of two classes, which take less time than a thousand."""
    (folder / "few.txt").write_text(WNIDS[0] + "\n" + WNIDS[1])
    words = f"classes={folder}/few.txt&prompts=simple"
    return f"openclip:{arch}?weights={weights or made / 'tiny.pt'}&{words}"


def test_a_configuration_beside_the_weights_says_how_photos_are_wanted(
    made: Path, tmp_path: Path
) -> None:
    spec = two_classes(made, tmp_path, weights=shutil.copy(made / "tiny.pt", tmp_path))
    assert load_model(spec).preprocessing.described()["mean"][0] == pytest.approx(0.48145466)
    said = {"preprocess_cfg": {"mean": [0.5] * 3, "std": [0.5] * 3, "resize_mode": "squash"}}
    (tmp_path / "open_clip_config.json").write_text(json.dumps(said))
    found = load_model(spec).preprocessing.described()
    assert (found["mean"], found["fit"], found["resize"]) == ([0.5] * 3, "both", 32)


def test_a_tokenizer_of_the_hub_is_read_from_a_folder(made: Path, tmp_path: Path) -> None:
    spec = two_classes(made, tmp_path, "tiny-test-hub")
    with pytest.raises(BadInput, match=r"wants that of nobody/tokenizer: .* tokenizer=FOLDER"):
        load_model(spec)
    found = load_model(f"{spec}&tokenizer={tokenizer(tmp_path / 'tokens')}")
    assert str(found.identity["tokenizer"]).startswith("sha256:")


def test_what_cannot_be_loaded_is_one_line_and_runs_nothing(made: Path, tmp_path: Path) -> None:
    (tmp_path / "text.pt").write_text("I am no weights.")
    torch.save({"weight": torch.zeros(2)}, tmp_path / "other.pt")
    torch.save({"state_dict": {}, "args": Calls(os.mkdir, tmp_path / "ran")}, tmp_path / "bad.pt")
    tiny = f"openclip:tiny-test?weights={tmp_path}"
    for spec, kind, said in (
        (f"openclip:ViT-B-31?weights={made}/tiny.pt", BadInput, "no model 'ViT-B-31'; try ViT-B-"),
        ("openclip:tiny-test?weights=nowhere.pt", BadInput, "there is no file nowhere.pt"),
        (f"{tiny}/text.pt", ModelError, "was not written by torch.save"),
        (f"{tiny}/other.pt", ModelError, "does not hold the weig"),
        (f"{tiny}/bad.pt", ModelError, r"it holds posix.mkdir, .*; save it with torch.save"),
        ("openclip:tiny-test", BadInput, r"with \?weights=FILE"),
    ):
        with pytest.raises(kind, match=said) as refused:
            load_model(spec)
        assert "\n" not in str(refused.value)
    assert not (tmp_path / "ran").exists()
