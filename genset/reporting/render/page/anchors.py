"""Where things stand on a report's page, for links to them."""

LEFT_OUT = "left-out"
"""The section of models that are left out."""


def run_anchor(key: str) -> str:
    """The section of a model, by its run's key: the same in each report on its set."""
    return f"model-{key[:12]}"
