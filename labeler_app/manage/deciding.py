"""One case after another: decided, skipped, brought back. The views that decide share it."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import streamlit as st

from genset.core.errors import GensetError
from genset.label import Verdict, answering
from labeler_app.manage.parts import colour
from labeler_app.manage.session import decides, draw, look_at
from labeler_app.words import as_markdown

K = TypeVar("K", bound=Hashable)

# Streamlit keeps C and R for itself.
_KEYS = {Verdict.CORRECT: "y", Verdict.INCORRECT: "n", Verdict.UNSURE: "u", Verdict.BROKEN: "b"}


@dataclass(slots=True)
class Walk:
    """A manager's way through the cases of a view, for as long as their session lasts.

    Attributes:
        name: of the view.
        decided: the keys of cases that were decided in this session.
        skipped: the keys of cases that were skipped.
        again: a case that was brought back, to be decided once more.
        last: the case that was decided last, and how: a verdict, or None for anything else.
        problem: why the last decision was not stored.
    """

    name: str
    decided: set[Hashable] = field(default_factory=set)
    skipped: set[Hashable] = field(default_factory=set)
    again: Any = None
    last: tuple[Any, Any] | None = None
    problem: str | None = None

    def show_problem(self) -> None:
        """Draw, once, why the last decision was not stored."""
        if self.problem:
            st.error(as_markdown(self.problem))
        self.problem = None

    def waiting(self, keys: Iterable[K]) -> list[K]:
        """The keys of cases that are neither decided nor skipped."""
        return [key for key in keys if key not in self.decided and key not in self.skipped]

    def show_end(self, keys: Iterable[Hashable], words: str) -> None:
        """Draw that every case is decided, in these words, or that some were skipped."""
        skipped = len(set(keys) - self.decided)
        if not skipped:
            st.success(words)
            return
        st.info(f"You skipped the last {skipped:,}.")
        if st.button("Look at them again"):
            self.skipped.clear()
            st.rerun()

    def begin(self, key: Hashable) -> None:
        """Note that a case is on the page from now on."""
        draw(f"{self.name} {key}")

    def decide(self, key: Hashable, case: Any, store: Callable[[Any], object], how: Any) -> None:
        """A callback: store a decision, unless the case was not seen yet."""
        if not decides(f"{self.name} {key}"):
            return
        self.again = None
        try:
            with answering():
                store(how)
        except GensetError as error:
            self.problem = f"Not stored: {error}"
        else:
            self.last = case, how
            self.decided.add(key)

    def button(
        self,
        words: str,
        shortcut: str,
        key: Hashable,
        case: Any,
        store: Callable[[Any], object],
        how: Any,
        tip: str | None = None,
    ) -> None:
        """Draw a button that decides a case."""
        st.button(
            words,
            key=f"{self.name} {words} {key}",
            shortcut=shortcut,
            help=tip,
            on_click=self.decide,
            args=(key, case, store, how),
        )

    def verdict_buttons(self, key: Hashable, case: Any, store: Callable[[Any], object]) -> None:
        """Draw a button for each verdict, in sight however high the photo is."""
        with st.container(horizontal=True, key="decide"):
            for verdict, shortcut in _KEYS.items():
                self.button(verdict.capitalize(), shortcut, key, case, store, verdict)

    def skip_button(self, key: Hashable) -> None:
        """Draw a button that leaves a case for later."""

        def skip() -> None:
            self.again = None
            self.skipped.add(key)

        st.button("Skip", key=f"skip {key}", type="tertiary", shortcut="s", on_click=skip)

    def back_button(self, key: Hashable) -> None:
        """Draw a button that brings back the case that was decided last."""

        def back() -> None:
            self.again = self.last and self.last[0]

        st.button(
            "Back",
            key=f"back {key}",
            type="tertiary",
            shortcut="Backspace",
            disabled=self.last is None or self.again is not None,
            on_click=back,
        )


def walk_of(name: str) -> Walk:
    """The way of this session's manager through the cases of a view."""
    walk: Walk = st.session_state.setdefault(f"walk {name}", Walk(name))
    return walk


def show_last(name: str, task: str, verdict: Verdict | None) -> None:
    """Draw what was decided last on a candidate of the class ``name``, and a way to its photo."""
    if verdict is None:
        st.markdown(f"You sent the last one, {as_markdown(name)}, to review")
    else:
        badge = f":{colour(verdict)}-badge[{verdict}]"
        st.markdown(f"You ruled the last one, {as_markdown(name)}, {badge}")
    st.button(
        "Open its photo",
        key="open last",
        type="tertiary",
        on_click=look_at,
        kwargs={"task": task, "class_": task.partition("/")[0]},
    )
