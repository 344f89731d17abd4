"""What a manager decides on labelers, and makes for them: void, block, studies, gold questions."""

from streamlit.testing.v1 import AppTest

from genset.db import Store
from genset.label import Verdict
from genset.label.access import Managers
from genset.label.ballots import votes_table
from genset.label.crowd.studies import Studies, Terms
from genset.label.decisions import suspensions
from genset.label.gold import add_gold_question, list_gold_questions
from genset.label.labelers import Labelers
from tests.label.desks import desk_of, do, hold
from tests.labeled_workspace import TENCH
from tests.labeler_app.pages import Opened, click, manage_page, run, shown


def spam(opened: Opened) -> None:
    desk = desk_of(opened, "spam")
    do(desk, desk.screens()[0])


def about(opened: Opened, name: str) -> AppTest:
    """The view of labelers, with this one chosen, seen by Dana."""
    app = manage_page(opened[0], "People", token=Managers(opened[1]).invite("Dana"))
    app.selectbox(key="trust whom").set_value(name)
    return run(app)


def counts(store: Store) -> int:
    return len(votes_table(store))


def test_void_shows_what_it_changes_and_is_taken_back(opened: Opened) -> None:
    store = opened[1]
    spam(opened)
    app = about(opened, "spam")
    assert "5 votes of spam would be void: 5 candidates to label again" in shown(app)
    assert counts(store) == 5  # looking changes nothing
    app.text_input(key="why spam").set_value("0 s a photo")
    run(app)
    click(app, "Void their votes")
    assert counts(store) == 0
    suspension = suspensions(store)["spam"]
    assert (suspension.what, suspension.by, suspension.reason) == ("void", "Dana", "0 s a photo")
    assert "5 votes of spam are void" in shown(app)
    assert Labelers(store).all()[0].blocked_at is None
    click(app, "Count their votes again")
    assert counts(store) == 5
    assert "5 votes of spam count again: 5 candidates done" in shown(app)
    click(app, "Block, and keep the votes")
    assert Labelers(store).all()[0].blocked_at is not None
    assert counts(store) == 5


def test_a_suspect_is_the_first_to_look_at_and_cleared(opened: Opened) -> None:
    workspace, store = opened
    spam(opened)
    hold(store, workspace, "spam", by="genset", reason="under 0.3 s a photo")
    app = manage_page(workspace, "People")
    assert "**spam** held out by genset: under 0.3 s a photo" in shown(app)
    click(app, "Count their votes again")
    assert counts(store) == 5
    assert "held out" not in shown(app)
    assert suspensions(store) == {}


def test_who_is_at_work_is_seen(opened: Opened) -> None:
    desk_of(opened, "ann").screens()
    app = click(manage_page(opened[0]), "Refresh")
    assert "cannot tell" in shown(app)  # when the votes will be there
    told = {cell.label: cell.value for cell in app.metric}
    assert (told["Votes missing"], told["Labels, last hour"]) == ("5", "0")
    assert "their labels of the last hour: ann (0)" in shown(app)


def test_studies_and_gold_questions_are_listed_and_these_are_retired(opened: Opened) -> None:
    workspace, store = opened
    assert "genset labelers study add" in shown(manage_page(workspace, "Settings"))
    Studies(store).add("prolific", "60d9aade", 7, Terms(code="C0DE"))
    made = add_gold_question(store, f"{TENCH}/flickr:1", Verdict.CORRECT, "mine")
    app = manage_page(workspace, "Settings")
    studies = next(each.value for each in app.dataframe if "study" in each.value)
    assert (studies["study"][0], studies["code: done"][0]) == ("60d9aade", "C0DE")
    next(each for each in app.selectbox if each.label == "Retire one").set_value(made.id)
    click(app, "Retire")
    assert list_gold_questions(store)[0].retired_at is not None
    gold = next(each.value for each in app.dataframe if "holds" in each.value)
    assert (list(gold["it is"]), list(gold["holds"])) == (["correct"], [True])
