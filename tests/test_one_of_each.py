"""One photo is "1 photo": what commands print, also where there is one of each (cli.txt)."""

import re
from pathlib import Path

NOUNS = (
    "answers|candidates|classes|copies|entries|epochs|examples|files|labelers|labels|lines|logs"
    "|models|outputs|owners|pairs|photos|queries|questions|rounds|rows|runs|screens|searches|tries"
    "|visits|votes|workers"
)
WRONG = re.compile(rf"(?<![\w.,–−-])1 (?:[a-z]+ )?(?:{NOUNS})\b|(?<![\d.,])1 of 1 .*\bare\b")


def test_no_recorded_answer_has_one_of_several() -> None:
    answers = sorted((Path(__file__).parent / "answers" / "recorded").glob("*.txt"))
    found = [
        (path.name, line)
        for path in answers
        for line in path.read_text("utf-8").splitlines()
        if not line.startswith(("$ genset", " ", "{")) and WRONG.search(line)
    ]
    assert len(answers) > 10 and found == []
