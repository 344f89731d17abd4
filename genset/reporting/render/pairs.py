"""Two models side by side, as JSON."""

from dataclasses import asdict
from typing import Any

from genset.evaluation.results.compare import Pair
from genset.text.plain import plain


def pair_to_json(pair: Pair) -> dict[str, Any]:
    """Two models side by side, as JSON's own types."""
    found: dict[str, Any] = plain({**asdict(pair), "apart": pair.apart})
    return found
