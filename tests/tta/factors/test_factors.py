"""Which optimization mattered: `genset tta factors` finds what was put into the logs."""

from pathlib import Path

import pytest
from PIL import Image

from tests.tta.dawnbench_entries import write_entry
from tests.tta.factors.studies import (
    answer,
    factors,
    refusal,
    write_design,
    write_repeats,
    write_study,
)

BRINGS = {"amp": 2.0, "warmup": 0.8, "1cycle": 3.0}


def test_what_each_factor_and_several_together_bring_is_found(tmp_path: Path) -> None:
    together = {frozenset({"amp", "1cycle"}): 1.5, frozenset(BRINGS): 1.1}
    found = answer(write_design(tmp_path, BRINGS, together))
    first, *steps = found["addition"]
    assert (first["factor"], first["on"], first["brings"]) == ("", [], None)
    assert first["found"]["hours"]["mean"] == pytest.approx(8)
    assert [step["on"] for step in steps] == [["amp"], ["amp", "warmup"], list(BRINGS)]
    for step, times in zip(steps, (2, 0.8, 3 * 1.5 * 1.1), strict=True):
        speedup = step["brings"]["speedup"]
        assert speedup["mean"] == pytest.approx(times, rel=1e-6)
        assert speedup["interval"]["low"] < times < speedup["interval"]["high"]
        assert step["brings"]["final"]["mean"] == pytest.approx(0, abs=1e-9)
        assert step["brings"]["throughput"]["mean"] == pytest.approx(times, rel=1e-6)
    assert [step["brings"]["verdict"] for step in steps] == ["faster", "slower", "faster"]
    whole, *steps = found["lesion"]
    assert whole["on"] == list(BRINGS)
    assert steps[0]["on"] == ["warmup", "1cycle"]
    speedups = [step["brings"]["speedup"]["mean"] for step in steps]
    assert speedups == pytest.approx([2 * 1.65, 0.8 * 1.1, 3 * 1.65], rel=1e-6)
    interactions = found["interactions"]
    effects = {tuple(e["effect"]["factors"]): e["effect"] for e in interactions["effects"]}
    assert (interactions["runs"], interactions["possible"], interactions["missing"]) == (8, 8, [])
    # The mean over the others on a logarithm: half of them have what a pair brings, a quarter all.
    assert {on: effect["speedup"]["mean"] for on, effect in effects.items()} == pytest.approx(
        {
            ("amp",): 2 * 1.5**0.5 * 1.1**0.25,
            ("warmup",): 0.8 * 1.1**0.25,
            ("1cycle",): 3 * 1.5**0.5 * 1.1**0.25,
            ("amp", "warmup"): 1.1**0.5,
            ("amp", "1cycle"): 1.5 * 1.1**0.5,
            ("warmup", "1cycle"): 1.1**0.5,
            ("amp", "warmup", "1cycle"): 1.1,
        }
    )
    assert effects["amp", "1cycle"]["verdict"] == "faster"
    printed = factors(tmp_path / "RUNS.toml").stdout
    assert "amp × 1cycle" in printed
    assert "more together" in printed
    assert found["fitted"] == []


def test_what_is_missing_for_each_is_named(tmp_path: Path) -> None:
    without = [("amp", "warmup"), ("warmup", "1cycle"), ("warmup",)]
    top = 'order = ["amp", "warmup", "1cycle"]'
    path = write_design(tmp_path, BRINGS, without=without, top=top)
    found = answer(path)
    assert [step["found"] is None for step in found["addition"]] == [False, False, True, False]
    assert [step["brings"] is None for step in found["addition"]] == [True, False, True, True]
    # What one run shows, it shows: amp and 1cycle without warmup, and no more.
    (pair,) = found["interactions"]["effects"]
    assert pair["effect"]["factors"] == ["amp", "1cycle"]
    assert (pair["combinations"], pair["possible"]) == (1, 2)
    lines = factors(path).stdout.splitlines()
    assert 'for the factor analysis: runs with on = ["amp", "warmup"]' in lines
    both = 'on = ["warmup", "1cycle"], on = ["amp", "warmup"]'
    assert f"for the lesion study: runs with {both}" in lines
    assert any(line.startswith("for main effects: runs of 3 of 8 combinations: ") for line in lines)


