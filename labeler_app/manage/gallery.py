"""The manager's view of photos: what was shown and said, of a class or by a labeler."""

from collections.abc import Mapping, Sequence
from itertools import islice

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from genset.core.numbers import count
from genset.label import Store, Taxonomy, Verdict, Workspace
from genset.label.gallery.labeler import Place, Said, said_at, said_by
from genset.label.gallery.photos import (
    Shown,
    Which,
    classes_with_photos,
    labelers_with_labels,
    of_class,
)
from labeler_app.manage.one import show_one
from labeler_app.manage.photos import Badge, counted, page_of, show_notices, show_small
from labeler_app.manage.state import enlarge, enlarged, from_the_start, keep_choices, offer
from labeler_app.manage.tables import MOST_SENT
from labeler_app.words import as_markdown

_FRESH_S = 15
_ANY = "any verdict"
_OF_CLASS = list(Which)
_OF_LABELER = [each for each in Which if each is not Which.UNLABELED]


def show_gallery(workspace: Workspace, store: Store) -> None:
    """Draw a page of photos, or the one that was opened, large."""
    keep_choices()
    folder = str(workspace.root)
    if (task := enlarged()) is not None:
        show_one(workspace, store, task, st.session_state.get("photos around", ()))
        return
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        of = st.selectbox(
            "Photos of", list(OF), key="photos of", on_change=from_the_start, width=130
        )
    OF[of](folder, workspace, store, row)


def _class(folder: str, workspace: Workspace, store: Store, row: DeltaGenerator) -> None:
    classes = _classes(folder, store)
    if not classes:
        st.info("No photos yet: run genset scrape")
        return
    taxonomy = store.taxonomy
    offer("photos class", classes)
    with row:
        known = _to_choose_from(classes, taxonomy)
        offer("photos class", known)
        wnid = st.selectbox(
            "Class",
            known,
            format_func=lambda wnid: f"{taxonomy[wnid].name} ({wnid}, {classes[wnid]:,})",
            key="photos class",
            on_change=from_the_start,
            width=340,
        )
        which, verdict = _filters(_OF_CLASS)
    everything = _shown(folder, wnid, store)
    found = [each for each in everything if each.passes(which, verdict)]
    st.caption(f"{len(found):,} of {count(len(everything), 'photo')}")
    seen = found[page_of("photos page", len(found))]
    around = [each.photo.task for each in found]
    with st.container(key="gallery"):
        for each in seen:
            _cell(workspace, each, around)
    show_notices(store, *(each.photo for each in seen))


def _cell(workspace: Workspace, each: Shown, around: Sequence[str]) -> None:
    badges = counted(each.said) or [Badge("no votes")]
    if each.ruling is not None:
        badges.append(Badge(f"ruled {each.ruling}", each.ruling))
    if each.out:
        badges.append(Badge(f"{each.out} void or held"))
    if each.contested:
        badges.append(Badge("contested"))
    if each.is_gold:
        badges.append(Badge("gold question"))
    with st.container(gap="xxsmall"):
        show_small(workspace, each.photo, f"The candidate {each.photo.task}", badges)
        _open_button(each.photo.task, each.photo.task, around)


def _labeler(folder: str, workspace: Workspace, store: Store, row: DeltaGenerator) -> None:
    labelers = _labelers(folder, store)
    if not labelers:
        st.info("Nobody has labeled yet.")
        return
    offer("photos labeler", labelers)
    with row:
        name = st.selectbox(
            "Labeler",
            list(labelers),
            format_func=lambda name: f"{name} ({labelers[name]:,})",
            key="photos labeler",
            on_change=from_the_start,
            width=340,
        )
        which, verdict = _filters(_OF_LABELER)
    places = _places(folder, name, which, verdict, store)
    st.caption(f"{len(places):,} said by {as_markdown(name)}, in that order")
    seen = said_at(store, name, places[page_of("photos page", len(places))])
    around = [each.photo.task for each in seen]
    with st.container(key="gallery"):
        for each in seen:
            _said_cell(workspace, each, around, store.taxonomy[each.photo.wnid].name)
    show_notices(store, *(each.photo for each in seen))


def _said_cell(workspace: Workspace, each: Said, around: Sequence[str], name: str) -> None:
    badges = [Badge(each.verdict, each.verdict)]
    if each.seconds is not None:
        badges.append(Badge(f"{each.seconds:.1f} s"))
    if each.expected is not None:
        badges.append(Badge(f"gold question: {each.expected}"))
    if each.out:
        badges.append(Badge("void or held"))
    elif not each.in_force:
        badges.append(Badge("changed later"))
    if each.others:
        said = ", ".join(f"{count} {verdict}" for verdict, count in each.others.items())
        badges.append(Badge(f"others: {said}"))
    if each.ruling is not None:
        badges.append(Badge(f"ruled {each.ruling}", each.ruling))
    with st.container(gap="xxsmall"):
        what = f"The photo {each.photo.task}, shown for {name}"
        show_small(workspace, each.photo, what, [Badge(name), *badges])
        if each.expected is None:
            _open_button(each.photo.task, f"{each.place.number} {each.photo.task}", around)
        else:
            st.caption(f"known {each.expected}")


OF = {"A class": _class, "A labeler": _labeler}


def _open_button(task: str, key: str, around: Sequence[str]) -> None:
    def large() -> None:
        st.session_state["photos around"] = list(dict.fromkeys(around))
        enlarge(task)

    _, _, photo = task.partition("/")
    st.button(f"Open {photo}", key=f"open {key}", type="tertiary", on_click=large)


def _filters(known: Sequence[Which]) -> tuple[Which, Verdict | None]:
    which = st.selectbox("Show", known, key="photos show", on_change=from_the_start, width=145)
    verdict = st.selectbox(
        "Verdict", [_ANY, *Verdict], key="photos verdict", on_change=from_the_start, width=145
    )
    return Which(which), None if verdict == _ANY else Verdict(verdict)


def _to_choose_from(classes: Mapping[str, int], taxonomy: Taxonomy) -> list[str]:
    """The classes; of more than a browser is sent, those with the words that are looked for."""
    if len(classes) <= MOST_SENT:
        return list(classes)
    words = st.text_input("Find a class", key="photos find", width=200).casefold().strip()
    named = (wnid for wnid in classes if words in f"{wnid} {taxonomy[wnid].name}".casefold())
    found = list(islice(named, MOST_SENT)) or list(islice(classes, MOST_SENT))
    chosen: str = st.session_state.get("photos class", found[0])
    return found if words or chosen in found else [chosen, *found]


@st.cache_resource(ttl=_FRESH_S, show_spinner=False)
def _classes(folder: str, _store: Store) -> dict[str, int]:
    return classes_with_photos(_store)


@st.cache_resource(ttl=_FRESH_S, show_spinner=False)
def _labelers(folder: str, _store: Store) -> dict[str, int]:
    return labelers_with_labels(_store)


@st.cache_resource(ttl=_FRESH_S, show_spinner=False, max_entries=64)
def _shown(folder: str, wnid: str, _store: Store) -> list[Shown]:
    return of_class(_store, wnid)


@st.cache_resource(ttl=_FRESH_S, show_spinner=False, max_entries=64)
def _places(
    folder: str, worker: str, which: Which, verdict: Verdict | None, _store: Store
) -> list[Place]:
    return said_by(_store, worker, which, verdict)
