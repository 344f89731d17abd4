"""Files of commands and their answers: read, run, written.

A file has one command after another, each as one types it, and under it what it answered. A command
that genset does not have is one of `tests.answers`: `make NAME` calls a function of `making.py`,
`show FILE [LINES]` prints a file, a folder's files, or what one reads on a page.
"""

import json
import re
import shlex
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import genset
from tests.answers.making import MAKERS
from tests.terminal import Answer, Terminal

HOW = "resize=18&crop=16&mean=0.5&std=0.5"
MODELS = {
    "TINY": f"file:tiny.pth?arch=tests.answers.network:net&{HOW}",
    "ROUGH": f"file:rough.safetensors?arch=tests.answers.network:net&{HOW}",
    "FEW": f"file:few.pth?arch=tests.answers.network:net&{HOW}&classes=ten.txt",
    "ONNX": f"onnx:few.onnx?{HOW}&classes=ten.txt&name=few-onnx",
    "ELSEWHERE": "predictions:elsewhere.csv",
    "SURE": "predictions:sure.npy",
    "OTHER": "predictions:other.npy",
}


@dataclass(frozen=True)
class Session:
    """A workspace, and the terminal in which commands are typed there."""

    terminal: Terminal
    folder: Path
    environment: dict[str, str]

    def answers(self, lines: list[str]) -> str:
        """The text of a file with these commands and what they answer, one after another."""
        return "\n".join(self._answered(line) for line in lines)

    def run(self, line: str) -> Answer:
        program, *words = shlex.split(with_models(line))
        if program == "make":
            MAKERS[words[0]](self.folder)
            return Answer(0, "", "")
        if program == "show":
            return self._shown(*words)
        assert program == "genset", line
        return self.terminal(*words, cwd=self.folder, **self.environment)

    def _answered(self, line: str) -> str:
        answer = self.run(line)
        text = f"$ {line}\n"
        if answer.code:
            text += f"exit code {answer.code}\n"
        for mark, part in (("", answer.out), ("--- standard error\n", answer.err)):
            if part:
                text += mark + self._plain(in_lines(part)).rstrip("\n") + "\n"
        return text

    def _shown(self, name: str, lines: str = "0") -> Answer:
        try:
            return Answer(0, shown(self.folder / name, int(lines) or None), "")
        except OSError as error:
            return Answer(1, "", f"{error.strerror}\n")

    def _plain(self, text: str) -> str:
        """Without paths, times and the like; numbers rounded."""
        text = LONG.sub(lambda number: f"{float(number[0]):.4g}", text)
        for path, name in ((self.folder, "WORKSPACE"), (self.terminal.home, "HOME")):
            if str(path) in text:
                text = text.replace(str(path), name)
                text = re.sub(r"(?<=\S) {2,}", "  ", text)  # tables were as wide as the path
        for pattern, word in varying():
            text = pattern.sub(word, text)
        return text


def with_models(line: str) -> str:
    """A command with the specs of the models that it names, such as $TINY."""
    return re.sub(r"\$([A-Z]+)", lambda name: MODELS[name[1]], line)


WIDTH = 100
"""Of a line of JSON."""

FEW = 2
"""Entries of a list that one line does not hold, which stand for all of them."""


