"""Which candidates a class keeps, whatever comes to light in whatever order."""

from collections import Counter
from dataclasses import dataclass
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from genset.scrape.state import RankedPhoto, Selection, choose


@dataclass(frozen=True)
class Fate:
    """What a candidate's photo turns out to be: its bytes, or "" where it is rejected.

    Another class claims it where it is `contested`, and downloads it too where it is `shared`.
    """

    owner: str
    content: str
    contested: bool
    shared: bool


fates = st.lists(
    st.builds(
        Fate,
        owner=st.sampled_from(["", "ann", "bob", "cid", "dan", "eve"]),
        content=st.sampled_from(["", *"abcdefgh"]),
        contested=st.booleans(),
        shared=st.booleans(),
    ),
    max_size=14,
)
wanted = st.integers(1, 6)
seeds = st.integers(0, 2**32)


def candidates_of(fates: list[Fate]) -> list[RankedPhoto]:
    """A class's candidates, best first, of whose photos nothing is known yet."""
    return [
        RankedPhoto(number, "", number, str(number), fate.owner, "")
        for number, fate in enumerate(fates)
    ]


class Filling:
    """A class that is filled while others are, in an order that a seed decides."""

    def __init__(self, fates: list[Fate], wanted: int, seed: int) -> None:
        self.fates = fates
        self.wanted = wanted
        self.candidates = candidates_of(fates)
        self.claimed: set[int] = set()
        self.downloaded: set[int] = set()
        self.rejected: set[int] = set()
        self.random = Random(seed)

    def chosen(self) -> Selection:
        claimed = [each for each in self.candidates if each.photo_id in self.claimed]
        contents = {each.sha256 for each in claimed} - {None}
        twins = {each.photo_id for each in self.candidates if each.sha256 in contents}
        accepted = [each for each in self.candidates if each.photo_id not in self.rejected]
        return choose(accepted, self.wanted, self.claimed | twins)

    def learn(self, number: int) -> None:
        """Download a photo."""
        content = self.fates[number].content
        self.candidates[number] = self.candidates[number]._replace(sha256=content or None)
        if not content:
            self.rejected.add(number)

    def run(self) -> Selection:
        """Do what the selection asks for, while the other classes do their part at any moment."""
        others: list[tuple[str, int]] = []
        for number, fate in enumerate(self.fates):
            others += [("claim", number)] if fate.contested else []
            others += [("download", number)] if fate.contested and fate.shared else []
        self.random.shuffle(others)
        while (missing := self.chosen().missing) or others:
            if others and (not missing or self.random.random() < 0.5):
                what, number = others.pop()
                if what == "claim":
                    self.claimed.add(number)
                else:
                    self.learn(number)
            else:
                number = self.random.choice(missing).photo_id
                self.downloaded.add(number)
                self.learn(number)
        return self.chosen()


def ids(candidates: tuple[RankedPhoto, ...]) -> list[int]:
    return [candidate.photo_id for candidate in candidates]


@given(fates, wanted, seeds, seeds)
def test_the_order_in_which_things_come_to_light_changes_nothing(
    fates: list[Fate], wanted: int, one_seed: int, other_seed: int
) -> None:
    """What is kept is good, nothing that could be is passed over, no download is superfluous."""
    one, other = Filling(fates, wanted, one_seed), Filling(fates, wanted, other_seed)
    found, second = one.run(), other.run()
    selected, contested = ids(found.selected), ids(found.contested)
    assert (selected, contested) == (ids(second.selected), ids(second.contested))
    shared = {number for number, fate in enumerate(fates) if fate.contested and fate.shared}
    assert one.downloaded | shared == other.downloaded | shared

    end = selected[-1] if len(selected) == wanted else len(fates)
    assert all(number <= end for number in one.downloaded)

    kept = [fates[number] for number in selected]
    assert len(kept) <= wanted and selected == sorted(selected)
    assert all(fate.content and not fate.contested for fate in kept)
    assert max(Counter(fate.owner for fate in kept if fate.owner).values(), default=1) == 1
    assert max(Counter(fate.content for fate in kept).values(), default=1) == 1

    passed = [fates[number] for number in selected + contested]
    for fate in fates if len(kept) < wanted else ():
        assert (
            not fate.content
            or fate.content in {each.content for each in passed}
            or (fate.owner and fate.owner in {each.owner for each in passed})
        )


def test_a_contested_photo_is_downloaded_before_another_takes_its_place() -> None:
    """If it turns out to be rejected, its owner's next takes it."""
    fates = [Fate(owner, "", contested=True, shared=False) for owner in ("ann", "ann", "bob")]
    candidates = candidates_of(fates)
    assert ids(choose(candidates, 1, {0}).missing) == [0]

    candidates[0] = candidates[0]._replace(sha256="a")
    found = choose(candidates, 1, {0})
    assert (ids(found.selected), ids(found.contested)) == ([2], [0])

    del candidates[0]
    found = choose(candidates, 1, {0})
    assert (ids(found.selected), ids(found.contested)) == ([1], [])
