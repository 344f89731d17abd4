"""Models with class names of their own, and models that read names, on a user's own classes."""

import json
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
import torch

from genset.classes import document_of, imagenet1k, taxonomy_of
from genset.classes.files import taxonomy_in
from genset.core.errors import GensetError
from genset.models.huggingface.labels import order_on
from genset.models.load import Loading, load_model
from genset.models.spec import parse_spec
from tests.commands import says
from tests.models.huggingface import folders
from tests.models.huggingface.test_classifier import noise
from tests.score.colours import WNIDS

OWN = """name = "pets"
[classes.hound]
name = "dog"
definition = "what barks; it does"
[classes.crane]
name = "crane"
hypernyms = ["bird"]
[classes.crane_2]
name = "crane"
[classes.fish]
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prompts.txt").write_text("a photo of a {}\nart of the {}\n")
    (tmp_path / "pets.toml").write_text(OWN, "utf-8")
    return tmp_path


def photos_of(here: Path, *ids: str) -> None:
    """Twelve photos: of these classes, of four at most."""
    noise(here / "photos")
    for place, wnid in enumerate(WNIDS[:4]):
        if place < len(ids):
            (here / "photos" / wnid).rename(here / "photos" / ids[place])
        else:
            rmtree(here / "photos" / wnid)


def run_of(spec: str, file: str = "pets.toml") -> dict[str, Any]:
    said = says("evaluate", "photos", "--taxonomy", file, "--json", "--model", spec)
    found: dict[str, Any] = json.loads(said)["runs"][0]
    return found


@pytest.mark.soak
def test_a_model_that_reads_names_reads_those_of_the_set(here: Path) -> None:
    folders.clip(here / "clip")
    photos_of(here, "hound", "crane", "crane_2", "fish")
    spec = "hf:clip?prompts=prompts.txt"
    run = run_of(spec)
    words = {"hound": "dog", "crane": "crane (bird)", "crane_2": "crane (crane_2)", "fish": "fish"}
    assert run["mapping"]["words"] == words
    assert run["mapping"]["outputs"] == {id: [id] for id in words}
    assert (run["classes"], run["top1"]["photos"], run["top5"]) == (4, 12, None)
    assert any("4 names of pets (lemmas" in note for note in run["notes"])
    defined = run_of(f"{spec}&names=definitions")
    assert defined["mapping"]["words"]["hound"] == "dog, what barks"
    assert defined["key"] != run["key"]
    # The same words given in a file are the same logits.
    (here / "classes.txt").write_text("# not ImageNet\n" + "\n".join(words))
    (here / "names.txt").write_text("\n".join(words.values()))
    own = taxonomy_in(OWN, "pets.toml")
    pixels = torch.rand(2, 3, folders.SIDE, folders.SIDE, generator=torch.manual_seed(0))
    given = load_model(parse_spec(f"{spec}&classes=classes.txt&names=names.txt"))
    read = load_model(parse_spec(spec), Loading(custom=own))
    with torch.inference_mode():
        assert torch.equal(read.network(pixels), given.network(pixels))
    assert load_model(parse_spec(spec)).order == tuple(WNIDS)
    # Such a model may choose among ImageNet's classes all the same.
    text = OWN.replace("[classes.fish]", '[classes.fish]\nsynset = "n02512053"')
    (here / "pets.toml").write_text(text, "utf-8")
    run = run_of(f"{spec}&classes=imagenet1k")
    assert len(run["mapping"]["outputs"]["fish"]) > 5
    assert run["mapping"]["model_outputs"] == 1000


LABELS = ["Red Panda!", "cat/dog", "Alsatian", "名前", "y" * 80, "con", "tabby, a cat", "red_panda"]


@pytest.mark.parametrize(
    "labels",
    [
        LABELS,
        ["0", "1", "2"],
        ["n02085620-Chihuahua", "n02123045 tabby", "n02123159"],
        ["a b", "a_b", "a-b", "A B"],
    ],
)
def test_a_models_names_as_classes_are_met_by_its_outputs_each(
    here: Path, labels: list[str]
) -> None:
    folders.vit(here / "vit", labels)
    says("classes", "from-model", "hf:vit", "-o", "c.toml")
    own = taxonomy_in((here / "c.toml").read_text("utf-8"), "c.toml")
    ids = [each.wnid for each in own]
    assert len(ids) == len(labels)
    kept = taxonomy_of(json.loads(json.dumps(document_of(own))))  # where a workspace keeps it
    assert [each.outputs for each in kept] == [each.outputs for each in own]
    if labels is LABELS:
        assert own["Red_Panda_2"].outputs == ("Red Panda!",)
    says("init", "w", "--taxonomy", "c.toml")
    photos_of(here, *ids)
    run = run_of("hf:vit", "c.toml")
    order = load_model(parse_spec("hf:vit"), Loading(custom=own)).order
    assert run["mapping"]["without"] == {}
    assert [run["mapping"]["outputs"][id] for id in ids] == [[output] for output in order]
    assert "by_name" not in run["mapping"]
    # By the list of the spec, which has the model's own words, too.
    (here / "list.txt").write_text("\n".join(["# not ImageNet", *labels]), "utf-8")
    again = run_of("hf:vit?classes=list.txt", "c.toml")
    assert again["top1"] == run["top1"]


def test_what_a_label_stands_for_on_own_classes(here: Path) -> None:
    own = taxonomy_in('[classes.cat]\n[classes.beagle]\nsynset = "n02088364"', "c.toml")
    names = [", ".join(each.lemmas) for each in imagenet1k()]
    assert order_on(["background", *names], own) == ("", *WNIDS)
    assert order_on(["Cat", "pug", "background"], own) == ("Cat", "pug", "")
    assert order_on(["pug", "goldfish"], own) == ("n02110958", "n01443537")
    assert order_on(["0", "1"], own) == ("0", "1")  # no places among ImageNet's 1,000
    assert order_on(["evil\x1b[2J  name"], own) == ("evil[2J name",)
    with pytest.raises(GensetError, match="LABEL_0"):
        order_on(["LABEL_0", "LABEL_1"], own)
    folders.vit(here / "vit", ["spam", "eggs"])
    photos_of(here, "hound")
    said = says("evaluate", "photos", "--taxonomy", "pets.toml", "--model", "hf:vit", code=1)
    assert "none of its 2 outputs ('spam', 'eggs', ...)" in said
    assert "of the model's own names (outputs)" in said
