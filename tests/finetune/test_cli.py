"""`genset finetune`, as somebody at a terminal meets it."""

import json
from pathlib import Path

import pytest
import torch
from PIL import Image
from torch import Tensor, nn

from genset.__main__ import main
from tests.finetune.layouts import class_folders
from tests.score.colours import Colours, colours
from tests.terminal import Answer

COLOURS = "file:colours.pth?arch=tests.score.colours:Colours&resize=32&crop=32&std=0.5"


class Small(Colours):
    """Has as many outputs as one asks for."""

    def __init__(self, num_classes: int = 1000) -> None:
        super().__init__(num_classes)


class Squared(Small):
    """Its last layer is linear, and its answer the square of that."""

    def forward(self, pixels: Tensor) -> Tensor:
        return super().forward(pixels) ** 2


class Terminal:
    """The command line, in a folder that holds colours.pth and photos of three classes."""

    def __init__(
        self, folder: Path, patch: pytest.MonkeyPatch, captured: pytest.CaptureFixture[str]
    ) -> None:
        self.folder, self.patch, self.captured = folder, patch, captured
        self.model = colours(folder)
        for place, (name, shade) in enumerate({"ash": 40, "coal": 90, "snow": 240}.items()):
            for number in range(6):
                path = folder / "shades" / name / f"{number}.png"
                path.parent.mkdir(parents=True, exist_ok=True)
                Image.new("RGB", (40, 40), (shade, shade + number, 99 + place)).save(path)

    def __call__(self, *words: str) -> Answer:
        self.patch.setattr("sys.argv", ["genset", *words])
        with pytest.raises(SystemExit) as end:
            main()
        code = end.value.code
        assert code is None or isinstance(code, int)
        return Answer(code or 0, *self.captured.readouterr())

    def finetune(self, *words: str) -> Answer:
        """On the shades, with two seeds and PyTorch."""
        quick = "--engine", "torch", "--seeds", "2", "--strengths", "0.1,1"
        return self("finetune", "folder", "--data", "shades", *quick, *words)


@pytest.fixture
def terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Terminal:
    monkeypatch.chdir(tmp_path)
    # It is for a process that ends with the command.
    monkeypatch.setattr("genset.score.allocator.tune_allocator", lambda: None)
    return Terminal(tmp_path, monkeypatch, capsys)


def test_any_two_models_are_compared_where_that_is_asked_for(terminal: Terminal) -> None:
    specs = {"slow": "", "fast": "", "dark": "&mean=9"}
    models = [w for name, how in specs.items() for w in ("--model", f"{COLOURS}{how}&name={name}")]
    done = terminal.finetune(*models, "--all-pairs")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    start = lines.index("Differences between any two models")
    pairs = [line.split()[3:5] for line in lines[start + 3 : start + 6]]
    assert pairs == [["fast", "slow"], ["dark", "slow"], ["dark", "fast"]]
    assert [line.split()[:3] for line in lines[1:4]] == [["shades", name, "3"] for name in specs]
    found = json.loads(terminal.finetune(*models, "--all-pairs", "--json").out)["differences"]
    assert [[each["model"], each["baseline"]] for each in found] == pairs
    fewer = json.loads(terminal.finetune(*models, "--json").out)["differences"]
    assert [[each["model"], each["baseline"]] for each in fewer] == pairs[:2]


def test_each_folder_of_ones_own_is_a_task(terminal: Terminal) -> None:
    class_folders(terminal.folder / "more", {"a": 4, "b": 4})
    words = ("finetune", "folder", "--data", "folder=shades", "--data", "folder=more")
    done = terminal(*words, "--model", terminal.model, "--engine", "torch", "--json")
    assert [task["name"] for task in json.loads(done.out)["tasks"]] == ["shades", "more"]


def saved(network: nn.Module, name: str) -> str:
    torch.save(network.state_dict(), name)
    return f"file:{name}?arch={__name__}:{type(network).__name__}&resize=32&crop=32"


