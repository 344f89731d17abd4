"""Photos with their credits, and tables, as the manager's views draw them."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import streamlit as st

from genset.core.numbers import NONE
from genset.core.safe import clean, web_link
from genset.label import Store, Workspace
from genset.label.comments import PhotoComment
from genset.label.credits import CreditedPhoto
from genset.label.session.pictures import image_id
from genset.label.session.sources import notices
from labeler_app.words import as_markdown, as_text, link

ON_A_PAGE = 24  # Flickr wants at most 30


@dataclass(frozen=True, slots=True)
class Badge:
    """A few words on a photo; `kind` colours them: a verdict, or "" for all else."""

    words: str
    kind: str = ""


def show_photo(workspace: Workspace, photo: CreditedPhoto, what: str) -> None:
    """Draw a photo with its owner, licence and the link to its page; `what` is for those who hear.

    The picture comes from the route that the labeling component uses, by a signed name, so the
    browser keeps it.
    """
    with st.container(gap="xxsmall"):
        source = f"/genset/picture/{image_id(workspace, photo.photo_id)}?w=1400"
        st.html(f'<img class="genset-photo" src="{source}" alt="{escape(what)}">')
        with st.container(key=f"credit {photo.photo_id}", gap=None):
            st.text(f"by {as_text(photo.owner_name)}", wrap=False)
            licence = link(photo.license, photo.license_url)
            st.caption(f"{licence} · {link('Photo page', photo.page_url)}")


def short_name(task: str) -> str:
    """A photo's name without its class, short enough for a button; WNID/SOURCE:PHOTO_ID's."""
    source, _, photo = task.partition("/")[2].partition(":")
    return f"{source}:{photo[:10]}"


def show_class(store: Store, wnid: str) -> None:
    """Draw what a class is."""
    cls = store.taxonomy[wnid]
    st.header(as_markdown(cls.name), anchor=False)
    if cls.gloss:
        st.markdown(as_markdown(cls.gloss))
    kinds = " › ".join(cls.hypernyms[:3])
    pages = " · ".join(f"[{as_markdown(page.title)}](<{page.url}>)" for page in cls.wikipedia)
    facts = [f"a kind of {as_markdown(kinds)}"] if kinds else []
    if pages:
        facts.append(f"Wikipedia: {pages}")
    if facts:
        st.caption(" · ".join(facts))


def show_small(
    workspace: Workspace, photo: CreditedPhoto, what: str, badges: Iterable[Badge]
) -> None:
    """Draw a photo small, loaded when it is scrolled to, with words on it and its credit."""
    source = f"/genset/picture/{image_id(workspace, photo.photo_id)}?w=350"
    badges_html = "".join(
        f'<span class="genset-badge {escape(badge.kind)}">{escape(badge.words)}</span> '
        for badge in badges
    )
    credit = f"<bdi>{escape(clean(photo.owner_name, 80))}</bdi>, {escape(clean(photo.license, 80))}"
    if web_link(photo.page_url) is not None:
        credit = (
            f'<a href="{escape(photo.page_url)}" target="_blank" rel="noopener noreferrer">'
            f"{credit}</a>"
        )
    st.html(
        f'<figure class="genset-small"><img src="{source}" alt="{escape(what)}" loading="lazy">'
        f'<figcaption><span class="genset-badges">{badges_html}</span>'
        f'<span class="genset-credit">{credit}</span></figcaption></figure>'
    )


def badges(words: Mapping[Any, str]) -> str:
    """Words on verdicts as Markdown, each in its verdict's colour."""
    colours = {"correct": "green", "incorrect": "red", "unsure": "orange"}
    return " ".join(
        f":{colours.get(verdict, 'gray')}-badge[{as_markdown(text)}]"
        for verdict, text in words.items()
    )


def quiet_button(
    words: str,
    act: Callable[..., None],
    *arguments: Any,
    key: str,
    shortcut: str | None = None,
    disabled: bool = False,
) -> None:
    """Draw a button without a frame that calls a function before the page is drawn again."""
    st.button(
        words,
        key=key,
        type="tertiary",
        shortcut=shortcut,
        disabled=disabled,
        on_click=act,
        args=arguments,
    )


def show_notices(store: Store, *photos: CreditedPhoto | None) -> None:
    """Draw what the photos' sources ask for under them."""
    for notice in notices(store, {photo.source for photo in photos if photo is not None}):
        st.caption(as_markdown(notice))


def show_comments(found: Iterable[PhotoComment]) -> None:
    """Draw what labelers remarked on photos."""
    for comment in found:
        text = as_markdown(comment.text) or "flagged"
        st.markdown(f"⚑ {as_markdown(comment.labeler)}, {comment.at:%Y-%m-%d %H:%M}: {text}")


def choose(words: str, options: Sequence[str]) -> str:
    """Draw what can be chosen side by side, the first at first; the address says what is."""
    chosen = st.segmented_control(
        words,
        options,
        default=options[0],
        required=True,
        label_visibility="collapsed",
        key=words.lower(),
        bind="query-params",
    )
    return chosen or options[0]


def page_of(key: str, count: int) -> slice:
    """Draw the way through `count` things, and return which of them are on the page that is seen.

    `key` is that of the widget, which is to be drawn where there are several pages only.
    """
    pages = -(-count // ON_A_PAGE)
    if pages <= 1:
        return slice(0, ON_A_PAGE)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        page = st.number_input(
            f"Page, of {pages:,}", min_value=1, max_value=pages, key=key, width=160
        )
    return slice((int(page) - 1) * ON_A_PAGE, int(page) * ON_A_PAGE)


_MOST_SENT = 1000  # rows that a browser is sent at once

_MOST_ROWS = 14  # the rest by scrolling


def show_table(
    columns: Mapping[str, Sequence[Any]],
    times: Collection[str] = (),
    config: Mapping[str, Any] | None = None,
) -> None:
    """Draw columns of equal length side by side; `times` names those that hold times.

    `config` says how others are drawn, as Streamlit's ``column_config`` does. Of more than 1,000
    rows the first are drawn.
    """
    rows = len(next(iter(columns.values())))
    if rows > _MOST_SENT:
        st.caption(f"The first {_MOST_SENT:,} of {rows:,} rows")
    st.dataframe(
        {name: values[:_MOST_SENT] for name, values in columns.items()},
        hide_index=True,
        placeholder=NONE,
        height="content" if rows <= _MOST_ROWS else 38 + 35 * _MOST_ROWS,
        column_config={
            **(config or {}),
            **{name: st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm") for name in times},
        },
    )
