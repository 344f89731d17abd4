"""A release of one right answer a photo, whose photos were asked about."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from genset.db import Ruling, Verdict, find_candidate
from genset.release.choose import ReleasePlan
from genset.release.freeze import create
from genset.release.multilabel.earlier import Earlier
from genset.release.multilabel.plan import MultilabelPlan
from genset.release.reader import Release, ReleasePhoto
from genset.settings import LabelRules
from tests.questions import BASSINET, CROQUET, LAMPSHADE, ask_about
from tests.release.conftest import Pool

FURTHER = (BASSINET, LAMPSHADE, CROQUET)


@dataclass
class Asking:
    """A pool, with ``v1`` of its photos that are called correct."""

    pool: Pool
    v1: Release

    def ask(self, *wnids: str) -> None:
        """Ask about these classes in every photo of v1."""
        tasks = [f"{each.wnid}/flickr:{each.source_id}" for each in self.v1.photos]
        ask_about(self.pool.store, dict.fromkeys(tasks, wnids))

    def say(self, number: int, wnid: str, **verdicts: str) -> None:
        """Let each named labeler answer whether a class is in a photo."""
        self.pool.label(f"{wnid}/flickr:{number}", **verdicts)

    def say_of_all(self, wnid: str, **verdicts: str) -> None:
        for photo in self.v1.photos:
            self.say(int(photo.source_id), wnid, **verdicts)

    def rule(self, number: int, wnid: str, verdict: str) -> None:
        with self.pool.store.begin() as session:
            claim = find_candidate(session, f"{wnid}/flickr:{number}")
            said = Verdict(verdict)
            session.add(Ruling(candidate_id=claim.id, verdict=said, by="mia", reason="seen"))

    def needs(self, votes: int, *grow_to: int) -> None:
        rules = LabelRules(votes=votes, grow_to=grow_to)
        self.pool = replace(self.pool, workspace=replace(self.pool.workspace, label=rules))

    def freeze(self, name: str = "v2", **words: Any) -> Release:
        plan = MultilabelPlan(Earlier.read(self.v1), **words)
        return create(self.pool.workspace, self.pool.store, name, plan)


@pytest.fixture
def asking(pool: Pool) -> Asking:
    """Eight photos of four classes, all correct by one labeler; nobody asked about more yet."""
    pool.label_all_correct()
    return Asking(pool, pool.create())


@pytest.fixture
def asking_of(pool: Pool) -> Callable[[ReleasePlan], Asking]:
    """The same with a release by a plan; of candidates that the test labels."""

    def made(plan: ReleasePlan) -> Asking:
        return Asking(pool, create(pool.workspace, pool.store, "v1", plan))

    return made


def photo(release: Release, number: int) -> ReleasePhoto:
    """The record of a photo by its number at Flickr."""
    [found] = [each for each in release.photos if each.source_id == str(number)]
    return found
