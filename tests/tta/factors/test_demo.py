"""The worked example: its list names what its script runs, and its training can be recorded."""

import runpy
import sys
from itertools import combinations
from pathlib import Path

import pytest
from click.testing import CliRunner

from genset.cli import cli
from genset.tta.factors.study import read_study
from tests.tta.factors.studies import answer, write_study

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