def test_a_run_that_never_gets_there_is_named_and_proves_nothing(tmp_path: Path) -> None:
    write_repeats(tmp_path / "none", 8)
    write_repeats(tmp_path / "amp", 2, final=92.85)
    write_repeats(tmp_path / "both", 1, final=91)
    runs = [{"log": "none"}, {"log": "amp", "on": ["amp"]}, {"log": "both", "on": ["amp", "big"]}]
    path = write_study(tmp_path, runs)
    found = answer(path)
    _, amp, both = found["addition"]
    assert [each["found"]["reached"] for each in found["addition"]] == [3, 1, 0]
    assert amp["found"]["hours"]["mean"] == pytest.approx(2 / 0.98)
    assert amp["found"]["final"]["mean"] == pytest.approx(92.95)  # of all three
    assert [amp["brings"]["verdict"], both["brings"]["verdict"]] == ["some runs fail"] * 2
    assert both["brings"]["speedup"] is None
    text = factors(path).stdout
    assert "1 of 3" in text
    assert "run-0, with amp does not reach the threshold (best 92.85 %)" in text
    assert "run-2, with amp, big does not reach the threshold (best 91.20 %)" in text
    assert "faster: " not in text


def test_of_some_combinations_a_line_tells_what_each_brings(tmp_path: Path) -> None:
    path = write_design(tmp_path, BRINGS, without=[["amp"], ["warmup", "1cycle"], list(BRINGS)])
    found = answer(path)
    assert found["interactions"]["runs"] == 5
    for effect in found["fitted"]:
        (factor,), speedup = effect["factors"], effect["speedup"]
        assert speedup["mean"] == pytest.approx(BRINGS[factor], rel=1e-6)
        assert speedup["interval"]["low"] < BRINGS[factor] < speedup["interval"]["high"]
    verdicts = {effect["factors"][0]: effect["verdict"] for effect in found["fitted"]}
    assert verdicts == {"amp": "faster", "warmup": "slower", "1cycle": "faster"}
    text = factors(path).stdout
    assert "by a line through all runs" in text
    assert "each brings the same to all others, is assumed" in text
    # A run that never gets there counts as longer than it lasted.
    write_repeats(tmp_path / "none", 8, scatter=[0.8, 0.9, 1.1, 1.2])
    write_repeats(tmp_path / "slow", 16, final=92.85, scatter=[0.8, 0.9, 1.1, 1.2])  # 2 of 4
    path = write_study(tmp_path, [{"log": "none"}, {"log": "slow", "on": ["slow"]}])
    (effect,) = answer(path)["fitted"]
    assert effect["speedup"]["mean"] < 0.5  # the two that do get there alone say 0.43
    assert effect["verdict"] == "slower"


def test_runs_without_repeats_or_with_equal_times_have_no_verdict(tmp_path: Path) -> None:
    path = write_design(tmp_path, {"a|b": 4.0, "\x1b[31m": 2.0}, scatter=[1.0])
    found = answer(path)
    assert found["addition"][1]["brings"]["speedup"] == {"mean": pytest.approx(4), "interval": None}
    verdicts = {step["brings"]["verdict"] for step in found["addition"][1:] + found["lesion"][1:]}
    verdicts |= {each["effect"]["verdict"] for each in found["interactions"]["effects"]}
    assert verdicts == {"no repeats"}
    text = factors(path, "--format", "markdown").stdout
    assert "all configurations have one run, and so no intervals" in text
    assert "faster: " not in text
    assert "| + a\\|b | 1 of 1 |" in text  # a stranger's name stays in its cell
    assert "\x1b" not in text
    for name, hours in (("none", 8), ("amp", 2)):
        write_repeats(tmp_path / name, hours, scatter=[1.0])
        scores = (tmp_path / name / "run-0.tsv").read_text().replace("\t80", "\t79")
        (tmp_path / name / "run-1.tsv").write_text(scores)
    path = write_study(tmp_path, [{"log": "none"}, {"log": "amp", "on": ["amp"]}])
    assert answer(path)["addition"][1]["brings"]["verdict"] == "equal times"


