"""The documentation as a site with search: `make docs` writes it to build/docs/index.html."""

import re
from pathlib import Path

from sphinx.application import Sphinx

INDEX = Path(__file__).with_name("README.md").read_text("utf-8")
# In the order in which the index links to them, which tests/test_docs.py has name every page.
PAGES = dict.fromkeys(["README", *re.findall(r"\]\(([\w-]+)\.md\)", INDEX), "commands", "api"])

project = "genset"
extensions = ["myst_parser", "sphinx_click", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "README"
include_patterns = ["*.md", "docs/*.md", "docs/*.rst", "benchmarks/README.md"]
exclude_patterns = [".*", "build"]
myst_enable_extensions = ["html_image"]
myst_heading_anchors = 4
napoleon_use_ivar = True
autodoc_typehints = "none"
html_theme = "furo"
html_title = "genset"
smartquotes = False  # -- is two hyphens in a command
suppress_warnings = ["myst.xref_missing"]  # tests/test_docs.py looks where every link leads


def add_contents(app: Sphinx, page: str, text: list[str]) -> None:
    """Give the front page the list of pages for the margin, which GitHub would show as code."""
    if page == root_doc:
        names = [f"docs/{name}" for name in PAGES]
        names += ["CONTRIBUTING", "CHANGELOG", "benchmarks/README"]
        text[0] += "\n".join(["\n```{toctree}", ":hidden:", *names, "```\n"])


def setup(app: Sphinx) -> None:
    app.connect("source-read", add_contents)
