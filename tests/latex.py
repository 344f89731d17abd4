"""A real LaTeX, for what people put into a paper."""

import shutil
import subprocess
from pathlib import Path

import pytest

DOCUMENT = r"""\documentclass{{article}} \usepackage[T1]{{fontenc}} \usepackage{{booktabs}}
\begin{{document}}{}\end{{document}}
"""


def compile_latex(tables: str, folder: Path) -> None:
    """Fail where LaTeX does not take these tables in a document of two packages."""
    if not (program := shutil.which("pdflatex")):
        pytest.skip("no LaTeX: apt install texlive-latex-recommended")
    (folder / "paper.tex").write_text(DOCUMENT.format(tables), "utf-8")
    words = [program, "-no-shell-escape", "-halt-on-error", "-draftmode", "paper.tex"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
