"""RUNS.toml: what is wrong in it is named by its run and line; and the worked example of one."""

import runpy
import sys
from itertools import combinations
from pathlib import Path

import pytest
from click.testing import CliRunner

from genset.cli import cli
from genset.tta.factors.study import read_study
from tests.tta.dawnbench_entries import write_entry
from tests.tta.factors.studies import answer, factors, refusal, write_repeats, write_study

RUN = '\n[[run]]\nlog = "a"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ": run is missing: it must be [[run]] blocks with a log"),
        ("[[run]\n", ", line 1: not valid TOML"),
        ('[[run]]\non = ["amp"]', ", run 1 (line 1): log is missing: it must be a text or a list"),
        (RUN + RUN + "on = 3", ", run 2 (line 5): on must be a text or a list"),
        (RUN + RUN + 'on = "a"', "run 1 (line 2): `on` is missing, which other runs have: on = []"),
        (RUN + 'on = ["A"]' + RUN + 'on = ["a"]', ": A and a are one factor: spell it in one way"),
        (RUN + "batch = 3", ", run 1 (line 2): batch is unknown; known here: log, names, on, set"),
        (RUN + 'set = {opt = "sgd"}', ', run 1 (line 2): set.opt must be a number, not "sgd"'),
        (RUN + "set = {amp = true}", "what is on or off, or has a name, belongs in `on`"),
        (RUN + RUN + "set = {batch = 3}", ", run 1 (line 2): no batch, which other runs have"),
        ("photos = 0" + RUN, ": photos must be a number above 0, not 0"),
        ("photo = 3" + RUN, ": photo is unknown; did you mean photos?"),
        ('order = ["a"]' + RUN + 'on = ["a", "b"]', "that runs have on, once: a, b"),
        (
            RUN + "on = [" + ", ".join(f'"f{at}"' for at in range(21)) + "]",
            "21 factors; at most 20 are compared",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, said: str) -> None:
    write_entry(tmp_path / "a" / "run", [93])
    path = tmp_path / "RUNS.toml"
    path.write_text(text)
    message = refusal(path)
    assert message.startswith(str(path))
    assert said in message


def test_repeats_of_which_one_cannot_be_read_are_refused(tmp_path: Path) -> None:
    write_entry(tmp_path / "a" / "one", [93])
    write_entry(tmp_path / "a" / "two", [93]).write_text("epoch\thours\ttop5Accuracy\n1\t2\t300\n")
    path = write_study(tmp_path, [{"log": "b.tsv"}])
    assert refusal(path) == f"{path}, run 1 (line 3): there is no file {tmp_path / 'b.tsv'}"
    assert "cannot be read: No such file" in refusal(tmp_path / "none.toml")
    path = write_study(tmp_path, [{"log": "a"}])
    message = refusal(path)
    begin = f"{path}, run 1 (line 3): {tmp_path / 'a' / 'two.tsv'}, line 2: "
    assert message.startswith(begin)
    for file in (tmp_path / "a").glob("one.*"):
        file.unlink()
    assert refusal(path).startswith(begin)


def test_logs_may_be_several_and_several_runs_of_one_configuration(tmp_path: Path) -> None:
    write_repeats(tmp_path / "a", 8)
    write_repeats(tmp_path / "b", 9)
    write_entry(tmp_path / "c", [92, 93], 7)
    runs = [{"log": ["a", "c.tsv"], "on": ["amp", "big"]}, {"log": "b", "on": ["big", "amp"]}]
    path = write_study(tmp_path, runs)
    (found,) = answer(path)["configurations"]
    assert (found["on"], len(found["runs"])) == (["amp", "big"], 7)
    assert "--mixed would change nothing" in refusal(path, "--mixed")
    # A log belongs to one configuration, whose repeats are of one entry.
    path = write_study(tmp_path, [{"log": "a"}, {"log": "a", "on": ["amp"]}])
    message = refusal(path)
    assert "run 2 (line 7): run-0 has the epochs of a run of" in message
    assert message.endswith(f"{path}, run 1 (line 3)")
    write_entry(tmp_path / "b" / "other", [93], 9, model="ResNet 18")
    path = write_study(tmp_path, [{"log": "b"}])
    differs = "model ResNet 18 and ResNet 50"
    assert f"run 1 (line 3): the runs are not of one entry: {differs}" in refusal(path)
    printed = factors(path, "--mixed").stdout
    assert "the runs differ in" in printed
    assert differs in printed


def test_the_order_is_the_files_unless_it_says_another(tmp_path: Path) -> None:
    write_repeats(tmp_path / "a", 8)
    write_repeats(tmp_path / "b", 4)
    runs = [{"log": "a", "on": ["late", "early"]}, {"log": "b", "on": ["middle"]}]
    path = write_study(tmp_path, runs)
    assert answer(path)["order"] == ["late", "early", "middle"]
    path = write_study(tmp_path, runs, top='order = ["early", "middle", "late"]')
    assert answer(path)["order"] == ["early", "middle", "late"]
    on = [cell["on"] for cell in answer(path)["configurations"]]
    assert on == [["early", "late"], ["middle"]]
    # A threshold is the option's, then the file's, then the task's.
    assert answer(path)["threshold"] == 93
    path = write_study(tmp_path, runs, top="threshold = 82")
    assert answer(path)["threshold"] == 82
    assert answer(path)["configurations"][0]["hours"]["mean"] == pytest.approx(6)
    assert answer(path, "--threshold", 81)["threshold"] == 81


def test_names_select_runs_of_a_log_which_must_take_time(tmp_path: Path) -> None:
    write_repeats(tmp_path / "a", 8)
    path = write_study(tmp_path, [{"log": "a"}])
    text = path.read_text()
    path.write_text(f'{text}names = ["run-0", "2"]')
    (cell,) = answer(path)["configurations"]
    assert [run["name"] for run in cell["runs"]] == ["run-0", "run-2"]
    path.write_text(f'{text}names = "run"')
    assert "several have it in their name" in refusal(path)
    write_repeats(tmp_path / "b", 0, scatter=[1.0])
    path = write_study(tmp_path, [{"log": "b"}])
    assert "reaches 93 before any time has passed" in refusal(path)


DEMO = Path(__file__).parents[3] / "docs" / "factors-demo"


def test_its_list_names_what_its_script_runs() -> None:
    study = read_study(DEMO / "runs.toml")
    script = runpy.run_path(str(DEMO / "runs.py"))
    assert study.order == script["SWITCHES"]
    run = {f"runs/{name}": options for name, options in script["configurations"]()}
    assert [declared.logs for declared in study.runs] == [(log,) for log in run]
    for declared in study.runs:
        options = run[declared.logs[0]]
        assert {f"--{factor}" for factor in declared.on} == {o for o in options if o in SWITCHES}
        batch = options[options.index("--batch") + 1] if "--batch" in options else "32"
        assert declared.settings == {"batch": float(batch)}
    at_32 = {declared.on for declared in study.runs if declared.settings == {"batch": 32}}
    assert at_32 == {frozenset(on) for size in range(5) for on in combinations(study.order, size)}


SWITCHES = {"--momentum", "--normalize", "--1cycle", "--preload"}


def test_its_training_reads_digits_and_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(DEMO / "digits.py"))
    record = ["tta", "record", "-o", "runs/all", "--model", "M", "--task", "digits"]
    record += ["--threshold", "90", "--seeds", "3..3", "--"]
    train = [sys.executable, str(DEMO / "train.py"), "--seed", "{seed}"]
    done = CliRunner().invoke(cli, [*record, *train, *sorted(SWITCHES), "--batch", "128"])
    assert done.exit_code == 0, done.output
    path = write_study(tmp_path, [{"log": "runs/all", "on": ["momentum"]}])
    (cell,) = answer(path)["configurations"]
    assert (cell["reached"], len(cell["runs"])) == (1, 1)
    assert cell["final"]["mean"] > 90
