"""The manager's view of photos: what was shown and said, and the ways between the two."""

from dataclasses import replace

import pytest
from sqlalchemy import select
from streamlit.testing.v1 import AppTest

from genset.db import Ruling, Store, Verdict
from genset.label.gold import list_gold_questions
from genset.label.review import queue
from genset.label.session.shown import NewComment
from labeler_app.manage import deciding
from tests.label.desks import decided, desk_of, under
from tests.labeled_workspace import TENCH, add_candidate, vote
from tests.labeler_app.pages import Opened, buttons, click, field, manage_page, pictures, run, shown

YES, NO = Verdict.CORRECT, Verdict.INCORRECT


@pytest.fixture
def opened(opened: Opened) -> Opened:
    vote_on_some(opened[1])
    return opened


def vote_on_some(store: Store) -> None:
    for number in range(3):
        vote(store, f"{TENCH}/flickr:{number}", "*ann*", YES)
    vote(store, f"{TENCH}/flickr:1", "ben", NO)


def show_verdicts(app: AppTest) -> AppTest:
    app.toggle(key="verdicts").set_value(True)
    return run(app)


def choose(app: AppTest, label: str, value: str) -> AppTest:
    next(each for each in app.selectbox if each.label == label).set_value(value)
    return run(app)


def opens(app: AppTest) -> list[str]:
    """The photos that can be opened, in their order."""
    return [each.removeprefix("Open ") for each in buttons(app) if each.startswith("Open ")]


def remark(opened: Opened, text: str) -> None:
    desk = desk_of(under(opened, votes=9), "cid")
    screen = desk.screens()[0]
    desk.submit(replace(decided(screen), comments=(NewComment(screen.photos[0].id, text),)))


def test_comments_are_listed_and_lead_to_their_photos(opened: Opened) -> None:
    assert "Nobody has flagged a photo." in shown(manage_page(opened[0], "Review", of="Comments"))
    remark(opened, "blurred")
    app = manage_page(opened[0], "Review", of="Comments")
    assert "cid" in shown(app)
    assert "blurred" in shown(app)
    (button,) = (each for each in buttons(app) if each.startswith("Open "))
    click(app, button)
    assert f"{TENCH}/{(photo := button.removeprefix('Open tench, '))}" in shown(app)
    assert "blurred" in shown(app)
    click(app, "All comments")
    assert "blurred" in shown(app)
    assert button in buttons(app)
    click(app, button)
    click(app, "All photos of tench")
    assert opens(choose(app, "Show", "flagged")) == [photo]
    assert opens(choose(choose(app, "Show", "all"), "Photos of", "All flagged")) == [photo]
    assert "tench</span>" in pictures(app)[0]


def test_a_photo_opens_large_and_names_are_hidden_until_asked_for(opened: Opened) -> None:
    app = manage_page(opened[0], "Photos")
    click(app, "Open flickr:1")
    assert len(pictures(app)) == 1
    text = shown(app)
    assert "2 votes, 0 rulings, 0 comments" in text
    assert "badge[" not in text
    text = shown(show_verdicts(app))
    assert ":green-badge[correct]" in text
    assert ":red-badge[incorrect]" in text
    assert r"\*ann\*" not in buttons(app)
    app.toggle(key="names").set_value(True)
    run(app)
    # From a vote to its labeler, from there to another photo, and back to the class.
    click(app, r"\*ann\*")
    assert "3 of 3 photos, in the order in which *ann* decided" in shown(app)
    assert opens(app) == ["flickr:0", "flickr:1", "flickr:2"]
    assert "others: 1 incorrect" in pictures(app)[1]
    click(app, "Open flickr:2")
    click(app, "Previous")
    assert f"{TENCH}/flickr:1" in shown(app)
    click(app, "All photos of tench")
    assert "5 of 5 photos" in shown(app)


def test_many_photos_come_page_by_page_and_strangers_words_are_text(opened: Opened) -> None:
    workspace, store = opened
    hostile = {"owner_name": "<img src=x onerror=alert(1)>", "page_url": "javascript:alert(1)"}
    for number in range(300, 330):
        add_candidate(workspace, store, TENCH, number, number, **hostile)
    app = manage_page(workspace, "Photos")
    assert len(pictures(app)) == 24
    app.number_input[0].set_value(2)
    run(app)
    assert len(pictures(app)) == 11
    for photo in pictures(app):
        assert photo.count("<img") == 1 and "javascript:" not in photo
    # Another filter begins at its first page.
    choose(app, "Show", "disagreement")
    choose(app, "Show", "all")
    assert len(pictures(app)) == 24


def rulings(store: Store) -> list[tuple[str, str, str]]:
    with store.session() as db:
        stored = db.scalars(select(Ruling).order_by(Ruling.number))
        return [(each.candidate.task, each.verdict, each.reason) for each in stored]


def test_an_opened_photo_is_ruled_on_without_its_votes_in_sight_or_sent_to_review(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deciding, "SECONDS_TO_SEE", 0.0)  # a test sees at once
    workspace, store = opened
    app = manage_page(workspace, "Photos")
    click(app, "Open flickr:1")
    click(app, "Incorrect")
    assert "You ruled it :red-badge[incorrect]" in shown(app)
    show_verdicts(app)
    assert "Ruled :red-badge[incorrect] by manager" in shown(app)
    app.text_input(key=f"why {TENCH}/flickr:1").set_value("a tench after all")
    run(app)
    click(app, "Correct")
    app.toggle(key="verdicts").set_value(False)  # seen is seen
    run(app)
    click(app, "Unsure")
    assert rulings(store) == [
        (f"{TENCH}/flickr:1", NO, "looked at in the view Photos"),
        (f"{TENCH}/flickr:1", YES, "a tench after all (votes shown)"),
        (f"{TENCH}/flickr:1", Verdict.UNSURE, "looked at in the view Photos (votes shown)"),
    ]
    click(app, "Next")
    assert "You ruled it" not in shown(app)
    click(app, "Send to review")
    assert "You sent it to review" in shown(app)
    assert [(each.task, each.why) for each in queue(store, rules=workspace.label)] == [
        (f"{TENCH}/flickr:2", "sent to review")
    ]
    app = choose(manage_page(workspace, "Photos"), "Verdict", "correct")
    click(click(click(app, "Open flickr:1"), "Previous"), "Broken")
    assert rulings(store)[-1][2] == "looked at in the view Photos (votes shown)"


def test_a_photo_becomes_a_gold_question(opened: Opened) -> None:
    workspace, store = opened
    app = manage_page(workspace, "Photos")
    click(app, "Open flickr:3")
    click(app, "Use it")
    assert "say how the answer is known" in shown(app)
    app.radio[0].set_value("incorrect")
    field(app, "Because").set_value("a *carp*")
    click(app, "Use it")
    (made,) = list_gold_questions(store)
    assert (made.task, made.expected, made.reason) == (f"{TENCH}/flickr:3", NO, "a *carp*")
    assert "tench is incorrect, because a *carp*" in shown(app)
    field(app, "For the class").set_value("n01443537")
    field(app, "Because").set_value("a carp too")
    click(app, "Use it")
    assert "goldfish is incorrect, because a carp too" in shown(app)