def test_many_comparisons_are_judged_together(tmp_path: Path) -> None:
    """One that stands alone is not shown any more where it is one of five."""
    times = {"a": 1.09} | dict.fromkeys("bcde", 1.0)
    scatter = (0.98, 1.0, 1.03)
    hours, runs, on = 8.0, [], []
    write_repeats(tmp_path / "none", hours, scatter=scatter)
    runs.append({"log": "none", "on": []})
    for at, (factor, faster) in enumerate(times.items()):
        hours, on = hours / faster / 1.0001, [*on, factor]
        write_repeats(tmp_path / factor, hours, scatter=scatter if at % 2 else scatter[::-1])
        runs.append({"log": factor, "on": list(on)})
    alone = answer(write_study(tmp_path, runs[:2]))["addition"][1]["brings"]
    among = answer(write_study(tmp_path, runs))["addition"][1]["brings"]
    assert alone["p"] == pytest.approx(among["p"])
    assert alone["p"] < 0.05 < among["adjusted"]
    assert (alone["verdict"], among["verdict"]) == ("faster", "not significant")


def test_a_number_gives_a_curve_of_time_epochs_and_throughput(tmp_path: Path) -> None:
    sizes = {1024: (1.5, 6), 64: (6.0, 3), 256: (2.0, 4)}
    runs = []
    for batch, (hours, epochs) in sizes.items():
        write_repeats(tmp_path / str(batch), hours, epochs)
        runs.append({"log": str(batch), "on": ["amp"], "set": {"batch": batch}})
    write_repeats(tmp_path / "none", 5.0)
    runs.append({"log": "none", "set": {"batch": 256}})
    path = write_study(tmp_path, runs, top="photos = 36000")
    found = answer(path)
    (curve,) = found["curves"]
    assert (curve["setting"], curve["on"], curve["settings"]) == ("batch", ["amp"], {})
    assert [value for value, _ in curve["points"]] == [64, 256, 1024]
    cells = [cell for _, cell in curve["points"]]
    assert [cell["hours"]["mean"] for cell in cells] == pytest.approx([6, 2, 1.5])
    assert [cell["epochs"]["mean"] for cell in cells] == pytest.approx([3, 4, 6])
    assert [cell["throughput"]["mean"] for cell in cells] == pytest.approx([5, 20, 40])
    # The factors are compared where most combinations of them were run.
    assert found["settings"] == {"batch": 256}
    assert found["addition"][1]["brings"]["speedup"]["mean"] == pytest.approx(2.5)
    # Of 3 and 10 epochs, the interval is made on logarithms, and so above 0.
    for at, epochs in enumerate((3, 10)):
        write_entry(tmp_path / "more" / f"{at}", [*range(60, 59 + epochs), 93.5], 1 + at / 10)
    several = write_study(tmp_path, [*runs, {"log": "more", "on": [], "set": {"batch": 512}}])
    needed = answer(several)["curves"][-1]["points"][1][1]["epochs"]
    assert needed["mean"] == pytest.approx(30**0.5)
    assert 0 < needed["interval"]["low"] < 3 < 10 < needed["interval"]["high"]
    path = write_study(tmp_path, runs, top="photos = 36000")
    text = factors(path).stdout
    assert "ImageNet, 93 % top-5 by batch, with amp" in text
    assert "photos/s" in text
    assert "lucky" not in text
    write_repeats(tmp_path / "64", 6.0, 3, final=92.85)  # one of three gets there
    assert "are of the lucky others" in factors(path).stdout


