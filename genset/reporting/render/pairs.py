"""Two models side by side, as JSON."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from genset.comparison.marks import truth_of
from genset.comparison.pairs import Pair
from genset.comparison.truths import ProposalGain
from genset.core.to_json import to_json
from genset.score.results.results import Results
from genset.sets.truths.truth import By


def pair_to_json(pair: Pair) -> dict[str, Any]:
    """Two models side by side, as JSON's own types."""
    found: dict[str, Any] = to_json({**asdict(pair), "apart": pair.apart, "too_few": pair.too_few})
    return found


def truth_to_json(results: Results, by: By, proposed: Mapping[str, ProposalGain]) -> dict[str, Any]:
    """What made answers right, and what models gain by it that also proposed classes.

    Args:
        results: of the set.
        by: what two models are compared by; "original": nothing is said.
        proposed: by the models' labels.

    Raises:
        BadInput: the set has no truth.
    """
    if by == "original":
        return {}
    truth = truth_of(results)
    return {
        "truth": by,
        "truth_source": truth.source,
        "truth_sha256": truth.sha256,
        "proposal_gain": {label: to_json(asdict(each)) for label, each in proposed.items()},
    }