def varying() -> list[tuple[re.Pattern[str], str]]:
    """What another day, machine or draw changes, and the word that stands for it."""
    now = datetime.now(UTC)
    days = "|".join(f"{now - timedelta(days=ago):%Y-%m-%d}" for ago in (0, 1))
    patterns = {
        rf"\b({days})[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00)?": "NOW",
        rf"\b({days})\b": "TODAY",
        rf"\b{now.year}(?=v\d|\}})": "YEAR",
        r"(?<=\?invite=|.\?token=)[\w-]{20,}": "TOKEN",
        r'("code\w*": )"[0-9a-f]{8}"': r'\1"CODE"',
        r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b": "UUID",
        r"(?<![\w.])([0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32})\b": "HASH",
        r"(?<![\w.])(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{12,16}\b": "HASH",
        r"images/[0-9a-f]{2}/HASH": "images/HASH",
        r'("(?:seconds|photo_id|photos_per_second|threads)": )[\d.]+': r"\1NUMBER",
        r"(?<=^NOW, in )\d+ s": "SECONDS",
        r"(?<= in )[\d.]+ s$": "SECONDS",
        r'("versions": )\{[^}]*\}': r"\1VERSIONS",
        r"\bpython \d[\d.]*(, \w+ [\w.+]+)*": "VERSIONS",
        re.escape(genset.__version__): "VERSION",
        r"\d\.\d MB(?=, checked)": "SIZE",
        r"127\.0\.0\.1:(?!8501)\d+": "SANDBOX",
    }
    return [(re.compile(pattern, re.M), word) for pattern, word in patterns.items()]


# Not all processors add up in the same order.
LONG = re.compile(r"(?<![\w.:])\d+\.\d{5,}(e[-+]\d+)?")


def commands(path: Path) -> list[str]:
    return [line[2:] for line in path.read_text("utf-8").splitlines() if line.startswith("$ ")]


def shown(path: Path, lines: int | None = None) -> str:
    """A file or its first lines; of a folder, the names in it; of a page, what one reads there."""
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file())
        return "".join(f"{file.relative_to(path).as_posix()}\n" for file in files)
    text = path.read_text("utf-8")
    if path.suffix == ".html":
        return "\n".join(Page(text).lines)
    return "".join(text.splitlines(keepends=True)[:lines])


def in_lines(text: str) -> str:
    """A JSON document in lines, of long lists the first few; another text as it is."""
    try:
        return laid_out(json.loads(text))
    except ValueError:
        return text


def laid_out(value: Any, indent: str = "", room: int = WIDTH) -> str:
    """JSON that is broken into lines where it is longer than `room`."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) <= room or not isinstance(value, dict | list) or not value:
        return line
    if isinstance(value, list) and len(value) > FEW:
        value = [*value[:FEW], f"{len(value) - FEW} more"]
    inner = f"{indent} "
    names = [f"{json.dumps(name)}: " for name in value] if isinstance(value, dict) else []
    rows = []
    for place, part in enumerate(value.values() if isinstance(value, dict) else value):
        start = inner + (names[place] if names else "")
        rows.append(start + laid_out(part, inner, WIDTH - len(start)))
    first, last = "{}" if names else "[]"
    return f"{first}\n" + ",\n".join(rows) + f"\n{indent}{last}"


class Page(HTMLParser):
    """What one reads on a page: a line for each paragraph and for each row of a table."""

    _BLOCKS = frozenset(
        (
            *("caption", "dd", "details", "div", "dl", "dt", "figcaption", "figure", "footer"),
            *("h1", "h2", "h3", "h4", "header", "li", "nav", "option", "p", "section", "summary"),
            *("tr", "ul"),
        )
    )
    _CELLS = frozenset(("td", "th"))
    _HIDDEN = frozenset(("style", "svg", "script"))

    def __init__(self, text: str) -> None:
        super().__init__()
        self._lines = [""]
        self._hidden = self._cells = 0
        self.feed(text)
        lines = (re.sub(r"( \|)+$", "", " ".join(line.split())) for line in self._lines)
        self.lines = [line for line in lines if line.strip("| ")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._cells += tag in self._CELLS
        self._part(tag)
        attributes = dict(attrs)
        if text := attributes.get("alt") or attributes.get("aria-label"):
            self._lines[-1] += f" [{text}] "
        self._hidden += tag in self._HIDDEN

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in self._HIDDEN
        self._part(tag)
        if tag in self._CELLS:
            self._cells -= 1
            self._lines[-1] += " | "

    def _part(self, tag: str) -> None:
        if tag in self._BLOCKS and not self._cells:
            self._lines.append("")
        elif tag in self._BLOCKS or tag in ("br", "small", "span"):
            self._lines[-1] += " "

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._lines[-1] += data
