"""The labeling page without a browser: Streamlit runs the script, the test clicks."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from sqlalchemy import select, text
from streamlit.testing.v1 import AppTest

import labeler_app
from genset.label import Labeling, Verdict
from genset.store import Label, Store
from genset.workspace import Workspace
from tests.labeled_workspace import CLASSES, GOLDFISH, TENCH, add_candidate, labeled_workspace

APP = Path(labeler_app.__file__).with_name("app.py")
NOTICE = "not endorsed or certified by SmugMug"

Opened = tuple[Workspace, Store]


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opened]:
    workspace, store = labeled_workspace(tmp_path / "workspace")
    monkeypatch.setenv("GENSET_WORKSPACE", str(workspace.root))
    yield workspace, store
    st.cache_resource.clear()
    store.close()


def page(labeler: str | None = "ann") -> AppTest:
    """The page as a fresh tab sees it."""
    app = AppTest.from_file(APP, default_timeout=60)
    if labeler is not None:
        app.query_params["labeler"] = labeler
    return run(app)


def run(app: AppTest) -> AppTest:
    app.run()
    assert not app.exception
    return app


def click(app: AppTest, label: str) -> None:
    next(button for button in app.button if button.label == label).click()
    run(app)


def can_submit(app: AppTest) -> bool:
    return not next(button for button in app.button if button.label == "Submit").disabled


def choose(app: AppTest, *verdicts: Verdict) -> None:
    for place, verdict in enumerate(verdicts):
        app.segmented_control[place].set_value(verdict)
        run(app)


def chosen(app: AppTest) -> list[Verdict | None]:
    return [choice.value for choice in app.segmented_control]


def shown(app: AppTest) -> str:
    """All text on the page."""
    parts = (app.title, app.markdown, app.caption, app.text, app.error, app.info, app.warning)
    return "\n".join(str(element.value) for part in parts for element in part)


def stored(store: Store) -> list[tuple[str, str, Verdict]]:
    with store.session() as session:
        labels = session.scalars(select(Label).order_by(Label.number))
        return [(label.candidate.task, label.worker, label.verdict) for label in labels]


def test_a_labeler_signs_in_by_name_and_out_again(opened: Opened) -> None:
    app = page(labeler=None)
    assert not app.segmented_control
    app.text_input[0].set_value("Ann-Kristin Ö.")
    click(app, "Start")

    assert app.query_params["labeler"] == "Ann-Kristin Ö."
    assert app.title[0].value == "tench"
    assert "Ann-Kristin Ö." in shown(app)

    click(app, "Sign out")
    assert "labeler" not in app.query_params
    assert app.text_input[0].label == "Your name"


@pytest.mark.parametrize("name", ["", "   ", "a" * 65, "\u202eann"])
def test_a_name_that_is_none_is_asked_for_again(opened: Opened, name: str) -> None:
    app = page(labeler=name)

    assert "1 to 64 printable characters" in app.error[0].value
    app.text_input[0].set_value("ann")
    click(app, "Start")
    assert app.title[0].value == "tench"


def test_the_screen_says_what_the_class_is_and_whose_the_photos_are(opened: Opened) -> None:
    app = page()

    text = shown(app).replace("\\", "")
    assert "also called Tinca tinca" in text
    assert "freshwater dace-like game fish of Europe and western Asia" in text
    assert "a kind of cyprinid › cypriniform fish › soft-finned fish" in text
    assert "by \u2068owner 3\u2069" in text
    assert "[CC BY 2.0](<https://creativecommons.org/licenses/by/2.0/>)" in text
    assert "[Photo page](<https://www.flickr.com/photos/3@N00/3>)" in text
    assert NOTICE in text
    assert "0 of 4 classes" in app.get("progress")[0].proto.text
    assert len(app.image) == 5


def test_nothing_is_chosen_beforehand_and_submit_waits_for_the_last_choice(opened: Opened) -> None:
    app = page()
    assert chosen(app) == [None] * 5

    choose(app, *[Verdict.CORRECT] * 4)
    assert not can_submit(app)
    assert "4 of 5 decided" in shown(app)

    app.segmented_control[4].set_value(Verdict.UNSURE)
    run(app)
    assert can_submit(app)
    assert app.title[0].value == "tench"  # not the next one before Submit
    click(app, "Submit")
    assert app.title[0].value == "goldfish"
    assert chosen(app) == [None] * 5
    assert "1 of 4 classes" in app.get("progress")[0].proto.text


def test_a_mark_is_stored_at_once_and_a_new_tab_shows_it(opened: Opened) -> None:
    choose(page(), Verdict.CORRECT, Verdict.INCORRECT)

    assert stored(opened[1]) == [
        (f"{TENCH}/flickr:0", "ann", Verdict.CORRECT),
        (f"{TENCH}/flickr:1", "ann", Verdict.INCORRECT),
    ]
    assert chosen(page()) == [Verdict.CORRECT, Verdict.INCORRECT, None, None, None]
    assert chosen(page("bob")) == [None] * 5


def test_who_signs_in_next_in_the_same_tab_does_not_see_the_marks(opened: Opened) -> None:
    app = page()
    choose(app, Verdict.CORRECT)
    click(app, "Sign out")
    app.text_input[0].set_value("bob")
    click(app, "Start")

    assert chosen(app) == [None] * 5
    choose(app, Verdict.CORRECT)
    assert [worker for _, worker, _ in stored(opened[1])] == ["ann", "bob"]


def test_back_shows_the_class_before_and_a_mind_can_be_changed(opened: Opened) -> None:
    app = page()
    assert next(button for button in app.button if button.label == "Back").disabled
    choose(app, *[Verdict.CORRECT] * 5)
    click(app, "Submit")
    click(app, "Back")

    assert app.title[0].value == "tench"
    assert chosen(app) == [Verdict.CORRECT] * 5
    choose(app, Verdict.INCORRECT)
    click(app, "Submit")

    assert app.title[0].value == "goldfish"
    assert stored(opened[1])[-1] == (f"{TENCH}/flickr:0", "ann", Verdict.INCORRECT)
    assert len(stored(opened[1])) == 6


def test_the_end_says_so_and_leads_back(opened: Opened) -> None:
    labeling = Labeling(*opened, "ann")
    while (screen := labeling.next_screen()) is not None:
        for photo in screen.photos:
            labeling.mark(photo.task, Verdict.CORRECT)
    app = page()

    assert app.title[0].value == "All done"
    assert f"all {len(CLASSES)} classes" in shown(app)
    click(app, "Back")
    assert app.title[0].value == "tabby"
    click(app, "Submit")
    assert app.title[0].value == "All done"


def test_a_photo_whose_file_is_gone_is_named_and_the_others_are_shown(opened: Opened) -> None:
    screen = Labeling(*opened, "ann").next_screen()
    assert screen is not None
    screen.photos[1].image.unlink()
    app = page()

    assert "Photo 2 cannot be shown" in app.warning[0].value.replace("\\", "")
    assert "is missing from images/" in app.warning[0].value.replace("\\", "")
    assert len(app.image) == 4
    choose(app, *[Verdict.UNSURE] * 5)
    assert can_submit(app)


def test_no_notice_of_flickr_s_without_its_photos(opened: Opened) -> None:
    with opened[1].begin() as session:
        session.execute(text("UPDATE photo SET source = 'commons'"))

    assert NOTICE not in shown(page())


def test_strangers_words_are_shown_as_text(opened: Opened) -> None:
    hostile = "<b>x</b> **y** [z](https://evil.example)\n\u202e:smile: $1$"
    task = add_candidate(*opened, "n01440764", 900, rank=0, owner_name=hostile)
    with opened[1].begin() as session:
        session.execute(
            text(
                "UPDATE photo SET license = '](x) <i>*free*', license_url = 'javascript:alert(1)',"
                " page_url = 'https://x.example/a>) [b](c' WHERE source_id = '900'"
            )
        )
    app = page()

    assert task.endswith(":900")
    by_line = "by \u2068<b>x</b> **y** [z](https://evil.example) :smile: $1$\u2069"
    assert by_line in [element.value for element in app.text]  # st.text knows no markup
    credit = next(element.value for element in app.caption if "free" in element.value)
    assert credit == (
        r"\]\(x\) \<i\>\*free\* · [Photo page](<https://x.example/a%3E%29%20%5Bb%5D%28c>)"
    )


def test_before_any_scrape_the_page_says_what_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, store = labeled_workspace(tmp_path, classes=[])
    store.close()
    monkeypatch.setenv("GENSET_WORKSPACE", str(workspace.root))

    assert "No photos to label yet: run genset scrape" in shown(page())


def test_without_a_workspace_the_page_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GENSET_WORKSPACE", str(tmp_path))

    message = page().error[0].value.replace("\\", "")
    assert "is not in a genset workspace; make one with: genset init" in message


def test_a_mark_that_could_not_be_stored_is_told_and_not_shown_as_made(opened: Opened) -> None:
    app = page()
    with opened[1].begin() as session:
        session.execute(
            text(
                "CREATE TRIGGER full BEFORE INSERT ON label"
                " BEGIN SELECT RAISE(ABORT, 'disk is full'); END"
            )
        )
    app.segmented_control[0].set_value(Verdict.CORRECT)
    run(app)

    assert "disk is full" in app.error[0].value
    assert "0 of 5 decided" in shown(app)
    assert chosen(app) == [None] * 5
    assert app.title[0].value == "tench"


def test_a_class_has_one_screen_for_every_five_photos(opened: Opened) -> None:
    add_candidate(*opened, TENCH, 900, rank=9)
    app = page()
    choose(app, *[Verdict.CORRECT] * 5)
    click(app, "Submit")

    assert app.title[0].value == "tench"
    assert chosen(app) == [None]
    assert "0 of 4 classes" in app.get("progress")[0].proto.text
    choose(app, Verdict.CORRECT)
    click(app, "Submit")
    assert app.segmented_control[0].key == f"verdict {GOLDFISH}/flickr:100"


def test_two_tabs_of_one_labeler_do_not_undo_each_other(opened: Opened) -> None:
    first, second = page(), page()
    choose(first, Verdict.CORRECT)
    choose(second, Verdict.INCORRECT)
    run(first)

    assert chosen(first) == [Verdict.INCORRECT, None, None, None, None]
    assert [verdict for *_, verdict in stored(opened[1])] == ["correct", "incorrect"]
