"""The workspace: where it is found, and what its settings may say."""

import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from genset.core.errors import BadInput, NotAWorkspace
from genset.core.expected import as_toml
from genset.core.validation import keys_of, parse_toml
from genset.settings import LabelRules, Settings, keys_in, settings_text
from genset.workspace import Workspace


@pytest.fixture(autouse=True)
def environment() -> Iterator[None]:
    """Each test starts without GENSET_STORE_URL; what `.env` adds goes again."""
    before = dict(os.environ)
    os.environ.pop("GENSET_STORE_URL", None)
    yield
    os.environ.clear()
    os.environ.update(before)


def configured(folder: Path, settings: str) -> Path:
    """A workspace with these settings."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "genset.toml").write_text(settings, encoding="utf-8")
    return folder


# Making and finding


def test_a_new_workspace_has_the_documented_defaults(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "mine" / "set")
    assert workspace.root == tmp_path / "mine" / "set"
    assert workspace.store_url == f"sqlite:///{workspace.root / 'genset.db'}"
    assert workspace.scrape.per_class == 5
    assert workspace.posted_after == datetime(2014, 1, 1, tzinfo=UTC)
    assert workspace.images.parent == workspace.releases.parent == workspace.runs.parent
    configured(workspace.root, "")
    assert Workspace.find(workspace.root) == workspace
    # What is made for each workspace, such as the secret of its pictures' names, is kept by it.
    configured(workspace.root, '[dataset]\ndoi = { v1 = "10.5281/zenodo.11" }\n')
    assert {Workspace.find(workspace.root): "kept"}[Workspace.find(workspace.root)] == "kept"


def test_a_gitignore_that_is_there_keeps_its_lines(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.bak\n.env")
    Workspace.create(tmp_path)
    lines = (tmp_path / ".gitignore").read_text().splitlines()
    assert lines[:2] == ["*.bak", ".env"]
    assert {"images/", "runs/", "backups/"} <= set(lines)
    assert lines.count(".env") == 1


def test_the_nearest_one_above_is_found_or_how_to_make_one_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NotAWorkspace, match="genset init") as refused:
        Workspace.find(tmp_path)
    assert str(tmp_path) in str(refused.value)
    Workspace.create(tmp_path)
    inner = Workspace.create(tmp_path / "inner")
    below = tmp_path / "inner" / "images" / "ab"
    below.mkdir(parents=True)
    assert Workspace.find(below) == inner
    monkeypatch.chdir(below)
    assert Workspace.find() == inner


# Settings


def test_settings_are_read(tmp_path: Path) -> None:
    configured(
        tmp_path,
        "[scrape]\nper_class = 12\nposted_after = 2020-02-29\n"
        "[label]\nvotes = 3\ngrow_to = [5, 10]\nthreshold = 0.5\ngold = 0.1\n"
        "hold_suspects = true\nphotos = 30\none_key = 'incorrect'\nlease_minutes = 2.5\n"
        "panel = 'fresh'\nguideline = '2b'\n",
    )
    workspace = Workspace.find(tmp_path)
    assert workspace.scrape.per_class == 12
    assert workspace.posted_after == datetime(2020, 2, 29, tzinfo=UTC)
    numbers = {"votes": 3, "grow_to": (5, 10), "threshold": 0.5, "gold": 0.1, "photos": 30}
    words = {"hold_suspects": True, "one_key": "incorrect", "panel": "fresh", "guideline": "2b"}
    assert workspace.label == LabelRules(lease_minutes=2.5, **numbers, **words)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ("[scrape]\nper_clas = 5", "per_clas"),
        ("scrape = 5", "scrape"),
        ("[scrape]\nper_class = '5'", "per_class"),
        ("[label]\nphotos = 31", "label.photos is over 30, and Flickr's terms"),
        ("[scrape]\nsources = ['flickr', 'flickr']", "sources must name each source once"),
        ("[scrape]\ncontact = 'me'", "contact must be an e-mail address or a web page, such as"),
        ("[scrape]\nretry_hours = inf", "retry_hours must be a number from 0 to 8760"),
        ("[scrape]\ntries = 99999999999999999999", "tries must be a whole number"),
        ("[dataset]\ndoi = '10.5281'", "dataset: doi must be a DOI, such as"),
        ("[dataset]\ndoi = { v1 = 'x' }", "dataset.doi.v1 must be a DOI, such as"),
        ("[dataset]\nauthors = [{ name = 'Ko, Ann', orcid = 'x' }]", r"authors\[0\].orcid must be"),
        ("[dataset]\ndatasheet.consnt = 'x'", "no question 'consnt'; did you mean consent"),
        (
            "[dataset]\n\nauthors = [{ name = 'Ko, Ann', orcid = '0000-0002-1825-0098' }]",
            "line 3: .* of Ko, Ann is no ORCID: its last digit",
        ),
        (
            "[dataset]\nauthors = [{ name = 'A', mail = 'x' }]",
            r"authors\[0\].mail is unknown; known",
        ),
        ("[dataset]\nfunder = 'x'", r"dataset\.funder is unknown; did you mean funding\?"),
        ("[dataset]\nauthors = [',']", "must be written as Family, Given"),
        ("[dataset]\ntitle = '\u202e'", "title must be a text of printable characters"),
        ("[store]\nurl = 5", "line 2: store.url"),
        ("[store]\nurl = 'genset.db'", "url"),
        ("[store]\nurl = 'sqlite://'", "url"),
        ("[store]\nurl = 'mysql://ann@host/genset'", "mysql"),
        ("[store]\nurl = 'postgresql+nosuch://ann@host/genset'", "nosuch"),
        ("[scrape", r"line 1: the \] is missing: write \[scrape\]"),
        ("[scrape]\nseed = 1\nper_class = five # x", "line 3: scrape.per_class must be a whole"),
        ("[scrape]\nposted_after = 2015-13-01", "line 2: .* must be a day, such as 2014-01-31"),
        ("[label]\nhold_suspects = True", 'line 2: .* must be true or false, not "True"'),
        ("[scrape]\nsources = []", 'such as \\["flickr", "commons"\\], not an empty list'),
        ("[dataset]\ndoi = 3", 'such as { v1 = "10.5281/zenodo.1234567" }, not 3'),
        ("[dataset]\n\nlicense = 'CC-BU-4.0'", "line 3: .* license must be an SPDX id, such as"),
        ("[dataset]\n\nhosting = 'https:\\\\/x.org'", "line 3: .* hosting must be a web address"),
        ("[dataset]\n\ncontact = 'nobody'", "line 3: .*contact must be an e-mail address or a web"),
        ("[images]\n\nfolder = ''", "line 3: images.folder must be a folder"),
        ("[label]\nvotes = 0", "votes"),
        ("[label]\nvotes = 3\ngrow_to = 5", "grow_to"),
        ("[label]\nvotes = 3\ngrow_to = [10, 5]", "grow_to"),
        ("[label]\nthreshold = 70", "threshold"),
        ("[label]\ngold = 0.6", "gold"),
        ("[label]\none_key = 'unsure'", "one_key"),
        ("[label]\nlease_minutes = 0", "lease_minutes"),
        ("[label]\npanel = ' '", "panel"),
        ("[label]\nguideline = 2", "guideline"),
    ],
)
def test_a_wrong_setting_is_named_in_one_line(tmp_path: Path, settings: str, named: str) -> None:
    configured(tmp_path, settings)
    with pytest.raises(BadInput, match=named) as refused:
        Workspace.find(tmp_path)
    assert str(tmp_path / "genset.toml") in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_new_file_shows_each_key_with_its_default(tmp_path: Path) -> None:
    text = settings_text({"sources": ["flickr", "commons"], "contact": "ann@example.org"})
    found = parse_toml(text, Settings, "it").scrape
    assert (found.sources, found.contact) == (("flickr", "commons"), "ann@example.org")
    assert parse_toml(text, Settings, "it").label == LabelRules()
    whole = re.sub(r"^# (?=[a-z_]+ = |\[)", "", text, flags=re.M)  # its examples can be read too
    label = parse_toml(whole, Settings, "it").label
    assert replace(label, grow_to=(), address="") == LabelRules()
    shown = re.findall("^(?:# )?([a-z_]+) = ", text, flags=re.M)
    assert shown == [key.name for section in keys_of(Settings) for key in keys_in(section)]


def test_the_docs_have_a_table_of_all_keys() -> None:
    docs = (Path(__file__).parent.parent / "docs" / "settings.md").read_text("utf-8")
    lines = [
        f"| {section.name}.{key.name} | {default} | {key.description} |\n"
        for section in keys_of(Settings)
        for key in keys_in(section)
        for default in ["" if key.default in ("", (), None) else as_toml(key.default)]
    ]
    assert "".join(lines) in docs.replace("\\", "")


def test_files_that_are_no_text_are_refused(tmp_path: Path) -> None:
    for name, content in ((".env", b"FLICKR_API_KEY=\xff\n"), ("genset.toml", b"\xff\xfe\x00")):
        Workspace.create(tmp_path)
        (tmp_path / name).write_bytes(content)
        with pytest.raises(BadInput, match=re.escape(name)):
            Workspace.find(tmp_path)
        (tmp_path / name).unlink()


def test_a_password_does_not_belong_in_the_settings(tmp_path: Path) -> None:
    for url in ("ann:s3cret@host/genset", "host/genset?user=ann&password=s3cret"):
        configured(tmp_path, f"[store]\nurl = 'postgresql://{url}'\n")
        with pytest.raises(BadInput, match="PGPASSWORD") as refused:
            Workspace.find(tmp_path)
        assert "s3cret" not in str(refused.value)


# The store's address


@pytest.mark.parametrize(
    ("url", "opened"),
    [
        ("sqlite:///data.db", "sqlite:///{here}/mine/data.db"),  # wherever one is
        ("sqlite:///{here}/data.db", "sqlite:///{here}/data.db"),
        ("postgresql://ann@host/genset", "postgresql+psycopg://ann@host/genset"),
    ],
)
def test_the_stores_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, opened: str
) -> None:
    configured(tmp_path / "mine", f"[store]\nurl = '{url.format(here=tmp_path)}'\n")
    monkeypatch.chdir(tmp_path)
    assert Workspace.find(Path("mine")).store_url == opened.format(here=tmp_path)


def test_the_environment_wins_over_the_settings_and_may_hold_a_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Workspace.create(tmp_path)
    monkeypatch.setenv("GENSET_STORE_URL", "postgresql+psycopg://ann:s3cret@host/genset")
    assert Workspace.find(tmp_path).store_url == "postgresql+psycopg://ann:s3cret@host/genset"
    for wrong in ("s3cret", "mysql://ann:s3cret@host/genset"):
        monkeypatch.setenv("GENSET_STORE_URL", wrong)
        with pytest.raises(BadInput, match="GENSET_STORE_URL") as refused:
            Workspace.find(tmp_path)
        assert "s3cret" not in str(refused.value)


# .env


def test_dot_env_is_read_and_the_environment_wins_over_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Workspace.create(tmp_path)
    monkeypatch.setenv("FLICKR_API_KEY", "from the environment")
    monkeypatch.delenv("FLICKR_API_SECRET", raising=False)
    (tmp_path / ".env").write_text(
        "FLICKR_API_KEY=from the file\nFLICKR_API_SECRET='from the file'\n"
        "GENSET_STORE_URL=sqlite:///other.db\n"
    )
    workspace = Workspace.find(tmp_path)
    assert os.environ["FLICKR_API_KEY"] == "from the environment"
    assert os.environ["FLICKR_API_SECRET"] == "from the file"
    assert workspace.store_url == f"sqlite:///{tmp_path / 'other.db'}"
