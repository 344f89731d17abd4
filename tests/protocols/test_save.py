"""What a protocol keeps, and that it never changes."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from genset import __version__
from genset.classes import imagenet1k
from genset.cli import cli
from tests.labeled_workspace import GOLDFISH, TENCH
from tests.protocols.years import Maintainer, rows_of
from tests.scrape.several import Start


def test_it_keeps_all_that_makes_a_release(genset: Maintainer) -> None:
    reference = genset.workspace.root / "val.csv"
    reference.write_text(f"task,worker,label\n{TENCH}/1,ann,correct\n")
    hashes = genset.workspace.root / "imagenet.txt"
    hashes.write_text(f"{'0' * 64}  1.jpg\n")
    words: tuple[object, ...] = (
        "--strategy",
        "matched",
        "--reference",
        reference,
        "--per-class",
        3,
        "--seed",
        7,
    )
    words += ("--exclude", hashes, "--exclude", "duplicates", "--source", "commons,flickr")
    genset("protocol", "save", "fish", "--classes", f"{GOLDFISH},{TENCH}", *words)
    reference.unlink()
    hashes.unlink()

    kept = genset("protocol", "show", "fish")
    assert kept["genset"] == __version__
    assert kept["collect"]["sources"] == ["commons", "flickr"]
    assert kept["collect"]["per_class"] == genset.workspace.per_class
    assert kept["label"]["votes"] == 1
    assert kept["window"]["posted_after"] == "2014-01-01"
    assert kept["rule"]["name"] == "matched"
    assert (kept["rule"]["seed"], kept["rule"]["one_of_each"]) == (7, True)
    assert sorted(kept["files"]) == ["imagenet.txt", "val.csv"]
    assert kept["classes"] == [TENCH, GOLDFISH]
    folder = genset.workspace.root / "protocols" / "fish"
    assert json.loads((folder / "protocol.json").read_text())["classes"][TENCH]["queries"]
    assert (folder / "imagenet.txt").read_text().startswith("0" * 64)


def test_a_name_is_taken_once(genset: Maintainer) -> None:
    genset("protocol", "save", "fish", "--classes", TENCH)
    again = genset("protocol", "save", "fish", "--classes", TENCH)
    assert again == "2: protocol fish exists, and a protocol never changes: choose another name"
    assert "protocol's name has letters" in genset("protocol", "save", "../fish")


@pytest.mark.parametrize("file", ["protocol.json", "imagenet.txt"])
def test_one_that_was_changed_is_refused(genset: Maintainer, file: str) -> None:
    hashes = genset.workspace.root / "imagenet.txt"
    hashes.write_text(f"{'0' * 64}  1.jpg\n")
    genset("protocol", "save", "fish", "--classes", TENCH, "--exclude", hashes)
    path: Path = genset.workspace.root / "protocols" / "fish" / file
    path.chmod(0o644)
    path.write_text(path.read_text().replace("0000", "0001", 1).replace("majority", "top", 1))
    if file == "protocol.json":
        path.write_text(path.read_text().replace('"per_class": 5', '"per_class": 6'))
    for words in (("protocol", "show", "fish"), ("protocol", "run", "fish")):
        assert "was changed since the protocol was saved" in genset(*words)


def test_what_cannot_be_followed_is_not_saved(genset: Maintainer) -> None:
    def refused(*words: object) -> str:
        answer = genset("protocol", "save", "fish", "--classes", TENCH, *words)
        assert answer.startswith("2: "), answer
        return str(answer)

    assert "--threshold does not apply" in refused("--threshold", 0.5)
    assert "no source 'nowhere'" in refused("--source", "nowhere")
    assert "a file has the labels of one year" in refused("--labels", "together.csv")
    assert "--min-confidence needs --labels" in refused("--min-confidence", 0.8)
    assert "no photo is posted after 2024-01-01 and before 2024-01-01" in refused(
        "--posted-after", "2024-01-01", "--posted-before", "2024-01-01"
    )
    assert "no protocol 'fish': save one with" in genset("protocol", "show", "fish")


HOSTILE: list[Callable[[dict[str, Any]], Any]] = [
    lambda told: [told],
    lambda told: told | {"classes": {"n00000000": {"queries": []}}},
    lambda told: told | {"classes": []},
    lambda told: told | {"files": {"../../genset.toml": "0" * 64}},
    lambda told: told | {"window": {"posted_after": "soon", "posted_before": "later"}},
    lambda told: told | {"collect": told["collect"] | {"per_class": "many"}},
    lambda told: told | {"collect": told["collect"] | {"licenses": None}},
    lambda told: told | {"label": {"votes": -1, "grow_to": []}},
    lambda told: told | {"label": {"votes": 1, "grow_to": 3}},
    lambda told: told | {"choose": told["choose"] | {"seed": [1]}},
    lambda told: told | {"choose": told["choose"] | {"exclude": ["/etc/passwd"]}},
    lambda told: told | {"choose": told["choose"] | {"labels": "/etc/passwd"}},
    lambda told: told | {"rule": {}},
]


@pytest.mark.parametrize("change", HOSTILE, ids=range(len(HOSTILE)))
def test_one_from_a_stranger_is_refused_in_a_line(
    genset: Maintainer, change: Callable[[dict[str, Any]], Any]
) -> None:
    """Its hash fits: who writes a protocol can write that as well."""
    genset("protocol", "save", "fish", "--classes", TENCH)
    path = genset.workspace.root / "protocols" / "fish" / "protocol.json"
    told = json.loads(path.read_text())
    del told["sha256"]
    told = change(told)
    digest = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
    path.chmod(0o644)
    path.write_text(json.dumps(told | {"sha256": digest} if isinstance(told, dict) else told))
    for words in (("show", "fish"), ("run", "fish"), ("list",)):
        answer = genset("protocol", *words)
        assert isinstance(answer, str) and answer.startswith("2: "), answer


def test_one_that_is_damaged_does_not_hide_the_others(genset: Maintainer) -> None:
    genset("protocol", "save", "fish", "--classes", TENCH)
    genset("protocol", "save", "torn", "--classes", TENCH)
    torn = genset.workspace.root / "protocols" / "torn" / "protocol.json"
    torn.chmod(0o644)  # it is written for reading alone
    torn.write_text(torn.read_text()[:100])
    done = CliRunner().invoke(cli, ["-w", str(genset.workspace.root), "protocol", "list", "--json"])
    assert [each["protocol"] for each in json.loads(done.stdout)] == ["fish"]
    assert str(torn) in str(done.exception)
    assert genset("protocol", "show", "none").endswith("there are fish, torn")


def test_another_version_that_chooses_in_the_same_way_is_told(
    start: Start, genset: Maintainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    start("flickr", rows_of(2023, 1000, (imagenet1k()[TENCH],), 2))
    window = ("--posted-after", "2023-01-01", "--posted-before", "2024-01-01")
    monkeypatch.setattr("genset.protocols.save.__version__", "0.0.9")
    genset("protocol", "save", "fish", "--classes", TENCH, "--candidates", 2, *window)
    genset("protocol", "run", "fish")
    genset.label()
    said = genset.says("protocol", "run", "fish")
    assert f"genset 0.0.9 saved this protocol, and this is genset {__version__}" in said
