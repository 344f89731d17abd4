"""What users see stays: on a workspace of the first round every command answers as it did then.

These tests go in by doors that are open to users: the command line, files, `genset.Release`.
"""

import csv
import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import click
import pytest

import genset
from genset.cli import cli
from tests.compatibility.held import answered, expected, file_of, hold, written
from tests.compatibility.lines import ANSWERED, SCORED, lines_of, words_of
from tests.terminal import Terminal, environment

HERE = Path(__file__).parent

REFUSING = """

def _refused(self, pixels):
    raise RuntimeError("a forward pass is made")


Net.forward = _refused
"""

COUNTING = """

_forward = Net.forward


def _counted(self, pixels):
    photos = (pixels.abs() <= 1).flatten(1).all(dim=1)  # a trial is of random numbers
    with open("counted.txt", "a") as file:
        file.write(f"{int(photos.sum())}\\n")
    return _forward(self, pixels)


Net.forward = _counted
"""


@pytest.fixture(scope="module")
def terminal(tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    return Terminal(tmp_path_factory.mktemp("home"))


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Path]:
    """A copy of the kept workspace."""
    copy = tmp_path / "workspace"
    shutil.copytree(HERE / "workspace", copy, copy_function=shutil.copyfile)
    with closing(sqlite3.connect(copy / "genset.db")) as opened, opened:
        # Licences that were seen long ago would be asked for again.
        opened.execute(
            "UPDATE photo SET checked_at = strftime('%Y-%m-%d %H:%M:%f', 'now') "
            "WHERE sha256 IS NOT NULL"
        )
    yield copy
    shutil.rmtree(copy)  # pytest would keep hundreds of them


@pytest.fixture
def refusing(workspace: Path) -> Path:
    """The same, but its networks refuse to run."""
    add_to_networks(workspace, REFUSING)
    return workspace


def add_to_networks(workspace: Path, code: str) -> None:
    module = workspace / "tiny_models.py"
    module.write_text(module.read_text("utf-8") + code, "utf-8")


def answer_is_held(line: str, workspace: Path, terminal: Terminal, made_now: bool = False) -> None:
    typed, _, files = line.partition(" >> ")
    answer = terminal(*words_of(typed), cwd=workspace)
    names = {str(workspace): "<WORKSPACE>", str(terminal.home): "<HOME>"}
    text = answered(typed, answer, names, made_now)
    text += "".join(written(workspace / file, names) for file in files.split())
    hold(f"answers/{file_of(line)}", text)


def test_each_line_has_a_file_of_its_own() -> None:
    files = [file_of(line) for line in lines_of(ANSWERED + SCORED)]
    assert len(set(files)) == len(files)


# What is kept


@pytest.mark.parametrize("line", lines_of(ANSWERED))
def test_a_command_answers_as_it_did(line: str, refusing: Path, terminal: Terminal) -> None:
    """Kept runs are found again: their networks would refuse to run."""
    answer_is_held(line, refusing, terminal)


@pytest.mark.parametrize(
    "line", ['evaluate v1 --model "$NEW"', '$HEADS --model "$NEW"', 'evaluate v1 --model "$CUT"']
)
def test_what_is_not_kept_would_be_refused(line: str, refusing: Path, terminal: Terminal) -> None:
    answer = terminal(*words_of(line), cwd=refusing)
    assert answer.code == 1
    assert "a forward pass is made" in answer.err


def test_a_kept_run_of_a_network_of_torchvision_answers_as_it_did(
    workspace: Path, terminal: Terminal
) -> None:
    """By its weights and its usual preprocessing. They are all 0, so nobody keeps 5 MB of them."""
    import torch
    from torchvision.models import squeezenet1_1

    weights = squeezenet1_1().state_dict()
    for each in weights.values():
        each.zero_()
    torch.save(weights, workspace / "noughts.pth")
    answer_is_held('evaluate photos --model "$NOUGHTS" --json', workspace, terminal)


