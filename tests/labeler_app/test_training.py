"""Training in a browser: the answers are seen after a screen is submitted, never before."""

from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from genset.db import find_candidate, name_gold
from genset.label.gold import add_gold_question
from tests.label.desks import CORRECT, INCORRECT
from tests.label.serving import free_port, serving
from tests.labeled_workspace import GOLDFISH, TENCH, labeled_workspace
from tests.labeler_app.component import mark, press, see, sign_in


@pytest.mark.browser
def test_answers_are_shown_after_a_training_screen(
    window: BrowserContext, wrong: list[str], tmp_path: Path
) -> None:
    workspace, store = labeled_workspace(tmp_path / "workspace", [TENCH, GOLDFISH])
    with store.begin() as session:  # as genset add --gold does
        name_gold(session, find_candidate(session, f"{TENCH}/flickr:0").photo, TENCH, CORRECT, "")
    add_gold_question(store, f"{TENCH}/flickr:1", INCORRECT, "a <b>carp</b>")
    settings = workspace.root / "genset.toml"
    text = settings.read_text("utf-8").replace("training = 0", "training = 1")
    settings.write_text(text, "utf-8")
    port = free_port()
    with serving(workspace.root, port):
        page = sign_in(window, f"http://127.0.0.1:{port}", "ann")
        see(page, "tench", "0 of 2 decided")
        expect(page.get_by_text("Training: it does not count")).to_be_visible()
        assert "carp" not in page.content()
        mark(page, "CC")
        press(page, "Enter")
        dialog = page.get_by_role("dialog", name="Training")
        expect(dialog).to_contain_text("Training: 1 of 2 right")
        expect(dialog).to_contain_text("tenchYou said correct. It is incorrect: a <b>carp</b>")
        expect(dialog).to_contain_text("tenchRight, it is correct.")
        for image in dialog.locator("img").all():
            assert image.bounding_box()["width"] > 300
        press(page, "Enter")
        see(page, "tench", "0 of 3 decided")
        expect(page.locator(".again")).to_have_count(0)
    assert wrong == []
    store.close()
