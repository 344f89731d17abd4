"""One photo is "1 photo": what commands print of a workspace in which there is one of each."""

import re
from pathlib import Path

import pytest

from genset.db import Verdict
from tests.labeled_workspace import TENCH, labeled_workspace, vote
from tests.test_cli import genset

NOUNS = (
    "answers|candidates|classes|copies|entries|epochs|examples|files|labelers|labels|lines|logs"
    "|models|outputs|owners|pairs|photos|queries|questions|rounds|rows|runs|screens|searches|tries"
    "|visits|votes|workers"
)
WRONG = re.compile(rf"(?<![\w.,–−-])1 (?:[a-z]+ )?(?:{NOUNS})\b|(?<![\d.,])1 of 1 .*\bare\b")

COMMANDS = {
    "status": "1 of 1 candidate of 1 class;",
    "labels stats": "1 of 1 candidate labeled, 1 done; 1 vote of 1 labeler;",
    "labels export labels.csv": "1 label in force:",
    "labels aggregate --method majority -o together.csv": "1 candidate:",
    "labelers study add prolific 60d9 --screens 1 --address http://a": "1 screen each,",
    "release create v2 --dry-run": "1 photo; 1 of 1,000 classes has photos",
    "release verify v1": "v1: 1 photo is what the manifest says",
    "release diff v1 v1": "1 photo the same,",
    "release export v1 --format imagefolder": "1 photo as imagefolder",
    "release cite v1 --as bibtex": "Release v1: 1 photo,",
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With one photo of one class, which one person called right, in one release."""
    made, store = labeled_workspace(tmp_path_factory.mktemp("one") / "mine", (TENCH,), photos=1)
    vote(store, f"{TENCH}/flickr:0", "Ann", Verdict.CORRECT)
    store.close()
    done = genset("release", "create", "v1", cwd=made.root)
    assert done.returncode == 0, done.stderr
    return made.root


@pytest.mark.parametrize("command", COMMANDS)
def test_one_is_one_in_what_is_printed(command: str, workspace: Path) -> None:
    done = genset(*command.split(), cwd=workspace)
    assert done.returncode == 0, done.stderr
    assert COMMANDS[command] in done.stdout
    assert not WRONG.findall(done.stdout + done.stderr)


def test_no_recorded_answer_has_one_of_several() -> None:
    answers = sorted((Path(__file__).parent / "answers" / "recorded").glob("*.txt"))
    found = [
        (path.name, line)
        for path in answers
        for line in path.read_text("utf-8").splitlines()
        if not line.startswith(("$ genset", " ", "{")) and WRONG.search(line)
    ]
    assert len(answers) > 10 and found == []
