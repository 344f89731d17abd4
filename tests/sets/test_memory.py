"""Sets and models that people hold in Python, scored as the same photos on disk are."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import datasets
import pytest
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, Subset, WeightedRandomSampler
from torchvision.datasets import ImageFolder
from torchvision.transforms import v2

import genset
from genset.classes import imagenet1k
from genset.core.errors import BadInput
from tests.score.colours import WNIDS, Colours, colours, painted_set
from tests.sets import layouts
from tests.test_api import AS_TRAINED

RIGHT = [WNIDS[place] for place in (0, 1, 2, 0)]  # what `Colours` answers; 2 are right


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return painted_set(tmp_path / "photos")


class Pairs(Dataset[Any]):
    """A data set of one's own: a photo, maybe transformed, and its class's number."""

    def __init__(self, folder: Path, transform: Callable[[Any], Any] | None = None) -> None:
        self.below = ImageFolder(folder, transform)
        self.classes = self.below.classes

    def __len__(self) -> int:
        return len(self.below)

    def __getitem__(self, index: int) -> Any:
        return self.below[index]


def transformed(rows: dict[str, list[Any]]) -> dict[str, list[Any]]:
    return {"pixel_values": list(map(AS_TRAINED, rows["image"])), "labels": rows["label"]}


def rows_of(folder: Path) -> "datasets.Dataset":
    return layouts.data_set(folder, layouts.long_name)


HELD: dict[str, Callable[[Path], Any]] = {
    "ImageFolder": lambda folder: ImageFolder(folder, AS_TRAINED),
    "a loader": lambda folder: DataLoader(
        ImageFolder(folder, AS_TRAINED), 3, shuffle=True, drop_last=True
    ),
    "items": lambda folder: DataLoader(Pairs(folder, AS_TRAINED), 2, shuffle=True),
    "photos": Pairs,
    "Hugging Face's": rows_of,
    "Hugging Face's, transformed": lambda folder: rows_of(folder).with_transform(transformed),
}


@pytest.mark.parametrize("kind", HELD)
def test_what_people_hold_is_scored_as_the_folder(folder: Path, kind: str) -> None:
    data = HELD[kind](folder)
    has_transform = kind not in ("photos", "Hugging Face's")
    run = genset.evaluate(data, Colours(), transform=None if has_transform else AS_TRAINED)
    assert [answer.top[0] for answer in run.predictions] == RIGHT
    assert run.top1.correct == 2
    if kind in ("ImageFolder", "a loader", "Hugging Face's"):
        assert run.photos.content_hash == genset.open_set(folder).content_hash
    if kind in ("items", "Hugging Face's, transformed"):
        with pytest.raises(BadInput, match="gives numbers, as a network takes them: a spec or"):
            genset.evaluate(data, colours(folder.parent))
    else:
        assert genset.evaluate(data, colours(folder.parent)).top1.correct == 2


def test_a_part_of_a_data_set_is_that_part(folder: Path) -> None:
    part = DataLoader(Subset(ImageFolder(folder, AS_TRAINED), [3, 1]), shuffle=True)
    run = genset.evaluate(part, Colours())
    assert {answer.wnid for answer in run.predictions} == {WNIDS[0], WNIDS[3]}
    (folder / WNIDS[0] / "0.png").write_text("I am no photo.")  # the first: left out, and no more
    mixed = DataLoader(ImageFolder(folder, AS_TRAINED), collate_fn=lambda items: items)
    assert "The loader's collate_fn is not used" in genset.open_set(mixed).notes[0]


class Stream(IterableDataset[Any]):
    def __iter__(self) -> Iterator[Any]:
        yield torch.zeros(3, 32, 32), 0


class Random(Pairs):
    def __getitem__(self, index: int) -> Any:
        return torch.rand(3, 8, 8), 0


def renumbered(data: ImageFolder) -> ImageFolder:
    """With ImageNet's numbers in place of the folders'."""
    data.samples = [(path, label + 907) for path, label in data.samples]
    return data


@pytest.mark.parametrize(
    ("held", "problem"),
    [
        (lambda _: DataLoader(Stream()), "a DataLoader of one, not Stream"),
        (lambda _: [1, 2], "a data set with items, or a DataLoader of one, not list"),
        (Random, "Random gives another photo each time"),
        (lambda folder: ImageFolder(folder, v2.Compose([AS_TRAINED, v2.GaussianNoise()])),
         "photos gives another photo each time: leave out what is random in it"),
        (lambda folder: ImageFolder(folder, AS_TRAINED, lambda label: label + 1),
         "photos makes other labels of its classes: leave out its target_transform"),
        (lambda folder: renumbered(ImageFolder(folder, AS_TRAINED)),
         "is of class 907, and there are "),
        (lambda folder: datasets.DatasetDict(test=rows_of(folder), train=rows_of(folder)),
         r"it has the splits test, train: give one, as in data\['test'\]"),
        (lambda folder: DataLoader(Pairs(folder), sampler=WeightedRandomSampler([1.0] * 4, 50)),
         "draws photos twice"),
        (lambda _: torch.utils.data.TensorDataset(torch.zeros(2, 3, 8, 8), torch.tensor([0, 1])),
         "has numbers for classes, and only 2 of them"),
        (lambda _: torch.utils.data.TensorDataset(torch.zeros(2, 3)), "is no photo with its class"),
    ],
)  # fmt: skip
def test_what_is_not_taken_is_named(
    folder: Path, held: Callable[[Path], Any], problem: str
) -> None:
    with pytest.raises(BadInput, match=problem) as refused:
        genset.evaluate(held(folder), Colours())
    assert "\n" not in str(refused.value)


def test_numbers_are_places_in_the_classes_that_a_caller_names(folder: Path) -> None:
    data = Pairs(folder, AS_TRAINED)
    data.classes = []
    named = [WNIDS[0], WNIDS[2], WNIDS[3]]
    run = genset.evaluate(data, Colours(3), classes=named)
    assert [answer.wnid for answer in run.predictions] == [named[0], named[0], named[1], named[2]]


def test_a_function_from_photos_to_scores_is_a_model(folder: Path) -> None:
    network = Colours()
    run = genset.evaluate(folder, lambda photo: network(AS_TRAINED(photo)[None])[0], name="mine")
    assert [answer.top[0] for answer in run.predictions] == RIGHT
    other = genset.evaluate(folder, lambda _: torch.eye(1000)[0], name="mine")
    assert {answer.top[0] for answer in other.predictions} == {WNIDS[0]}
    with pytest.raises(BadInput, match=r"fails on .*: it gives 'cat', not a score"):
        genset.evaluate(folder, lambda _: "cat")


def test_a_pipeline_answers_as_it_does_by_itself(folder: Path) -> None:
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.ResNetConfig(embedding_size=8, hidden_sizes=[8, 8], depths=[1, 1])
    config.id2label = {cls.index: ", ".join(cls.lemmas) for cls in imagenet1k()}
    pipeline = transformers.pipeline(
        "image-classification",
        model=transformers.ResNetForImageClassification(config).eval(),
        image_processor=transformers.ConvNextImageProcessorPil(size={"shortest_edge": 384}),
    )
    run = genset.evaluate(folder, pipeline)
    for photo, answer in zip(run.photos.photos, run.predictions, strict=True):
        names = [found["label"] for found in pipeline(str(photo.path), top_k=3)]
        assert [", ".join(imagenet1k()[wnid].lemmas) for wnid in answer.top[:3]] == names
    again = genset.evaluate(folder, pipeline, transform=pipeline.image_processor)
    assert [answer.top for answer in again.predictions] == [a.top for a in run.predictions]