def test_python_m_genset_finds_a_kept_run_too(refusing: Path) -> None:
    command = [sys.executable, "-m", "genset"]
    words = words_of('evaluate v1 --model "$TINY" --model "$ROUGH"')
    done = subprocess.run(
        [*command, *words], cwd=refusing, env=environment(refusing), capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [row.split()[0] for row in done.stdout.splitlines()] == ["model", "tiny", "rough"]


# What is cut off, and what is made anew


@pytest.mark.parametrize("line", lines_of(SCORED))
def test_a_command_scores_as_it_did(line: str, workspace: Path, terminal: Terminal) -> None:
    answer_is_held(line, workspace, terminal, made_now=True)


@pytest.mark.parametrize(
    ("line", "photos"),
    [
        ('evaluate v1 --model "$CUT"', 21),
        ('evaluate v1 --model "$CUT_LOGITS" --logits', 21),
        ('finetune folder --data shades --seeds 1 --model "$CUT_HEAD"', 24),
    ],
)
def test_of_a_run_that_was_cut_off_then_no_shard_is_trusted(
    line: str, photos: int, workspace: Path, terminal: Terminal
) -> None:
    """The first round's shards do not say whose they are."""
    add_to_networks(workspace, COUNTING)
    answer = terminal(*words_of(line), cwd=workspace)
    assert answer.code == 0, answer.err
    assert "1 kept shard damaged, or of another run or an older genset" in answer.err
    assert sum(map(int, (workspace / "counted.txt").read_text().split())) == photos


def test_a_run_that_was_cut_off_ends_as_one_that_was_not(
    workspace: Path, terminal: Terminal
) -> None:
    for line in ('evaluate v1 --model "$CUT"', 'evaluate v1 --model "$CUT_LOGITS" --logits'):
        assert terminal(*words_of(line), cwd=workspace).code == 0
    runs = workspace / "runs" / "v1"
    for cut, whole in (("cut-[0-9a-f]*", "tiny-*"), ("cut-logits-*", "few-*")):
        (one,), (other,) = runs.glob(cut), runs.glob(whole)
        assert_same_run(one, other, but=("model", "spec"))
    import numpy as np

    (one,), (other,) = runs.glob("cut-logits-*/logits.npy"), runs.glob("few-*/logits.npy")
    assert np.allclose(np.load(one), np.load(other), atol=1e-4)


@pytest.mark.parametrize(
    "line",
    [
        'evaluate v1 --model "$TINY" --model "$ROUGH"',
        'evaluate v1 --model "$HALF" --precision bf16',
        'evaluate v1 --model "$QUICK" --decode fast',
        'evaluate v1 --model "$TEN" --k 10',
        'evaluate v1 --model "$FEW" --logits',
        'evaluate v1 --model "$ELSEWHERE" --model "$THREE"',
        'evaluate v1.1 --model "$TINY" --model "$ROUGH" --model "$ELSEWHERE"',
        'evaluate photos --model "$AVERAGED" --model "$ONNX" --model "$EXPORT"',
        'evaluate photos --model "$SCRIPT" --allow-code',
        'evaluate listed.csv --model "$SURE" --model "$OTHER"',
    ],
)
def test_a_run_that_is_made_anew_is_the_one_that_was_kept(
    line: str, workspace: Path, terminal: Terminal
) -> None:
    kept = workspace / "runs"
    assert terminal(*words_of(line), "--runs", "anew", cwd=workspace).code == 0
    made = sorted((workspace / "anew").glob("*/*"))
    assert len(made) == line.count("--model")
    for folder in made:
        assert_same_run(folder, kept / folder.parent.name / folder.name)


def assert_same_run(made: Path, kept: Path, but: tuple[str, ...] = ()) -> None:
    """The same files that say the same, whatever ran it and when."""
    names = {each.name for each in kept.iterdir()}
    if "logits.npy" in names:
        names.add("logits.json")  # the classes of logits are kept since
    assert {each.name for each in made.iterdir()} == names
    said, says = (json.loads((folder / "run.json").read_text()) for folder in (kept, made))
    for name in ("created_at", "seconds", "versions", *but):
        del said[name], says[name]
    if says["precision"] == "bf16":  # which processors round in their own ways
        for name in ("top1", "top5", "hits"):
            del said[name], says[name]
    assert {name: says.get(name) for name in said} == said
    old, new = (list(csv.reader((f / "predictions.csv").open(newline=""))) for f in (kept, made))
    ranks = [name for name in old[0] if not name.startswith("p")]
    assert new[0] == old[0]
    for now, then in zip(new[1:], old[1:], strict=True):
        assert now[:2] == then[:2]
        if says["precision"] != "bf16":
            assert now[: len(ranks)] == then[: len(ranks)]
            shares = [[float(share) for share in row[len(ranks) :]] for row in (now, then)]
            assert shares[0] == pytest.approx(shares[1], abs=1e-4)


def test_what_is_stored_has_the_same_keys(workspace: Path, terminal: Terminal) -> None:
    anew = workspace / "anew"
    for line in (
        'evaluate v1 --model "$TINY" --runs anew --latency anew/latency --price-per-hour 0.34',
        '$HEADS --model "$TINY" --runs anew',
        'tta record -o anew/recorded/ann --model Tiny --task ImageNet "$PYTHON" train.py',
    ):
        answer = terminal(*words_of(line), cwd=workspace)
        assert answer.code == 0, answer.err
    stored = {
        "run.json": "v1/tiny-*/run.json",
        "finetune.json": "finetune/shades/tiny-*/finetune.json",
        "features.json": "finetune/.features/*/features.json",
        "latency entry": "latency/tiny.json",
        "recorded entry": "recorded/ann.json",
    }
    now = {name: keys(json.loads(one(anew, what).read_text())) for name, what in stored.items()}
    for name, then in expected("run_json_keys.json", now).items():
        assert set(then) <= set(now[name])


def one(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def keys(found: Any, above: str = "") -> list[str]:
    """The names in a JSON document, those in others as ``misc.fromFile.latency``."""
    if isinstance(found, list):
        return sorted({name for each in found for name in keys(each, above)})
    if not isinstance(found, dict):
        return []
    names = {f"{above}{name}" for name in found}
    for name, each in found.items():
        names.update(keys(each, f"{above}{name}."))
    return sorted(names)


# The words of the command line


# What was changed on purpose since. Photos under 64 pixels are stored only where that is asked for;
# prompts are written without a model.
CHANGED: dict[tuple[str, str], dict[str, Any]] = {
    ("genset scrape", "--min-size"): {},
    ("genset add", "--min-size"): {},
    ("genset evaluate", "--model"): {"multiple": True},
    # Thresholds end at each task's own, which is 93 % for ImageNet alone.
    ("genset tta thresholds", "--from"): {},
    ("genset tta thresholds", "--to"): {},
    ("genset tta thresholds", "--step"): {},
    ("genset tta scaling", "--threshold"): {"multiple": True},
    # A task is never guessed: on a script about digits, ImageNet was wrong.
    ("genset tta record", "--task"): {},
    ("genset tta record", "--score"): {"choices": ["top1", "top5", "f1"]},
    ("genset release export", "--format"): {
        "required": True,
        "choices": [
            *("imagefolder", "webdataset", "parquet", "huggingface"),
            *("manifest", "mixed", "fiftyone"),
        ],
    },
}

# Arguments that may be given more often than then: a report may be on several sets.
ARGUMENTS: dict[str, list[Any]] = {"genset report": [["[RELEASE-OR-FOLDER]...", -1]]}


def test_every_command_and_option_is_still_there() -> None:
    now = dict(commands(cli, "genset"))
    for name, then in expected("commands.json", now).items():
        assert name in now
        takes = now[name]
        arguments = ARGUMENTS.get(name, then["arguments"])
        assert (takes["hidden"], takes["arguments"]) == (then["hidden"], arguments), name
        for word, how in then["options"].items():
            now_is = CHANGED.get((name, word), how)
            assert word in takes["options"], f"{name} {word}"
            assert still(takes["options"][word], now_is) == now_is, f"{name} {word}"
        new = takes["options"].keys() - then["options"].keys()
        assert not [word for word in new if "required" in takes["options"][word]], name


def still(takes: dict[str, Any], then: dict[str, Any]) -> dict[str, Any]:
    """What an option takes, without the choices that came since: more of them break nothing."""
    if "choices" not in takes or "choices" not in then:
        return takes
    return {**takes, "choices": [each for each in takes["choices"] if each in then["choices"]]}


def commands(command: click.Command, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """A command and every one below it, with what it takes."""
    arguments = [each for each in command.params if isinstance(each, click.Argument)]
    options = [each for each in command.params if isinstance(each, click.Option)]
    yield (
        name,
        {
            "hidden": command.hidden,
            "arguments": [
                [each.make_metavar(click.Context(command)), each.nargs] for each in arguments
            ],
            "options": {
                word: of_option(each)
                for each in options
                for word in (*each.opts, *each.secondary_opts)
            },
        },
    )
    if isinstance(command, click.Group):
        for word, each in command.commands.items():
            yield from commands(each, f"{name} {word}")


def of_option(option: click.Option) -> dict[str, Any]:
    """What is said of an option, but for what is not so."""
    default = option.default if isinstance(option.default, str | int | float) else None
    said = {
        "flag": option.is_flag,
        "multiple": option.multiple,
        "required": option.required,
        "hidden": option.hidden,
        "choices": [str(each) for each in getattr(option.type, "choices", ())],
        "default": default,
    }
    return {name: each for name, each in said.items() if each not in (False, None, [], "")}


# The database, labels, releases


def test_the_old_database_is_brought_to_the_newest_form(
    workspace: Path, tmp_path: Path, terminal: Terminal
) -> None:
    assert terminal("init", "new", cwd=tmp_path).code == 0
    for folder in (workspace, tmp_path / "new"):
        assert terminal("status", cwd=folder).code == 0
    old, new = tables(workspace / "genset.db"), tables(tmp_path / "new" / "genset.db")
    assert old == new
    with closing(sqlite3.connect(workspace / "genset.db")) as opened:
        for table, columns in expected("schema.json", old).items():
            assert set(columns) <= set(old[table])
            (rows,) = opened.execute(f"SELECT count(*) FROM {table}").fetchone()
            assert rows, f"nothing is kept in {table}"
    assert version(workspace / "genset.db") == version(tmp_path / "new" / "genset.db")


def tables(database: Path) -> dict[str, list[str]]:
    with closing(sqlite3.connect(database)) as opened:
        named = opened.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        return {
            table: [row[1] for row in opened.execute(f"PRAGMA table_info({table})")]
            for (table,) in named.fetchall()
        }


def version(database: Path) -> str:
    with closing(sqlite3.connect(database)) as opened:
        (found,) = opened.execute("SELECT version_num FROM alembic_version").fetchone()
        return str(found)


def test_labels_are_exported_as_they_were(workspace: Path, terminal: Terminal) -> None:
    assert terminal("labels", "export", "again", cwd=workspace).code == 0
    old = workspace / "labels-export"
    assert contents(workspace / "again", old) == contents(old, old)
    assert terminal("labels", "export", "again.csv", cwd=workspace).code == 0
    with (workspace / "labels-export" / "labels.csv").open(newline="") as file:
        without_screens = [row[:-1] for row in csv.reader(file)]
    with (workspace / "again.csv").open(newline="") as file:
        assert sorted(csv.reader(file)) == sorted(without_screens)


def contents(folder: Path, like: Path) -> dict[str, list[list[str]]]:
    """The cells of each file in `like`, in the columns that it has there; new ones come after."""
    found = {}
    for old in like.iterdir():
        with old.open(newline="") as file:
            columns = len(next(csv.reader(file)))
        with (folder / old.name).open(newline="") as file:
            found[old.name] = [row[:columns] for row in csv.reader(file)]
    return found


def test_an_old_export_of_labels_comes_into_a_new_workspace(
    workspace: Path, tmp_path: Path, terminal: Terminal
) -> None:
    """Its candidates are found anew, by searches that a sandbox answers."""
    new = tmp_path / "new"
    assert terminal("init", "new", cwd=tmp_path, FLICKR_API_KEY="sandbox").code == 0
    words = ["sandbox", "--photos", str(workspace / "photos"), "--port", "0"]
    sandbox = subprocess.Popen(
        [sys.executable, "-m", "genset", *words, "--records", str(HERE / "records.jsonl")],
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert sandbox.stdout is not None
        endpoint = sandbox.stdout.readline().strip().partition("=")[2]
        wnids = "n01440764,n01443537,n02012849,n02123045,n04326547,n07920052"
        scraped = terminal(
            *("scrape", "--classes", wnids, "--min-size", "24"),
            cwd=new,
            GENSET_FLICKR_ENDPOINT=endpoint,
            FLICKR_API_KEY="sandbox",
        )
        assert scraped.code == 1, scraped.err  # no class is full
        assert scraped.err.startswith("genset: no class is full")
    finally:
        sandbox.terminate()
        sandbox.communicate()
    own = "add", str(workspace / "own-photos"), "--source", "own", "--posted", "2019-05-01"
    own = *own, "--min-size", "24"
    assert terminal(*own, cwd=new).code == 0
    export = workspace / "labels-export"
    imported = terminal("labels", "import", str(export), "--json", cwd=new)
    assert imported.code == 0, imported.err
    counts = {name: each["new"] for name, each in json.loads(imported.out).items()}
    assert counts == {
        path.stem: len(path.read_text().splitlines()) - 1
        for path in export.iterdir()
        if path.stem in counts
    } | {"labeler_events": 0}
    assert terminal("labels", "export", "again", cwd=new).code == 0
    assert contents(new / "again", export) == contents(export, export)


def test_an_old_release_is_a_data_set(workspace: Path) -> None:
    release = genset.Release(workspace / "releases" / "v1")
    now = {
        "name": release.name,
        "content_hash": release.content_hash,
        "photos": [
            [record.file, target, list(image.size), record.license, record.owner]
            for record, (image, target) in zip(release.records, release, strict=True)
        ],
    }
    assert now == expected("release.json", now)
    assert len(release.classes) == 1000
    assert release.classes[release.targets[0]] == "n01440764"


def test_the_fixture_holds_no_path_of_the_machine_that_made_it() -> None:
    for path in (HERE / "workspace").rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert not any(b"/%s/" % top in content for top in (b"tmp", b"home", b"root", b"Users"))
