"""The figures of traces: what is in them, that names can be read, and that print keeps them."""

from pathlib import Path

import pytest

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
