"""Tables of epochs of any writer: columns recognized or named, cells read or refused by line."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genset.core.errors import BadInput
from genset.tta.logs.common import ReadAs
from genset.tta.logs.reading import read_file
from genset.tta.runs import MalformedLog, Training
from tests.tta.answers import measured, runs_of

PLAIN = "epoch,time,val_acc\n1,60,60\n2,120.5,93.5\n"
READ = [(1, 60, 60), (2, 120.5, 93.5)]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + PLAIN.replace("\n", "\r\n"),
        PLAIN.replace(",", ";"),
        PLAIN.replace(",", " \t ").replace("\n", " \n\n"),
        PLAIN.replace("\n", ",\n"),
        '"epoch","time","a ""note"", in two\nlines","val_acc"\n1,60,,60\n2,120.5,"x,\ny",93.5\n',
        "val_acc,note,epoch,time\n60,,1,60\n93.5,restarted,2,120.5\n",
        "epoch,time,val_acc\n1,60,0.60000002384185791\n2,120.5,0.93500000238418579\n",
        "epoch,time_min,val_acc\n1,1,60\n2,2.0083333333333333,93.5\n",
        "epoch,elapsed (ms),val_acc\n1,60000,60\n2,120500,93.5\n",
        "epoch,elapsed,val_acc\n1,0:01:00,60\n2,0:02:00.5,93.5\n",
        "epoch,time,val_acc,val_loss\n0,1,,\n1,60,60,\n1,61,,nan\n2,120.5,93.5,0.1\n",
        PLAIN + "3,18",
        PLAIN + "3,180,9",
    ],
)
def test_every_variant_is_read_alike(tmp_path: Path, text: str) -> None:
    (run,) = runs_of(tmp_path / "log.csv", text)
    assert measured(run) == READ
    assert (run.about.name, run.about.task.name) == ("log", "val_acc")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", None, "empty"),
        ("epoch,time,val_acc\n", None, "no row below"),
        ("epoch,time,val_acc\n1,60,\n", None, "no row has val_acc"),
        ("epoch,time,val_acc\n1,60,95%\n", 2, "'95%'; write it with a decimal point"),
        ('epoch,time,val_acc\n1,"1,060",60\n', 2, "'1,060'"),
        ("epoch;time;val_acc\n1;60,5;60\n", 2, "'60,5'"),
        ("epoch,time,val_acc\n1,60,60\n2,,70\n", 3, "time is empty"),
        ("epoch,time,val_acc\n1,-1,60\n", 2, "time is no time"),
        ("epoch,time,val_acc\n1/90,1,60\n", 2, "epoch is no number"),
        ("epoch,time,val_acc\n1,60,101\n", 2, "over 100"),
        ("epoch,time,val_acc\n1,60,60\n2,70\n", 3, "2 cells for 3 columns"),
        ("epoch,time,val_acc\n1,60,60\nepoch,time,val_acc\n", 3, "the line of names again"),
        ("epoch,time,val_acc\n1,60,60\n2,50,70\n", 3, "runs backwards: 50 s after 60 s"),
        ("epoch,time,val_acc\n2,60,60\n1,70,70\n", 3, "--run-column"),
        ("epoch,time,val_acc\n1,30,6\n2,30,7\n3,31,8\n", 4, "each epoch's own"),
        ("epoch,time,val_acc\n1,12.1,6\n2,12.2,7\n", 3, "hardly grows"),
        # What self.log("time", time.time()) leaves of two epochs of a minute.
        ("epoch,time,val_acc\n1,1795428352.0,50\n2,1795428352.0,60\n", 2, "32 bits"),
        ("epoch,time,val_acc\n0,12.1,6\n1,13,7\n2,16,8\n", 4, "say --time-column time"),
        ("epoch,time,quality,val_loss\n1,6,9,7\n", 1, "--metric; there are quality, val_loss"),
        ("epoch,time,val_acc,test_acc\n1,6,9,7\n", 1, "name one with --metric: val_acc, test_acc"),
        ("epoch,time,train_acc,loss\n1,6,9,7\n", 1, "--metric; there are train_acc, loss"),
        (
            "epoch,val_acc,epoch_time\n1,6,9\n",
            1,
            "--time-column; there are epoch, val_acc, epoch_t",
        ),
        ("epoch,time,elapsed,val_acc\n1,6,9,7\n", 1, "--time-column: time, elapsed"),
        ("epoch,time,val_acc\n" + "1" * 1_000_001, 2, "a line of more than 1,000,000"),
        (PLAIN.encode("utf-16"), None, "UTF-8"),
    ],
)
def test_what_has_no_right_reading_is_refused(
    tmp_path: Path, text: str | bytes, line: int | None, reason: str
) -> None:
    with pytest.raises(MalformedLog, match=re.escape(reason)) as refused:
        runs_of(tmp_path / "log.csv", text)
    assert refused.value.line == line
    assert "\n" not in str(refused.value)


def test_the_name_says_what_is_measured_in_what_unit_and_which_way_is_better(
    tmp_path: Path,
) -> None:
    for column, values, read in (
        ("top_1", (50, 25), (50, 25)),
        ("val/acc (%)", (0.5, 0.25), (0.5, 0.25)),
        ("valid_MulticlassAccuracy", (0.5, 0.25), (50, 25)),
        ("test_err", (0.5, 0.25), (50, 25)),
        ("validation perplexity", (130, 0.25), (130, 0.25)),
    ):
        text = f"epoch,time,{column},train_loss\n1,60,{values[0]},9\n2,120,{values[1]},9\n"
        (run,) = runs_of(tmp_path / "log.csv", text)
        assert run.scores() == list(read)
        task = run.about.task
        assert task.score == column
        assert task.lower_is_better == any(word in column for word in ("err", "perp"))
        assert task.percent == ("perp" not in column)
        assert run.best() == (read[1] if task.lower_is_better else read[0])


def test_a_folder_above_names_the_task(tmp_path: Path) -> None:
    text = "epoch,time,val_top1,val_top5\n1,3600,0.6,0.8\n2,7200,0.7,0.94\n"
    (run,) = runs_of(tmp_path / "ImageNet" / "log.csv", text)
    assert (run.about.task.name, run.about.task.threshold) == ("ImageNet", 93)
    assert run.epochs[1].scores == {"top1Accuracy": 70, "top5Accuracy": 94}
    (run,) = runs_of(tmp_path / "CIFAR10" / "log.csv", "epoch,hours,val_acc\n1,2,94.5\n")
    assert (run.about.task.score, run.first_at(94)) == ("top1Accuracy", run.epochs[0])
    with pytest.raises(MalformedLog, match="line 2: top-5 below top-1") as refused:
        runs_of(tmp_path / "ImageNet" / "log.csv", "epoch,time,top1,top5\n1,1,9,7\n")
    assert refused.value.line == 2


def test_several_runs_in_one_file_are_told_apart(tmp_path: Path) -> None:
    text = "seed,epoch,time,val_acc,batch_size,arch\n"
    text += "1,1,60,50,256,resnet18\n2,1,61,50,256,resnet18\n"
    text += "2,2,122,94,256,resnet18\n1,2,120,93,256,resnet18\n"
    runs = runs_of(tmp_path / "fast.csv", text)
    rows = [[(1, 60, 50), (2, 120, 93)], [(1, 61, 50), (2, 122, 94)]]
    assert [measured(run) for run in runs] == rows
    abouts = [run.about for run in runs]
    assert [about.name for about in abouts] == ["fast seed 1", "fast seed 2"]
    assert {about.entry for about in abouts} == {"fast"}
    assert (abouts[0].model, abouts[0].settings) == ("resnet18", {"batch_size": "256"})
    # Another batch size is another recipe.
    runs = runs_of(tmp_path / "fast.csv", text.replace("2,2,122,94,256", "2,2,122,94,512"))
    assert {run.about.entry for run in runs} == {"fast"}
    runs = runs_of(tmp_path / "fast.csv", text.replace("2,1,61,50,256", "2,1,61,50,512"))
    assert {run.about.entry for run in runs} == {""}
    said = ReadAs(run="who")
    runs = runs_of(tmp_path / "log.csv", "who,epoch,time,acc\na,1,2,50\nb,1,3,50\n", said)
    assert [run.about.name for run in runs] == ["log a", "log b"]


def test_fastais_times_are_added_up(tmp_path: Path) -> None:
    head = "epoch,train_loss,valid_loss,accuracy,time\n"
    text = f"{head}0,1.2,0.7,0.5,01:12\n1,0.9,0.5,0.94,1:00:13\n"
    (run,) = runs_of(tmp_path / "history.csv", text)
    assert measured(run) == [(0, 72, 50), (1, 72 + 3613, 94)]
    assert "its time is the sum of its epochs' whole seconds" in run.about.remarks
    first, second = text.splitlines()[1:]
    for repeated in ([first, first, second], [first, second, second, first]):
        (run,) = runs_of(tmp_path / "history.csv", "\n".join([text.splitlines()[0], *repeated, ""]))
        assert measured(run) == [(0, 72, 50), (1, 72 + 3613, 94)]
    (run,) = runs_of(tmp_path / "history.csv", text.removesuffix(",1:00:13\n"))
    assert run.cut_off  # and so no "never"
    with pytest.raises(MalformedLog, match="line 2: epoch '1' where 0 is due"):
        runs_of(tmp_path / "history.csv", text.replace(f"{first}\n", ""))
    with pytest.raises(MalformedLog, match="line 3: time is no epoch's time: '13'"):
        runs_of(tmp_path / "history.csv", text.replace("1:00:13", "13"))
    # The same names with the time since training began.
    (run,) = runs_of(tmp_path / "history.csv", text.replace("01:12", "72").replace("1:00:13", "99"))
    assert measured(run) == [(0, 72, 50), (1, 99, 94)]


def test_moments_count_from_the_first_row_whatever_they_are_written_as(tmp_path: Path) -> None:
    # What TensorBoard's page saves of a tag.
    text = "Wall time,Step,Value\n1795428346.5,0,0.5\n1795428406.5,1,0.9399999976158142\n"
    (run,) = runs_of(tmp_path / "run-fast_val-tag-epoch_accuracy.csv", text)
    assert (run.about.name, run.about.task.name) == ("fast_val", "epoch_accuracy")
    assert measured(run) == [(0, 0, 50), (1, 60, 94)]
    assert "its time counts from its first Wall time" in run.about.remarks
    (run,) = runs_of(tmp_path / "loss.csv", text, ReadAs(lower_is_better=True))
    assert (run.about.task.name, run.about.task.lower_is_better) == ("Value", True)
    began = datetime(2026, 3, 29, 0, 59, 30, tzinfo=UTC).timestamp()
    for cell in ("{:.1f}", "{:.0f}000", "iso"):
        rows = []
        for after, acc in ((0, ""), (60, 50), (3660, 94)):
            moment = datetime.fromtimestamp(began + after, UTC).isoformat(" ")
            rows.append(f"{moment if cell == 'iso' else cell.format(began + after)},{acc}")
        (run,) = runs_of(tmp_path / "log.csv", "\n".join(["timestamp,val_acc", *rows, ""]))
        assert [row[1:] for row in measured(run)] == [(60, 50), (3660, 94)]
        assert any("counts from its first timestamp" in remark for remark in run.about.remarks)


def times(path: Path, content: bytes, threshold: float) -> list[float | None]:
    """The hours to the threshold; none for a log that is refused."""
    try:
        runs = runs_of(path, content, ReadAs(time="time"))
    except MalformedLog:
        return []
    return [at and at.hours for at in (run.first_at(threshold) for run in runs)]


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_cutting_repeating_or_reordering_gives_another_time(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "changed.csv"
    names = data.draw(st.permutations(["epoch", "time", "val_acc"]))
    seconds, rows = 0.0, []
    scores = data.draw(st.lists(st.integers(2_00, 99_99), min_size=1, max_size=6))
    for epoch, score in enumerate(scores):
        seconds += data.draw(st.integers(1, 100_000)) / 100
        row = {"epoch": f"{epoch}", "time": f"{seconds:.2f}", "val_acc": f"{score / 100:.2f}"}
        rows.append(",".join(row[name] for name in names))
    head = ",".join(names)
    full = "\n".join([head, *rows, ""]).encode()
    threshold = data.draw(st.integers(2, 99))
    (right,) = times(path, full, threshold) or [None]

    cut = full[: data.draw(st.integers(0, len(full)))]
    assert times(path, cut, threshold) in ([], [None], [right])
    repeated = [row for row in rows for _ in range(data.draw(st.integers(1, 3)))]
    again = data.draw(st.lists(st.sampled_from(rows)))
    content = "\n".join([head, *repeated, *again, ""]).encode()
    assert times(path, content, threshold) == ([right] if times(path, full, threshold) else [])
    shuffled = "\n".join([head, *data.draw(st.permutations(rows)), ""]).encode()
    assert times(path, shuffled, threshold) in ([], [right])


def test_what_the_user_says_goes_before_what_names_say(tmp_path: Path) -> None:
    text = "n,began,minutes gone,score,val_acc\n1,5,1,9,50\n2,6,2,4,60\n"
    said = ReadAs(metric="score", epoch="n", time="minutes gone", lower_is_better=True)
    (run,) = runs_of(tmp_path / "log.csv", text, said)
    # The unit is the last word of a name; these are seconds, as the remark says.
    assert measured(run) == [(1, 1, 9), (2, 2, 4)]
    assert run.about.remarks == ("minutes gone is read as seconds",)
    assert run.first_at(5) == run.epochs[1]
    with pytest.raises(BadInput, match="no column valacc; there are"):
        runs_of(tmp_path / "log.csv", text, ReadAs(metric="valacc", time="began"))
    text = "epoch,time,val_acc\n1,600,50\n2,605,60\n3,610,94\n"  # compiled for ten minutes
    (run,) = runs_of(tmp_path / "log.csv", text, ReadAs(time="time"))
    assert measured(run)[-1] == (3, 610, 94)
    text = text.replace("time", "elapsed")  # which says since when
    (run,) = runs_of(tmp_path / "log.csv", text)
    assert measured(run)[-1] == (3, 610, 94)


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("epoch,time,accuracy,loss\n1,60,60,2\n", "accuracy is taken for the accuracy on photos"),
        ("epoch,elapsed,val_acc\n1,60,60\n", "elapsed is read as seconds"),
        ("epoch,elapsed,val_acc\n1,0:01:00,60\n", ""),
        ('epoch,elapsed,val_acc\n1,"0 days, 0:01:00",60\n', ""),
        ("epoch,elapsed,goodness\n1,0:01:00,60\n", "is taken for better: else say --lower"),
        ("epoch,elapsed,val_neg_log_likelihood\n1,0:01:00,60\n", ""),
    ],
)
def test_what_is_a_guess_is_remarked(tmp_path: Path, text: str, remark: str) -> None:
    said = ReadAs(metric="goodness" if "goodness" in text else "")
    (run,) = runs_of(tmp_path / "log.csv", text, said)
    assert measured(run) == [(1, 60, 60)]
    assert remark in " ".join(run.about.remarks)
    assert bool(remark) == bool(run.about.remarks)
    assert run.about.task.lower_is_better == ("likelihood" in text)


@pytest.fixture
def table(realdata: Path) -> Path:
    return realdata / "ffcv" / "agg.csv"


def by_epochs(runs: list[Training]) -> dict[str, Training]:
    return {run.about.settings["training.epochs"]: run for run in runs}


@pytest.mark.realdata
def test_each_schedule_has_the_time_that_its_lines_give(table: Path) -> None:
    runs = by_epochs(read_file(table))
    reached = {epochs: run.first_at(93) for epochs, run in runs.items()}
    minutes = {epochs: at and round(60 * at.hours, 1) for epochs, at in reached.items()}
    assert minutes == {"16": None, "32": 28.7, "56": 47.2, "88": 71.7}
    # The last epoch is logged twice, and counts once.
    assert {epochs: len(run.epochs) for epochs, run in runs.items()} == {
        epochs: int(epochs) for epochs in runs
    }
    # 46,736 of 50,000 photos, kept in 32 bits.
    assert runs["32"].epochs[-1].scores["top5Accuracy"] == 93.472
    about = runs["88"].about
    assert (about.model, about.hardware, about.entry) == ("resnet50", "8 GPU", "")
    assert str(about.submitted) == "2022-01-17"
    assert about.settings["training.batch_size"] == "512"
    assert not any(word in text for text in about.settings.values() for word in ("/", "localhost"))
    run = by_epochs(read_file(table, ReadAs(metric="top_1")))["88"]
    assert (run.about.task.score, run.about.task.threshold) == ("top1Accuracy", None)
    assert run.best() == pytest.approx(78.43, abs=0.01)
