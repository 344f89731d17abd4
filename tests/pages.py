"""Pages that are to be followed: their commands, what they say these print, and what they print.

A block of ``console`` has commands behind "$ " and what each prints; "..." stands for any text
there, and as a line of its own for any lines. A block of ``python`` is a file that the reader
saves, and its first line names it.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_END = "--- end of a command, exit status"


@dataclass
class Step:
    """A command, after a file that is to be saved before it; and what the page says it prints."""

    command: str
    shown: list[str] = field(default_factory=list)


def steps(page: str) -> Iterator[Step]:
    """The commands of a page, in order; a file that it shows is one that writes it."""
    page = re.sub(r"\\\n\s*", "", page)  # a command that goes on in the next line
    for language, text in re.findall(r"^```(console|python)\n(.*?)^```$", page, re.M | re.S):
        if language == "python":
            (name,) = re.findall(r"\A# (\w+\.py): ", text)
            yield Step(f"printf %s {shlex.quote(text)} > {name}")
            continue
        step = None
        for line in text.splitlines():
            if line.startswith("$ "):
                if step:
                    yield step
                step = Step(line.removeprefix("$ "))
            else:
                assert step, f"what prints this? {line}"
                step.shown.append(line)
        if step:
            yield step


def as_compared(text: str) -> str:
    """Without what may differ by machine: numbers with a decimal point, and columns' widths."""
    return re.sub(r" {2,}(?=\S)", "  ", re.sub(r"\b\d+\.\d+\b", "0.0", text)).strip()


def pattern_of(shown: list[str]) -> str:
    """A pattern of what is shown: "..." is any text, and as a line of its own any lines."""
    lines = []
    for line in shown:
        if line == "...":
            lines.append(r"(?:.*\n)*?")
        else:
            lines.append(r".*?".join(map(re.escape, as_compared(line).split("..."))) + r"\n")
    return "".join(lines)


def follow(all_steps: list[Step], folder: Path) -> list[tuple[str, int]]:
    """Run the commands in one shell, as who reads the page does: what each printed, its status."""
    script = "trap 'kill $(jobs -p) 2>/dev/null' EXIT\n"
    for step in all_steps:
        script += f"{step.command}\ncode=$?; echo; echo '{_END}' $code\n"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {key: value for key, value in os.environ.items() if "API_KEY" not in key}
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env={**environment, "PATH": path},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False, timeout=560,
    )  # fmt: skip
    parts = re.split(rf"\n{_END} (\d+)\n", done.stdout)
    return list(zip(parts[::2], map(int, parts[1::2]), strict=False))


def assert_prints_what_it_shows(all_steps: list[Step], folder: Path) -> None:
    """Run the commands in a folder; hold what each prints, and its status, to what is shown."""
    results = follow(all_steps, folder)
    assert len(results) == len(all_steps)
    for step, (printed, status) in zip(all_steps, results, strict=True):
        refused = any(line.startswith("genset: ") for line in step.shown)
        assert status == (2 if refused else 0), f"{step.command}\n{printed}"
        lines = "".join(as_compared(line) + "\n" for line in printed.splitlines())
        assert re.fullmatch(pattern_of(step.shown), lines), f"{step.command}\n{printed}"
