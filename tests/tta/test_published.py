"""The facts that were published of DAWNBench's entries come out of its logs.

Sources, unless a line says otherwise: DAWNBench's leaderboard for ImageNet, as it stood on the day
that a fact is dated with.
"""

from datetime import date
from pathlib import Path

import pytest

from genset.tta.logs.reading import read_entries
from genset.tta.rows import TrainingRow
from genset.tta.table import Selection, TaskTable, table

pytestmark = pytest.mark.realdata

# The v1 deadline's winners are as of 2018-04-20; the 18 minutes came after it.
V1 = date(2018, 4, 20)
AUTUMN = date(2018, 9, 30)


def imagenet(realdata: Path, until: date | None = None, by_cost: bool = False) -> TaskTable:
    found = table(read_entries(realdata / "dawnbench"), selection=Selection(until), by_cost=by_cost)
    assert (found.refused, found.undated) == ([], [])
    (task,) = found.tasks
    return task


def training(task: TaskTable, name: str) -> TrainingRow:
    return next(row for row in task.trainings if row.name == name)


def seconds(row: TrainingRow) -> float:
    assert row.hours is not None
    return 3600 * row.hours


def test_at_the_end_the_fastest_takes_2_37_and_the_cheapest_7_dollars_43(realdata: Path) -> None:
    files = [*(realdata / "dawnbench").rglob("*.json"), *(realdata / "dawnbench").rglob("*.tsv")]
    task = imagenet(realdata)
    assert (len(task.trainings), len(task.never), len(task.inferences)) == (27, 0, 22)
    assert len(files) == 2 * 27 + 22 == 76
    assert (task.task, task.score, task.threshold) == ("ImageNet", "top5Accuracy", 93)
    assert task.hardware["training"] == {"GPU": 16, "TPU": 8, "CPU": 3}
    assert task.frameworks["training"] == {"TensorFlow": 16, "PyTorch": 6, "Caffe": 3, "MXNet": 2}
    assert sum(task.hardware["inference"].values()) == 22
    # Alibaba Cloud, March 2020: the leaderboard when DAWNBench stopped taking entries.
    fastest = task.trainings[0]
    assert fastest.name == "alibabacloud_resnet50_gn6e_16_machine_tensorflow"
    assert seconds(fastest) == pytest.approx(2 * 60 + 37.6, abs=0.05)
    cheapest = imagenet(realdata, by_cost=True).trainings[0]
    assert cheapest.name == "alibabacloud_resnet50_gn6e_1_machine_tensorflow"
    assert cheapest.cost == pytest.approx(7.43, abs=0.005)
    row = training(task, "dawn_resnet152_b_8k80_ec2_mxnet")
    assert (row.epoch, row.final) == (107, pytest.approx(92.9349))
    assert row.remarks == ("ends at 92.93 %, below the threshold that it had reached",)


def test_by_autumn_2018_fast_ai_takes_18_minutes_6_seconds_or_48_dollars_48(realdata: Path) -> None:
    # fast.ai and DIUx, 2018-08-10: "Training Imagenet in 18 minutes"; leaderboard: 0:18:06.
    task = imagenet(realdata, AUTUMN)
    fastest = task.trainings[0]
    assert fastest.name == "fastai_resnet50_p3_16_machine_pytorch"
    assert seconds(fastest) == pytest.approx(18 * 60 + 5.2, abs=0.05)
    four = training(task, "fastai_resnet50_p3_4_machine_pytorch")
    assert (four.epoch, four.cost) == (28, pytest.approx(48.48, abs=0.005))


def test_at_the_v1_deadline_the_fastest_is_half_a_tpu_pod_with_30_43(realdata: Path) -> None:
    # "An Analysis of DAWNBench v1", 2018-06-19: Google's ResNet-50 on half of a TPUv2 pod, 30:43.
    task = imagenet(realdata, V1)
    fastest = task.trainings[0]
    assert fastest.hardware == "Half of a TPUv2 Pod"
    assert seconds(fastest) == pytest.approx(30 * 60 + 43, abs=0.5)
    # Exactly 93.00 % counts as reached: "at least 93%", README of DAWNBench's entries.
    assert fastest.epoch == 87
    cheapest = imagenet(realdata, V1, by_cost=True).trainings[0]
    assert (cheapest.model, cheapest.cost) == ("AmoebaNet-D N6F256", pytest.approx(49.3, abs=0.005))
    # Intel's inference takes 9.96 ms, and costs 2 cents.
    assert task.inferences[0].latency == 9.96
    assert task.inferences[0].name == "Intel_resnet50_c5_18xlarge_intelcaffe_latency"
    costs = {row.name: row.cost_10k for row in task.inferences}
    assert costs["Intel_resnet50_c5_2xlarge_intelcaffe_cost"] == pytest.approx(0.0164)
