"""Tables to choose from, made without a database."""

from typing import Any

from hypothesis import strategies as st

from genset.db import Verdict
from genset.release.candidates import CandidateRow, CandidateTable

VERDICTS = {
    "c": Verdict.CORRECT,
    "i": Verdict.INCORRECT,
    "u": Verdict.UNSURE,
    "b": Verdict.BROKEN,
}


def entry(number: int, wnid: str = "n1", said: str = "", **other: Any) -> CandidateRow:
    """A candidate whose labelers say `said`: a letter each, of correct, incorrect and so on."""
    counts = {VERDICTS[letter]: said.count(letter) for letter in sorted(set(said))}
    values: dict[str, Any] = {
        "id": number,
        "wnid": wnid,
        "photo": f"flickr:{number}",
        "sha256": f"{number:064x}",
        "fingerprint": None,
        "owner": f"flickr:{number}@N00",
        "license": "CC BY 2.0",
        "license_url": "",
        "posted_at": f"2020-01-01T00:00:{number % 60:02}+00:00",
        "votes": counts,
        "ruling": None,
    }
    return CandidateRow(**{**values, **other})


@st.composite
def tables(draw: st.DrawFn) -> CandidateTable:
    """Candidates of a few classes; some share photos, bytes or owners, look alike or are ruled."""
    claims = draw(
        st.lists(
            st.tuples(st.sampled_from(["n1", "n2", "n3"]), st.integers(0, 25)),
            unique=True,
            max_size=40,
        )
    )
    rows = [
        entry(
            place,
            wnid,
            draw(st.text("cciub", max_size=4)),
            photo=f"flickr:{number}",
            sha256=f"{number // draw(st.sampled_from([1, 1, 1, 2])):064x}",
            owner=f"flickr:{number % 5}",
            posted_at=f"2020-01-{1 + number % 9:02}",
            license=draw(st.sampled_from(["CC BY 2.0", "All Rights Reserved"])),
            ruling=draw(st.sampled_from([None] * 8 + [Verdict.CORRECT, Verdict.INCORRECT])),
        )
        for place, (wnid, number) in enumerate(claims)
    ]
    numbers = st.integers(0, 25)
    pairs = draw(st.lists(st.tuples(numbers, numbers), max_size=5))
    names = [(f"flickr:{one}", f"flickr:{other}") for one, other in pairs]
    return CandidateTable(tuple(rows), tuple(names), frozenset({"flickr"}))
