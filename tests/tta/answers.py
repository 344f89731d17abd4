"""How tests of this room ask `genset tta`."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from click.testing import CliRunner, Result

from genset.cli import cli
from genset.core.errors import GensetError
from genset.tta.logs.common import ReadAs
from genset.tta.logs.reading import read_file
from genset.tta.runs import Training


def tta(*words: object) -> Result:
    """What a command prints; what it raises that is no error of ours, it raises here too."""
    result = CliRunner().invoke(cli, ["tta", *map(str, words)])
    if result.exception and not isinstance(result.exception, SystemExit | GensetError):
        raise result.exception
    return result


def printed(*words: object) -> str:
    """The text that a command prints that succeeds."""
    result = tta(*words)
    assert result.exception is None, result.exception
    return result.stdout


def answer(*words: object) -> Any:
    """What a command says as JSON, also where it fails since logs were refused."""
    result = tta(*words, "--json")
    assert result.stdout, result.exception
    return json.loads(result.stdout)


def refusal(*words: object) -> str:
    """What a command says that refuses its input."""
    result = tta(*words)
    assert isinstance(result.exception, GensetError), result.stdout
    return str(result.exception)


def partly(*words: object) -> Any:
    """The answer as JSON of a command that could not count all logs, and ends with exit code 1."""
    result = tta(*words, "--json")
    assert "cannot be counted" in str(result.exception), result.exception
    return json.loads(result.stdout)


def texts(figure: Path) -> list[str]:
    """The words of an SVG, which matplotlib leaves as comments beside their outlines."""
    text = figure.read_text("utf-8")
    ElementTree.fromstring(text)
    return [part.split("-->")[0].strip() for part in text.split("<!--")[1:]]


def runs_of(path: Path, content: str | bytes, read_as: ReadAs = ReadAs()) -> list[Training]:  # noqa: B008
    """Write a file and read its runs, as the commands do."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_file(path, read_as)


def measured(run: Training) -> list[tuple[float, float, float]]:
    """Epoch, seconds and the score that counts."""
    score = run.about.task.score
    return [(e.epoch, round(3600 * e.hours, 6), e.scores[score]) for e in run.epochs]
