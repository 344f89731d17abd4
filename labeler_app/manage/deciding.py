"""One case after another: decided, skipped, brought back. The views that decide share it."""

import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from genset.core.errors import GensetError
from genset.label import Store, Verdict, Workspace, answering
from genset.label.review import rule, send_to_review
from labeler_app.manage.parts import badges, quiet_button
from labeler_app.manage.session import link_opens
from labeler_app.words import as_markdown
from labeler_app.workspace import opened

Decide = Callable[[Any], object]

SECONDS_TO_SEE = 0.5

# Streamlit keeps C and R for itself.
_KEYS = {Verdict.CORRECT: "y", Verdict.INCORRECT: "n", Verdict.UNSURE: "u", Verdict.BROKEN: "b"}


@dataclass(slots=True)
class Walk:
    """A manager's way through a list of cases, for as long as their session lasts.

    Attributes:
        name: of the list.
        current: the case on the page, with its key, which is there `since`; None once decided.
        decided: the keys of cases that were decided in this session.
        skipped: the keys of cases that were skipped.
        again: a case that was brought back, with its key, to be decided once more.
        last: the case that was decided last, with its key, and how: a verdict, or None for
            anything else.
        problem: why the last decision was not stored.
    """

    name: str
    current: tuple[Hashable, Any] = ("", None)
    since: float | None = None
    decided: set[Hashable] = field(default_factory=set)
    skipped: set[Hashable] = field(default_factory=set)
    again: tuple[Hashable, Any] | None = None
    last: tuple[tuple[Hashable, Any], Any] | None = None
    problem: str | None = None

    def next(self, cases: Mapping[Any, Any], words: str) -> tuple[Any, str] | None:
        """The case to look at, and how many wait; None, and `words` on the page, without any."""
        self.show_problem()
        waiting = [key for key in cases if key not in self.decided | self.skipped]
        if self.again is not None:
            self.begin(*self.again)
            return self.again[1], "Decided before"
        if waiting:
            self.begin(waiting[0], cases[waiting[0]])
            return cases[waiting[0]], f"{len(waiting):,} to decide"
        if skipped := len(cases.keys() - self.decided):
            st.info(f"You skipped the last {skipped:,}.")
            if st.button("Look at them again"):
                self.skipped.clear()
                st.rerun()
        else:
            st.success(words)
        return None

    def show_problem(self) -> None:
        """Draw, once, why the last decision was not stored."""
        if self.problem:
            st.error(as_markdown(self.problem))
        self.problem = None

    def begin(self, key: Hashable, case: Any) -> None:
        """Note that a case is on the page from now on."""
        if self.since is None or key != self.current[0]:
            self.since = time.monotonic()
        self.current = key, case

    def decide(self, store: Decide, how: Any) -> None:
        """A callback: store a decision on the current case, unless it was not seen yet.

        Somebody who presses a key twice would else decide the next case before they saw it. And the
        link must still open the page: a key's callback runs before the page looks at it.
        """
        is_seen = self.since is not None and time.monotonic() - self.since >= SECONDS_TO_SEE
        if not is_seen or not link_opens(*opened()):
            return
        self.since = self.again = None
        try:
            with answering():
                store(how)
        except GensetError as error:
            self.problem = f"Not stored: {error}"
        else:
            self.last = self.current, how
            self.decided.add(self.current[0])

    def button(self, words: str, shortcut: str, store: Decide, how: Any) -> None:
        """Draw a button that decides the current case."""
        st.button(
            words,
            key=f"{self.name} {words} {self.current[0]}",
            shortcut=shortcut,
            on_click=self.decide,
            args=(store, how),
        )

    def skip_button(self) -> None:
        """Draw a button that leaves the current case for later."""
        key = self.current[0]

        def skip() -> None:
            self.again = None
            self.skipped.add(key)

        quiet_button("Skip", skip, key=f"skip {key}", shortcut="s")

    def back_button(self) -> None:
        """Draw a button that brings back the case that was decided last."""

        def back() -> None:
            self.again = self.last and self.last[0]

        nothing = self.last is None or self.again is not None
        quiet_button("Back", back, key="back", shortcut="Backspace", disabled=nothing)


def walk_of(name: str) -> Walk:
    """The way of this session's manager through the cases of a list."""
    walk: Walk = st.session_state.setdefault(f"walk {name}", Walk(name))
    return walk


def rule_buttons(
    workspace: Workspace,
    store: Store,
    walk: Walk,
    task: str,
    by: str,
    *,
    reason: str,
    seen: str = "",
    review: bool = True,
) -> None:
    """Draw the buttons that rule on the current case, a candidate, and one that sends it to review.

    They are in sight however high the photo is. `reason` is what is stored where the manager gives
    none; a ruling's ends with what was `seen` before.
    """
    key = f"why {task}"
    words = st.text_input("Why", placeholder="optional", key=key, max_chars=440)
    reason = words.strip() or reason

    def decide(verdict: Verdict | None) -> None:
        if verdict is None:
            send_to_review(store, task, workspace.label, by, reason)
        else:
            rule(store, task, verdict, by, reason + seen)
        st.session_state[key] = ""  # the next decision has a reason of its own

    with st.container(horizontal=True, key="decide"):
        for verdict, shortcut in _KEYS.items():
            walk.button(verdict.capitalize(), shortcut, decide, verdict)
        if review:
            walk.button("Send to review", "v", decide, None)


def decision(verdict: Verdict | None) -> str:
    """What a manager did with a candidate, in words."""
    if verdict is None:
        return "sent it to review: it waits for a ruling, and more labelers see it meanwhile"
    return f"ruled it {badges({verdict: verdict})}"
