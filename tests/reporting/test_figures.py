"""`genset report --figures`: each figure of the page as SVG and as PDF."""

from pathlib import Path
from xml.etree import ElementTree

from click.testing import CliRunner

from genset.cli import cli
from genset.reporting.collect import collect
from genset.reporting.figures.export import write_figures
from genset.reporting.options import ReportOptions
from tests.reporting.heads import keep_finetuned
from tests.reporting.sets import release_of, report, score


def test_each_figure_is_written_as_svg_and_as_pdf(tmp_path: Path) -> None:
    photos, runs = release_of(tmp_path / "set", 60), tmp_path / "runs"
    names = ["resnet_$1$ & <b>", "resnet_2", "vit_a", "vit_b", "model"]
    for place, name in enumerate(names):
        score(photos, runs, name, 20 + 8 * place, weights=f"sha256:{place}")
        keep_finetuned(runs, name, [32], weights=f"sha256:{place}", shots=[(1, 90), (5, 60)])
    table = tmp_path / "there.csv"
    rows = [f"{name},{60 + 5 * place}" for place, name in enumerate(names)]
    table.write_text("\n".join(["model,top1", *rows]))
    data = collect(photos, runs, ReportOptions(reference=str(table)))
    found = write_figures(data, tmp_path / "figures")
    assert sorted(found) == sorted((tmp_path / "figures").iterdir())
    assert {path.stem.rpartition("-")[0] for path in found} == {
        *("leaderboard", "pairs", "baseline", "fine-tuning", "calibration")
    }
    for path in found:
        if path.suffix == ".svg":
            root = ElementTree.fromstring(path.read_text())
            assert float(root.attrib["width"]) > 100 < 5 * float(root.attrib["height"])
            assert "var(" not in path.read_text()
        else:
            assert path.read_bytes().startswith(b"%PDF")
            assert path.with_suffix(".svg") in found
    texts = texts_of(tmp_path / "figures" / "leaderboard-1.svg")
    assert set(names) <= set(texts)
    assert "How sure model is, and how right" in texts_of(
        tmp_path / "figures" / "calibration-1.svg"
    )
    assert texts_of(tmp_path / "figures" / "pairs-1.svg")[-2].startswith("Where models disagree")


def texts_of(svg: Path) -> list[str | None]:
    return [text.text for text in ElementTree.parse(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_models_are_coloured_by_their_tags(tmp_path: Path) -> None:
    photos, runs = release_of(tmp_path / "set", 8), tmp_path / "runs"
    specs = tmp_path / "specs.txt"
    lines = []
    for name, tag in {"a": "cnn", "b": "cnn,small", "c": "attention", "d": "attention"}.items():
        rows = [f"{photo.id},{photo.wnid}\n" for photo in photos.photos[: 4 + len(lines)]]
        (tmp_path / f"{name}.csv").write_text("".join(["image,top1\n", *rows]))
        lines.append(f"predictions:{tmp_path / name}.csv?tags={tag}")
    specs.write_text("\n".join(lines))
    words = ["evaluate", str(photos.root), "--runs", str(runs), "--models", str(specs)]
    assert CliRunner().invoke(cli, words).exit_code == 0
    page = report(photos, runs).text
    assert "cnn ●" in page
    assert "attention ●" in page


def test_a_file_is_no_folder_for_figures(tmp_path: Path) -> None:
    photos, runs = release_of(tmp_path / "set", 5), tmp_path / "runs"
    (tmp_path / "figures").touch()
    words = ["report", str(photos.root), "--runs", str(runs), "--figures"]
    done = CliRunner().invoke(cli, [*words, str(tmp_path / "figures"), "--format", "csv"])
    assert "is a file: name a folder for the figures" in str(done.exception or done.output)
