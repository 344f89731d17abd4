"""A real LaTeX, for what people put into a paper."""

import shutil
import subprocess
from pathlib import Path

import pytest

DOCUMENT = r"""\documentclass{{article}} \usepackage[T1]{{fontenc}}
\usepackage{{booktabs,longtable}}
\begin{{document}}{}\end{{document}}
"""


def compile_latex(tables: str, folder: Path) -> str:
    """What LaTeX says of these tables in a plain article; it fails where it does not take them."""
    if not (program := shutil.which("pdflatex")):
        pytest.skip("no LaTeX: apt install texlive-latex-recommended")
    (folder / "paper.tex").write_text(DOCUMENT.format(tables), "utf-8")
    words = [program, "-no-shell-escape", "-halt-on-error", "-draftmode", "paper.tex"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout
