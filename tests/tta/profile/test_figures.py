"""The figures of traces: what is in them, that names can be read, and that print keeps them."""

from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image, ImageColor

from genset.tta.figures import line_style
from tests.tta.answers import printed, refusal, texts
from tests.tta.profile.recorded import write_host, write_rank


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    """A run of two ranks, one of one rank, and one of the host alone."""
    ranks = [write_rank(tmp_path / f"rank{rank}.json", rank) for rank in (0, 1)]
    alone = write_rank(tmp_path / "alone.json", ranks=1, talk=0.0)
    host = write_host(tmp_path / "host.json")
    return [*(f"two={path}" for path in ranks), f"one={alone}", f"host={host}"]


@pytest.mark.soak
def test_a_profile_has_all_runs_in_one_figure(runs: list[str], tmp_path: Path) -> None:
    path = tmp_path / "profile.svg"
    words = ["profile", *runs, "--point", "tpu=1e15,1e13,30", "--device", "tpu=TPUv2"]
    printed(*words, "-o", path)
    said = texts(path)
    for title in ("what the device did", "roofline"):
        assert any(title in each for each in said), title
    for name in ("two, rank 0", "two, rank 1", "one", "1: two", "2: one", "3: host", "4: tpu"):
        assert name in said, name
    assert any("float16 125" in each for each in said)
    assert "TPUv2: bfloat16 46 TFLOP/s, 700 GB/s" in said
    first = path.read_bytes()
    printed(*words, "-o", path)
    assert path.read_bytes() == first


def test_of_what_is_not_known_there_is_no_panel(tmp_path: Path) -> None:
    plain = write_rank(tmp_path / "plain.json", shapes=False)
    path = tmp_path / "a.svg"
    printed("profile", "--all", plain, "-o", path)
    assert not any("roofline" in each for each in texts(path))
    printed("profile", "--all", "--point", "tpu=1e15,1e13,30", "-o", path)
    said = texts(path)
    assert "tpu" in said
    assert not any("what the device did" in each for each in said)
    points = [word for at in range(21) for word in ("--point", f"p{at}=1e12,1e10,1")]
    assert "at most 20 runs" in refusal("profile", *points, "-o", path)
    assert len({line_style(at) for at in range(20)}) == 20


def test_names_outside_of_the_font_warn_nobody_and_a_strangers_name_is_no_formula(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    name = "$\\frac{1}{$"
    ranks = [write_rank(tmp_path / f"{rank}.json", rank, talk=100.0 * rank) for rank in (0, 1)]
    words = [f"{name}={ranks[0]}", f"名前={ranks[1]}", "--point", f"{name}2=1e12,1e10,1"]
    printed("profile", "--all", *words, "-o", tmp_path / "a.svg")
    assert name in texts(tmp_path / "a.svg")
    assert not [each for each in recwarn if "Glyph" in str(each.message)]


@pytest.mark.soak
def test_a_figure_has_its_own_white_ground_and_parts_that_print_apart(
    runs: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "profile.png"
    printed("profile", "--all", *runs, "-o", path)
    with Image.open(path) as drawn:
        picture = drawn.convert("RGBA")
    assert picture.getpixel((0, 0)) == (255, 255, 255, 255)
    assert picture.getextrema()[3] == (255, 255)  # nothing of a dark page shows through
    colours = picture.convert("L").getcolors()
    assert colours is not None
    many = {colour for _, colour in sorted(colours, reverse=True)[:40]}
    parts = ("#1f4e79", "#e08214", "#a6cee3", "#f4f4f4", "#ffffff")
    grey = sorted(ImageColor.getcolor(part, "L") for part in parts)
    assert set(grey) <= many
    assert all(b - a >= 10 for a, b in pairwise(grey))
