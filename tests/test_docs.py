"""The commands that README, docs and the help texts show are commands that there are."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

import genset
from genset.cli import cli
from genset.cli.group import first_sentence
from genset.sources.source import source_class, source_names

ROOT = Path(__file__).parent.parent


def shown_in_documents() -> Iterator[str]:
    documents = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    text = "\n".join(path.read_text("utf-8") for path in documents)
    text = re.sub(r"^\$ ", "    ", text, flags=re.M)
    blocks = "\n".join(line.strip() for line in text.splitlines() if line.startswith("    "))
    for line in [*blocks.splitlines(), *re.findall(r"`([^`]*)`", text)]:
        yield from (part.strip() for part in line.split("&&"))


def shown_in_help() -> Iterator[str]:
    for command in commands(cli):
        yield from (line.strip() for line in (command.help or "").splitlines())


def commands(group: click.Group) -> Iterator[click.Command]:
    """All below a group; a group before those in it."""
    for command in group.commands.values():
        yield command
        if isinstance(command, click.Group):
            yield from commands(command)


def mistake_in(example: str) -> str | None:
    """What of a command that is shown does not exist."""
    words = shlex.split(example.rstrip("\\"))[1:]
    command: click.Command = cli
    while isinstance(command, click.Group) and words:
        name = words.pop(0)
        if name not in command.commands:
            return f"{example}: there is no command {name}"
        command = command.commands[name]
    options = {name for parameter in command.params for name in parameter.opts} | {"--help"}
    used = {word.partition("=")[0] for word in words if word.startswith("-")}
    return f"{example}: there is no {used - options}" if used - options else None


def test_every_command_shown_is_one_that_there_is() -> None:
    shown = {*shown_in_documents(), *shown_in_help()}
    examples = sorted(line for line in shown if re.match(r"genset [a-z]", line))
    assert len(examples) > 100
    mistakes = [mistake for example in examples if (mistake := mistake_in(example))]
    assert not mistakes, "\n".join(mistakes)


def test_every_command_has_help_with_each_example_on_its_own_line() -> None:
    for command in [cli, *commands(cli)]:
        shown = command.get_help(click.Context(command))
        assert "\\b" not in shown, command.name
        if isinstance(command, click.Group):
            flat = "".join(shown.split())
            for word, each in command.commands.items():
                assert "".join(f"{word}{first_sentence(each)}".split()) in flat, word
            continue
        examples = re.findall(r"^\s*(genset .*)$", command.help or "", re.MULTILINE)
        assert examples, command.name
        for example in examples:
            assert f"\n  {example}\n" in shown, command.name


def test_readme_is_short_and_shows_the_two_lines_on_its_first_screen() -> None:
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    assert len(lines) < 220
    commands = [line.split("#")[0].strip() for line in lines[:50] if line.startswith("    ")]
    assert [each for each in commands if each.startswith("make ")] == ["make demo", "make test"]


DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_every_link_and_picture_leads_to_a_file_and_a_heading() -> None:
    for document in DOCUMENTS:
        text = re.sub(r"^(```.*?^```|    .*?$)", "", document.read_text("utf-8"), flags=re.M | re.S)
        found = re.findall(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"", text)
        for target in (link or picture for link, picture in found):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, heading = target.partition("#")
            file = (document.parent / name).resolve() if name else document
            assert file.exists(), (document, target)
            assert not heading or heading in headings(file), (document, target)


@cache
def headings(document: Path) -> set[str]:
    """What a link to each heading says, by GitHub's rule."""
    text = re.sub(r"^```.*?^```", "", document.read_text("utf-8"), flags=re.M | re.S)
    return {
        re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", text, flags=re.M)
    }


def test_the_index_of_docs_names_every_page() -> None:
    index = (ROOT / "docs" / "README.md").read_text("utf-8")
    for path in (ROOT / "docs").iterdir():
        if path.suffix in (".md", ".ipynb") and path.name != "README.md":
            assert f"]({path.name})" in index, path.name


def test_every_environment_variable_of_ours_is_in_the_table() -> None:
    code = [path for top in ("genset", "labeler_app") for path in (ROOT / top).rglob("*.py")]
    read = {name for path in code for name in re.findall("GENSET_[A-Z_]+", path.read_text("utf-8"))}
    table = (ROOT / "docs" / "settings.md").read_text("utf-8")
    assert read == set(re.findall("GENSET_[A-Z_]+", table)) - {
        *("GENSET_REALDATA", "GENSET_CHROMIUM", "GENSET_TEST_POSTGRESQL"),
    }


@pytest.mark.parametrize("name", source_names())
def test_docs_print_the_words_of_each_source(name: str) -> None:
    about = source_class(name).about
    docs = (ROOT / "docs" / "sources.md").read_text("utf-8")
    words = (about.needs, about.found, about.limits, about.posted, about.taken, about.terms)
    for said in (*words, about.warning, about.notice):
        assert not said or f": {said}\n" in docs, said


def test_citation_cff_is_of_this_version_and_names_the_works_it_builds_on() -> None:
    cited: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert cited["cff-version"] == "1.2.0"
    assert cited["message"] and cited["authors"]
    assert cited["title"] == "genset"
    assert str(cited["version"]) == genset.__version__
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"\n## [{genset.__version__}] - {cited['date-released']}\n" in changes
    titles = [each["title"] for each in cited["references"]]
    for words in ("Analysis of DAWNBench", "Do ImageNet Classifiers Generalize", "WordNet"):
        assert any(title.startswith(words) for title in titles), words
    for each in cited["references"]:
        assert each["type"] and each["authors"] and each["year"]