def test_wrong_words_get_one_line(terminal: Terminal) -> None:
    for words, said in (
        (["butterflies", "--data", "none"], "butterflies has several folders of data (none, "),
        (["folder", "--seeds", "0"], "0 is not in the range 1<=x<=100"),
        (["folder", "--engine", "abacus"], "engine is one of auto, torch"),
        (["folder", "--model", "predictions:p.npy"], "predictions have no layers"),
        (["folder", "--model", "nets"], "model 'nets': a spec is torchvision:NAME"),
    ):
        done = terminal("finetune", *words, "--data", "shades", "--model", terminal.model)
        assert (done.code, done.out) == (2, "")
        assert done.err.count("\n") == 1
        assert said in done.err
    assert not (terminal.folder / "runs").exists()


def test_of_two_tasks_in_one_folder_the_one_that_is_not_there_is_named(terminal: Terminal) -> None:
    words = ("finetune", "birds-200", "folder", "--data", "shades", "--engine", "torch")
    done = terminal(*words, "--model", terminal.model)
    assert done.code == 1
    assert "shades" in done.out
    assert "CUB-200-2011" in done.err.splitlines()[-1]
    words = ("finetune", "cats-dogs", "folder", "--data", "folder=shades")
    done = terminal(*words, "--model", terminal.model)
    assert done.code == 2
    assert "cats-dogs has no data: name its folder with --data cats-dogs=DIR" in done.err


def test_heads_are_saved_as_checkpoints(terminal: Terminal) -> None:
    spec = saved(Small(), "small.pth")
    done = terminal.finetune("--model", spec, "--save-heads", "heads", "--json")
    assert done.code == 0, done.err
    (new,) = json.loads(done.out)["saved"]
    assert (terminal.folder / "heads" / "shades-small.pth").is_file()
    scored = terminal("evaluate", "shades", "--model", new, "--engine", "torch", "--json")
    assert scored.code == 0, scored.err
    (run,) = json.loads(scored.out)["runs"]
    assert run["top1"]["photos"] == 18
    assert run["top1"]["share"] == 1.0
    again = terminal.finetune("--model", spec, "--save-heads", "others", "--json")
    assert (terminal.folder / "others" / "shades-small.pth").is_file(), again.err


@pytest.mark.soak
def test_the_table_is_in_the_papers_form_and_has_what_was_left_out(terminal: Terminal) -> None:
    names = ("slow", "fast", "other")
    models = [word for name in names for word in ("--model", f"{terminal.model}&name={name}")]
    done = terminal.finetune(*models, "--runs", "elsewhere")
    assert done.code == 0, done.err
    rows = [line.split() for line in done.out.splitlines()[1:4]]
    assert [row[:4] for row in rows] == [["shades", name, "3", "100.0"] for name in names]
    assert rows[1][-2:] == ["1.00", "1.00"]
    assert "0.0 (too few photos)" in done.out
    assert "shades: 18 photos of 3 classes, 15 to train on and 3 to test on" in done.err
    assert len(list(terminal.folder.glob("elsewhere/finetune/shades/*-*"))) == 3
    assert not (terminal.folder / "runs").exists()
    (terminal.folder / "shades" / "ash" / "5.png").write_text("torn")
    done = terminal.finetune("--model", terminal.model, "--shots", "1,3,all")
    assert "shades: 1 photo left out, as ash/5.png: cannot identify image file" in done.out
    assert "; 1 left out" in done.err
    lines = [line.split()[2:4] for line in done.out.splitlines() if line.startswith("shades ")]
    assert lines == [[shots, "3"] for shots in ("1", "3", "all")]


def test_models_that_fail_get_a_line_each_and_the_others_are_done(terminal: Terminal) -> None:
    specs = [
        "file:none.pth?arch=torchvision:resnet18",
        colours(terminal.folder, classes=10, name="ten.pth"),
        saved(Squared(), "squared.pth"),
        terminal.model,
    ]
    done = terminal.finetune(*(word for spec in specs for word in ("--model", spec)))
    assert done.code == 1
    assert "100.0" in done.out
    none, ten, squared = done.err.splitlines()[-3:]
    assert "none.pth" in none
    assert "ten.pth" in ten and "scores.weight" in ten
    assert "squared.pth" in squared and "linear" in squared
