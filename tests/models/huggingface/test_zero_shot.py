"""``hf:FOLDER`` with a model that compares photos with texts."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from PIL import Image
from torch.nn.functional import normalize
from transformers import AutoImageProcessor, AutoModel, AutoTokenizer

from genset.cli import cli
from genset.core.errors import BadInput
from genset.models.zeroshot.words import lemma_names
from genset.score.results.runs import load_predictions, run_folder
from genset.sets.open import open_set
from tests.models.huggingface import folders
from tests.models.huggingface.test_classifier import answers, noise
from tests.score.colours import WNIDS
from tests.score.scoring import evaluate, load_model

PROMPTS = ("a photo of a {}", "art of the {}")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    folders.clip(folder / "clip")
    folders.siglip(folder / "siglip")
    noise(folder / "photos")
    (folder / "prompts.txt").write_text("\n".join(PROMPTS) + "\n")
    return folder


@pytest.mark.parametrize("kind", ["clip", "siglip"])
@pytest.mark.soak
def test_it_answers_as_transformers_own_logits(made: Path, tmp_path: Path, kind: str) -> None:
    spec = f"hf:{made / kind}?prompts={made}/prompts.txt"
    found = answers(made / "photos", spec, tmp_path / "runs")

    model = AutoModel.from_pretrained(made / kind).eval()
    processor = AutoImageProcessor.from_pretrained(made / kind, backend="pil")
    tokenizer = AutoTokenizer.from_pretrained(made / kind)
    filled_up: dict[str, Any] = {"padding": True}
    if kind == "siglip":
        filled_up = {"padding": "max_length", "max_length": 24, "truncation": True}
    paths = sorted((made / "photos").glob("*/*"))
    pixels = [
        processor(images=Image.open(path), return_tensors="pt")["pixel_values"] for path in paths
    ]
    names = lemma_names()
    with torch.inference_mode():
        said = [
            model(
                pixel_values=torch.cat(pixels),
                **tokenizer(
                    [prompt.format(names[wnid]) for wnid in WNIDS], return_tensors="pt", **filled_up
                ),
            )
            for prompt in PROMPTS
        ]
        texts = normalize((said[0].text_embeds + said[1].text_embeds) / 2, dim=-1)
        logits = model.logit_scale.exp() * said[0].image_embeds @ texts.T
        if kind == "siglip":
            logits = logits + model.logit_bias
        own = load_model(spec).network(torch.cat(pixels))
    assert (own - logits).abs().max() < 1e-4
    best = logits.topk(5)
    assert len({*best.indices[:, 0].tolist()}) > 3
    listed = [[WNIDS.index(wnid) for wnid in found[f"{p.parent.name}/{p.name}"]] for p in paths]
    # By what they score: two classes may be apart by rounding alone.
    assert torch.allclose(logits.gather(1, torch.tensor(listed)), best.values, atol=1e-4)


def test_its_hashes_are_printed_and_other_words_are_another_run(made: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    photos = open_set(str(made / "photos"))
    prompts = f"hf:{made}/clip?prompts={made}/prompts.txt"
    (first,) = evaluate(photos, [prompts], runs)
    kept = sorted((runs / ".zeroshot").iterdir())
    assert len(kept) == 1
    assert np.load(kept[0]).shape == (1000, 16)

    shutil.copy(made / "prompts.txt", tmp_path / "same.txt")
    (tmp_path / "one.txt").write_text("a photo of a {}")
    (tmp_path / "names.txt").write_text("\n".join(f"thing {number}" for number in range(1000)))
    specs = [f"hf:{made}/clip?prompts={tmp_path}/{name}.txt" for name in ("same", "one")]
    again, other, named = (
        evaluate(photos, [spec], runs)[0]
        for spec in (*specs, f"{prompts}&names={tmp_path}/names.txt")
    )
    assert (again.key, again.seconds) == (first.key, first.seconds)
    assert len({first.key, other.key, named.key}) == 3
    assert len([*(runs / ".zeroshot").iterdir()]) == 3
    assert len({run.weights_hash for run in (first, other, named)}) == 1

    best = [said.top for said in load_predictions(run_folder(runs, "photos", "clip", first.key))]
    whole = kept[0].read_bytes()
    shutil.rmtree(runs / "photos")
    kept[0].write_bytes(whole[:200])  # features that are spoiled are computed again
    evaluate(photos, [prompts], runs)
    assert kept[0].read_bytes() == whole
    now = [said.top for said in load_predictions(run_folder(runs, "photos", "clip", first.key))]
    assert now == best
    asked = ["evaluate", str(made / "photos"), "--runs", str(runs), "--model", prompts]
    printed = CliRunner().invoke(cli, asked).output
    (note,) = first.notes
    assert note in printed
    assert "1,000 names (lemmas, sha256 " in note
    assert "in 2 prompts (prompts.txt, sha256 " in note


def test_names_may_be_a_table_in_any_order_and_classes_a_few(made: Path, tmp_path: Path) -> None:
    (tmp_path / "few.txt").write_text(f"{WNIDS[3]}\n{WNIDS[0]}\n")
    (tmp_path / "names.csv").write_text(f"wnid,name\n{WNIDS[0]},fish\n{WNIDS[3]},dog\n")
    spec = f"hf:{made}/clip?prompts={made}/prompts.txt&classes={tmp_path}/few.txt"
    few = load_model(f"{spec}&names={tmp_path}/names.csv")
    assert few.order == (WNIDS[3], WNIDS[0])
    (tmp_path / "lines.txt").write_text("dog\nfish")
    same = load_model(f"{spec}&names={tmp_path}/lines.txt")
    pixels = torch.randn(2, 3, 32, 32)
    assert torch.equal(few.network(pixels), same.network(pixels))


def test_no_two_classes_have_one_name() -> None:
    names = lemma_names()
    assert len(set(names.values())) == 1000
    assert names["n02012849"] == "crane (wading bird)"
    assert names["n03710721"] == "tank suit"
    assert names["n01440764"] == "tench"


def test_texts_that_cannot_be_used_are_refused(made: Path, tmp_path: Path) -> None:
    for option, content, said in (
        ("prompts", "a photo", "line 1: 'a photo' has not one {} for the name"),
        ("prompts", "{} and {}", "line 1: .* has not one {} for the name"),
        ("prompts", "a {}\n\nthe {}", "line 2 is empty"),
        ("prompts", "", "it is empty"),
        ("names", "tench\n", "are 1, and there are 1,000 classes"),
        ("names", "wnid,name\nn01440764,tench", r"no name for 999 classes \(n01443537"),
        ("names", "wnid,name\nn01440764,a\nn01440764,b", "have a class twice"),
    ):
        (tmp_path / "file").write_text(content)
        other = f"&prompts={made}/prompts.txt" if option == "names" else ""
        with pytest.raises(BadInput, match=said) as refused:
            load_model(f"hf:{made}/clip?{option}={tmp_path}/file{other}")
        assert "\n" not in str(refused.value)


def test_a_tokenizer_that_lies_elsewhere_is_named(made: Path, tmp_path: Path) -> None:
    bare = Path(shutil.copytree(made / "clip", tmp_path / "clip"))
    for file in bare.glob("tokenizer*"):
        file.unlink()
    spec = f"hf:{bare}?prompts={made}/prompts.txt"
    with pytest.raises(BadInput, match=r"holds no tokenizer; .* tokenizer=FOLDER"):
        load_model(spec)
    found = load_model(f"{spec}&tokenizer={folders.tokenizer(tmp_path / 'tokens')}")
    assert found.identity == load_model(f"hf:{made}/clip?prompts={made}/prompts.txt").identity
