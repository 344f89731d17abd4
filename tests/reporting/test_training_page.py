"""`genset tta report`: one page on training runs."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from genset.cli import cli
from tests.reporting.sets import Page
from tests.tta.dawnbench_entries import write_entry
from tests.tta.profile.events import kernel, launch, operator, write


def page_of(*words: str) -> Page:
    done = CliRunner().invoke(cli, ["tta", "report", *words])
    assert done.exit_code == 0, done.output
    return Page(Path(done.stdout.strip()))


def test_a_page_on_training_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_entry(Path("runs/ImageNet/speedy.tsv"), [50, 80, 93.5], hour=0.1)
    write_entry(Path("runs/ImageNet/slow.tsv"), [50, 92], hour=1)
    rows = [
        f"{epoch},{60 * epoch},{60 + 12 * epoch + s},{s}" for s in range(3) for epoch in (1, 2, 3)
    ]
    Path("runs/mine.csv").write_text("\n".join(["epoch,time,val_acc,seed", *rows]))
    Path("runs/cut.csv").write_text("epoch,time,val_acc,seed\n1,60,61,7\n2,120,62,7")
    Path("runs/odd.tsv").write_text("epoch\thours\ttop5Accuracy\n1\tsoon\t3\n")
    events = [operator("aten::mm", 0, 9), launch(1, 1), kernel("gemm", 2, 6, 1)]
    trace = write(Path("fast.json"), events)
    page = page_of("runs", "--threshold", "90", "--trace", f"fast={trace}")
    assert "Training runs runs ImageNet: 2 of 2 entries reach 90 % top-5" in page.text
    assert "the fastest, speedy, in 18 min 0 s" in page.text
    assert "3 of 3 runs reach 90" in page.text
    assert "reaches 90 % val_acc (cannot tell: 1)" in page.text
    assert "How stable: mine" in page.text
    assert "coefficient of variation" in page.text
    assert "Not counted" in page.text
    assert "odd.tsv" in page.text
    assert "What the hardware did fast: busy: computing" in page.text
    assert [source[:18] for source in page.values("img", "src")] == ["data:image/svg+xml"] * 3
