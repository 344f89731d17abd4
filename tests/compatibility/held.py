"""What is held of an answer: all of it but what another day or another machine changes."""

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from tests.terminal import Answer

EXPECTED = Path(__file__).parent / "expected"
WRITE = "GENSET_WRITE_EXPECTED"

# Numbers are held to nine digits: not all processors add up in the same order.
_LONG = re.compile(r"\d+\.\d{9,}(e[-+]\d+)?")

# An invitation is random.
_INVITED = re.compile(r"(?<=\?invite=)[\w-]+")

# So are the codes of a study, but the one that a line gives.
_CODES = re.compile(r'("code_(?:failed|declined|nothing)": )"[0-9a-f]{8}"')

# What a run that is made now says of now and of what is installed.
_NOW = (
    (re.compile(r'("(?:created_at|device)": )"[^"]*"'), r'\1"..."'),
    (re.compile(r'("seconds": )[\d.]+'), r"\1..."),
    (re.compile(r'("versions": )\{[^}]*\}'), r"\1{...}"),
)


def answered(line: str, answer: Answer, names: dict[str, str], made_now: bool = False) -> str:
    """The answer to a line, as its file holds it; `names` stand for paths of this machine.

    `made_now` tells that runs in it are no kept ones.
    """
    said = [f"$ genset {line}\nexit code {answer.code}\n"]
    for where, text in (("standard output", answer.out), ("standard error", answer.err)):
        if text:
            said.append(f"--- {where}\n{_plain(_in_lines(text), names)}")
    text = "".join(said)
    for what, instead in _NOW if made_now else ():
        text = what.sub(instead, text)
    return text


def written(path: Path, names: dict[str, str]) -> str:
    """A file that a command wrote; of a folder, the names in it; of a page, what one reads."""
    if path.is_dir():
        files = sorted(each for each in path.rglob("*") if each.is_file())
        text = "".join(f"{each.relative_to(path).as_posix()}\n" for each in files)
    else:
        text = path.read_text("utf-8")
        text = _plain(_words_of(text) if path.suffix == ".html" else text, names)
    return f"--- {path.name}\n{text}"


def hold(name: str, text: str) -> None:
    """See that a text is the one that the file of this name holds, or write it there."""
    path = EXPECTED / name
    if os.environ.get(WRITE):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    assert text.splitlines() == path.read_text("utf-8").splitlines()


def expected(name: str, now: Any) -> Any:
    """What the JSON file of this name holds; `now` is what it would hold, and may be written."""
    path = EXPECTED / name
    if os.environ.get(WRITE):
        path.write_text(_parts(now, 2) + "\n", "utf-8")
    return json.loads(path.read_text("utf-8"))


def file_of(line: str) -> str:
    """The name of the file that holds the answer to a line."""
    return re.sub(r"[^A-Za-z0-9._=-]+", "_", line).strip("-_") + ".txt"


def _plain(text: str, names: dict[str, str]) -> str:
    text = _CODES.sub(r'\1"<CODE>"', _INVITED.sub("<TOKEN>", text))
    for path, name in names.items():
        if path in text:
            text = text.replace(path, name)
            text = re.sub(r"(?<=\S) {2,}", "  ", text)  # a table was as wide as the path is long
    return _LONG.sub(lambda number: f"{float(number[0]):.9g}", text)


def _in_lines(text: str) -> str:
    """A JSON document with a line for each of its parts; another text as it is."""
    try:
        found = json.loads(text)
    except ValueError:
        return text
    assert text == json.dumps(found, indent=2) + "\n", "JSON is printed with an indent of 2"
    return _parts(found, 2) + "\n"


def _parts(found: Any, depth: int, indent: str = "") -> str:
    """JSON whose upper levels have lines of their own."""
    if not depth or not isinstance(found, dict | list) or not found:
        return json.dumps(found, ensure_ascii=False)
    inner = f"{indent} "
    if isinstance(found, list):
        parts, ends = [f"{inner}{_parts(each, depth - 1, inner)}" for each in found], "[]"
    else:
        parts, ends = [], "{}"
        for name, each in found.items():
            parts.append(f"{inner}{json.dumps(name)}: {_parts(each, depth - 1, inner)}")
    return ends[0] + "\n" + ",\n".join(parts) + "\n" + indent + ends[1]


class _Reader(HTMLParser):
    """Collects the words of a page, and those that stand for a picture or a figure."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.unread = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        if instead := said.get("alt") or said.get("aria-label"):
            self.words.append(f"[{instead}]")
        self.unread += tag in ("style", "svg")

    def handle_endtag(self, tag: str) -> None:
        self.unread -= tag in ("style", "svg")

    def handle_data(self, data: str) -> None:
        if not self.unread and data.strip():
            self.words.append(" ".join(data.split()))


def _words_of(page: str) -> str:
    reader = _Reader()
    reader.feed(page)
    return "\n".join([*reader.words, ""])
