"""What stands on a large report's page, as it is written."""

import base64
import hashlib
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from genset.cli import cli
from genset.reporting.collect import collect
from genset.reporting.figures.export import write_figures
from genset.reporting.figures.plot import share_axis
from genset.reporting.options import ReportOptions
from genset.reporting.sections.board import Ranked, ranking_plot
from genset.score.results.runs import Accuracy
from tests.reporting.heads import keep_finetuned
from tests.reporting.page.conftest import MODELS
from tests.reporting.sets import Page, release_of, report, score


@pytest.fixture(scope="module")
def page(large: Path) -> Page:
    return Page(large)


def section(page: Page, title: str, following: str) -> str:
    """The words of a section; its title and the next one's stand in the table of contents too."""
    start = page.text.split(title, 2)[2]
    return start.partition(following)[0]


@pytest.mark.soak
def test_seventy_models_fit_in_one_small_file(large: Path, page: Page) -> None:
    assert large.stat().st_size < 3_000_000
    names = re.findall(
        r'<tr><th scope="row"><a href="#model-[^>]*><bdi>(.*?)<', large.read_text("utf-8")
    )
    assert len(names) == MODELS
    assert names[0] == f"model-{MODELS - 1}"


def test_all_links_within_the_page_lead_somewhere(page: Page) -> None:
    ids = Counter(found["id"] for _, found in page.tags if "id" in found)
    assert not [name for name, times in ids.items() if times > 1]
    within = {href[1:] for href in page.values("a", "href") if href.startswith("#")}
    assert within <= set(ids)
    sections = {found["id"] for tag, found in page.tags if tag == "section"}
    assert sections <= within, "a section that the table of contents lacks"


def test_a_models_section_says_all_that_is_known_of_it(page: Page) -> None:
    each = section(page, "Each model", "To make it again")
    first = each.partition("model-68 ")[2].partition("Back to the table")[0]
    assert f"of {MODELS} by top-1 accuracy; cannot be told apart from" in each
    for words in ("Top-1", "Top-5", "Provenance", "Its hardest classes", "Calibration", "Spec"):
        assert words in first
    assert "file:model-69.pth?arch=torchvision:resnet18" in each


def test_only_the_pages_own_script_may_run(page: Page, large: Path) -> None:
    (policy,) = (
        found["content"]
        for tag, found in page.tags
        if tag == "meta" and found.get("http-equiv") == "Content-Security-Policy"
    )
    (source,) = re.findall(r"<script>(.*?)</script>", large.read_text("utf-8"), re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
    rules = dict(rule.strip().split(" ", 1) for rule in (policy or "").split(";"))
    assert rules["script-src"] == f"'sha256-{digest}'"
    assert rules["default-src"] == "'none'"
    assert not any(name.startswith("on") for _, found in page.tags for name in found)


def test_a_remark_of_all_models_is_made_once(tmp_path: Path) -> None:
    photos, runs = release_of(tmp_path / "set", 4), tmp_path / "runs"
    broken, other = photos.photos[0].id, photos.photos[1].id
    score(photos, runs, "one", 2, unreadable=[broken])
    score(photos, runs, "two", 1, unreadable=[broken])
    board = section(report(photos, runs), "Models", "Between models")
    remark = f"1 photo could not be read ({broken}); not counted"
    assert board.count(remark) == 1
    assert f"All models: {remark}." in board

    score(photos, runs, "three", 1, unreadable=[broken, other])
    board = section(report(photos, runs), "Models", "Between models")
    remark = f"2 photos could not be read ({broken}, ...); not counted"
    assert f"three answered 2 of 4 photos: in no rank; {remark}" in board
    assert "All models:" not in board


def test_a_few_far_weaker_models_do_not_squeeze_the_axis() -> None:
    strong = [Accuracy.of(700 + n, 1000) for n in range(0, 60, 5)]
    shares = [each.share for each in strong]
    assert share_axis("", [*shares, 0.001]).low > 0.6
    models = [Ranked(f"m{n}", each, near=False) for n, each in enumerate(strong[::-1])]
    drawn = ranking_plot([*models, Ranked("chance", Accuracy.of(1, 1000), near=False)])
    assert drawn.count("▼") == 1


# `genset report --figures`: each figure of the page as SVG and as PDF.


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
