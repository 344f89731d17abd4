"""The page where the pool's photos are from several sources: notices, and a warning once."""

from tests.label.session.test_sources import know
from tests.labeled_workspace import TENCH, add_candidate
from tests.labeler_app.pages import Opened, buttons, click, label_page, labels_for, shown

EVIL = "<img src=x onerror=alert(1)> [a](javascript:b) **c** :smile: $1$"


def test_a_labeler_is_warned_before_the_first_photo_and_never_again(opened: Opened) -> None:
    workspace, store = opened
    know(store, "commons", title="Wikimedia Commons", warning="There is no safe search.")
    app = label_page(labeler="ann")
    assert "safe search" not in shown(app)  # there are none of its photos
    add_candidate(workspace, store, TENCH, 900, source="commons")
    app = label_page(labeler="ann")
    assert "**Wikimedia Commons**: There is no safe search." in shown(app)
    assert labels_for(app, workspace) is None  # no photos before that
    click(app, "Start labeling")
    assert labels_for(app, workspace) is not None
    again = label_page(labeler="ann")  # a reload, with nothing labeled yet
    assert "safe search" not in shown(again) and "Start labeling" in buttons(again)
    assert "safe search" in shown(label_page(labeler="bob"))


def test_who_has_labeled_already_is_warned_of_a_source_that_comes_later(opened: Opened) -> None:
    workspace, store = opened
    click(label_page(labeler="ann"), "Start labeling")
    add_candidate(workspace, store, TENCH, 900, source="wild")
    know(store, "wild", title=EVIL, warning=EVIL)
    app = label_page(labeler="ann")
    assert labels_for(app, workspace) is None
    (warning,) = app.warning
    assert warning.value.startswith(r"**\<img")
    for markup in ("](", "**c**", ":smile:", "$1$"):
        assert markup not in warning.value  # every sign of it is escaped
    assert "onerror" in shown(app)
    click(app, "Start labeling")
    assert labels_for(app, workspace) is not None


# In a browser
