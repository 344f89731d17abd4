"""Screens of one photo as somebody who answers them uses the page, and what is stored of that."""

import re

from playwright.sync_api import Locator, Page, expect
from sqlalchemy import select

from genset.db import Label, Store, Verdict


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


def labels_of(store: Store, worker: str) -> dict[int, Verdict]:
    """This labeler's verdicts in force, by what they are about; one for each, or it is an error."""
    with store.session() as session:
        rows = session.scalars(select(Label).where(Label.worker == worker)).all()
    replaced = {row.supersedes for row in rows}
    in_force = [row for row in rows if row.id not in replaced]
    found = {row.candidate_id: row.verdict for row in in_force}
    assert len(found) == len(in_force)
    return found
