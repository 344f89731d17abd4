"""Exports of Weights & Biases, written by their documented form: W&B makes them on its servers."""

import re
from pathlib import Path

import pandas as pd
import pytest

from genset.tta.logs.common import ReadAs
from genset.tta.runs import MalformedLog
from tests.tta.answers import measured, runs_of

# As pandas writes run.scan_history(): an index without a name, rows of training and validation.
HISTORY = [
    {"_step": 0, "_runtime": 10.5, "_timestamp": 1795428346.1, "train/loss": 2.3},
    {"_step": 1, "_runtime": 60.25, "_timestamp": 1795428395.9, "epoch": 0, "val/acc": 0.5},
    {"_step": 2, "_runtime": 70.5, "_timestamp": 1795428406.1, "train/loss": float("nan")},
    {"_step": 3, "_runtime": 121.0, "_timestamp": 1795428456.6, "epoch": 1, "val/acc": 0.94},
]
TIME = "Relative Time (Process)"


def chart(*columns: str, x: str = TIME) -> str:
    """The first line of a chart's export, with the columns that W&B adds to each."""
    names = [
        x,
        *(name for column in columns for name in (column, f"{column}__MIN", f"{column}__MAX")),
    ]
    return ",".join(f'"{name}"' for name in names)


def row(time: float, *values: float | str) -> str:
    return ",".join(f'"{cell}"' for cell in (time, *(v for value in values for v in [value] * 3)))


def test_a_history_has_the_time_of_the_run(tmp_path: Path) -> None:
    text = pd.DataFrame(HISTORY).to_csv()
    # The name that W&B's own examples give is Lightning's, too.
    (run,) = runs_of(tmp_path / "metrics.csv", text)
    assert measured(run) == [(0, 60.25, 50), (1, 121, 94)]
    assert run.about.remarks == ("scores read as fractions of 1: none is over 1",)
    (run,) = runs_of(
        tmp_path / "metrics.csv", pd.DataFrame(HISTORY).drop(columns="_runtime").to_csv()
    )
    assert measured(run) == [(0, 49.8, 50), (1, 110.5, 94)]


def test_a_chart_holds_the_runs_that_were_drawn(tmp_path: Path) -> None:
    lines = [chart("calm-sun-7 - val/acc", "lr - 0.1 - val/acc")]
    lines += [row(60, 0.5, ""), row(61.5, "", 0.4), row(120, 0.94, ""), row(122, "", 0.6), ""]
    first, second = runs_of(tmp_path / "wandb_export.csv", "\n".join(lines))
    assert (first.about.name, second.about.name) == ("calm-sun-7", "lr - 0.1")
    assert measured(first) == [(1, 60, 50), (2, 120, 94)]
    assert measured(second) == [(1, 61.5, 40), (2, 122, 60)]
    assert first.about.task == second.about.task
    assert first.about.remarks[0] == "no column of epochs: its rows with a score are counted"
    # Several metrics of one run, with its epochs.
    lines = [chart("a - val/acc", "a - val/loss", "a - epoch"), row(60, 0.5, 1.5, 7), ""]
    (run,) = runs_of(tmp_path / "chart.csv", "\n".join(lines))
    assert measured(run) == [(7, 60, 50)]
    (run,) = runs_of(tmp_path / "chart.csv", "\n".join(lines), ReadAs(metric="val/loss"))
    assert (run.about.task.lower_is_better, run.best()) == (True, 1.5)


@pytest.mark.parametrize(
    ("text", "line", "mend"),
    [
        (chart("a - val/acc", x="Step") + "\n", 1, "choose Relative Time (Process)"),
        ("Name,State,Notes,User,Tags,Created,Runtime\nx,finished,,,,,9\n", 1, "export a chart"),
        (chart("a - val/acc") + "\n" + row(1, 95) + "\n" + row(2, "95%") + "\n", 3, "'95%'"),
        (chart("Group: a - val_acc") + "\n" + row(1, 9) + "\n", 1, "is a mean over a group"),
        (chart("a - goodness") + "\n" + row(1, 9) + "\n", 1, "--metric; there are goodness"),
        (chart("a - val/acc", "a - val/acc") + "\n" + row(1, 9, 9) + "\n", 1, "two columns"),
    ],
)
def test_what_says_no_time_or_no_number_is_refused_with_the_mend(
    tmp_path: Path, text: str, line: int, mend: str
) -> None:
    with pytest.raises(MalformedLog, match=re.escape(mend)) as refused:
        runs_of(tmp_path / "chart.csv", text)
    assert refused.value.line == line
    assert "__MIN" not in str(refused.value)
