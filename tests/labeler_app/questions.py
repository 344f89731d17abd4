"""Screens of one photo as somebody who answers them uses the page, and what is stored of that."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from playwright.sync_api import Locator, Page, expect
from sqlalchemy import select

from genset.db import Label, ScreenPhoto, Store, Verdict
from tests.labeler_app.component import press

KEYS = {Verdict.CORRECT: "y", Verdict.UNSURE: "m", Verdict.INCORRECT: "n"}

# What somebody says of a class (its name) in the photo with this number.
Opinion = Callable[[int, str], Verdict]


def asked(page: Page, decided: int) -> list[str]:
    """Wait until a photo is painted and so many of its questions are decided; their classes."""
    expect(
        page.get_by_role("heading", name="Which of these are also in this photo?")
    ).to_be_visible()
    expect(page.locator(".decided")).to_have_text(re.compile(rf"{decided} of \d decided"))
    expect(page.locator(".screen[data-state='painted']")).to_be_visible()
    return list(said(page))


def row(page: Page, name: str) -> Locator:
    """The question about this class, or the class that was added."""
    return page.locator(".question").filter(has=page.get_by_role("heading", name=name))


def said(page: Page) -> dict[str, str]:
    """What is decided of each class on display: Yes, Maybe, No or undecided."""
    labels = [each.get_attribute("aria-label") or "" for each in page.locator(".question").all()]
    return {name: word for _, name, word in (each.split(": ") for each in labels)}


@dataclass
class Answers:
    """What was decided by keys: by question's id; and how many keys each screen took."""

    given: dict[str, Verdict] = field(default_factory=dict)
    keys: list[tuple[int, int]] = field(default_factory=list)  # (questions, keys)
    last: str = ""  # a question of the photo that was answered last

    def answer(self, page: Page, opinion: Opinion) -> None:
        """Answer the photo on display by keys, and submit it."""
        number = int((page.locator(".seen .owner").inner_text()).split()[-1])
        questions = page.locator(".question[data-id]").evaluate_all(
            "rows => rows.map(row => [row.dataset.id, row.querySelector('h3 span').textContent])"
        )
        verdicts = {each: opinion(number, name) for each, name in questions}
        self.given |= verdicts
        if set(verdicts.values()) == {Verdict.INCORRECT}:
            keys = ["0"]
        else:
            keys = [*(KEYS[each] for each in verdicts.values()), "Enter"]
        press(page, *keys)
        self.keys.append((len(questions), len(keys)))
        self.last = questions[0][0]


def claims(store: Store, questions: dict[str, Verdict]) -> dict[int, Verdict]:
    """The same verdicts by the id of what each question is about."""
    with store.session() as session:
        rows = session.scalars(select(ScreenPhoto).where(ScreenPhoto.id.in_(questions)))
        return {each.candidate_id: questions[each.id] for each in rows if each.candidate_id}


def labels_of(store: Store, worker: str) -> dict[int, Verdict]:
    """This labeler's verdicts in force, by what they are about; one for each, or it is an error."""
    with store.session() as session:
        rows = session.scalars(select(Label).where(Label.worker == worker)).all()
    replaced = {row.supersedes for row in rows}
    in_force = [row for row in rows if row.id not in replaced]
    found = {row.candidate_id: row.verdict for row in in_force}
    assert len(found) == len(in_force)
    return found
