"""Tables of epochs as tests write and read them."""

from pathlib import Path

from genset.tta.logs.common import ReadAs
from genset.tta.logs.reading import read_file
from genset.tta.runs import Training


def runs_of(path: Path, content: str | bytes, read_as: ReadAs = ReadAs()) -> list[Training]:  # noqa: B008
    """Write a file and read its runs, as the commands do."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_file(path, read_as)


def measured(run: Training) -> list[tuple[float, float, float]]:
    """Epoch, seconds and the score that counts."""
    score = run.about.task.score
    return [(e.epoch, round(3600 * e.hours, 6), e.scores[score]) for e in run.epochs]
