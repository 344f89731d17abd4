"""How tables are drawn."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import streamlit as st

from genset.core.numbers import NONE

MOST_SENT = 1000
"""Rows and choices that a browser is sent at once."""

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
    if rows > MOST_SENT:
        st.caption(f"The first {MOST_SENT:,} of {rows:,} rows")
    st.dataframe(
        {name: values[:MOST_SENT] for name, values in columns.items()},
        hide_index=True,
        placeholder=NONE,
        height=38 + 35 * max(1, min(rows, _MOST_ROWS)),
        column_config={
            **(config or {}),
            **{name: st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm") for name in times},
        },
    )