def test_numbers_that_only_change_together_have_no_curve(tmp_path: Path) -> None:
    runs = []
    for batch, rate in ((64, 0.1), (128, 0.2)):
        write_repeats(tmp_path / str(batch), 100 / batch)
        runs.append({"log": str(batch), "set": {"batch": batch, "lr": rate}})
    path = write_study(tmp_path, runs, top="set = {decay = 1}")
    assert answer(path)["curves"] == []
    text = factors(path).stdout
    assert "for a curve of batch: two runs that differ in batch and in nothing else" in text
    assert "for a curve of lr" in text
    assert "for a curve of decay" not in text
    assert "there is nothing to draw" in refusal(path, "-o", tmp_path / "x.png")


def test_a_loss_falls_and_has_no_per_cent(tmp_path: Path) -> None:
    for name, hours in (("none.csv", 3.0), ("amp.csv", 1.5)):
        lines = [f"{e},{e * hours},{1.2 - 0.3 * e:.1f}\n" for e in (1, 2, 3)]
        (tmp_path / name).write_text("".join(["epoch,hours,val_loss\n", *lines]))
    path = write_study(tmp_path, [{"log": "none.csv"}, {"log": "amp.csv", "on": ["amp"]}])
    found = answer(path, "--metric", "val_loss", "--threshold", 0.6)
    assert found["percent"] is False
    assert found["addition"][0]["found"]["hours"]["mean"] == pytest.approx(6)
    assert found["addition"][1]["brings"]["speedup"]["mean"] == pytest.approx(2)
    text = factors(path, "--metric", "val_loss", "--threshold", 0.6).stdout
    assert "val_loss 0.6: factor analysis" in text
    assert " %" not in text.split("Notes")[0]


@pytest.mark.soak
def test_the_figure_is_drawn_whatever_factors_are_called(tmp_path: Path) -> None:
    path = write_design(tmp_path, {"$x^{$": 2.0, "_b": 1.5}, without=[["_b"]], top="set = {lr = 1}")
    write_repeats(tmp_path / "more", 3, final=92)
    with path.open("a") as file:
        file.write('[[run]]\nlog = "more"\non = ["$x^{$"]\nset = {lr = 10}\n')
    figure = tmp_path / "figure.png"
    factors(path, "-o", figure)
    with Image.open(figure) as image:
        assert image.width > 1000
        assert len(set(image.convert("L").tobytes())) > 10
    assert "a figure is written as .png or .svg" in refusal(path, "-o", tmp_path / "x.jpg")


def test_runs_that_their_user_stopped_are_left_out(tmp_path: Path) -> None:
    path = write_design(tmp_path, {"amp": 2.0})
    stopped = {"recording": {"finished": False, "stopped": True}}
    write_entry(tmp_path / "amp" / "run-9", [80, 81], misc=stopped)
    found = answer(path)
    assert [len(each["runs"]) for each in found["configurations"]] == [3, 3]
    assert "cannot tell, not counted: run-9: stopped before the threshold" in found["remarks"]
    logs = [*(tmp_path / "none").glob("*.json"), *(tmp_path / "amp").glob("*.json")]
    for number, log in enumerate(logs):  # each its own: a log that is there twice is refused
        write_entry(log.with_suffix(""), [80, 81 + number / 100], misc=stopped)
    assert "not counted: run-0, run-1, run-2 and run-9: stopped before" in refusal(path)


def test_what_differs_with_a_factor_is_not_put_down_to_it(tmp_path: Path) -> None:
    write_repeats(tmp_path / "none", 8)
    others = {"hardware": "8 A100", "model": "ResNet-18", "framework": "JAX 0.4"}
    for field, other in others.items():
        write_repeats(tmp_path / field, 4, **{field: other})
        path = write_study(tmp_path, [{"log": "none"}, {"log": field, "on": ["amp"]}])
        said = refusal(path)
        assert f"the runs differ in more than `on` and `set`: {field} " in said
        assert other in said and "--mixed" in said
        assert f"the runs differ in {field} " in factors(path, "--mixed").stdout
