"""A screen as it will look, for who has not accepted the work yet: of no class, with no photos."""

import streamlit as st

# What is seen in the picture, the verdict on it, and why.
_CARDS = (
    ("▲", "Correct", "a triangle"),
    ("■", "Incorrect", "a square"),
    ("▲■", "Correct", "a triangle, and something else"),
    ("◣", "Correct", "a triangle, seen otherwise"),
    ("●", "Incorrect", "a circle"),
)


def show_example() -> None:
    """Draw the screen, all decided."""
    st.subheader("An example", anchor=False)
    st.markdown("**Triangle**: a flat shape with three straight sides. Then up to five photos:")
    cards = "".join(
        f'<figure data-verdict="{verdict.lower()}"><div aria-hidden="true">{sign}</div>'
        f"<figcaption><b>{verdict}</b>: {why}</figcaption></figure>"
        for sign, verdict, why in _CARDS
    )
    st.html(f'<div class="genset-example">{cards}</div>')
